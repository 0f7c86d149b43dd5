"""Random histories of a season: after each, the results equal a replay from scratch, bit for bit.

HISTORY_STEPS tells how many steps they take together (make faults: 10,000).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import RequestFactory
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from leagues.games_csv import FileGame, FileSide, GamesFile
from leagues.models import Entry, Game, Player, Season, SeasonClosedError
from leagues.services import (
    PlayedSide,
    correct_game,
    delete_games,
    enter_player,
    import_games,
    record_game,
    reinstate_player,
    remove_entry,
    restore_game,
    shift_games,
    update_player,
    update_season,
    void_game,
    withdraw_player,
)
from ratings.models import Meeting, RatingChange, Replay, Standing
from ratings.services.check import check_season
from ratings.services.replay import replay_season, replay_stale_seasons
from ratings.services.rules import change_rules
from tests.factories import make_league, make_players, make_season, make_user

pytestmark = [pytest.mark.faults, pytest.mark.django_db]

STEPS = int(os.environ.get("HISTORY_STEPS", "400"))
STEPS_OF_ONE = 50

NAMES = ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"]
SHAPES = [(1, 1), (1, 1), (1, 1), (1, 1, 1), (1, 1, 1, 1), (2, 2), (1, 2), (2, 2, 2)]
RULES: list[dict[str, Any]] = [
    {"k": Decimal(10)},
    {"k": Decimal(24)},
    {"full_weight_games": 5, "min_games": 3, "min_meetings": 1},
    {"draw_margin": "zero"},
]
LADDER_RULES = [{"k_rule": "fixed"}, {"k_rule": "fide"}, {"k_rule": "fide-junior"}]

# Few times, so that many games share theirs.
times = st.integers(0, 12)
numbers = st.integers(0, 1000)
line_ups = st.tuples(
    st.permutations(range(len(NAMES))),
    st.sampled_from(SHAPES),
    st.lists(st.sampled_from([0, 1, 50, 333, 700]), min_size=4, max_size=4),
)


class History(RuleBasedStateMachine):
    """What organizers of one season do, and now and then a replay."""

    steps = 0
    checks: Sequence[Callable[[Season], None]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.transaction = transaction.atomic()
        self.transaction.__enter__()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.transaction.__exit__(None, None, None)

    @initialize(preset=st.sampled_from(["wsd-2.0", "ranked-battle"]))
    def begin(self, preset: str) -> None:
        self.owner = make_user()
        self.season = make_season(make_league(owner=self.owner), preset=preset)
        self.players = make_players(self.season.league, *NAMES)
        self.is_closed = False

    @invariant()
    def counted(self) -> None:
        History.steps += 1

    # --- what the acts are about

    def at(self, time: int) -> datetime:
        return self.season.starts_at + timedelta(hours=time)

    def sides(self, line_up: Any) -> list[PlayedSide]:
        """The players of a line-up from left to right, as many on each side as its shape says."""
        order, shape, points = line_up
        shape = (1, 1) if self.season.duels_only else shape
        seated = iter(order)
        return [
            PlayedSide(tuple(self.players[next(seated)] for _ in range(size)), points[number])
            for number, size in enumerate(shape)
        ]

    def some(self, rows: Any, number: int) -> Any:
        """One of these rows, or None where there is none."""
        found = list(rows.order_by("pk"))
        return found[number % len(found)] if found else None

    def game(self, number: int, **kind: Any) -> Game | None:
        return self.some(Game.objects.filter(season=self.season, **kind), number)

    def act(self, change: Callable[[], Any]) -> None:
        """Change facts; in a closed season be refused and change nothing."""
        if not self.is_closed:
            change()
            return
        before = self.stored()
        with pytest.raises(SeasonClosedError), transaction.atomic():
            change()
        assert self.stored() == before

    def stored(self) -> Any:
        season = Season.objects.get(pk=self.season.pk)
        return season.revision, list(Game.objects.filter(season=season).in_play_order().values())

    # --- games

    @rule(time=times, line_up=line_ups)
    def add(self, time: int, line_up: Any) -> None:
        sides = self.sides(line_up)
        self.act(lambda: record_game(season=self.season, played_at=self.at(time), sides=sides, by=None))

    @rule(line_up=line_ups)
    def append(self, line_up: Any) -> None:
        last = Game.objects.filter(season=self.season).in_play_order().last()
        played_at = last.played_at + timedelta(minutes=1) if last else self.at(0)
        sides = self.sides(line_up)
        self.act(lambda: record_game(season=self.season, played_at=played_at, sides=sides, by=None))

    @rule(number=numbers, time=times | st.none(), line_up=line_ups)
    def correct(self, number: int, time: int | None, line_up: Any) -> None:
        if game := self.game(number):
            played_at = game.played_at if time is None else self.at(time)
            sides = self.sides(line_up)
            self.act(lambda: correct_game(game=game, played_at=played_at, sides=sides, by=None))

    @rule(number=numbers)
    def void(self, number: int) -> None:
        if game := self.game(number, voided_at=None):
            self.act(lambda: void_game(game=game, reason="Wrong table", by=None))

    @rule(number=numbers)
    def restore(self, number: int) -> None:
        if game := self.game(number, voided_at__isnull=False):
            self.act(lambda: restore_game(game=game, by=None))

    @rule(number=numbers)
    def delete(self, number: int) -> None:
        if game := self.game(number):
            self.act(lambda: delete_games(games=[game], by=None))

    @rule(chosen=st.sets(numbers, min_size=1, max_size=4))
    def delete_in_the_admin(self, chosen: set[int]) -> None:
        ids = {game.pk for game in map(self.game, chosen) if game}
        if ids:
            request: Any = RequestFactory().post("/admin/leagues/game/")
            request.user = self.owner
            games = admin.site.get_model_admin(Game)
            self.act(lambda: games.delete_queryset(request, Game.objects.filter(pk__in=ids)))

    @rule(number=numbers, earlier=st.booleans())
    def reorder(self, number: int, earlier: bool) -> None:
        if game := self.game(number):
            self.act(lambda: shift_games(games=[game], earlier=earlier, by=None))

    @rule(times=st.lists(times, min_size=1, max_size=5), line_ups=st.lists(line_ups, min_size=5, max_size=5))
    def import_file(self, times: list[int], line_ups: list[Any]) -> None:
        games = []
        for line, (time, line_up) in enumerate(zip(sorted(times), line_ups, strict=False), 2):
            sides = [
                FileSide(tuple(player.name for player in side.members), side.points)
                for side in self.sides(line_up)
            ]
            games.append(FileGame(line, self.at(time), tuple(sides)))
        file = GamesFile(tuple(games), (), 0, "utf-8", "wide")

        def imported() -> None:
            assert import_games(season=self.season, file=file, by=None).error_count == 0

        self.act(imported)

    # --- players; merging two of them joins here

    def entry(self, number: int, **kind: Any) -> Entry | None:
        return self.some(Entry.objects.filter(season=self.season, **kind), number)

    @rule(number=numbers)
    def enter(self, number: int) -> None:
        others = Player.objects.in_league(self.season.league).exclude(entries__season=self.season)
        if player := self.some(others, number):
            self.act(lambda: enter_player(season=self.season, player=player, by=None))

    @rule(number=numbers)
    def withdraw(self, number: int) -> None:
        if entry := self.entry(number, withdrawn_at=None):
            self.act(lambda: withdraw_player(entry=entry, by=None))

    @rule(number=numbers)
    def reinstate(self, number: int) -> None:
        if entry := self.entry(number, withdrawn_at__isnull=False):
            self.act(lambda: reinstate_player(entry=entry, by=None))

    @rule(number=numbers)
    def remove(self, number: int) -> None:
        played = self.season.games.values("seats__player")
        if entry := self.some(Entry.objects.filter(season=self.season).exclude(player__in=played), number):
            self.act(lambda: remove_entry(entry=entry, by=None))

    @rule(player=st.integers(0, len(NAMES) - 1), year=st.sampled_from([None, 1980, 2010]))
    def correct_year_of_birth(self, player: int, year: int | None) -> None:
        chosen = self.players[player]
        update_player(player=chosen, name=chosen.name, birth_year=year, by=None)

    @rule(player=st.integers(0, len(NAMES) - 1), prefix=st.sampled_from(["", "Mr "]))
    def rename(self, player: int, prefix: str) -> None:
        chosen = self.players[player]
        chosen.refresh_from_db()
        name = prefix + NAMES[player]
        update_player(player=chosen, name=name, birth_year=chosen.birth_year, by=None)

    # --- the season

    @rule(number=numbers)
    def change_the_rules(self, number: int) -> None:
        rules = LADDER_RULES if self.season.duels_only else RULES
        values = rules[number % len(rules)]
        self.act(lambda: change_rules(season=self.season, by=None, values=values))

    @precondition(lambda self: not self.is_closed)
    @rule()
    def close(self) -> None:
        update_season(season=self.season, by=None, state=Season.State.CLOSED)
        self.is_closed = True

    # Twice, so that a season is open more often than not.
    @precondition(lambda self: self.is_closed)
    @rule()
    def reopen(self) -> None:
        update_season(season=self.season, by=None, state=Season.State.OPEN)
        self.is_closed = False

    @precondition(lambda self: self.is_closed)
    @rule()
    def reopen_soon(self) -> None:
        self.reopen()

    # --- replays

    @rule(full=st.sampled_from([False, False, False, True]))
    def replay(self, full: bool) -> None:
        replay_season(self.season.pk, full=full)
        self.check()

    @rule()
    def sweep(self) -> None:
        replay_stale_seasons()
        self.check()

    def check(self) -> None:
        self.season.refresh_from_db()
        for check in self.checks:
            check(self.season)


# --- What must hold after a replay


def equals_a_replay_from_scratch(season: Season) -> None:
    assert check_season(season.pk) == []


def adds_up(season: Season) -> None:
    """What can be counted without the engine: duels by pairs of sides, and each player's chain of ratings."""
    games = list(Game.objects.filter(season=season).counted().in_play_order().with_sides())
    wins: Counter[int] = Counter()
    draws: Counter[int] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    played: Counter[int] = Counter()
    for game in games:
        sides = [(side.points, [seat.player_id for seat in side.members.all()]) for side in game.sides.all()]
        played.update(player for _points, players in sides for player in players)
        for (points, players), (others_points, others) in combinations(sides, 2):
            met.update((one, two) for one in players for two in others)
            met.update((two, one) for one in players for two in others)
            if points == others_points:
                draws.update([*players, *others])
            else:
                wins.update(players if points > others_points else others)
    replay = Replay.objects.get(season=season)
    assert (replay.revision, replay.games) == (season.revision, len(games))
    assert season.stale_from is None
    standings = {row.player_id: row for row in Standing.objects.filter(season=season)}
    assert standings.keys() == set(season.entries.values_list("player_id", flat=True)) >= played.keys()
    for player, row in standings.items():
        assert (row.played, row.wins, row.draws) == (played[player], wins[player], draws[player])
    assert {(each.player_id, each.opponent_id): each.games for each in meetings(season)} == met
    assert sum(row.wins for row in meetings(season)) == sum(row.losses for row in meetings(season))
    chain(season, games, standings)


