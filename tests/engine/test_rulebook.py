"""The tables and examples of the printed texts, computed for any rules. Numbers are those of vectors.json."""

from dataclasses import replace
from decimal import Decimal

import pytest

from ratings.engine import rulebook
from ratings.engine.presets import PRESETS
from ratings.engine.types import KRule

WSD, TABLES, FORMULAS = PRESETS["wsd-2.0"], PRESETS["wsd-2.0-tables"], PRESETS["wsd-2.0-formulas"]
LADDER = PRESETS["ranked-battle"]


@pytest.mark.parametrize(
    ("rules", "won"),
    [
        (WSD, [20, 23, 38, 56, 92, 200, 500, 1_251, 3_127]),
        # 79.05 and −79.05 are ties, and the new ratings 1579.0 and 1421.0 even
        (TABLES, [20, 23, 38, 56, 92, 200, 500, 790, 1_250]),
        (replace(WSD, curve_limit=Decimal(8)), [20, 23, 38, 56, 92, 200, 400, 400, 400]),
    ],
    ids=["formula", "table", "limit"],
)
def test_table_1(rules, won):
    rows = rulebook.margin_rows(rules)
    assert [row.margin for row in rows] == [1, 10, 50, 100, 200, 500, 1000, 1500, 2000]
    assert [row.won for row in rows] == won
    assert [row.lost for row in rows] == [-gain for gain in won]


def test_the_multipliers_of_table_1_and_their_phases():
    rows = rulebook.margin_rows(replace(WSD, curve_limit=Decimal(20)))
    assert [f"{row.multiplier:.3f}" for row in rows[:7]] == [
        "0.400", "0.465", "0.754", "1.114", "1.836", "4.000", "10.002",
    ]  # fmt: skip
    assert [row.phase for row in rows] == ["linear"] * 5 + ["border", "curve", "limit", "limit"]


@pytest.mark.parametrize(
    ("rules", "difference", "changes", "percent"),
    [
        (TABLES, -1_000, [23, 43, 64, 228, 570, 901], 14),
        (TABLES, -2_000, [25, 47, 70, 252, 630, 996], 26),
        (TABLES, 1_000, [17, 32, 48, 172, 430, 680], -14),
        (WSD, -1_000, [22, 41, 60, 217, 542, 1_356], 8),
        (WSD, -2_000, [23, 44, 64, 231, 578, 1_445], 16),
        (WSD, 1_000, [18, 35, 51, 183, 458, 1_145], -8),
        (FORMULAS, -1_000, [24, 45, 67, 239, 598, 1_496], 20),
    ],
)
def test_tables_2_to_4(rules, difference, changes, percent):
    table = rulebook.upsets(rules, difference)
    assert [row.change for row in table.rows] == changes
    assert round(table.percent) == percent
    assert (table.own - table.opponent, table.opponent) == (difference, 15_000)
    assert table.rows[1].bonus == changes[1] - 38


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (WSD, ["0.422 1.16 16", "0.458 1.08 8", "0.500 1.00 0", "0.542 0.92 -8", "0.578 0.84 -16"]),
        (TABLES, ["0.370 1.26 26", "0.430 1.14 14", "0.500 1.00 0", "0.570 0.86 -14", "0.630 0.74 -26"]),
    ],
)
def test_table_5(rules, expected):
    rows = [rulebook.difference_row(rules, difference) for difference in rulebook.DIFFERENCES]
    assert [f"{row.damped:.3f} {row.factor:.2f} {row.percent:z.0f}" for row in rows] == expected


@pytest.mark.parametrize(
    ("example", "points", "after"),
    [
        (rulebook.duel_example, [500, 100], [[16_150], [14_850]]),
        (rulebook.team_example, [1200, 850], [[11_179, 15_179], [15_821, 16_821]]),
        (rulebook.free_for_all_example, [300, 250, 40], [[15_081], [15_431], [15_888]]),
    ],
)
def test_worked_examples(example, points, after):
    explanation, played = example(WSD)
    assert played == points
    assert [list(side.after) for side in explanation.sides] == after


