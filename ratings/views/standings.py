"""The standings of a season."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.generic import View

from leagues.models import Season
from leagues.services.directory import days_left
from leagues.tenancy.requests import LeagueMixin
from ratings.forms.standings import StandingsFilterForm
from ratings.models import PrizeTier, Standing
from ratings.services.facts import shown_rules
from ratings.services.standings import details_of, with_rating_at
from ratings.tables.standings import StandingsTable
from ratings.views.files import CHUNK, csv_file, in_points
from ratings.views.live import LiveMixin

GAINED_DAYS = 7
NUMBERS = (
    "games", "wins", "draws", "losses", "first_places", "missing_games", "opponents", "opponents_met",
)  # fmt: skip
FILE_COLUMNS = (
    "place", "position", "player", "address", "season_score", "rating", "peak", *NUMBERS,
    "classified", "withdrawn",
)  # fmt: skip


class StandingsView(LiveMixin):
    """Everybody entered, by season score."""

    template_name = "ratings/standings.html"
    fragment_name = "ratings/_standings.html"
    season: Season

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = StandingsFilterForm(self.request.GET)
        standings = form.standings(self.season)
        table = standings_table(self.season, standings)
        table.empty_text = _empty_text(form) or table.empty_text

        def filled_table() -> StandingsTable:
            """The table with the rows of the page; the template asks only when it has not kept them."""
            rows = table.show(self.request.GET)
            are_all = len(rows) == table.paginator.count and not form.narrows
            return with_details(table, rows, self.season, are_all=are_all)

        return super().get_context_data(
            table=table,
            filled_table=filled_table,
            q=form.cleaned_data.get("q", ""),
            show=form.cleaned_data.get("show", ""),
            days_left=days_left(self.season, timezone.localdate()),
            sort=self.request.GET.get("sort", "")[:50],
            caption=_("Standings of %(season)s") % {"season": self.season.name},
            **kwargs,
        )


def standings_table(season: Season, standings: QuerySet[Standing], **options: Any) -> StandingsTable:
    """A table of these standings by the rules of their season; ``with_details`` makes it whole."""
    recent = with_rating_at(standings, _gained_since())
    return StandingsTable(recent, season=season, rules=shown_rules(season), **options)


def with_details(
    table: StandingsTable, rows: Sequence[Standing], season: Season, *, are_all: bool = False
) -> StandingsTable:
    """The table with what its rows, which ``are_all`` of the season or some, show besides their numbers."""
    table.details = details_of(season, rows, table.rules, are_all=are_all)
    table.tiers = list(PrizeTier.objects.filter(season=season))
    return table


def _gained_since() -> datetime:
    """The start of the day a week ago, in the league's zone: it moves with the date alone."""
    day = timezone.localdate() - timedelta(days=GAINED_DAYS)
    return datetime.combine(day, time(), timezone.get_current_timezone())


def _empty_text(form: StandingsFilterForm) -> str:
    """Why the filter leaves nobody; empty where there is no filter."""
    if name := form.cleaned_data.get("q"):
        return _("Nobody here is called “%(name)s”.") % {"name": name}
    if form.cleaned_data.get("show"):
        return _("Nobody is classified yet: a place takes enough games and enough opponents.")
    return ""


class StandingsFileView(LeagueMixin, View):
    """The rows of the page, with its filters and its order, all of them."""

    season: Season

    def get(self, *_args: Any, **_kwargs: Any) -> StreamingHttpResponse:
        standings = StandingsFilterForm(self.request.GET).standings(self.season)
        table = StandingsTable(standings, season=self.season, rules=shown_rules(self.season))
        table.sort(self.request.GET)
        name = f"{self.league.slug}-{self.season.slug}-standings"
        return csv_file(name, _file_rows(table.data.data.iterator(CHUNK)))


def _file_rows(standings: Iterable[Standing]) -> Iterator[Sequence[object]]:
    yield FILE_COLUMNS
    for row in standings:
        yield [
            row.place,
            row.position,
            row.player.name,
            row.player.slug,
            *map(in_points, (row.season_score, row.rating, row.peak)),
            *(getattr(row, name) for name in NUMBERS),
            *(str(flag).lower() for flag in (row.classified, row.withdrawn)),
        ]
