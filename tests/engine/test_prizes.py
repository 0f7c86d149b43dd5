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


def held(tiers, table):
    return [(one.row.player, tiers.index(one.tiers[0]), one.amount) for one in award(tiers, table)]


FIRST = Tier(1, 1, Decimal(200))
SECOND = Tier(2, 2, Decimal(100))
THIRD = Tier(3, 3, Decimal(50))
TIERS = [FIRST, SECOND, THIRD]


def test_each_place_holds_its_tier():
    table = rows(a="1800", b="1700", c="1600", d="1500")
    assert held(TIERS, table) == [("a", 0, 200), ("b", 1, 100), ("c", 2, 50)]


def test_a_tie_for_second_and_third_shares_both_prizes():
    table = rows(a="1800", b="1700", c="1700", d="1500")
    awards = award(TIERS, table)
    assert held(TIERS, table) == [("a", 0, 200), ("b", 1, 75), ("c", 1, 75)]
    assert awards[1].tiers == awards[2].tiers == (SECOND, THIRD)


def test_a_tie_may_pay_each_the_better_prize():
    each = [FIRST, Tier(2, 2, Decimal(100), tie_rule=TieRule.EACH), THIRD]
    assert held(each, rows(a="1800", b="1700", c="1700")) == [("a", 0, 200), ("b", 1, 100), ("c", 1, 100)]


def test_spare_cents_go_to_the_first_in_order():
    tier = Tier(1, 1, Decimal("100.01"))
    assert [one.amount for one in award([tier], rows(a="1500", b="1500"))] == [
        Decimal("50.01"),
        Decimal("50.00"),
    ]
    amounts = [one.amount for one in award([tier], rows(a="1500", b="1500", c="1500"))]
    assert amounts == [Decimal("33.34"), Decimal("33.34"), Decimal("33.33")]


def test_a_tie_over_the_last_prize_shares_it_alone():
    table = rows(a="1800", b="1700", c="1600", d="1600")
    assert [one.amount for one in award(TIERS, table)] == [200, 100, 25, 25]


def test_a_tier_of_several_places_pays_each_of_them():
    tiers = [Tier(1, 3, Decimal(10))]
    assert [one.amount for one in award(tiers, rows(a="4", b="3", c="2", d="1"))] == [10, 10, 10]


def test_a_prize_that_is_no_amount_is_held_jointly():
    spa = Tier(2, 2)
    table = rows(a="1800", b="1700", c="1700")
    assert [(one.row.player, one.tiers, one.amount) for one in award([spa], table)] == [
        ("b", (spa,), None),
        ("c", (spa,), None),
    ]


def test_a_flight_grows_with_the_participants_who_stayed():
    state = State(
        players={name: player(rating) for name, rating in zip("abcd", range(4, 0, -1), strict=True)}
    )
    flight = Tier(1, 1, per_participant=Decimal(1000))
    (one,) = award([flight], standings(LADDER, state, list("abcd"), {"d"}))
    assert (one.row.player, one.amount) == ("a", 3000)


def test_who_has_no_place_is_skipped():
    state = State(
        players={name: player(rating) for name, rating in zip("abcd", range(4, 0, -1), strict=True)}
    )
    table = standings(LADDER, state, list("abcd"), {"a", "c"})
    assert held(TIERS, table) == [("b", 0, 200), ("d", 1, 100)]


def test_nobody_classified_holds_nothing():
    assert award(TIERS, standings(PRESETS["wsd-2.0"], State(), ["a", "b"])) == []


@pytest.mark.parametrize(("tier", "player"), [(FIRST, "b"), (SECOND, "d"), (THIRD, "d"), (Tier(4, 4), None)])
def test_the_runner_up_stands_behind_the_places_of_a_tier(tier, player):
    row = runner_up(tier, rows(a="1800", b="1700", c="1700", d="1600"))
    assert (row.player if row else None) == player
