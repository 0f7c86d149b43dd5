"""Bringing the results of a season level with its facts.

The protocol, and why nothing is lost or mixed, is in docs/architecture.md.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import permutations
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max, Model, OuterRef, QuerySet, Subquery
from django.utils import timezone

from leagues.models import Entry, Season
from leagues.progress import Stage, over, shown_at
from leagues.services.bulk import Values, replace_rows
from ratings.engine.replay import replay
from ratings.engine.standings import standings
from ratings.engine.types import Change, Meetings, PlayerState, Row, State
from ratings.models import Meeting, RatingChange, Replay, Standing
from ratings.services.corrections import log_correction
from ratings.services.facts import Facts, UnreadableRulesError, load_facts

logger = logging.getLogger(__name__)

# The columns of the ledger that are a PlayerState, in its order.
LEDGER_STATE = [{"rating": "after"}.get(each.name, each.name) for each in fields(PlayerState)]


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


CHANGES = _Table(
    RatingChange,
    "change of game {} for player {}",
    ("game", "player"),
    ("played_at", "side", "points", *Change._fields[2:]),
)
STANDINGS = _Table(
    Standing, "standing of player {}", ("player",), tuple(each.name for each in fields(Row))[1:]
)
MEETINGS = _Table(
    Meeting,
    "meetings of player {} with {}",
    ("player", "opponent"),
    tuple(each.name for each in fields(Meetings)),
)


class _Seat(NamedTuple):
    """A player in a game as it was rated."""

    player: int
    side: int
    points: int


@dataclass(frozen=True, slots=True)
class Results:
    """What the facts of one revision give."""

    changes: list[Change]
    rows: list[Row]
    meetings: dict[tuple[Any, Any], Meetings]


def fold(facts: Facts, state: State) -> Results:
    """The results of the facts' games played on from this state. Pure: no database."""
    games = over(Stage.RATING, facts.games, len(facts.games))
    changes = list(replay(facts.rules, state, games))
    rows = standings(facts.rules, state, facts.outside.order, facts.withdrawn)
    return Results(changes, rows, state.meetings)


def replay_season(season_id: int, *, full: bool = False) -> bool:
    """Bring the season's results level with its facts; whether this call published them.

    Safe to call at any time, by anybody, as often as they like: a level season is left alone
    unless ``full``, which also ignores the stored end state. A rule set that cannot be read, or cannot
    rate a game, leaves the results of before, and its error on the Replay row.
    """
    with shown_at(progress_key(season_id)):
        return _replay_season(season_id, full=full)


def progress_key(season_id: int) -> str:
    """Where it is shown how far a season's replay has come."""
    return f"replay:{season_id}"


def _replay_season(season_id: int, *, full: bool) -> bool:
    if not Season.objects.filter(pk=season_id).exists():
        return False  # deleted meanwhile
    base, _created = Replay.objects.get_or_create(season_id=season_id)
    if not full and Season.objects.filter(pk=season_id, revision=base.revision).exists():
        return False
    try:
        facts = load_facts(season_id, stored=None if full else base)
    except UnreadableRulesError as error:
        return _note_failure(base, error.revision, error)
    rated = _seats_rated_since(base, facts.since)
    try:
        results = fold(facts, _state_before(base, facts, rated))
    except (ValueError, ArithmeticError) as error:
        return _note_failure(base, facts.revision, error)
    try:
        return _publish(base, facts, results, rated)
    except IntegrityError:
        return False  # they speak of a player deleted meanwhile; the season is still stale


def _note_failure(base: Replay, revision: int, error: Exception) -> bool:
    """Keep why these facts gave no results; False, as nothing was published."""
    attempt = Replay.objects.filter(pk=base.pk, revision=base.revision)
    attempt.update(failed_revision=revision, error=str(error))
    return False


def replay_stale_seasons() -> int:
    """Bring every season level whose results lag its facts; how many were."""
    for season in Season.objects.filter(replay=None, revision__gt=0):
        Replay.objects.get_or_create(season=season)
    replayed = 0
    for season_id in Replay.objects.stale().values_list("season_id", flat=True):
        try:
            replayed += replay_season(season_id)
        except Exception:
            # A fault of ours in one season must not hold up the others; the next sweep tries again.
            logger.exception("The replay of season %s failed.", season_id)
    return replayed


def _changes_since(base: Replay, since: datetime | None) -> QuerySet[RatingChange]:
    """The ledger's rows of games played from ``since`` on; all of them without it."""
    changes = RatingChange.objects.filter(season=base.season_id)
    if since is None:
        return changes
    if base.last_played_at is None or base.last_played_at < since:
        return changes.none()  # known at once: the ledger of a long season is not looked through
    return changes.filter(played_at__gte=since)


