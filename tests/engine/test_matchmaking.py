"""The pool of opponents."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.engine.matchmaking import draw_opponent, opponent_pool
from ratings.engine.presets import PRESETS
from ratings.engine.types import Rules, ShortSide

LADDER = PRESETS["ranked-battle"]
WIDEN = Rules(pool_short_side=ShortSide.WIDEN)

checked = settings(max_examples=80, deadline=None, database=None, derandomize=True)

others_near_1600 = st.lists(st.integers(13_000, 19_000), max_size=90).map(lambda r: list(enumerate(r)))


@given(others_near_1600, st.integers(0, 99), st.sampled_from(ShortSide))
@checked
def test_a_pool_is_near_and_small_enough(others, seed, short_side):
    rules = Rules(pool_short_side=short_side)
    pool = opponent_pool(rules, 16_000, others, Random(seed))
    ratings = dict(others)
    assert len(set(pool.members)) == len(pool.members) <= 30
    assert all(16_000 - pool.deviation <= ratings[one] <= 16_000 for one in pool.lower)
    assert all(16_000 <= ratings[one] <= 16_000 + pool.deviation for one in pool.upper)
    if short_side is not ShortSide.FILL:
        assert max(len(pool.lower), len(pool.upper)) <= 15
    if short_side is not ShortSide.WIDEN:
        assert pool.deviation == 1_000
    assert pool == opponent_pool(rules, 16_000, others, Random(seed))
    drawn = draw_opponent(pool, Random(seed))
    assert drawn in pool.members if pool.members else drawn is None


def test_both_ends_belong():
    others = list(enumerate([14_999, 15_000, 17_000, 17_001]))
    assert opponent_pool(LADDER, 16_000, others, Random(1)).members == (1, 2)


def test_equal_ratings_stand_once_on_the_shorter_side():
    others = [("low", 15_900), *((f"equal {n}", 16_000) for n in range(3))]
    pool = opponent_pool(LADDER, 16_000, others, Random(1))
    assert (len(pool.lower), len(pool.upper)) == (2, 2)
    assert set(pool.members) == {name for name, _ in others}


def test_every_member_of_the_pool_can_be_drawn():
    others = list(enumerate(range(15_950, 16_050, 10)))
    pool = opponent_pool(LADDER, 16_000, others, Random(1))
    assert {draw_opponent(pool, Random(seed)) for seed in range(200)} == set(range(10))


def test_everybody_near_can_get_into_the_pool():
    others = list(enumerate(range(15_000, 17_001, 20)))
    seen = {one for seed in range(60) for one in opponent_pool(LADDER, 16_000, others, Random(seed)).members}
    assert seen == set(dict(others))


@pytest.mark.parametrize(
    ("short_side", "sizes"),
    [(ShortSide.SHORT, (2, 15)), (ShortSide.FILL, (2, 28)), (ShortSide.WIDEN, (3, 15))],
)
def test_r121_a_short_side(short_side, sizes):
    others = list(enumerate([15_900, 15_800, 12_500, *range(16_010, 16_410, 10)]))
    pool = opponent_pool(Rules(pool_short_side=short_side), 16_000, others, Random(1))
    assert (len(pool.lower), len(pool.upper)) == sizes


@pytest.mark.parametrize(("rating", "deviation"), [(15_500, 1_000), (14_500, 2_000), (11_500, 4_000)])
def test_the_deviation_widens_until_the_pool_is_full_or_the_limit_reached(rating, deviation):
    rules = Rules(pool_size=2, pool_short_side=ShortSide.WIDEN)
    pool = opponent_pool(rules, 16_000, [("low", rating), ("high", 16_100)], Random(1))
    assert pool.deviation == deviation


def test_the_limit_of_widening_is_kept_by_any_step():
    rules = Rules(pool_short_side=ShortSide.WIDEN, pool_widen_step=1_700, pool_widen_limit=3_000)
    assert opponent_pool(rules, 16_000, [], Random(1)).deviation == 3_000
    assert opponent_pool(WIDEN, 16_000, [], Random(1)).deviation == 4_000
