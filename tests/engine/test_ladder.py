"""What must hold for every battle of the ladder."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.engine.explain import explain
from ratings.engine.formulas import expected_score, fide_k
from ratings.engine.presets import PRESETS, with_setting
from ratings.engine.replay import replay
from ratings.engine.types import Game, KRule, PlayerState, Rules, Side, State

from .builders import duel, play, play_singles, player

LADDER = PRESETS["ranked-battle"]
JUNIORS = Rules(system="ladder", k_rule=KRule.FIDE_JUNIOR)

checked = settings(max_examples=80, deadline=None, database=None, derandomize=True)

ratings = st.integers(8_000, 26_000)
leads = st.sampled_from([1, 0, -1])
states = st.builds(
    lambda rating, above, played: PlayerState(rating=rating, peak=rating + above, played=played),
    ratings,
    st.integers(0, 3_000),
    st.integers(0, 60),
)


@given(states, states, leads)
@checked
def test_a_battle_moves_points_from_one_to_the_other(challenger, opponent, lead):
    played = play(LADDER, ([challenger], lead), ([opponent], 0))
    (gain,), (loss,) = played.changes
    assert gain == -loss
    assert abs(played.unrounded[0]) < played.explanation.k_base
    e = expected_score(challenger.rating, opponent.rating)
    assert e + expected_score(opponent.rating, challenger.rating) == pytest.approx(1)


@given(states, states, states, leads)
@checked
def test_only_the_challenger_decides_k(challenger, opponent, history, lead):
    other = PlayerState(rating=opponent.rating, peak=history.peak, played=history.played)
    first = play(LADDER, ([challenger], lead), ([opponent], 0))
    second = play(LADDER, ([challenger], lead), ([other], 0))
    assert first.after == second.after
    assert first.explanation == second.explanation


def test_r26_a_loss_is_never_free():
    """1 / (1 + 10 ** (640 / 400)) = 0.0245: with a K of 20 the loss costs 0.49 points, stored as 0.5."""
    played = play(with_setting(LADDER, "k", "20"), ([player("1000")], 0), ([player("1640")], 1))
    assert played.changes == [[-5], [5]]


def test_r33_a_draw_of_equals_changes_nothing():
    assert play(LADDER, ([player("1500")], 1), ([player("1500")], 1)).changes == [[0], [0]]


def test_the_roles_decide_k():
    new, old = player("1500"), player("1500", played=30)
    assert play(LADDER, ([new], 1), ([old], 0)).changes == [[200], [-200]]
    assert play(LADDER, ([old], 0), ([new], 1)).changes == [[-100], [100]]


@given(ratings, ratings, leads)
@checked
def test_with_a_fixed_k_the_roles_mirror_each_other(one, two, lead):
    rules = with_setting(LADDER, "k", "20")
    first, second = PlayerState(one, one), PlayerState(two, two)
    assert play(rules, ([first], lead), ([second], 0)).after == list(
        reversed(play(rules, ([second], 0), ([first], lead)).after)
    )


@given(st.lists(st.integers(-400, 400), max_size=80))
@checked
def test_k_never_rises_and_leaves_40_by_games_or_2400_only(steps):
    rating = peak = 22_000
    last = Decimal(40)
    for games, step in enumerate([0, *steps]):
        rating += step
        peak = max(peak, rating)
        k, _reason = fide_k(games=games, rating=rating, peak=peak)
        assert k in (10, 20, 40)
        assert k <= last
        assert (k == 40) == (games < 30 and peak < 24_000)
        assert (k == 10) == (peak >= 24_000)
        last = k


def test_the_thirty_first_battle_is_the_first_with_20():
    games = [duel("new", f"opponent {n}", n % 2, 1 - n % 2, n) for n in range(32)]
    state, factors = State(), []
    for game in games:
        factors.append(explain(LADDER, state.players, game).k_base)
        replay(LADDER, state, [game])
    assert factors == [40] * 30 + [20] * 2


def test_battles_as_opponent_count_for_k():
    state = State()
    for number in range(30):
        replay(LADDER, state, [duel(f"challenger {number}", "new", 0, 0, number)])
    assert explain(LADDER, state.players, duel("new", "x", 1, 0)).k_reason == "fide-standard"


def test_r42_2400_once_reached_stays_at_10():
    champion = player("2390", played=100, peak="2400")
    explanation = play(LADDER, ([champion], 1), ([player("2390")], 0)).explanation
    assert (explanation.k_base, explanation.k_reason) == (10, "fide-2400")


def test_2400_reached_as_opponent_counts_from_the_next_battle():
    state = State(players={"a": player("2395", played=50), "b": player("2395", played=50)})
    replay(LADDER, state, [duel("b", "a", 0, 1)])
    assert state.players["a"].peak == 24_050
    assert explain(LADDER, state.players, duel("a", "b", 1, 0)).k_reason == "fide-2400"


@pytest.mark.parametrize(
    ("rules", "juniors", "peak", "reason"),
    [
        (JUNIORS, {"young"}, "2299.9", "fide-junior"),
        (JUNIORS, {"young"}, "2300", "fide-standard"),
        (JUNIORS, {"other"}, "2299.9", "fide-standard"),
        (LADDER, {"young"}, "2299.9", "fide-standard"),
    ],
)
def test_the_junior_clause_ends_at_2300_and_only_where_it_is_in_force(rules, juniors, peak, reason):
    game = Game(1, (Side(("young",), 1), Side(("other",), 0)), juniors=frozenset(juniors))
    state = State(players={"young": player("2200", played=50, peak=peak)})
    assert explain(rules, state.players, game).k_reason == reason


@given(st.lists(st.tuples(st.permutations("abcde"), leads), max_size=60))
@checked
def test_the_sum_of_a_league_stays(battles):
    state = State(players={name: player("1500") for name in "abcde"})
    for number, ((one, two, *_), lead) in enumerate(battles):
        replay(LADDER, state, [duel(one, two, lead, 0, number)])
        assert sum(known.rating for known in state.players.values()) == 5 * 15_000


def test_an_upset_moves_more():
    rules = with_setting(LADDER, "k", "20")
    assert play_singles(rules, ["1500", "1900"], [1, 0]).changes == [[182], [-182]]
    assert play_singles(rules, ["1900", "1500"], [1, 0]).changes == [[18], [-18]]


def test_before_a_challenge_both_outcomes_are_known():
    rules = with_setting(LADDER, "k", "40")
    assert play_singles(rules, ["1450", "1550"], [1, 0]).changes == [[256], [-256]]
    assert play_singles(rules, ["1450", "1550"], [0, 1]).changes == [[-144], [144]]


def test_the_points_scored_do_not_matter_beyond_who_scored_more():
    assert play_singles(LADDER, ["1500", "1600"], [1, 0]).after == (
        play_singles(LADDER, ["1500", "1600"], [900, 3]).after
    )