def _seats_rated_since(base: Replay, since: datetime | None) -> dict[int, list[_Seat]]:
    """Who sat where, by game, in the stored games that are rated anew."""
    seats: dict[int, list[_Seat]] = defaultdict(list)
    if since is not None:
        rows = _changes_since(base, since).order_by()
        for game, *seat in rows.values_list("game_id", "player_id", "side", "points"):
            seats[game].append(_Seat(*seat))
    return seats


def _state_before(base: Replay, facts: Facts, rated: Mapping[int, Sequence[_Seat]]) -> State:
    """The season's state before the first of the facts' games, from the stored results."""
    state = facts.starting_state()
    if facts.since is None:
        return state
    earlier = RatingChange.objects.filter(
        season=OuterRef("season"), player=OuterRef("player"), played_at__lt=facts.since
    )
    last = Entry.objects.filter(season=base.season_id).values_list(
        Subquery(earlier.order_by("-played").values("pk")[:1])
    )
    for player, *values in RatingChange.objects.filter(pk__in=last).values_list("player_id", *LEDGER_STATE):
        state.players[player] = PlayerState(*values)
    for player, opponent, *counts in MEETINGS.stored(base.season_id):
        state.meetings[player, opponent] = Meetings(*counts)
    for seats in rated.values():
        _forget_meetings(state, seats)
    return state


def _forget_meetings(state: State, seats: Sequence[_Seat]) -> None:
    """Take a game's meetings out of the state again."""
    for one, other in permutations(seats, 2):
        if one.side != other.side and (meetings := state.meetings.get((one.player, other.player))):
            meetings.games -= 1
            meetings.wins -= one.points > other.points
            meetings.draws -= one.points == other.points
            meetings.losses -= one.points < other.points
            if not meetings.games:
                del state.meetings[one.player, other.player]


@transaction.atomic
def _publish(base: Replay, facts: Facts, results: Results, rated: Mapping[int, Sequence[_Seat]]) -> bool:
    """Write the results in one transaction, unless somebody published others meanwhile."""
    # The season before its results, the order in which whoever deletes players takes them.
    Season.objects.locked().filter(pk=base.season_id).first()
    locked = Replay.objects.select_for_update().filter(pk=base.pk, revision=base.revision).first()
    if locked is None:
        return False
    log_correction(base, facts, results.changes)
    seated = {change.player for change in results.changes}
    seated |= {seat.player for seats in rated.values() for seat in seats}
    for table, rows in _rows(facts, results):
        stored = table.model._default_manager.filter(season=base.season_id)
        if table is CHANGES:
            stored = _changes_since(base, facts.since)
        if table is MEETINGS and facts.since is not None:  # nobody else met anybody
            stored = stored.filter(player__in=seated)
            rows = (row for row in rows if row[0] in seated)
        replace_rows(stored, ("season", *table.columns), ((base.season_id, *row) for row in rows))
    locked.revision = facts.revision
    locked.games = len(facts.games) + (0 if facts.since is None else base.games - len(rated))
    locked.last_played_at = max(facts.times.values(), default=None) or _last_played_at(base.season_id)
    locked.finished_at = timezone.now()
    locked.failed_revision, locked.error = None, ""
    locked.outside = facts.outside.kept() if facts.is_final else None
    locked.save()
    Season.objects.filter(pk=base.season_id, revision=facts.revision).update(stale_from=None)
    return True


def _last_played_at(season_id: int) -> datetime | None:
    return RatingChange.objects.filter(season=season_id).aggregate(last=Max("played_at"))["last"]


def _rows(facts: Facts, results: Results) -> Iterable[tuple[_Table, Iterable[Values]]]:
    """The results as they are stored."""
    counts_of = attrgetter(*MEETINGS.values)
    meetings = ((*pair, *counts_of(met)) for pair, met in results.meetings.items())
    yield CHANGES, _ledger(facts, results.changes)
    yield STANDINGS, map(attrgetter(*STANDINGS.columns), results.rows)
    yield MEETINGS, meetings


def _ledger(facts: Facts, changes: Iterable[Change]) -> Iterator[Values]:
    """Changes, which come game by game in order of sides and members, with what was rated."""
    rated = iter(changes)
    for game in facts.games:
        played_at = facts.times[int(game.id)]
        for number, side in enumerate(game.sides, 1):
            for _member in side.members:
                change = next(rated)
                yield (*change[:2], played_at, number, side.points, *change[2:])


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
    try:
        facts = load_facts(season_id)
        results = fold(facts, facts.starting_state())
    except (ValueError, ArithmeticError) as error:
        return [*differences, f"the facts cannot be rated: {error}"]
    return [*differences, *_differences(season_id, facts, results)]


def _differences(season_id: int, facts: Facts, results: Results) -> Iterable[str]:
    for table, rows in _rows(facts, results):
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
