"""The standings of a season."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time
from typing import Any

from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from leagues.models import Season
from leagues.services.directory import days_left
from ratings.engine.types import Rules
from ratings.forms.standings import StandingsFilterForm
from ratings.models import PrizeTier, Replay, Standing
from ratings.services.facts import shown_rules
from ratings.services.pace import Pace, hard_pace
from ratings.services.past import Past, past_standings
from ratings.services.standings import WEEK, details_of
from ratings.tables.standings import StandingsTable
from ratings.views.files import CHUNK, TableFileView, in_points
from ratings.views.live import LiveMixin

NUMBERS = (
    "games", "wins", "draws", "losses", "first_places", "missing_games", "opponents", "opponents_met",
)  # fmt: skip
FILE_COLUMNS = (
    "place", "position", "player", "address", "season_score", "rating", "peak", *NUMBERS,
    "classified", "withdrawn",
)  # fmt: skip


class StandingsView(LiveMixin):
    """Everybody entered, by season score; now, or at the end of a day that is over.

    The template asks for ``filled_table``, ``pace`` and ``past`` only where it has not kept what they make.
    """

    template_name = "ratings/standings.html"
    fragment_name = "ratings/_standings.html"
    season: Season

    @cached_property
    def form(self) -> StandingsFilterForm:
        return StandingsFilterForm(self.request.GET, season=self.season)

    @cached_property
    def rules(self) -> Rules:
        return shown_rules(self.season)

    @cached_property
    def past(self) -> Past | None:
        day = self.form.past_day
        return past_standings(self.season, self.rules, day) if day else None

    @cached_property
    def table(self) -> StandingsTable:
        """The table, still without its rows; of a past day they are computed by now."""
        table = standings_table(self.form, self.rules, self.past)
        table.empty_text = _empty_text(self.form) or table.empty_text
        return table

    @cached_property
    def rows(self) -> list[Standing]:
        """The rows of the page."""
        return self.table.show(self.request.GET)

    @property
    def is_empty(self) -> bool:
        """Whether nobody is in the season yet. The rows are asked for only where it has no game."""
        return not (self.replay.games or self.form.narrows or self.rows)

    @property
    def are_all(self) -> bool:
        """Whether nobody of the season is left out."""
        return len(self.rows) == self.table.paginator.count and not self.form.narrows

    @cached_property
    def filled_table(self) -> StandingsTable:
        """The table with the rows of the page."""
        return with_details(self.table, self.rows, self.replay, are_all=self.are_all, past=self.past)

    @property
    def pace(self) -> Pace | None:
        """What a place takes, where that is hard to keep."""
        if self.form.past_day:
            return None
        everybody = self.rows if self.are_all else None
        return hard_pace(self.season, self.rules, self.form.today, everybody=everybody)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        past_day = self.form.past_day
        # Around the rows only the legend is asked for: no past day is computed whose rows are kept.
        context = super().get_context_data(
            table=standings_table(self.form, self.rules, None) if past_day else self.table,
            form=self.form,
            q=self.form.cleaned_data.get("q", ""),
            show=self.form.cleaned_data.get("show", ""),
            past=past_day,
            is_empty=self.is_empty,
            days_left=days_left(self.season, self.form.today),
            sort=self.request.GET.get("sort", "")[:50],
            caption=_("Standings of %(season)s") % {"season": self.season.name},
            **kwargs,
        )
        return context | {"live_every": None} if past_day else context


def standings_table(form: StandingsFilterForm, rules: Rules, past: Past | None) -> StandingsTable:
    """The table of what was asked for; ``with_details`` makes it whole."""
    rows = form.narrow(past.rows) if past else form.standings()
    return StandingsTable(rows, season=form.season, rules=rules, is_over=form.is_over)


def with_details(
    table: StandingsTable,
    rows: Sequence[Standing],
    replay: Replay,
    *,
    are_all: bool = False,
    past: Past | None = None,
) -> StandingsTable:
    """The table with what its rows, which ``are_all`` of the season or some, show besides their numbers."""
    table.details = details_of(
        replay,
        rows,
        table.rules,
        week_ago=past.moment - WEEK if past else _start_of_week(),
        last_played_at=past.last_played_at if past else replay.last_change_at,
        are_all=are_all,
        past=past,
    )
    table.tiers = list(PrizeTier.objects.filter(season=replay.season))
    return table


def _start_of_week() -> datetime:
    """The start of the day a week ago, in the league's zone: it moves with the date alone."""
    return datetime.combine(timezone.localdate() - WEEK, time(), timezone.get_current_timezone())


def _empty_text(form: StandingsFilterForm) -> str:
    """Why the filter leaves nobody; empty where there is no filter."""
    if name := form.cleaned_data.get("q"):
        return _("Nobody here is called “%(name)s”.") % {"name": name}
    match form.cleaned_data.get("show"):
        case "classified":
            return _("Nobody is classified yet: a place takes enough games and enough opponents.")
        case "reach" if form.is_over:
            return _("The season is over: nobody who has no place can reach one any more.")
        case "reach":
            return _("Nobody lacks anything for a place.")
    return _("Nobody had been entered by then.") if form.past_day else ""


class StandingsFileView(TableFileView):
    """The rows of the page, with its filters and its order, all of them."""

    table = "standings"
    season: Season

    def rows(self) -> Iterator[Sequence[object]]:
        rules = shown_rules(self.season)
        past = past_standings(self.season, rules, self.form.past_day) if self.form.past_day else None
        table = standings_table(self.form, rules, past)
        table.sort(self.request.GET)
        return _file_rows(table.data.data if past else table.data.data.iterator(CHUNK))

    @property
    def file_name(self) -> str:
        day = self.form.past_day
        return f"{super().file_name}-{day}" if day else super().file_name

    @cached_property
    def form(self) -> StandingsFilterForm:
        return StandingsFilterForm(self.request.GET, season=self.season)


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
            row.classified,
            row.withdrawn,
        ]
