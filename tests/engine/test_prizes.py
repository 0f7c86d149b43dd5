"""Who holds which prize."""

from decimal import Decimal

import pytest

from ratings.engine.presets import PRESETS
from ratings.engine.prizes import Tier, award, runner_up
from ratings.engine.standings import standings
from ratings.engine.types import State, TieRule

from .builders import player

LADDER = PRESETS["ranked-battle"]


def rows(**ratings: str):
    state = State(players={name: player(rating) for name, rating in ratings.items()})
    return standings(LADDER, state, list(ratings))


def held(tiers, table, participants=10):
    """Of each tier, who holds it and how much of it."""
    return [
        [(row.player, amount) for row, amount in holders] for holders in award(tiers, table, participants)
    ]


FIRST = Tier(1, 1, Decimal(200))
SECOND = Tier(2, 2, Decimal(100))
THIRD = Tier(3, 3, Decimal(50))
TIERS = [FIRST, SECOND, THIRD]


def test_each_place_holds_its_tier():
    table = rows(a="1800", b="1700", c="1600", d="1500")
    assert held(TIERS, table) == [[("a", 200)], [("b", 100)], [("c", 50)]]


def test_r64_a_tie_for_second_and_third_shares_both_prizes():
    table = rows(a="1800", b="1700", c="1700", d="1500")
    assert held(TIERS, table) == [[("a", 200)], [("b", 50), ("c", 50)], [("b", 25), ("c", 25)]]


def test_a_tie_may_pay_each_the_better_prize():
    each = [FIRST, Tier(2, 2, Decimal(100), tie_rule=TieRule.EACH), THIRD]
    table = rows(a="1800", b="1700", c="1700")
    assert held(each, table) == [[("a", 200)], [("b", 100), ("c", 100)], []]


def test_the_best_tier_of_a_tie_decides_in_whatever_order_tiers_come():
    each = Tier(2, 2, Decimal(100), tie_rule=TieRule.EACH)
    table = rows(a="1800", b="1700", c="1700")
    assert held([THIRD, each], table) == [[], [("b", 100), ("c", 100)]]


def test_r64_spare_cents_go_to_the_first_in_order():
    tier = Tier(1, 1, Decimal("100.01"))
    assert held([tier], rows(a="1500", b="1500")) == [[("a", Decimal("50.01")), ("b", Decimal("50.00"))]]
    (three,) = held([tier], rows(a="1500", b="1500", c="1500"))
    assert [amount for _player, amount in three] == [Decimal("33.34"), Decimal("33.34"), Decimal("33.33")]


def test_a_tie_over_the_last_prize_shares_it_alone():
    table = rows(a="1800", b="1700", c="1600", d="1600")
    assert held(TIERS, table) == [[("a", 200)], [("b", 100)], [("c", 25), ("d", 25)]]


def test_a_tier_of_several_places_pays_each_of_them():
    table = rows(a="4", b="3", c="2", d="1")
    assert held([Tier(1, 3, Decimal(10))], table) == [[("a", 10), ("b", 10), ("c", 10)]]


def test_a_tie_over_the_end_of_a_tier_shares_what_it_covers():
    # a, b and c cover the places 1 to 3, of which two are the tier's: 20 for three.
    table = rows(a="9", b="9", c="9", d="1")
    (holders,) = held([Tier(1, 2, Decimal(10))], table)
    assert holders == [("a", Decimal("6.67")), ("b", Decimal("6.67")), ("c", Decimal("6.66"))]


def test_a_prize_that_is_no_amount_is_held_jointly():
    table = rows(a="1800", b="1700", c="1700")
    assert held([Tier(2, 2)], table) == [[("b", None), ("c", None)]]


def test_two_equal_tiers_are_two_prizes():
    table = rows(a="1800", b="1700")
    assert held([FIRST, FIRST], table) == [[("a", 200)], [("a", 200)]]


def test_a_flight_grows_with_the_participants():
    flight = Tier(1, 1, Decimal(1000), per_participant=True)
    assert held([flight], rows(a="1800", b="1700"), participants=7) == [[("a", 7000)]]


def test_who_has_no_place_is_skipped():
    state = State(
        players={name: player(rating) for name, rating in zip("abcd", range(4, 0, -1), strict=True)}
    )
    table = standings(LADDER, state, list("abcd"), {"a", "c"})
    assert held(TIERS, table) == [[("b", 200)], [("d", 100)], []]


def test_nobody_classified_holds_nothing():
    assert held([FIRST], standings(PRESETS["wsd-2.0"], State(), ["a", "b"])) == [[]]


@pytest.mark.parametrize(("tier", "player"), [(FIRST, "b"), (SECOND, "d"), (THIRD, "d"), (Tier(4, 4), None)])
def test_the_runner_up_stands_behind_the_places_of_a_tier(tier, player):
    row = runner_up(tier, rows(a="1800", b="1700", c="1700", d="1600"))
    assert (row.player if row else None) == player
