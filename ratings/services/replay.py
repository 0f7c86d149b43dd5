"""Bringing the results of a season level with its facts.

The protocol, and why nothing is lost or mixed, is in docs/architecture.md.
"""

from __future__ import annotations

import logging
import operator
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from operator import attrgetter, itemgetter

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from leagues.models import Season
from leagues.prepared import PreparedLookup, PreparedRows, PreparedSave, PreparedUpdate
from leagues.progress import Stage, over, shown_at
from leagues.services.audit import HELD
from leagues.services.bulk import Values, by_values, replace_rows, stored_rows
from ratings.engine.eligibility import opponents_met, required_opponents
from ratings.engine.meetings import count_meetings
from ratings.engine.replay import adjust, replay
from ratings.engine.types import Game, GameId, Meetings, Pair, PlayerId, PlayerState, Row, State
from ratings.models import AppliedAdjustment, Meeting, RatingChange, Replay, Standing
from ratings.services import ledger
from ratings.services.corrections import CorrectionNote
from ratings.services.facts import (
    NEVER,
    PLAYER_STATE,
    Basis,
    CannotRateError,
    count_games,
    load_basis,
    load_games,
)

logger = logging.getLogger(__name__)

# After so many a replay has the writers wait, so that a busy season cannot keep its results waiting.
ATTEMPTS_BESIDE_WRITERS = 2

STANDING = ("season", *Row._fields)
MEETING = ("season", "player", "opponent", *(each.name for each in fields(Meetings)))

# A replay from within these days leaves alone where everybody stood a week ago.
LATEST = timedelta(days=6)

# Parts of the rows of these columns.
PLAYER, GAMES, IS_WITHDRAWN, MET = (
    itemgetter(STANDING.index(name)) for name in ("player", "games", "withdrawn", "opponents_met")
)
STATE = itemgetter(*map(STANDING.index, PLAYER_STATE))
PAIR, COUNTS = itemgetter(1, 2), itemgetter(3, 4, 5, 6)
NO_MEETINGS = (0, 0, 0, 0)

# Asked by every replay, appended games' too.
SEASON = PreparedLookup(lambda: Season.objects.filter(pk=0).select_related("league", "replay"))
TURN = PreparedLookup(lambda: Replay.objects.filter(season=0).select_for_update())
UNCHANGED = PreparedRows(
    lambda: (
        Season.objects.filter(pk=0)
        .filter(revision=0)
        .select_for_update(no_key=True, skip_locked=True)
        .order_by()
        .values_list("pk")
    )
)
STANDINGS = PreparedRows(lambda: Standing.objects.filter(season=0).order_by().values_list("pk", *STANDING))
# Of a player with those from one opponent to another: of a duel, one row.
MEETINGS = PreparedRows(
    lambda: (
        Meeting.objects.filter(season=0)
        .filter(player=0)
        .filter(opponent__gte=0)
        .filter(opponent__lte=0)
        .order_by()
        .values_list("pk", *MEETING)
    )
)
LEVEL = PreparedUpdate(lambda: Season.objects.filter(pk=0), stale_from=None)
REPLAY = PreparedSave(Replay)

counts_of = attrgetter(*MEETING[3:])


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
    for attempt in range(ATTEMPTS_BESIDE_WRITERS + 1):
        try:
            with transaction.atomic():
                return _replay_once(season_id, full=full, holds=attempt == ATTEMPTS_BESIDE_WRITERS)
        except _OvertakenError:
            continue
        except CannotRateError as error:
            _note_failure(season_id, error)
        except IntegrityError:
            pass  # the results speak of a player deleted meanwhile; the season is still stale
        return False
    raise AssertionError("A season that is held cannot be overtaken.")


class _OvertakenError(Exception):
    """The facts changed while they were rated."""


def _replay_once(season_id: int, *, full: bool, holds: bool) -> bool:
    """One attempt, a transaction; whether it published. Raises _OvertakenError unless it holds the season."""
    if holds:
        HELD.first(season_id)
    season = SEASON.first(season_id)
    if season is None or (not full and _is_level(season, getattr(season, "replay", None))):
        return False  # deleted meanwhile, or level: known without waiting for another replay
    # Replays of a season take turns. What they publish is read when it is one's turn.
    base = TURN.first(season_id) or Replay(season=season)
    if not full and _is_level(season, base):
        return False
    _publish(season, base, full=full)
    return True


def _is_level(season: Season, base: Replay | None) -> bool:
    return base is not None and base.revision == season.revision


def _note_failure(season_id: int, error: CannotRateError) -> None:
    """Keep why these facts gave no results."""
    Replay.objects.get_or_create(season_id=season_id)
    older = Replay.objects.filter(season=season_id, revision__lte=error.revision)
    older.update(failed_revision=error.revision, error=str(error))


