"""Around whom the ladder of a season is shown, and its leaderboard as a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import Http404
from django.utils.functional import cached_property

from leagues.models import Season
from leagues.tenancy.requests import LeagueMixin
from ratings.engine.types import Rules
from ratings.forms.ladder import LadderForm
from ratings.models import Standing
from ratings.services.challenges import stakes_of
from ratings.services.facts import shown_rules
from ratings.tables.ladder import leaderboard
from ratings.views.files import CHUNK, TableFileView, in_points

FILE_COLUMNS = ("position", "player", "address", "rating", "wins", "draws", "losses")
AROUND_COLUMNS = ("win", "loss")


def ladder_rules(season: Season) -> Rules:
    """The rules of a ladder season; Http404 for one of another system."""
    rules = shown_rules(season)
    if rules.system != "ladder":
        raise Http404
    return rules


class AroundMixin(LeagueMixin):
    """What the address asks of the ladder."""

    season: Season

    @cached_property
    def asked(self) -> LadderForm:
        form = LadderForm(self.request.GET)
        form.is_valid()
        return form

    @cached_property
    def me(self) -> Standing | None:
        """The row of the player the ladder is shown around: whom the address names, or the reader's own."""
        slug = self.asked.cleaned_data.get("player") or self.request.player
        # With the league an index finds the player.
        rows = Standing.objects.filter(
            season=self.season, player__league=self.league, player__slug=slug or ""
        )
        return rows.select_related("player").first() if slug else None


class LeaderboardFileView(AroundMixin, TableFileView):
    """Everybody whom the page shows; around a player, with what a battle against each is worth."""

    table = "leaderboard"

    def rows(self) -> Iterable[Sequence[object]]:
        return self._rows(ladder_rules(self.season))

    def _rows(self, rules: Rules) -> Iterator[Sequence[object]]:
        me = self.me
        yield FILE_COLUMNS + (AROUND_COLUMNS if me else ())
        standings: Any = leaderboard(self.season, self.asked.cleaned_data.get("q", ""))
        for row in standings.iterator(CHUNK):
            told = [row.position, row.player.name, row.player.slug, in_points(row.rating)]
            told += [row.wins, row.draws, row.losses]
            if me and row.player_id != me.player_id:
                stakes = stakes_of(self.season, rules, me, row)
                told += [in_points(stakes.won), in_points(stakes.lost)]
            elif me:
                told += [None, None]
            yield told
