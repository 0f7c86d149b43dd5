"""Bringing the results of a season level with its facts.

The protocol, and why nothing is lost or mixed, is in docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.db import transaction
from django.utils import timezone

from leagues.models import Season
from ratings.engine.replay import replay
from ratings.engine.standings import standings
from ratings.engine.types import Change, Meetings, PlayerState, Row, State
from ratings.models import Meeting, RatingChange, Replay, Standing
from ratings.services.facts import Facts, load_facts

BATCH = 2_000
ROW_FIELDS = [each.name for each in fields(Row) if each.name != "player"]
STATE_FIELDS = [each.name for each in fields(PlayerState)]
MEETING_FIELDS = [each.name for each in fields(Meetings)]


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
    return _publish(base, facts, results)


def replay_stale_seasons() -> int:
    """Bring every season level whose results lag its facts; how many were."""
    for season in Season.objects.filter(replay=None, revision__gt=0):
        Replay.objects.get_or_create(season=season)
    stale = Replay.objects.stale().values_list("season_id", flat=True)
    return sum(replay_season(season_id) for season_id in stale)


def _stored_state(facts: Facts, season_id: int) -> State:
    """The state after the last game of the stored results, with beginners for new players."""
    state = facts.starting_state()
    for player, *values in Standing.objects.filter(season=season_id).values_list("player_id", *STATE_FIELDS):
        state.players[player] = PlayerState(*values)
    meetings = Meeting.objects.filter(season=season_id).values_list(
        "player_id", "opponent_id", *MEETING_FIELDS
    )
    for player, opponent, *values in meetings:
        state.meetings[player, opponent] = Meetings(*values)
    return state


@transaction.atomic
def _publish(base: Replay, facts: Facts, results: Results) -> bool:
    """Write the results in one transaction, unless somebody published others meanwhile."""
    locked = Replay.objects.select_for_update().filter(pk=base.pk, revision=base.revision).first()
    if locked is None:
        return False
    season_id = base.season_id
    if not facts.goes_on:
        RatingChange.objects.filter(season=season_id).delete()
    RatingChange.objects.bulk_create(_change_rows(season_id, results.changes), batch_size=BATCH)
    _rewrite_standings(season_id, results)
    locked.revision = facts.revision
    locked.games = len(facts.games) + (base.games if facts.goes_on else 0)
    locked.last_played_at = facts.last_played_at or (base.last_played_at if facts.goes_on else None)
    locked.finished_at = timezone.now()
    locked.failed_revision, locked.error = None, ""
    locked.save()
    Season.objects.filter(pk=season_id, revision=facts.revision).update(stale_from=None)
    return True


def _change_rows(season_id: int, changes: Iterable[Change]) -> list[RatingChange]:
    return [
        RatingChange(season_id=season_id, game_id=game, player_id=player, **values)
        for (game, player), values in (
            ((change.game, change.player), dict(zip(Change._fields[2:], change[2:], strict=True)))
            for change in changes
        )
    ]


def _rewrite_standings(season_id: int, results: Results) -> None:
    Standing.objects.filter(season=season_id).delete()
    Standing.objects.bulk_create(
        [
            Standing(
                season_id=season_id, player_id=row.player, **{name: getattr(row, name) for name in ROW_FIELDS}
            )
            for row in results.rows
        ],
        batch_size=BATCH,
    )
    Meeting.objects.filter(season=season_id).delete()
    Meeting.objects.bulk_create(
        [
            Meeting(season_id=season_id, player_id=player, opponent_id=opponent, **asdict(meetings))
            for (player, opponent), meetings in results.meetings.items()
        ],
        batch_size=BATCH,
    )


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
    changes = RatingChange.objects.filter(season=season_id).values_list(
        "game_id", "player_id", *Change._fields[2:]
    )
    yield from _compare(
        "change of game {} for player {}",
        Change._fields[2:],
        {row[:2]: row[2:] for row in changes},
        {change[:2]: change[2:] for change in results.changes},
    )
    yield from _compare(
        "standing of player {}",
        ROW_FIELDS,
        {
            row[:1]: row[1:]
            for row in Standing.objects.filter(season=season_id).values_list("player_id", *ROW_FIELDS)
        },
        {(row.player,): tuple(getattr(row, name) for name in ROW_FIELDS) for row in results.rows},
    )
    meetings = Meeting.objects.filter(season=season_id).values_list(
        "player_id", "opponent_id", *MEETING_FIELDS
    )
    yield from _compare(
        "meetings of player {} with {}",
        MEETING_FIELDS,
        {row[:2]: row[2:] for row in meetings},
        {pair: tuple(asdict(meeting).values()) for pair, meeting in results.meetings.items()},
    )


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
