"""The fold of games: what it counts, yields and refuses."""

import random
from decimal import Decimal

import pytest

from ratings.engine.explain import explain
from ratings.engine.formulas import margin_multiplier, starting_rating
from ratings.engine.meetings import count_meetings
from ratings.engine.presets import PRESETS, with_setting
from ratings.engine.replay import replay
from ratings.engine.types import Change, Game, KRule, Meetings, PlayerState, Rules, Side, State

from .builders import changes, duel, play, play_singles, player

WSD = PRESETS["wsd-2.0"]
LADDER = PRESETS["ranked-battle"]


def fold(rules: Rules, *games: Game) -> State:
    state = State()
    replay(rules, state, games)
    count_meetings(state.meetings, games)
    return state


FREE_FOR_ALL = Game("ffa", (Side(("a",), 50), Side(("b",), 30), Side(("c",), 30), Side(("d",), 10)))
TEAMS = Game("teams", (Side(("a", "b"), 900), Side(("c", "d"), 900), Side(("e",), 100)))


def counts(known: PlayerState) -> tuple[int, ...]:
    return (known.played, known.games, known.wins, known.draws, known.losses, known.first_places)


def test_a_free_for_all_is_a_game_and_a_duel_with_everybody_else():
    players = fold(WSD, FREE_FOR_ALL).players
    assert counts(players["a"]) == (1, 1, 3, 0, 0, 1)
    assert counts(players["b"]) == counts(players["c"]) == (1, 1, 1, 1, 1, 0)
    assert counts(players["d"]) == (1, 1, 0, 0, 3, 0)


def test_a_team_game_counts_its_teams_less_one_and_shares_the_first_place():
    players = fold(WSD, TEAMS).players
    assert counts(players["a"]) == counts(players["d"]) == (1, 2, 1, 1, 0, 1)
    assert counts(players["e"]) == (1, 2, 0, 0, 2, 0)


def test_games_may_count_as_the_sides_less_one():
    players = fold(with_setting(WSD, "games_counted", "sides"), FREE_FOR_ALL).players
    assert {known.games for known in players.values()} == {3}


def test_players_meet_whom_they_play_against_and_not_their_own_side():
    meetings = fold(WSD, FREE_FOR_ALL, TEAMS).meetings
    assert meetings["a", "c"] == Meetings(games=2, wins=1, draws=1)
    assert meetings["c", "a"] == Meetings(games=2, draws=1, losses=1)
    assert meetings["a", "b"] == Meetings(games=1, wins=1)
    assert meetings["e", "d"] == Meetings(games=1, losses=1)
    assert ("a", "a") not in meetings
    assert len(meetings) == 4 * 3 + 2 * 4


def test_a_change_is_the_state_after_its_game():
    rows = changes(WSD, State(), [duel("a", "b", 200, 100, 7), duel("a", "b", 0, 600, 8)])
    assert rows[0] == Change(7, "a", 15_000, 15_056, 15_056, 1, 1, 1, 0, 0, 1)
    assert rows[1] == Change(7, "b", 15_000, 14_944, 15_000, 1, 1, 0, 0, 1, 0)
    assert rows[2].before == 15_056
    assert rows[2].after < 15_056
    assert rows[2].peak == 15_056
    assert rows[3].after == rows[3].peak


def test_ratings_carried_over_are_put_into_the_state_before():
    state = State(players={"a": player("1600")})
    rows = changes(WSD, state, [duel("a", "b", 500, 100)])
    assert [change.after for change in rows] == [16_150, 14_850]


@pytest.mark.parametrize(
    ("share", "previous", "start"),
    [
        ("0", 18_000, 15_000),
        ("1", 18_000, 18_000),
        ("0.5", 18_001, 16_500),  # 1650.05 goes to the even tenth
        ("0.5", 18_003, 16_502),
        ("0.5", 12_000, 13_500),
        ("0.5", None, 15_000),
    ],
)
def test_a_season_starts_on_a_share_of_the_distance_to_the_initial_rating(share, previous, start):
    assert starting_rating(Rules(carry_over=Decimal(share)), previous) == start


REFUSED = [
    (WSD, (Side(("a",), 1),), "at least two"),
    (WSD, (), "at least two"),
    (WSD, (Side(("a",), 1), Side((), 2)), "without players"),
    (WSD, (Side(("a", "b"), 1), Side(("c", "a"), 2)), "the player a is in it twice"),
    (WSD, (Side(("a", "a"), 1), Side(("c",), 2)), "the player a is in it twice"),
    (LADDER, (Side(("a",), 1), Side(("b",), 2), Side(("c",), 2)), "one challenger against one"),
    (LADDER, (Side(("a", "b"), 1), Side(("c",), 2)), "one challenger against one"),
    (WSD, (Side(("a",), 10**9), Side(("b",), 0)), "margin is 1000000000; these rules can rate up to 20000"),
    (WSD, (Side(("a",), 10**400), Side(("b",), 0)), "up to 20000"),
    (WSD, (Side(("a",), 8_000), Side(("b",), 0)), "ten million points"),
]


@pytest.mark.parametrize(("rules", "sides", "reason"), REFUSED)
def test_a_game_that_cannot_be_rated_is_refused_with_its_id(rules, sides, reason):
    game = Game("0042", sides)
    state = State(players={name: player("1500") for name in "abc"})
    with pytest.raises(ValueError, match=rf"^Game 0042: .*{reason}.*\.$"):
        replay(rules, state, [game])
    assert state == State(players={name: player("1500") for name in "abc"})
    with pytest.raises(ValueError, match=reason):
        explain(rules, state.players, game)


