"""Every statement of the Ranked Battle text and of FIDE's clauses (docs/rating.md, section 6), by its line.

What is drawn of the pool (lines 32 to 39) is in test_matchmaking, and K (line 31) in test_ladder.
"""

from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest

from ratings.engine.explain import explain
from ratings.engine.formulas import expected_score
from ratings.engine.matchmaking import at_stake, draw_opponent, opponent_pool
from ratings.engine.presets import PRESETS, with_setting
from ratings.engine.replay import replay
from ratings.engine.standings import standings
from ratings.engine.types import ShortSide, State

from .builders import duel, play, play_singles, player

LADDER = PRESETS["ranked-battle"]
K20 = with_setting(LADDER, "k", "20")


def test_line_1_everybody_stands_in_one_list_by_rating():
    state = State({"low": player("1400", played=90), "new": player("1500"), "high": player("1700", played=1)})
    rows = standings(LADDER, state, ["low", "new", "high"])
    assert [(row.player, row.place, row.season_score) for row in rows] == [
        ("high", 1, 17_000),
        ("new", 2, 15_000),
        ("low", 3, 14_000),
    ]


def test_line_3_everybody_starts_at_1500_and_the_mean_stays_there():
    state = State()
    replay(LADDER, state, [duel("a", "b", 1, 0, 1), duel("c", "a", 1, 0, 2), duel("b", "c", 0, 0, 3)])
    ratings = [known.rating for known in state.players.values()]
    assert sum(ratings) == 3 * 15_000
    assert len(set(ratings)) == 3


@pytest.mark.parametrize(("ahead", "expected"), [(200, "0.7597"), (100, "0.6401"), (0, "0.5000")])
def test_line_4_so_often_the_higher_rated_wins(ahead, expected):
    assert f"{expected_score(15_000 + 10 * ahead, 15_000):.4f}" == expected


def test_line_5_an_upset_changes_more():
    assert play_singles(K20, ["1500", "1900"], [1, 0]).changes[0] == [182]
    assert play_singles(K20, ["1900", "1500"], [1, 0]).changes[0] == [18]


def test_line_5_a_favourite_who_wins_may_stay_where_it_is():
    assert play_singles(K20, ["2540", "1500"], [1, 0]).changes == [[1], [-1]]
    nothing = play_singles(K20, ["2541", "1500"], [1, 0])
    assert nothing.changes == [[0], [0]]
    assert nothing.explanation.sides[0].change > 0, "unrounded it always rises"


def test_lines_8_to_16_the_expectations_of_the_example():
    own, other = expected_score(15_000, 16_000), expected_score(16_000, 15_000)
    assert (f"{own:.4f}", f"{other:.4f}") == ("0.3599", "0.6401")
    assert own + other == pytest.approx(1)
    assert expected_score(15_000, 15_000) == 0.5


@pytest.mark.parametrize(
    ("points", "result", "after", "unrounded"),
    [
        ([1, 0], 1.0, [15_128, 15_872], "12.8013"),
        ([0, 0], 0.5, [15_028, 15_972], "2.8013"),
        ([0, 1], 0.0, [14_928, 16_072], "-7.1987"),
    ],
    ids=["won", "drawn", "lost"],
)
def test_lines_17_to_28_the_three_outcomes_of_the_example(points, result, after, unrounded):
    played = play_singles(K20, ["1500", "1600"], points)
    assert played.after == [[after[0]], [after[1]]]
    side, other = played.explanation.sides
    assert side.duels[0].result == result
    assert f"{side.change:.4f}" == unrounded
    assert side.change == pytest.approx(-other.change)


def test_lines_22_and_23_k_is_the_challengers_and_never_reached():
    new, old = player("1500"), player("1500", played=30)
    assert play(LADDER, ([new], 1), ([old], 0)).changes == [[200], [-200]]
    assert play(LADDER, ([old], 1), ([new], 0)).changes == [[100], [-100]]
    # By own K each, 200 would be won and 100 lost.
    favourite = play(LADDER, ([player("3000", played=30)], 0), ([player("0")], 1))
    assert abs(favourite.explanation.sides[0].change) < favourite.explanation.k_base == 10


