"""The examples that the two texts work out step by step."""

from decimal import Decimal

import pytest

from ratings.engine.presets import PRESETS, with_setting

from .builders import play, play_singles, player

WSD = PRESETS["wsd-2.0"]
LADDER_K20 = with_setting(PRESETS["ranked-battle"], "k", "20")


def test_marina_1600_beats_zahari_1500_by_400_and_they_stand_on_1615_0_and_1485_0():
    played = play_singles(WSD, ["1600", "1500"], [500, 100])
    (duel,) = played.explanation.sides[0].duels
    assert duel.k == 10
    assert duel.margin == 400
    assert round(duel.multiplier, 2) == 3.28
    assert round(duel.expected, 3) == 0.640
    assert round(duel.damped, 3) == 0.542
    assert duel.result == 1
    assert round(duel.change, 1) == 15.0
    assert played.after == [[16_150], [14_850]]


def test_zahari_and_valya_beat_marina_and_dobri_by_350_and_each_gains_17_9():
    played = play(
        WSD,
        ([player("1100"), player("1500")], 1200),
        ([player("1600"), player("1700")], 850),
    )
    first, second = played.explanation.sides
    assert (first.rating, second.rating) == (1300, 1650)
    assert first.change == pytest.approx(17.935979321645)
    assert second.change == pytest.approx(-17.935979321645)
    assert played.changes == [[179, 179], [-179, -179]]
    assert played.after == [[11_179, 15_179], [15_821, 16_821]]


@pytest.mark.parametrize(
    ("points", "after"),
    [
        pytest.param((1, 0), [[15_128], [15_872]], id="win-1512.8-1587.2"),
        pytest.param((0, 0), [[15_028], [15_972]], id="draw-1502.8-1597.2"),
        pytest.param((0, 1), [[14_928], [16_072]], id="loss-1492.8-1607.2"),
    ],
)
def test_challenger_on_1500_against_1600_with_a_k_of_20(points, after):
    played = play_singles(LADDER_K20, ["1500", "1600"], points)
    assert played.after == after
    assert played.explanation.k_base == Decimal(20)
    assert played.explanation.k_reason == "fixed"
    (duel,) = played.explanation.sides[0].duels
    assert round(duel.expected, 3) == 0.360
    assert duel.damped == duel.expected
    assert duel.multiplier == 1


def test_a_win_by_1500_among_equals_is_worth_79_0_with_the_table_curve():
    # 5 x 15.81 is 79.05 exactly: the tie goes to even on both sides
    played = play_singles(PRESETS["wsd-2.0-tables"], ["1500", "1500"], [1600, 100])
    assert played.after == [[15_790], [14_210]]


def test_the_smallest_natural_tie_goes_to_even():
    # one of nine equal players beats the rest by a point, the rest draw: -0.25 for each of them
    assert play_singles(WSD, ["1500"] * 9, [101] + [100] * 8).after == [[15_020]] + [[14_998]] * 8
    assert play_singles(WSD, ["1500.1"] * 9, [101] + [100] * 8).after == [[15_021]] + [[14_998]] * 8