def test_ratings_may_not_leave_ten_million_points():
    far = [PlayerState(99_999_999, 99_999_999), PlayerState(99_999_999, 99_999_999)]
    with pytest.raises(ValueError, match="ten million"):
        play(WSD, ([far[0]], 1), ([far[1]], 0))
    assert play(WSD, ([far[0]], 0), ([far[1]], 0)).changes == [[0], [0]]


def test_the_widest_difference_is_rated_without_overflow():
    top, bottom = PlayerState(99_000_000, 99_000_000), PlayerState(-99_000_000, -99_000_000)
    played = play(WSD, ([bottom], 100), ([top], 0))
    assert played.changes == [[72], [-72]]  # 10 x 1.1142 x 0.65
    assert played.explanation.sides[0].duels[0].expected == 0


def test_a_margin_beyond_all_ratings_is_refused_unless_the_curve_has_a_limit():
    with pytest.raises(ValueError, match="A margin is 200001; these rules can rate up to 200000"):
        margin_multiplier(with_setting(WSD, "margin_unit", "1000"), 200_001)
    with pytest.raises(ValueError, match="negative"):
        margin_multiplier(WSD, -1)
    assert margin_multiplier(with_setting(WSD, "curve_limit", "8"), 10**400) == 8


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (Rules(system="chess"), "'chess'; it must be one of wsd, ladder"),
        (Rules(k_rule=KRule.FIDE), "cannot take K by the rule 'fide'"),
    ],
)
def test_rules_that_no_system_has_are_refused(rules, reason):
    with pytest.raises(ValueError, match=reason):
        replay(rules, State(), [])


def test_an_explanation_adds_up_to_the_change():
    explanation = play_singles(WSD, ["1623.4", "1500", "1377.7", "1555"], [410, 980, 55, 410]).explanation
    for index, side in enumerate(explanation.sides):
        assert [duel.opponent for duel in side.duels] == [n for n in range(4) if n != index]
        assert side.change == pytest.approx(sum(duel.change for duel in side.duels))
        assert side.after[0] == pytest.approx(side.before[0] + 10 * side.change, abs=0.5)
        for one in side.duels:
            assert one.k == pytest.approx(10 / 3)
            assert one.change == pytest.approx(one.k * one.multiplier * (one.result - one.damped))
    draw = explanation.sides[0].duels[2]
    assert (draw.margin, draw.multiplier, draw.result) == (0, 0.4, 0.5)
    assert draw.difference == 684


def test_a_margin_is_scaled_by_its_unit():
    thousands = with_setting(WSD, "margin_unit", "1000")
    assert margin_multiplier(thousands, 4_000) == margin_multiplier(WSD, 400)
    assert margin_multiplier(thousands, 3) == 0.4  # below a margin of 1 it counts as 1
    assert margin_multiplier(with_setting(WSD, "draw_margin", "zero"), 0) == 0


# --- complaints that users of other rating sites had


def test_r25_nobody_is_rounded_to_nothing_in_a_game_of_64():
    played = play_singles(WSD, ["1500"] * 64, range(64, 0, -1))
    assert played.changes[0][0] > 0
    assert played.changes[-1][0] < 0
    assert sum(played.unrounded) == pytest.approx(0, abs=1e-9)


def test_r29_a_rating_may_be_negative():
    played = play_singles(WSD, ["-12.5", "0"], [0, 500])
    assert played.after[0][0] < -125
    assert play_singles(WSD, ["-12.5", "-12.5"], [0, 0]).after == [[-125], [-125]]


def test_r30_ten_to_nothing_moves_more_than_six_to_four_whatever_the_order_of_sides():
    clear, close = (play_singles(WSD, ["1500", "1500"], p).unrounded[0] for p in ([10, 0], [6, 4]))
    assert clear > close > 0
    assert play_singles(WSD, ["1500", "1500"], [0, 10]).unrounded[1] == clear


def test_r32_a_shared_second_place_stands_between_first_and_last():
    for order in ([50, 30, 30, 10], [30, 10, 50, 30]):
        change = dict(zip(order, play_singles(WSD, ["1500"] * 4, order).unrounded, strict=True))
        assert change[50] > 0
        assert change[30] == pytest.approx(0)
        assert change[10] == pytest.approx(-change[50])


def test_r36_four_equal_players_change_symmetrically_by_place():
    first, second, third, fourth = play_singles(WSD, ["1500"] * 4, [400, 300, 200, 100]).unrounded
    assert first > second > 0 > third > fourth
    assert (first, second) == (pytest.approx(-fourth), pytest.approx(-third))


def test_r34_a_game_of_eight_moves_no_more_than_a_game_of_two_by_the_same_margin():
    eight = play_singles(WSD, ["1500"] * 8, [100] + [0] * 7).unrounded[0]
    assert eight == pytest.approx(play_singles(WSD, ["1500"] * 2, [100, 0]).unrounded[0])


def test_r23_ten_thousand_battles_lose_no_point():
    rng = random.Random(7)
    games = (duel("a", "b", rng.randint(0, 2), rng.randint(0, 2), n) for n in range(10_000))
    state = fold(LADDER, *games)
    assert sum(known.rating for known in state.players.values()) == 30_000


def test_r31_a_strong_player_settles_on_the_ladder():
    rng = random.Random(31)
    state = State()
    seen = []
    for number in range(5_000):
        wins = rng.random() < 0.85
        game = duel("strong", f"weak {rng.randrange(20)}", int(wins), int(not wins), number)
        replay(LADDER, state, [game])
        seen.append(state.players["strong"].rating)
    earlier, later = (sum(seen[start : start + 1_000]) / 1_000 for start in (3_000, 4_000))
    assert later == pytest.approx(earlier, rel=0.02)
