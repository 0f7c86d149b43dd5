"""A season's rule set: the rules the engine rates by, field by field, and what it refuses."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from leagues.models import Season
from ratings.engine.presets import PRESETS
from ratings.engine.types import LIMITS, Curve, DrawMargin, GamesCounted, KRule, Opponents, Rules, ShortSide
from ratings.models import RuleSet
from ratings.models.rules import ENUM_FIELDS, LIMIT_FIELDS, RULE_FIELDS, TENTHS_FIELDS
from ratings.services.rules import change_rules
from tests.factories import make_season

pytestmark = pytest.mark.django_db

# A value of each field that no preset has, as stored and as the engine gets it.
OTHER_VALUES: dict[str, tuple[Any, Any]] = {
    "system": ("ladder", "ladder"),
    "initial_rating": (Decimal("1200.5"), 12_005),
    "k": (Decimal("24.5"), Decimal("24.5")),
    "k_rule": ("fide-junior", KRule.FIDE_JUNIOR),
    "keep": (Decimal("0.45"), Decimal("0.45")),
    "curve": ("table", Curve.TABLE),
    "curve_limit": (Decimal("8.5"), Decimal("8.5")),
    "margin_unit": (Decimal("1000"), Decimal(1000)),
    "draw_margin": ("zero", DrawMargin.ZERO),
    "carry_over": (Decimal("0.25"), Decimal("0.25")),
    "games_counted": ("sides", GamesCounted.SIDES),
    "full_weight_games": (60, 60),
    "bonus": (Decimal("0.1"), Decimal("0.1")),
    "bonus_games": (150, 150),
    "min_games": (40, 40),
    "min_meetings": (3, 3),
    "opponents": ("ranked", Opponents.RANKED),
    "tie_breaks": (["games"], ("games",)),
    "pool_size": (20, 20),
    "pool_deviation": (Decimal("150.5"), 1_505),
    "pool_short_side": ("fill", ShortSide.FILL),
}
OTHER_LIMITS: dict[str, Any] = {
    "largest_margin": 800,
    "negative_points": False,
    "team_min": 2,
    "team_max": 5,
    "teams_max": 6,
}


def errors_of(season: Season, **values: Any) -> dict[str, list[str]]:
    """What is said against these values, by field; nothing of them is stored."""
    before = RuleSet.objects.filter(season=season).values().get()
    with pytest.raises(ValidationError) as caught:
        change_rules(season=season, by=None, values=values)
    assert RuleSet.objects.filter(season=season).values().get() == before
    return caught.value.message_dict


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_comes_back_from_the_database_as_it_was(preset: str) -> None:
    season = make_season(preset=preset)
    assert RuleSet.objects.get(season=season).to_rules() == PRESETS[preset]


def test_every_field_of_the_rules_is_stored_or_the_same_everywhere() -> None:
    stored = {field.name for field in RuleSet._meta.concrete_fields} - {"id", "season", "preset"}
    assert stored == set(RULE_FIELDS) == set(OTHER_VALUES)
    never_changed = {"pool_widen_step", "pool_widen_limit"}
    assert {field.name for field in fields(Rules)} == stored | set(LIMIT_FIELDS) | never_changed


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_each_field_reaches_the_rules_and_no_other(name: str) -> None:
    season = make_season()
    stored, expected = OTHER_VALUES[name]
    RuleSet.objects.filter(season=season).update(**{name: stored})
    rules = RuleSet.objects.get(season=season).to_rules()
    assert getattr(rules, name) == expected != getattr(PRESETS["wsd-2.0"], name)
    assert type(getattr(rules, name)) is type(expected)
    others = {field.name for field in fields(Rules)} - {name}
    assert all(getattr(rules, other) == getattr(PRESETS["wsd-2.0"], other) for other in others)


@pytest.mark.parametrize("name", LIMIT_FIELDS)
def test_the_limits_of_a_game_come_from_the_season(name: str) -> None:
    season = make_season(**{name: OTHER_LIMITS[name]})
    rules = RuleSet.objects.get(season=season).to_rules()
    assert getattr(rules, name) == OTHER_LIMITS[name] != getattr(PRESETS["wsd-2.0"], name)


@pytest.mark.parametrize("name", ENUM_FIELDS)
def test_the_choices_are_those_of_the_engine(name: str) -> None:
    field: Any = RuleSet._meta.get_field(name)
    choices = [value for value, _label in field.choices]
    assert choices == list(ENUM_FIELDS[name])


@pytest.mark.parametrize("name", [name for name in LIMITS if name in RULE_FIELDS])
def test_a_number_the_engine_refuses_is_refused_at_its_field(name: str) -> None:
    season = make_season()
    unit = 10 if name in TENTHS_FIELDS else 1
    smallest, largest = (Decimal(limit) / unit for limit in LIMITS[name])
    for number in (smallest - 1, largest + 1):
        assert list(errors_of(season, **{name: number})) == [name]


def test_a_system_without_challengers_has_no_bands_of_fide() -> None:
    assert errors_of(make_season(), k_rule="fide") == {
        "k_rule": [
            "FIDE’s bands go by the challenger, and this system has none; choose “the same for everybody”."
        ]
    }
    change_rules(season=make_season(preset="ranked-battle"), by=None, values={"k_rule": "fixed"})


def test_a_base_margin_lets_every_accepted_margin_be_rated() -> None:
    # The curve ends at a margin of 20,000 in its own units of 100: at 1,000 by a base margin of 5.
    season = make_season()
    sentence = (
        "By this base margin a margin can be rated up to 1000, and the season accepts 5000: "
        "take a larger base margin, or limit the margin multiplier."
    )
    assert errors_of(season, margin_unit=5) == {"margin_unit": [sentence]}
    change_rules(season=season, by=None, values={"margin_unit": 25})  # 5000, and not one more
    change_rules(season=season, by=None, values={"margin_unit": 5, "curve_limit": 8})
    change_rules(season=make_season(preset="ranked-battle"), by=None, values={"margin_unit": 5})
