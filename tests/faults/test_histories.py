"""Random histories of a season: after each, the results equal a replay from scratch, bit for bit.

HISTORY_STEPS tells how many steps they take together (make faults: 10,000).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import combinations, count, permutations
from typing import Any

import pytest
from django.contrib import admin
from django.core.exceptions import ValidationError
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
from leagues.models import (
    Adjustment,
    Entry,
    FormerAddress,
    Game,
    League,
    Player,
    PlayerAlias,
    Season,
    SeasonClosedError,
    SideMember,
)
from leagues.services import (
    PlayedSide,
    add_adjustment,
    cancel_adjustment,
    correct_game,
    delete_games,
    enter_player,
    import_games,
    merge_players,
    plan_merge,
    record_game,
    reinstate_player,
    remove_entry,
    restore_game,
    shift_games,
    undo_merge,
    update_league,
    update_player,
    update_season,
    void_game,
    withdraw_player,
)
from leagues.services import merging as merging_services
from leagues.services import unmerging as unmerging_services
from leagues.services.audit import season_is_changed
from ratings.models import AppliedAdjustment, Meeting, RatingChange, Replay, Standing
from ratings.services.check import check_season
from ratings.services.merging import standings_of_merge
from ratings.services.replay import replay_season, replay_stale_seasons
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = [pytest.mark.faults, pytest.mark.django_db]

STEPS = int(os.environ.get("HISTORY_STEPS", "100"))
STEPS_OF_ONE = 50

NAMES = ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"]
PLAYERS_MIN, PLAYERS_MAX = 3, 9  # merges take some away, files bring in new ones
SHAPES = [(1, 1), (1, 1), (1, 1), (1, 1, 1), (1, 1, 1, 1), (2, 2), (1, 2), (2, 2, 2)]
RULES: list[dict[str, Any]] = [
    {"k": Decimal(10)},
    {"k": Decimal(24)},
    {"full_weight_games": 5, "min_games": 3, "min_meetings": 1},
    {"draw_margin": "zero"},
]
LADDER_RULES = [{"k_rule": "fixed"}, {"k_rule": "fide"}, {"k_rule": "fide-junior"}]

ZONES = ["UTC", "Europe/Sofia", "America/New_York"]
# Around the end of a year, which is when juniors cease to be, in each zone at another hour.
FIRST = datetime(2025, 12, 31, 18, tzinfo=UTC)

# Few times, so that many games share theirs.
times = st.integers(0, 12)
numbers = st.integers(0, 1000)
kinds = st.sampled_from([Game.Kind.PLAYED] * 4 + [Game.Kind.FORFEIT, Game.Kind.FRIENDLY])
line_ups = st.tuples(
    st.permutations(range(PLAYERS_MAX)),
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
        self.season = make_season(
            make_league(owner=self.owner),
            preset=preset,
            starts_on=date(2025, 7, 1),
            ends_on=date(2026, 6, 30),
        )
        make_players(self.season.league, *NAMES)
        self.newcomers = count(1)
        self.is_closed = False

    @invariant()
    def counted(self) -> None:
        History.steps += 1

    # --- what the acts are about

    def at(self, time: int) -> datetime:
        return FIRST + timedelta(hours=time)

    @property
    def players(self) -> list[Player]:
        return list(Player.objects.in_league(self.season.league_id).order_by("pk"))

    def sides(self, line_up: Any) -> list[PlayedSide]:
        """The players of a line-up from left to right, as many on each side as its shape says."""
        order, shape, points = line_up
        players = self.players
        seated = iter([players[place] for place in order if place < len(players)])
        shape = (1, 1) if self.season.duels_only or sum(shape) > len(players) else shape
        return [
            PlayedSide(tuple(next(seated) for _ in range(size)), points[number])
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

    def refused(self, change: Callable[[], Any]) -> bool:
        """Whether the change is refused; then it changes nothing."""
        before = self.stored()
        try:
            with transaction.atomic():
                change()
        except ValidationError:
            assert self.stored() == before
            return True
        return False

    def stored(self) -> Any:
        season = Season.objects.get(pk=self.season.pk)
        return season.revision, self.facts()

    def facts(self) -> Any:
        """All facts but how often a game was changed."""
        games = list(Game.objects.filter(season=self.season).in_play_order().values())
        rows = (
            Player.with_merged.in_league(self.season.league_id),
            PlayerAlias.objects.in_league(self.season.league_id),
            FormerAddress.objects.in_league(self.season.league_id),
            Entry.objects.filter(season=self.season),
            SideMember.objects.filter(game__season=self.season),
            Adjustment.objects.filter(season=self.season),
        )
        return [
            [game | {"version": None} for game in games],
            *(list(each.order_by("pk").values()) for each in rows),
        ]

    # --- games

    @rule(time=times, line_up=line_ups, kind=kinds)
    def add(self, time: int, line_up: Any, kind: str) -> None:
        values = {"played_at": self.at(time), "sides": self.sides(line_up), "kind": kind}
        self.act(lambda: record_game(season=self.season, by=None, **values))

    @rule(line_up=line_ups, kind=kinds)
    def append(self, line_up: Any, kind: str) -> None:
        last = Game.objects.filter(season=self.season).in_play_order().last()
        played_at = last.played_at + timedelta(minutes=1) if last else self.at(0)
        values = {"played_at": played_at, "sides": self.sides(line_up), "kind": kind}
        self.act(lambda: record_game(season=self.season, by=None, **values))

    @rule(number=numbers, time=times | st.none(), line_up=line_ups, kind=kinds | st.none())
    def correct(self, number: int, time: int | None, line_up: Any, kind: str | None) -> None:
        if game := self.game(number):
            played_at = game.played_at if time is None else self.at(time)
            values = {"played_at": played_at, "sides": self.sides(line_up), "kind": kind}
            self.act(lambda: correct_game(game=game, by=None, **values))

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

    @rule(
        times=st.lists(times, min_size=1, max_size=5),
        line_ups=st.lists(line_ups, min_size=5, max_size=5),
        newcomer=st.booleans(),
    )
    def import_file(self, times: list[int], line_ups: list[Any], newcomer: bool) -> None:
        games = []
        for line, (time, line_up) in enumerate(zip(sorted(times), line_ups, strict=False), 2):
            sides = [
                FileSide(tuple(player.slug for player in side.members), side.points)
                for side in self.sides(line_up)
            ]
            games.append(FileGame(line, self.at(time), tuple(sides)))
        if newcomer and len(self.players) < PLAYERS_MAX:
            last, (_first, other, *_others) = games[-1], games[-1].sides
            new = FileSide((f"New {next(self.newcomers)}",), other.points + 1)
            games[-1] = replace(last, sides=(new, FileSide(other.members[:1], other.points)))
        file = GamesFile(tuple(games), (), 0, "utf-8", "wide")

        def imported() -> None:
            plan = import_games(season=self.season, file=file, by=None, create_players=True)
            assert plan.error_count == 0

        self.act(imported)

    # --- adjustments

    @rule(number=numbers, time=times, change=st.sampled_from([-105, -1, 30, 10000]))
    def adjust(self, number: int, time: int, change: int) -> None:
        if entry := self.entry(number):
            values = {"player": entry.player, "change": change, "at": self.at(time), "reason": "Late"}
            made = Adjustment.objects.filter(season=self.season, cancelled_at=None)

            def adjusted() -> None:
                add_adjustment(season=self.season, by=None, **values)

            if made.filter(**values).exists() and not self.is_closed:
                assert self.refused(adjusted), "just this is there already"
            else:
                self.act(adjusted)

    @rule(number=numbers)
    def cancel(self, number: int) -> None:
        made = Adjustment.objects.filter(season=self.season, cancelled_at=None)
        if adjustment := self.some(made, number):
            self.act(lambda: cancel_adjustment(adjustment=adjustment, reason="Appeal", by=None))

    # --- players

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
        adjusted = self.season.adjustments.values("player")
        entries = Entry.objects.filter(season=self.season).exclude(player__in=played)
        if entry := self.some(entries.exclude(player__in=adjusted), number):
            self.act(lambda: remove_entry(entry=entry, by=None))

    @rule(number=numbers, year=st.sampled_from([None, 1980, 2007]))
    def correct_year_of_birth(self, number: int, year: int | None) -> None:
        chosen = self.some(Player.objects.in_league(self.season.league_id), number)
        update_player(player=chosen, name=chosen.name, birth_year=year, by=None)

    @rule(number=numbers, prefix=st.sampled_from(["", "Mr "]))
    def rename(self, number: int, prefix: str) -> None:
        chosen = self.some(Player.objects.in_league(self.season.league_id), number)
        name = prefix + chosen.name.removeprefix("Mr ")
        update_player(player=chosen, name=name, birth_year=chosen.birth_year, by=None)

    # --- two players who are one

    def pair(self, number: int) -> dict[str, Player] | None:
        """Two players who never met, or None; a few players are left to play on."""
        if len(self.players) <= PLAYERS_MIN:
            return None
        seats = SideMember.objects.filter(game__season=self.season)
        met = set(seats.values_list("player", "game__seats__player"))
        pairs = [pair for pair in permutations(self.players, 2) if (pair[0].pk, pair[1].pk) not in met]
        if not pairs:
            return None
        keep, gone = pairs[number % len(pairs)]
        return {"keep": keep, "gone": gone}

    @rule(number=numbers)
    def merge(self, number: int) -> None:
        if pair := self.pair(number):
            self.refused(lambda: merge_players(**pair, by=None))

    @rule(number=numbers)
    def merge_as_previewed(self, number: int) -> None:
        pair = self.pair(number)
        if pair is None or self.refused(lambda: plan_merge(**pair)):
            return
        _before, after = standings_of_merge(Season.objects.get(pk=self.season.pk), plan_merge(**pair))
        merge_players(**pair, by=None)
        self.replay(full=False)
        names = [name for name in after[0].__slots__ if name != "player"] if after else []
        found = Standing.objects.filter(season=self.season).order_by("position")
        assert [(row.player_id, *(getattr(row, name) for name in names)) for row in found] == [
            (row.player, *(getattr(row, name) for name in names)) for row in after
        ]

    @rule(number=numbers, between=st.booleans(), after=st.booleans())
    def merge_and_undo(self, number: int, between: bool, after: bool) -> None:
        pair, before = self.pair(number), self.facts()
        if pair is None or self.refused(lambda: merge_players(**pair, by=None)):
            return
        if between:
            self.replay(full=False)
        undo_merge(gone=pair["gone"], by=None)
        assert self.facts() == before
        if after:
            self.replay(full=False)

    @rule(number=numbers)
    def undo_a_merge(self, number: int) -> None:
        merged = Player.with_merged.in_league(self.season.league_id).exclude(merged_into=None)
        if gone := self.some(merged, number):
            self.refused(lambda: undo_merge(gone=gone, by=None))

    # --- the season

    @rule(zone=st.sampled_from(ZONES))
    def move_to_zone(self, zone: str) -> None:
        update_league(league=League.objects.get(pk=self.season.league_id), timezone=zone, by=None)
        self.season.refresh_from_db()

    @rule(number=numbers)
    def change_the_rules(self, number: int) -> None:
        rules = LADDER_RULES if self.season.duels_only else RULES
        values = rules[number % len(rules)]
        self.act(lambda: change_rules(season=self.season, by=None, values=values))

    @rule(name=st.sampled_from(["forfeits_rated", "withdrawal_voids"]), value=st.booleans())
    def change_a_policy(self, name: str, value: bool) -> None:
        if getattr(Season.objects.get(pk=self.season.pk), name) != value:
            self.act(lambda: update_season(season=self.season, by=None, **{name: value}))

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
    forfeits = Game.objects.filter(season=season, kind=Game.Kind.FORFEIT)
    assert set(forfeits.values_list("rated", flat=True)) <= {season.forfeits_rated}
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
    """Each game changes the rating which the one before it left, or an adjustment since."""
    adjusted = {row.adjustment_id: row for row in AppliedAdjustment.objects.filter(season=season)}
    adjustments = list(Adjustment.objects.filter(season=season).counted().order_by("at", "pk"))

    def adjust(until: datetime) -> None:
        while adjustments and adjustments[0].at <= until:
            made = adjustments.pop(0)
            assert made.pk in adjusted, f"{made} left no row"
            row = adjusted.pop(made.pk)
            assert (row.player_id, row.before) == (made.player_id, ratings[made.player_id])
            assert row.after == row.before + made.change
            ratings[made.player_id] = row.after

    ledger = {(row.game_id, row.player_id): row for row in RatingChange.objects.filter(season=season)}
    ratings = dict.fromkeys(standings, 15000)
    for game in games:
        adjust(game.played_at)
        for seat in (seat for side in game.sides.all() for seat in side.members.all()):
            assert (game.pk, seat.player_id) in ledger, f"{seat.player} has no row of {game}"
            row = ledger.pop((game.pk, seat.player_id))
            assert row.before == ratings[seat.player_id]
            ratings[seat.player_id] = row.after
    adjust(datetime.max.replace(tzinfo=UTC))
    assert not ledger
    assert not adjusted
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
def test_di_01_random_histories_equal_a_replay_from_scratch() -> None:
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


@pytest.mark.parametrize("services", [merging_services, unmerging_services])
def test_a_merge_that_does_not_say_from_when_ratings_change_is_found(
    monkeypatch: pytest.MonkeyPatch, services: Any
) -> None:
    """The control of merging and of taking it back, in a history that has to meet it."""
    season = make_season()
    ann, anna, bob = make_players(season.league, "Ann", "Anna", "Bob")
    for player in (ann, anna, ann):
        make_game(season, (player, 500), (bob, 100))
    replayed(season)
    tell = season_is_changed
    monkeypatch.setattr(services, "season_is_changed", lambda season, since: tell(season, since=None))
    merge_players(keep=ann, gone=anna, by=None)
    if services is unmerging_services:
        assert check_season(replayed(season).pk) == []
        undo_merge(gone=anna, by=None)
    assert check_season(replayed(season).pk) != []
