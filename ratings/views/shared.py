"""What stands on other sites: the standings in a frame, and a badge for one player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from unicodedata import combining, east_asian_width

from csp.decorators import csp_replace
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.decorators import method_decorator
from django.utils.http import quote_etag
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.clickjacking import xframe_options_exempt

from leagues.colours import accent_of, hero_of
from leagues.formats import format_ordinal, format_rating
from leagues.models import Player, Season
from leagues.tenancy.hosts import canonical_address
from ratings.engine.types import Rules
from ratings.forms.embed import EmbedForm
from ratings.models import Standing
from ratings.services.facts import shown_rules
from ratings.services.pace import is_over
from ratings.tables.standings import StandingsTable
from ratings.views.live import LiveMixin
from ratings.views.standings import with_details

KEPT_SECONDS = 60  # for which caches that many readers share keep an answer unasked
NAME_SHOWN = 40  # letters of a name on a badge
LETTER, WIDE_LETTER, PADDING = 6.8, 11, 8  # pixels at the size that badges are written in


class SharedMixin(LiveMixin):
    """What other sites show of a public league: the same for everybody, without cookies (LeagueMiddleware).

    The ETag says of which results it is, as for the pages.
    """

    is_shared = True
    is_fragment = False

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponseBase:
        tag = quote_etag(self.kept_key)
        response: HttpResponseBase = get_conditional_response(request, etag=tag) or self.answer()
        response["ETag"] = tag
        patch_cache_control(response, public=True, max_age=KEPT_SECONDS)
        return response

    def answer(self) -> HttpResponseBase:
        """The answer to who has none yet, or an old one."""
        return self.render_to_response(self.get_context_data())


@method_decorator([csp_replace({"frame-ancestors": ["*"]}), xframe_options_exempt], name="dispatch")
class EmbedView(SharedMixin):
    """The table of a season for a frame: the only page of the site that may stand in one."""

    template_name = "ratings/embed.html"
    season: Season

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        asked = EmbedForm(self.request.GET).asked(StandingsTable.base_columns)
        left_out = [name for name in StandingsTable.base_columns if name not in asked["columns"]]
        standings = (
            Standing.objects.filter(season=self.season, position__lte=asked["rows"])
            .select_related("player")
            .order_by("position")
        )

        def filled_table() -> StandingsTable:
            """The table with its rows; the template asks only when it has not kept them."""
            table = StandingsTable(
                standings,
                season=self.season,
                rules=shown_rules(self.season),
                is_over=is_over(self.season, timezone.localdate()),
                orderable=False,
                exclude=left_out,
            )
            return with_details(table, table.show_all(), self.replay)

        return super().get_context_data(
            filled_table=filled_table,
            theme=asked["theme"],
            page=canonical_address(self.request, self.league, self.season.get_absolute_url()),
            caption=_("Standings of %(season)s") % {"season": self.season.name},
            **kwargs,
        )


class PlayerBadgeView(SharedMixin):
    """A picture that says where a player stands: “3rd, 1523.3, 31 of 75 games”."""

    template_name = "ratings/badge.svg"
    content_type = "image/svg+xml"
    season: Season

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        player = get_object_or_404(Player.objects.in_league(self.league), slug=self.kwargs["player"])
        standing = Standing.objects.filter(season=self.season, player=player).first()
        text = standing_text(standing, shown_rules(self.season)) if standing else _("not entered")
        hue = self.league.accent_hue
        return super().get_context_data(
            badge=badge(Truncator(player.name).chars(NAME_SHOWN), text),
            colours=(hero_of(hue), accent_of(hue)),
            **kwargs,
        )


def standing_text(standing: Standing, rules: Rules) -> str:
    """Where a player stands, in the active language: “3rd, 1523.3, 31 of 75 games”."""
    if standing.place is not None:
        place = format_ordinal(standing.place)
    else:
        place = _("withdrawn") if standing.withdrawn else _("no place yet")
    return f"{place}, {format_rating(standing.season_score)}, {_games(standing.games, rules.min_games)}"


def _games(games: int, least: int) -> str:
    """How many, and of how many that a place needs while they are not more."""
    if games > least:
        return ngettext("%(count)d game", "%(count)d games", games) % {"count": games}
    sentence = ngettext("%(count)d of %(least)d game", "%(count)d of %(least)d games", least)
    return sentence % {"count": games, "least": least}


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a badge, where it begins and how wide it is written, in pixels."""

    text: str
    x: int
    width: int


@dataclass(frozen=True, slots=True)
class Badge:
    """Two texts beside each other, ``split`` pixels from the left."""

    name: Text
    standing: Text
    split: int
    width: int


def badge(name: str, standing: str) -> Badge:
    """A badge with these texts, stretched to fit: nobody tells a picture how wide its letters are."""
    split = _width(name) + 2 * PADDING
    return Badge(
        name=Text(name, PADDING, _width(name)),
        standing=Text(standing, split + PADDING, _width(standing)),
        split=split,
        width=split + _width(standing) + 2 * PADDING,
    )


def _width(text: str) -> int:
    letters = [letter for letter in text if not combining(letter)]
    return round(sum(WIDE_LETTER if east_asian_width(letter) in "WF" else LETTER for letter in letters))