def test_two_wins_by_50_bring_more_than_one_by_100():
    assert rulebook.wins_in_a_row(WSD, [50, 50]) == 75
    assert rulebook.wins_in_a_row(WSD, [100]) == 56


def test_the_season_score_of_a_1600_player():
    rows = rulebook.activity_rows(WSD, 16_000)
    assert [(row.games, row.score) for row in rows] == [
        (0, 15_000), (10, 15_133), (25, 15_333), (75, 16_000), (137, 16_397), (200, 16_800),
    ]  # fmt: skip
    assert [f"{row.weight:.1f}" for row in rows[:4]] == ["0.0", "13.3", "33.3", "100.0"]
    assert rows[-1].bonus == pytest.approx(5)
    assert [row.games for row in rulebook.activity_rows(replace(WSD, bonus=Decimal(0)), 16_000)] == [
        0,
        10,
        25,
        75,
    ]
    assert rulebook.activity_rows(LADDER, 16_000) == []


def test_a_battle_at_each_k():
    new, standard, top = rulebook.ladder_rows(LADDER)
    assert [(row.k, row.reason) for row in (new, standard, top)] == [
        (40, "fide-new"), (20, "fide-standard"), (10, "fide-2400"),
    ]  # fmt: skip
    assert standard.outcomes == (
        (1, (15_128, 15_872)),
        (0.5, (15_028, 15_972)),
        (0, (14_928, 16_072)),
    )
    (fixed,) = rulebook.ladder_rows(replace(LADDER, k_rule=KRule.FIXED, k=Decimal(32)))
    assert (fixed.k, fixed.reason) == (32, "fixed")


def test_upsets_of_the_ladder_count_more():
    rows = {row.difference: row for row in rulebook.ladder_upsets(LADDER)}
    # K = 20: 20 × (1 − E) with E = 1 / (1 + 10^(difference/400)) of the lower, which is 0.3599 and 1/11
    assert (rows[1_000].underdog.won, rows[1_000].favourite.won) == (128, 72)
    assert (rows[1_000].underdog.drawn, rows[1_000].favourite.drawn) == (28, -28)
    assert (rows[4_000].underdog.won, rows[4_000].favourite.won) == (182, 18)


def test_a_far_favourite_gains_nothing_by_winning():
    # 20 / (1 + 10^(d/400)) falls below 0.05 where 10^(d/400) is above 399, at d = 400 × log10(399) = 1040.4
    assert rulebook.idle_from(LADDER) == 10_404
    # and 1000 / (1 + 10^(d/400)) at 400 × log10(19999) = 1720.4
    assert rulebook.idle_from(replace(LADDER, k_rule=KRule.FIXED, k=Decimal(1000))) == 17_205


def test_examples_are_in_the_size_of_the_seasons_games():
    thousands = replace(WSD, margin_unit=Decimal(1000))
    assert rulebook.accepted_margins(thousands) == [10, 100, 500, 1000, 2000, 5000]
    explanation, points = rulebook.duel_example(thousands)
    assert points == [5000, 1000]
    assert [side.after for side in explanation.sides] == [(16_150,), (14_850,)]
    goals = replace(WSD, margin_unit=Decimal(1), largest_margin=20)
    assert rulebook.accepted_margins(goals) == [1, 2, 5, 10, 15, 20]
    assert rulebook.duel_example(goals)[1] == [5, 1]
    assert rulebook.accepted_margins(replace(thousands, largest_margin=3)) == [3]


def test_examples_lie_around_the_initial_rating():
    explanation, _points = rulebook.duel_example(replace(WSD, initial_rating=10_000))
    assert [side.after for side in explanation.sides] == [(11_150,), (9_850,)]
