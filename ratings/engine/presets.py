"""Named rule sets, and settings written as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeAlias

from ratings.engine.types import LIMITS, Curve, DrawMargin, GamesCounted, KRule, Opponents, Rules, Tenths

_Setting: TypeAlias = tuple[Callable[[str], object], str]

# The three readings of the WSD rulebook, and Ranked Battle (docs/rating.md, section 2).
PRESETS: dict[str, Rules] = {
    "wsd-2.0": Rules(),
    "wsd-2.0-tables": Rules(keep=Decimal("0.5"), curve=Curve.TABLE),
    "wsd-2.0-formulas": Rules(keep=Decimal("0.7")),
    "ranked-battle": Rules(
        system="ladder",
        k=Decimal(20),  # where K is fixed instead
        k_rule=KRule.FIDE,
        keep=Decimal(1),
        team_max=1,
        teams_max=2,
        full_weight_games=0,
        bonus=Decimal(0),
        min_games=0,
        min_meetings=0,
    ),
}

DEFAULT_PRESET = {"wsd": "wsd-2.0", "ladder": "ranked-battle"}


def with_setting(rules: Rules, name: str, value: str) -> Rules:
    """The rules with one setting changed, given as text; setting k also makes K fixed.

    Raises ValueError with a sentence that names the setting, the value and what is allowed.
    """
    if name not in SETTINGS:
        raise ValueError(f"There is no setting {name!r}; there are {', '.join(SETTINGS)}.")
    parse, allowed = SETTINGS[name]
    try:
        parsed = parse(value.strip())
    except (ArithmeticError, ValueError):
        if name in LIMITS and parse is not _tenths:
            allowed += " from {} to {}".format(*LIMITS[name])
        raise ValueError(f"{name} is {value!r}; it must be {allowed}.") from None
    changes: dict[str, Any] = {name: parsed}
    if name == "k":
        changes["k_rule"] = KRule.FIXED
    return replace(rules, **changes)


def _tenths(text: str) -> Tenths:
    tenths = Decimal(text) * 10
    smallest, largest = LIMITS["initial_rating"]
    if not smallest <= tenths <= largest or tenths != int(tenths):
        raise ValueError
    return int(tenths)


def _number_or_none(text: str) -> Decimal | None:
    return None if text.lower() == "none" else Decimal(text)


def _yes_or_no(text: str) -> bool:
    if text.lower() in ("true", "yes", "1"):
        return True
    if text.lower() in ("false", "no", "0"):
        return False
    raise ValueError


def _choice(options: type[StrEnum]) -> _Setting:
    return options, f"one of {', '.join(options)}"


_NUMBER: _Setting = (Decimal, "a number")
_WHOLE: _Setting = (int, "a whole number")

# What ``rate --set`` may change: how to read it, and what to say where that fails.
# Numbers have their limits from Rules.
SETTINGS: dict[str, _Setting] = {
    "initial_rating": (_tenths, "a number from 0 to 100000 with at most one decimal"),
    "k": _NUMBER,
    "keep": _NUMBER,
    "curve": _choice(Curve),
    "curve_limit": (_number_or_none, "a number or none"),
    "margin_unit": _NUMBER,
    "largest_margin": _WHOLE,
    "draw_margin": _choice(DrawMargin),
    "games_counted": _choice(GamesCounted),
    "full_weight_games": _WHOLE,
    "bonus": _NUMBER,
    "bonus_games": _WHOLE,
    "min_games": _WHOLE,
    "min_meetings": _WHOLE,
    "opponents": _choice(Opponents),
    "team_min": _WHOLE,
    "team_max": _WHOLE,
    "teams_max": _WHOLE,
    "negative_points": (_yes_or_no, "true or false"),
}