def test_line_30_what_one_wins_the_other_loses_and_the_higher_risks_more():
    higher = play_singles(K20, ["1600", "1500"], [1, 0]), play_singles(K20, ["1600", "1500"], [0, 1])
    assert [each.changes[0] for each in higher] == [[72], [-128]]
    assert [each.changes[1] for each in higher] == [[-72], [128]]


def test_line_30_a_draw_is_good_for_the_lower_rated_in_either_role():
    assert play_singles(K20, ["1500", "1600"], [1, 1]).changes == [[28], [-28]]
    assert play_singles(K20, ["1600", "1500"], [1, 1]).changes == [[-28], [28]]


def test_r43_fide_8_3_1_differences_over_400_count_as_they_are():
    changes = [play_singles(K20, [rating, "1500"], [1, 0]).changes[0] for rating in ("1900", "2300")]
    assert changes == [[18], [2]]


def test_fide_8_3_3_there_is_no_limit_of_700_and_no_rating_period():
    """FIDE lowers K where K times the games of a period exceeds 700: 40 to 38 at 18 games."""
    state, factors = State(), []
    for number in range(30):
        game = duel("new", f"opponent {number}", number % 2, 1 - number % 2, number)
        factors.append(explain(LADDER, state.players, game).k_base)
        replay(LADDER, state, [game])
    assert factors == [Decimal(40)] * 30


def test_r123_before_a_battle_both_know_what_it_would_change():
    stakes = at_stake(LADDER, player("1450"), player("1550", played=90))
    assert (stakes.k, stakes.k_reason) == (40, "fide-new")
    assert (stakes.won, stakes.drawn, stakes.lost) == (256, 56, -144)


@pytest.mark.parametrize("junior", [True, False])
def test_at_stake_is_what_the_battle_then_changes(junior):
    rules = with_setting(LADDER, "initial_rating", "1500")
    challenger, opponent = player("1612.3", played=44, peak="2100"), player("1580.7")
    stakes = at_stake(rules, challenger, opponent, junior=junior)
    for points, change in ((1, stakes.won), (0, stakes.drawn), (-1, stakes.lost)):
        assert play(rules, ([challenger], points), ([opponent], 0)).changes == [[change], [-change]]
    assert challenger == player("1612.3", played=44, peak="2100"), "nothing was played"


def test_lines_32_to_39_the_pool_of_the_example():
    """1600 ± 100, both ends included, 15 of 1500 to 1600 and 15 of 1600 to 1700, the challenger not."""
    near = [rating for rating in range(15_000, 17_010, 10) if rating != 16_000]
    others = [(rating, rating) for rating in (14_999, *near, 17_001)]
    seen = set[object]()
    for seed in range(100):
        pool = opponent_pool(LADDER, 16_000, others, Random(seed))
        assert (len(pool.lower), len(pool.upper)) == (15, 15)
        seen |= set(pool.members)
        assert draw_opponent(pool, Random(seed)) in pool.members
    assert seen == set(near)


class TestR121:
    """A challenger with few near: the pool stays short unless the season says otherwise."""

    others = [(number, 15_000 + 10 * number) for number in range(1, 13)] + [
        (100 + number, 17_000 + number) for number in range(40)
    ]

    @pytest.mark.parametrize(("rule", "size"), [(ShortSide.SHORT, 12), (ShortSide.WIDEN, 15)])
    def test_a_short_pool(self, rule, size):
        rules = replace(LADDER, pool_short_side=rule)
        pool = opponent_pool(rules, 15_000, self.others, Random(1))
        assert len(pool.upper) == size
        assert (pool.deviation > rules.pool_deviation) == (rule is ShortSide.WIDEN)

    def test_the_best_has_opponents_too(self):
        pool = opponent_pool(LADDER, 18_000, self.others, Random(1))
        assert (len(pool.lower), len(pool.upper)) == (15, 0)
