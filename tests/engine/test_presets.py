"""Rule sets by name, and settings as text."""

from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

import pytest

from ratings.engine.presets import DEFAULT_PRESET, PRESETS, SETTINGS, with_setting
from ratings.engine.standings import TIE_BREAKS
from ratings.engine.systems import SYSTEMS
from ratings.engine.types import LIMITS, Curve, DrawMargin, GamesCounted, KRule, Opponents, Rules

WSD = PRESETS["wsd-2.0"]


@pytest.mark.parametrize(
    ("name", "keep", "curve"),
    [
        ("wsd-2.0", "0.3", Curve.FORMULA),
        ("wsd-2.0-tables", "0.5", Curve.TABLE),
        ("wsd-2.0-formulas", "0.7", Curve.FORMULA),
    ],
)
def test_the_three_readings_of_the_rulebook(name, keep, curve):
    assert PRESETS[name] == Rules(keep=Decimal(keep), curve=curve)


def test_ranked_battle_requires_nothing_for_a_place():
    rules = PRESETS["ranked-battle"]
    assert (rules.system, rules.k_rule) == ("ladder", KRule.FIDE)
    assert (rules.min_games, rules.min_meetings, rules.full_weight_games) == (0, 0, 0)
    assert (rules.team_max, rules.teams_max) == (1, 2)


def test_every_system_has_a_default_preset_of_its_own():
    assert set(DEFAULT_PRESET) == set(SYSTEMS)
    assert all(PRESETS[preset].system == system for system, preset in DEFAULT_PRESET.items())
    assert all(set(rules.tie_breaks) <= set(TIE_BREAKS) for rules in PRESETS.values())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("initial_rating", "1000.5", 10_005),
        ("k", "24.5", Decimal("24.5")),
        ("keep", "0.5", Decimal("0.5")),
        ("curve", "table", Curve.TABLE),
        ("curve_limit", "8", Decimal(8)),
        ("curve_limit", "none", None),
        ("margin_unit", "1000", Decimal(1000)),
        ("largest_margin", "800", 800),
        ("draw_margin", "zero", DrawMargin.ZERO),
        ("games_counted", "sides", GamesCounted.SIDES),
        ("full_weight_games", "0", 0),
        ("bonus", "0.1", Decimal("0.1")),
        ("bonus_games", "150", 150),
        ("min_games", "50", 50),
        ("min_meetings", "0", 0),
        ("opponents", "ranked", Opponents.RANKED),
        ("team_min", "2", 2),
        ("team_max", "4", 4),
        ("teams_max", "6", 6),
        ("negative_points", "false", False),
        ("negative_points", " True ", True),
    ],
)
def test_a_setting_is_read_from_text(name, text, value):
    rules = with_setting(WSD, name, text)
    assert getattr(rules, name) == value
    others = {field.name for field in fields(Rules)} - {name, "k_rule"}
    assert all(getattr(rules, other) == getattr(WSD, other) for other in others)


def test_settings_are_fields_of_the_rules():
    assert set(SETTINGS) <= {field.name for field in fields(Rules)}
    assert len(SETTINGS) == 19


def test_setting_k_on_the_ladder_makes_it_fixed():
    assert with_setting(PRESETS["ranked-battle"], "k", "16").k_rule is KRule.FIXED


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("keep", "1.5", "keep is 1.5; it must be from 0 to 1."),
        ("keep", "much", "keep is 'much'; it must be a number from 0 to 1."),
        ("keep", "nan", "keep is NaN; it must be from 0 to 1."),
        ("k", "inf", "k is Infinity; it must be from 0.01 to 1000."),
        ("k", "", "k is ''; it must be a number from 0.01 to 1000."),
        ("min_games", "7.5", "min_games is '7.5'; it must be a whole number from 0 to 100000."),
        ("min_games", "-1", "min_games is -1; it must be from 0 to 100000."),
        ("margin_unit", "0", "margin_unit is 0; it must be from 0.01 to 1000000."),
        ("curve", "straight", "curve is 'straight'; it must be one of formula, table."),
        ("opponents", "all", "opponents is 'all'; it must be one of entered, ranked."),
        ("negative_points", "maybe", "negative_points is 'maybe'; it must be true or false."),
        (
            "initial_rating",
            "1500.05",
            "initial_rating is '1500.05'; it must be a number from 0 to 100000 with at most one decimal.",
        ),
        (
            "initial_rating",
            "-1",
            "initial_rating is '-1'; it must be a number from 0 to 100000 with at most one decimal.",
        ),
    ],
)
def test_a_bad_setting_is_refused_with_what_is_allowed(name, text, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 the whole message is compared
        with_setting(WSD, name, text)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["luck", "k_rule", "__class__", ""])
def test_an_unknown_setting_is_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match=r"there are initial_rating, k, keep, .*, negative_points\.$"):
        with_setting(WSD, name, "1")


@pytest.mark.parametrize("name", LIMITS)
def test_rules_keep_their_limits(name):
    kind: Any = type(getattr(WSD, name)) if name != "curve_limit" else Decimal
    smallest, largest = (kind(limit) for limit in LIMITS[name])

    def with_value(value: Any) -> Rules:
        values: dict[str, Any] = {name: value}
        return replace(WSD, **values)

    for allowed in (smallest, largest):
        assert getattr(with_value(allowed), name) == allowed
    for refused in (smallest - 1, largest + 1):
        with pytest.raises(ValueError, match=f"^{name} is "):
            with_value(refused)
