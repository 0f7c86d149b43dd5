"""Everybody against everybody in a season."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F, QuerySet

from leagues.models import Player, Season
from ratings.models import Meeting, Standing
from ratings.services.facts import shown_rules
from ratings.services.matrix import meetings_between, must_be_met, opponents_of, totals
from ratings.tables.matrix import Matrix
from ratings.views.files import CHUNK, TableFileView
from ratings.views.live import LiveMixin
from ratings.views.players import searched

PLAYERS = 60  # at each side of a page
FEW = 5  # players of a page where hardly anybody has met
SPARSE = 20  # hardly anybody: fewer than one pair of so many
FILE_COLUMNS = (
    "player", "address", "opponent", "opponent_address", "games", "wins", "draws", "losses",
)  # fmt: skip


class MatrixView(LiveMixin):
    """Who met whom how often. A large season is cut into pages at both sides, and players can be searched.

    Those found have on top only whom they met or must meet. So have all where hardly anybody has met,
    a few on a page: of everybody against everybody no cell in sight would say anything.
    """

    template_name = "ratings/matrix.html"
    fragment_name = "ratings/_matrix.html"
    season: Season

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        text = searched(self.request)
        rules = shown_rules(self.season)
        whole = totals(self.season, rules)
        is_sparse = whole.players > PLAYERS and whole.pairs * SPARSE < whole.all_pairs
        everybody = Standing.objects.filter(season=self.season).order_by("position")
        rows = self._page(_named_like(everybody, text, self.season), "page", FEW if is_sparse else PLAYERS)
        is_narrow = bool(rows) and (is_sparse or bool(text))
        if is_narrow:  # as many cells as a page of everybody
            opponents = opponents_of(self.season, list(rows), rules)
            columns = self._page(opponents, "columns", PLAYERS * PLAYERS // len(rows))
        else:
            columns = self._page(everybody, "columns", PLAYERS)

        def filled() -> Matrix:
            """The rows and columns of the page; the template asks only when it has not kept them."""
            met = meetings_between(self.season, list(rows), list(columns))
            return Matrix(list(rows), list(columns), met, must_meet=must_be_met(rules, columns), rules=rules)

        return super().get_context_data(
            filled=filled,
            page=rows,
            columns=columns,
            totals=whole,
            is_sparse=is_sparse,
            is_narrow=is_narrow,
            rules=rules,
            q=text,
        )

    def _page(self, standings: QuerySet[Standing], name: str, size: int) -> Page:
        return Paginator(standings.select_related("player"), size).get_page(self.request.GET.get(name))


def _named_like(rows: QuerySet[Any], text: str, season: Season) -> QuerySet[Any]:
    """Those of the rows whose player is so called; all of them where nobody is searched for."""
    if not text:
        return rows
    return rows.filter(player__in=Player.objects.in_league(season.league_id).named_like(text))


class MatrixFileView(TableFileView):
    """A row for each player whom the page shows and each opponent met, by their names: each pair has two."""

    table = "matrix"
    season: Season

    def rows(self) -> Iterator[Sequence[object]]:
        yield FILE_COLUMNS
        meetings: Any = (
            _named_like(Meeting.objects.filter(season=self.season), searched(self.request), self.season)
            .order_by("player__sort_key", "player_id", "opponent__sort_key", "opponent_id")
            .annotate(
                name=F("player__name"),
                address=F("player__slug"),
                other=F("opponent__name"),
                other_address=F("opponent__slug"),
            )
        )
        for row in meetings.iterator(CHUNK):
            numbers = (row.games, row.wins, row.draws, row.losses)
            yield [row.name, row.address, row.other, row.other_address, *numbers]
