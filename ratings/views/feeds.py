"""The games of a season, or of a whole league, as an Atom feed for readers of news."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Max
from django.http import HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.functional import cached_property
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leagues.models import AuditEntry, Game, Season
from leagues.tenancy.hosts import canonical_address
from ratings.services.history import ListedGame, listed
from ratings.views.shared import SharedMixin

NEWEST = 50  # games in a feed
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class OfSeasonMixin(SharedMixin):
    """What is told of a season to programs that come again and again."""

    @cached_property
    def seasons(self) -> list[Season]:
        """The seasons that are told of; each knows its league."""
        return [self.season] if self.season else []

    @property
    def title(self) -> str:
        """What programs call it."""
        return f"{self.league.name} · {self.seasons[0].name}"


class OfLeagueMixin(OfSeasonMixin):
    """The same through all seasons of a league but drafts."""

    @cached_property
    def seasons(self) -> list[Season]:
        seasons = list(Season.objects.in_league(self.league).published().select_related("replay"))
        for season in seasons:
            season.league = self.league
        return seasons

    @property
    def title(self) -> str:
        return self.league.name

    def seen(self) -> list[object]:
        return [(season.pk, season.revision, _replayed(season)) for season in self.seasons]


class GamesFeedView(OfSeasonMixin):
    """The newest games of a season. A corrected one is the same entry with a later date."""

    @property
    def page(self) -> str:
        """The page that shows what the feed tells."""
        values = {"league": self.league.slug, "season": self.seasons[0].slug}
        return reverse("ratings:game-list", kwargs=values)

    def answer(self) -> HttpResponse:
        games = Game.objects.filter(season__in=self.seasons).latest_first().with_sides()[:NEWEST]
        rows = listed(list(games), self.league)
        touched = _touched(self.league, [row.game for row in rows])
        feed = Atom1Feed(
            title=clean(self.title),
            link=canonical_address(self.request, self.league, self.page),
            description=None,
            language=get_language(),
            author_name=clean(self.league.name),
            feed_url=canonical_address(self.request, self.league, self.request.get_full_path()),
            feed_guid=f"{self._tag}:games-{self.season.pk if self.season else 'all'}",
        )
        of = {season.pk: season for season in self.seasons}
        for row in rows:
            row.game.season = of[row.game.season_id]
            feed.add_item(
                title=clean(row.title),
                link=canonical_address(self.request, self.league, row.game.get_absolute_url()),
                description=escape(clean(summary_of(row))),  # the format takes it for HTML
                unique_id=f"{self._tag}:game-{row.game.pk}",
                pubdate=row.game.entered_at,
                updateddate=touched.get(row.game.pk, row.game.entered_at),
            )
        return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)

    @property
    def _tag(self) -> str:
        """What the ids begin with: it outlives new addresses of the league and its seasons."""
        host = settings.MAIN_HOST.partition(":")[0]
        return f"tag:{host},{self.league.created_at:%Y-%m-%d}:league-{self.league.pk}"


class LeagueGamesFeedView(GamesFeedView, OfLeagueMixin):
    """The newest games of a league, through all its seasons."""

    @property
    def page(self) -> str:
        return self.league.get_absolute_url()


def _replayed(season: Season) -> int | None:
    replay = getattr(season, "replay", None)
    return replay.revision if replay else None


def _touched(league: Any, games: Sequence[Game]) -> dict[int, datetime]:
    """When each of these games was last recorded, corrected, voided or restored, by its id."""
    acts = AuditEntry.objects.in_league(league).filter(
        object_type="game", object_id__in=[str(game.pk) for game in games]
    )
    latest = acts.order_by().values_list("object_id").annotate(at=Max("at"))
    return {int(game): at for game, at in latest}


def summary_of(row: ListedGame) -> str:
    """What the game changed: “Захари +5.6, Добри −5.6”; or why it changed nothing."""
    if row.game.is_voided:
        return _("This game does not count: %(reason)s") % {"reason": row.game.void_reason}
    if not row.game.rated:
        return " ".join([_("This game is not rated."), row.game.note]).strip()
    changes = row.told_changes
    told = changes or _("This game is not rated yet.")
    return (
        f"{told}. {row.game.note}" if changes and row.game.note else " ".join([told, row.game.note]).strip()
    )


def clean(text: str) -> str:
    """The text without signs that XML cannot hold."""
    return _NOT_IN_XML.sub("", text)