def replay_stale_seasons() -> int:
    """Bring every season level whose results lag its facts; how many were."""
    never = Season.objects.filter(replay=None, revision__gt=0).values_list("pk", flat=True)
    replayed = 0
    for season_id in [*never, *Replay.objects.stale().values_list("season_id", flat=True)]:
        try:
            replayed += replay_season(season_id)
        except Exception:
            # A fault of ours in one season must not hold up the others; the next sweep tries again.
            logger.exception("The replay of season %s failed.", season_id)
    return replayed


@dataclass(frozen=True, slots=True)
class _Run:
    """One replay, a transaction."""

    season: Season
    base: Replay  # what is published so far
    basis: Basis
    since: datetime | None  # results of games before stand as they are stored; None: rate all

    @property
    def only_appends(self) -> bool:
        """Whether nothing that was rated is rated anew: the standings are the state before."""
        last = self.base.last_played_at
        if last is None or self.since is None or last >= self.since:
            return False
        adjusted = self.base.adjusted_at  # the standings tell what came of it
        return adjusted is None or adjusted < self.since


@dataclass(slots=True)
class _Rated:
    """What rating the games has changed."""

    note: CorrectionNote | None  # of games that were rated before
    games: int = 0  # how many more there are
    last_played_at: datetime | None = None
    meetings: dict[Pair, Meetings] = field(default_factory=dict)  # how many more each pair has
    adjusted: list[Values] = field(default_factory=list)  # rows of adjustments


def _publish(season: Season, base: Replay, *, full: bool) -> None:
    """Rate what is stale and write what differs."""
    since = None if full or base.last_played_at is None else season.stale_from or NEVER
    run = _Run(season, base, load_basis(season), since)
    stored = by_values(STANDINGS.all(season.pk))
    state = _state_before(run, stored)
    rated = _rate(run, state, rates_anew=full or (base.games > 0 and not run.only_appends))
    met = _opponents_met(run, state, stored, _publish_meetings(run, rated.meetings))
    rows = ((season.pk, *row) for row in run.basis.standings(state, met))
    replace_rows(Standing, STANDING, stored, rows)
    _hold_unchanged(season)
    base.revision = season.revision
    if since is None or season.stale_from is None or since < timezone.now() - LATEST:
        base.past_revision = season.revision
    base.games = rated.games + (0 if since is None else base.games)
    base.last_played_at = rated.last_played_at or _last_played_at(run)
    base.adjusted_at = _publish_adjusted(run, rated.adjusted)
    base.finished_at = timezone.now()
    base.failed_revision, base.error = None, ""
    base.outside = run.basis.outside.kept() if season.is_closed else None
    REPLAY.update(base) if base.pk else REPLAY.insert(base)
    if season.stale_from is not None:
        LEVEL.update(season.pk)


def _hold_unchanged(season: Season) -> None:
    """From here on nobody changes the facts; raises _OvertakenError when somebody has, or is about to.

    Never waits: who holds a season may be waiting for what this transaction wrote.
    """
    if not UNCHANGED.all(season.pk, season.revision):
        raise _OvertakenError


def _state_before(run: _Run, stored: Iterable[Values]) -> State:
    """The season's state before the first game that is rated."""
    if run.only_appends:  # nothing was played since the standings
        known: dict[PlayerId, PlayerState] = {PLAYER(row): PlayerState(*STATE(row)) for row in stored}
        return run.basis.starting_state(known)
    state = run.basis.starting_state()
    if run.since is not None:
        state.players.update(ledger.states_before(run.season, run.since))
    return state


def _rate(run: _Run, state: State, *, rates_anew: bool) -> _Rated:
    """Play the games on from this state, and make the ledger say so.

    Unless games are rated anew, the ledger knows none of them and is not asked.
    """
    rated = _Rated(None if run.only_appends else CorrectionNote.of(run.base, run.season))
    done, total = 0, 0
    if not run.only_appends:
        total = count_games(run.season, run.since)
    if rates_anew:
        orphans = stored_rows(ledger.orphans(run.season, run.since), ledger.COLUMNS)
        _replace_changes(run, rated, orphans, [], [])
    for batch in load_games(run.season, run.basis.outside, run.since):
        games = over(Stage.RATING, batch.games, total, before=done)
        done += len(batch.games)
        reasons: dict[GameId, str] = {}
        try:
            adjusted = adjust(run.basis.rules, state, [each for _at, each in batch.adjustments])
            changes = replay(run.basis.rules, state, games, reasons)
        except (ValueError, ArithmeticError) as error:
            raise CannotRateError(error, run.season.revision) from error
        rated.adjusted += ledger.adjusted_rows(run.season.pk, batch, adjusted)
        if not batch.games:
            break  # the adjustments after the last game
        rows = list(ledger.rows_of(run.season.pk, batch, changes, reasons))
        stored = ledger.changes_of(run.season, batch) if rates_anew else {}
        _replace_changes(run, rated, stored, batch.games, rows)
        rated.last_played_at = max(batch.times.values())
    if rated.note:
        rated.note.save()
    return rated


