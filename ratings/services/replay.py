"""Bringing the results of a season level with its facts.

The protocol, and why nothing is lost or mixed, is in docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from leagues.models import Season
from ratings.engine.replay import replay
from ratings.engine.standings import standings
from ratings.engine.types import Change, Meetings, PlayerState, Row, State
from ratings.models import Meeting, RatingChange, Replay, Standing
from ratings.services.bulk import Values, replace_rows, write_rows
from ratings.services.facts import Facts, load_facts

STATE_FIELDS = [each.name for each in fields(PlayerState)]


@dataclass(frozen=True, slots=True)
class _Table:
    """How a part of the results is stored: in rows of ``keys``, which tell them apart, and ``values``."""

    model: type[Model]
    what: str
    keys: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.values)

    def stored(self, season_id: int) -> Iterable[Values]:
        return self.model._default_manager.filter(season=season_id).values_list(*self.columns)


CHANGES = _Table(RatingChange, "change of game {} for player {}", ("game", "player"), Change._fields[2:])
STANDINGS = _Table(
    Standing, "standing of player {}", ("player",), tuple(each.name for each in fields(Row))[1:]
)
MEETINGS = _Table(
    Meeting,
    "meetings of player {} with {}",
    ("player", "opponent"),
    tuple(each.name for each in fields(Meetings)),
)


@dataclass(frozen=True, slots=True)
class Results:
    """What the facts of one revision give."""

    changes: list[Change]
    rows: list[Row]
    meetings: dict[tuple[Any, Any], Meetings]


def fold(facts: Facts, state: State) -> Results:
    """The results of the facts' games played on from this state. Pure: no database."""
    changes = list(replay(facts.rules, state, facts.games))
    rows = standings(facts.rules, state, facts.participants, facts.withdrawn)
    return Results(changes, rows, state.meetings)


def replay_season(season_id: int, *, full: bool = False) -> bool:
    """Bring the season's results level with its facts; whether this call published them.

    Safe to call at any time, by anybody, as often as they like: a level season is left alone
    unless ``full``, which also ignores the stored end state. A rule set that cannot rate a game
    leaves the results of before, and its error on the Replay row.
    """
    if not Season.objects.filter(pk=season_id).exists():
        return False  # deleted meanwhile
    base, _created = Replay.objects.get_or_create(season_id=season_id)
    if not full and Season.objects.filter(pk=season_id, revision=base.revision).exists():
        return False
    facts = load_facts(season_id, stored=None if full else base)
    try:
        results = fold(facts, _stored_state(facts, season_id) if facts.goes_on else facts.starting_state())
    except (ValueError, ArithmeticError) as error:
        Replay.objects.filter(pk=base.pk, revision=base.revision).update(
            failed_revision=facts.revision, error=str(error)
        )
        return False
    try:
        return _publish(base, facts, results)
    except IntegrityError:
        return False  # they speak of a game or player deleted meanwhile; the season is still stale


def replay_stale_seasons() -> int:
    """Bring every season level whose results lag its facts; how many were."""
    for season in Season.objects.filter(replay=None, revision__gt=0):
        Replay.objects.get_or_create(season=season)
    stale = Replay.objects.stale().values_list("season_id", flat=True)
    return sum(replay_season(season_id) for season_id in stale)


def _stored_state(facts: Facts, season_id: int) -> State:
    """The state after the last game of the stored results, with beginners for new players."""
    state = facts.starting_state()
    for player, *values in Standing.objects.filter(season=season_id).values_list("player", *STATE_FIELDS):
        state.players[player] = PlayerState(*values)
    for player, opponent, *counts in MEETINGS.stored(season_id):
        state.meetings[player, opponent] = Meetings(*counts)
    return state


@transaction.atomic
def _publish(base: Replay, facts: Facts, results: Results) -> bool:
    """Write the results in one transaction, unless somebody published others meanwhile."""
    # The season before its results, the order in which whoever deletes games takes them.
    Season.objects.locked().filter(pk=base.season_id).first()
    locked = Replay.objects.select_for_update().filter(pk=base.pk, revision=base.revision).first()
    if locked is None:
        return False
    _write(base.season_id, results, goes_on=facts.goes_on)
    locked.revision = facts.revision
    locked.games = len(facts.games) + (base.games if facts.goes_on else 0)
    locked.last_played_at = facts.last_played_at or (base.last_played_at if facts.goes_on else None)
    locked.finished_at = timezone.now()
    locked.failed_revision, locked.error = None, ""
    locked.save()
    Season.objects.filter(pk=base.season_id, revision=facts.revision).update(stale_from=None)
    return True


def _rows(results: Results) -> Iterable[tuple[_Table, Iterable[Values]]]:
    """The results as they are stored."""
    counts_of = attrgetter(*MEETINGS.values)
    meetings = ((*pair, *counts_of(met)) for pair, met in results.meetings.items())
    yield CHANGES, results.changes
    yield STANDINGS, map(attrgetter(*STANDINGS.columns), results.rows)
    yield MEETINGS, meetings


def _write(season_id: int, results: Results, *, goes_on: bool) -> None:
    for table, rows in _rows(results):
        if goes_on and table is CHANGES:
            write_rows(table.model, ("season", *table.columns), ((season_id, *row) for row in rows))
        else:
            replace_rows(table.model, season_id, table.columns, rows)


def check_season(season_id: int) -> list[str]:
    """Every way in which the stored results differ from a replay from scratch; writes nothing."""
    season = Season.objects.get(pk=season_id)
    stored = Replay.objects.filter(season=season_id).first()
    revision = stored.revision if stored else 0
    differences = []
    if revision != season.revision:
        differences.append(f"revision: the results are at {revision}, the facts at {season.revision}")
    if stored and stored.error:
        differences.append(f"the last replay failed: {stored.error}")
    facts = load_facts(season_id)
    try:
        results = fold(facts, facts.starting_state())
    except (ValueError, ArithmeticError) as error:
        return [*differences, f"the facts cannot be rated: {error}"]
    return [*differences, *_differences(season_id, results)]


def _differences(season_id: int, results: Results) -> Iterable[str]:
    for table, rows in _rows(results):
        keys = len(table.keys)
        stored = {row[:keys]: row[keys:] for row in table.stored(season_id)}
        expected = {row[:keys]: row[keys:] for row in rows}
        yield from _compare(table.what, table.values, stored, expected)


def _compare(
    what: str, names: Iterable[str], stored: dict[Any, Any], expected: dict[Any, Any]
) -> Iterable[str]:
    for key in sorted(stored.keys() | expected.keys()):
        label = what.format(*key)
        if key not in expected:
            yield f"{label}: stored, but nothing gives it"
        elif key not in stored:
            yield f"{label}: missing"
        else:
            pairs = zip(names, stored[key], expected[key], strict=True)
            wrong = [f"{name} is {old}, should be {new}" for name, old, new in pairs if old != new]
            if wrong:
                yield f"{label}: {'; '.join(wrong)}"