def meetings(season: Season) -> list[Meeting]:
    return list(Meeting.objects.filter(season=season))


def chain(season: Season, games: list[Game], standings: dict[int, Standing]) -> None:
    """Each game changes the rating which the one before it left."""
    ledger = {(row.game_id, row.player_id): row for row in RatingChange.objects.filter(season=season)}
    ratings = dict.fromkeys(standings, 15000)
    for game in games:
        for seat in (seat for side in game.sides.all() for seat in side.members.all()):
            row = ledger.pop((game.pk, seat.player_id))
            assert row.before == ratings[seat.player_id]
            ratings[seat.player_id] = row.after
    assert not ledger
    assert ratings == {player: row.rating for player, row in standings.items()}


# --- The tests


def run(*checks: Callable[[Season], None], steps: int, phases: Sequence[Phase] = tuple(Phase)) -> None:
    """Histories of this many steps together, checked after each replay."""
    History.checks = checks
    History.steps = 0
    run_state_machine_as_test(
        History,
        settings=settings(
            max_examples=3 + steps // 30,  # some histories end early
            stateful_step_count=STEPS_OF_ONE,
            deadline=None,
            database=None,
            phases=phases,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.timeout(3600)
def test_random_histories_equal_a_replay_from_scratch() -> None:
    run(equals_a_replay_from_scratch, adds_up, steps=STEPS)
    assert History.steps >= STEPS


@pytest.mark.parametrize("check", [equals_a_replay_from_scratch, adds_up])
def test_a_replay_that_overlooks_a_correction_is_found(
    monkeypatch: pytest.MonkeyPatch, check: Callable[[Season], None]
) -> None:
    """The control: games that are dated back, corrected or deleted do not say from when ratings change."""
    touch = Season.touch
    monkeypatch.setattr(Season, "touch", lambda self, _since: touch(self, None))
    with pytest.raises(AssertionError):
        run(check, steps=500, phases=[Phase.generate])