def _replace_changes(
    run: _Run, rated: _Rated, stored: dict[Values, int], games: list[Game], rows: list[Values]
) -> None:
    """Make these stored changes the rows of these games."""
    if run.since is None:  # counted from nothing
        count_meetings(rated.meetings, games)
    else:
        before, now = ledger.played_otherwise(stored, rows)
        count_meetings(rated.meetings, before, -1)
        count_meetings(rated.meetings, now)
        rated.games -= len(set(map(ledger.GAME, stored)))
    rated.games += len(games)
    replaced = replace_rows(RatingChange, ledger.COLUMNS, stored, rows)
    if rated.note:
        rated.note.add(replaced)


def _publish_adjusted(run: _Run, rows: list[Values]) -> datetime | None:
    """Make the ledger say what adjustments did; when the last one took effect."""
    known = run.base.adjusted_at
    is_first = run.only_appends or (run.since is not None and known is None)  # none is stored from here on
    stored = {} if is_first else stored_rows(ledger.applied(run.season, run.since), ledger.ADJUSTED)
    replace_rows(AppliedAdjustment, ledger.ADJUSTED, stored, rows)
    if rows:
        return ledger.AT(rows[-1])
    if is_first:
        return known
    return ledger.applied(run.season).aggregate(last=Max("at"))["last"]


def _publish_meetings(run: _Run, more: Mapping[Pair, Meetings]) -> dict[Pair, tuple[int, int]]:
    """Add to the stored meetings; the games of each pair before and now."""
    if run.since is None:
        stored, before = stored_rows(Meeting.objects.filter(season=run.season), MEETING), {}
    else:
        stored = _stored_meetings(run.season, more)
        before = {PAIR(row): COUNTS(row) for row in stored}
    now = {
        pair: tuple(map(operator.add, before.get(pair, NO_MEETINGS), counts_of(counts)))
        for pair, counts in more.items()
    }
    rows = [(run.season.pk, *pair, *counts) for pair, counts in now.items() if counts[0]]
    replace_rows(Meeting, MEETING, stored, rows)
    return {pair: (before.get(pair, NO_MEETINGS)[0], counts[0]) for pair, counts in now.items()}


def _stored_meetings(season: Season, pairs: Collection[Pair]) -> dict[Values, int]:
    opponents: dict[PlayerId, list[PlayerId]] = defaultdict(list)
    for player, opponent in pairs:
        opponents[player].append(opponent)
    near = (MEETINGS.all(season.pk, player, min(met), max(met)) for player, met in opponents.items())
    return {row: pk for rows in near for row, pk in by_values(rows).items() if PAIR(row) in pairs}


def _opponents_met(
    run: _Run, state: State, stored: Iterable[Values], games: Mapping[Pair, tuple[int, int]]
) -> Mapping[PlayerId, int] | None:
    """How many of the required opponents each player has met often enough, where any are required."""
    rules, withdrawn = run.basis.rules, run.basis.withdrawn
    if not rules.min_meetings:
        return None
    active: dict[PlayerId, int] = {
        player: state.players[player].games for player in run.basis.outside.order if player not in withdrawn
    }
    required = frozenset(required_opponents(rules, active))
    active_before: dict[PlayerId, int] = {PLAYER(row): GAMES(row) for row in stored if not IS_WITHDRAWN(row)}
    if not run.only_appends or required != frozenset(required_opponents(rules, active_before)):
        rows = Meeting.objects.filter(season=run.season).values_list("player_id", "opponent_id", "games")
        return opponents_met(rules, {(player, opponent): met for player, opponent, met in rows}, required)
    # The same opponents as before: only those who played have met more of them.
    met = Counter({PLAYER(row): MET(row) for row in stored})
    for (player, opponent), (before, now) in games.items():
        if opponent in required:
            met[player] += (now >= rules.min_meetings) - (before >= rules.min_meetings)
    return met


def _last_played_at(run: _Run) -> datetime | None:
    """Where no game was rated: that of the last one that stands as it is stored."""
    if run.since is None:
        return None
    if run.only_appends:
        return run.base.last_played_at
    return RatingChange.objects.filter(season=run.season).aggregate(last=Max("played_at"))["last"]
