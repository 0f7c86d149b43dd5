"""The formulas of both rating systems, one by one, for engine and rulebook page alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Generic, TypeVar

from ratings.engine.types import Curve, DrawMargin, Game, GamesCounted, Rules, Tenths

N = TypeVar("N", float, Decimal)

# Decimals of 50 digits, then 30 places kept: a third times three is a whole again.
EXACT = Context(prec=50)
SNAP = Decimal(1).scaleb(-30)

# M of docs/rating.md, section 3, C4: linear up to 500 points, then by one of two curves.
FLOOR = Decimal("0.4")
LINEAR_RISE = Decimal("3.6")  # over the 499 points from 1 to 500
LINEAR_END = 500
GROWTH = Decimal("0.001833")
KNOTS = (
    (500, Decimal(4)),
    (1000, Decimal(10)),
    (1500, Decimal("15.81")),
    (2000, Decimal(25)),
)

# M is 10 to the power of 8 and more here: no rating can take it.
LARGEST_MARGIN = 20_000

# Tenths at which E is 0 to 300 places and 10 to the power of the difference leaves the floats.
HOPELESS = 1_200_000

# FIDE Rating Regulations 8.3.3, in tenths (docs/rating.md, section 6).
FIDE_TOP = 24_000
FIDE_JUNIOR_TOP = 23_000
FIDE_NEW_GAMES = 30

# K by the reason for it.
FIDE_K = {
    "fide-2400": Decimal(10),
    "fide-junior": Decimal(40),
    "fide-new": Decimal(40),
    "fide-standard": Decimal(20),
}
FIDE_K_IN_TENTHS = {reason: float(k) * 10 for reason, k in FIDE_K.items()}


class Formula(Generic[N]):
    """The duel formula of a rule set in one kind of number.

    Floats are fast; decimals decide where a float cannot. Writing the formula
    once for both keeps them from disagreeing.
    """

    def __init__(
        self, rules: Rules, number: Callable[[Decimal], N], exp: Callable[[N], N], *, by_margin: bool
    ) -> None:
        """``by_margin``: expectations are damped and changes weighted by the margin."""
        self.rules = rules
        self.number: Callable[[Decimal], N] = number
        self.exp: Callable[[N], N] = exp
        self.by_margin = by_margin
        self.ten: N = number(Decimal(10))
        self.one: N = number(Decimal(1))
        self.half: N = number(Decimal("0.5"))
        self.zero: N = number(Decimal(0))
        self.keep: N = number(rules.keep if by_margin else Decimal(1))
        self.level: N = (1 - self.keep) / 2
        self.multipliers: dict[int, N] = {}

    def expected(self, difference: N) -> N:
        """E of a side rated ``difference`` tenths above the other."""
        if difference < -HOPELESS:
            return self.zero
        odds: N = self.ten ** (-difference / 4000)
        return 1 / (1 + odds)

    def damped(self, expected: N) -> N:
        """E of which only the rules' share of its distance to 0.5 survives."""
        return self.keep * expected + self.level

    def multiplier(self, margin: int) -> N:
        """M of a margin in game points, remembered, since margins repeat."""
        known = self.multipliers.get(margin)
        if known is None:
            known = self.multipliers[margin] = self._multiplier(margin) if self.by_margin else self.one
        return known

    def result(self, lead: int) -> N:
        """1 for a duel won by ``lead`` game points, 0 where it is negative, else 0.5."""
        return self.one if lead > 0 else self.zero if lead else self.half

    def change(self, difference: N, lead: int, k: N) -> N:
        """What a duel is worth, in the unit of its ``k``: k M (result - damped E)."""
        surprise = self.result(lead) - self.damped(self.expected(difference))
        return k * self.multiplier(abs(lead)) * surprise

    def _multiplier(self, margin: int) -> N:
        limit = self.rules.curve_limit
        m = self._curve(self._scaled(margin)) if margin else self._draw_multiplier()
        return m if limit is None else min(m, self.number(limit))

    def _scaled(self, margin: int) -> N:
        """A margin in units of the curve; whatever is not a draw counts as 1 at least."""
        scaled = max(Decimal(1), Decimal(margin) * 100 / self.rules.margin_unit)
        if scaled > LARGEST_MARGIN:
            if self.rules.curve_limit is None:
                largest = largest_rated_margin(self.rules.margin_unit)
                raise ValueError(f"A margin is {margin}; these rules can rate up to {largest:f}.")
            scaled = Decimal(LARGEST_MARGIN)  # far above any limit of the curve
        return self.number(scaled)

    def _draw_multiplier(self) -> N:
        if self.rules.draw_margin is DrawMargin.FLOOR:
            return self.number(FLOOR)
        if self.rules.draw_margin is DrawMargin.FORMULA:
            return self._linear(self.zero)
        return self.zero

    def _linear(self, margin: N) -> N:
        rise = self.number(LINEAR_RISE) / (LINEAR_END - 1)
        return self.number(FLOOR) + rise * (margin - 1)

    def _curve(self, margin: N) -> N:
        if margin <= LINEAR_END:
            return self._linear(margin)
        if self.rules.curve is Curve.FORMULA:
            return self.number(KNOTS[0][1]) * self.exp(self.number(GROWTH) * (margin - LINEAR_END))
        # log-linear between the knots; the last piece goes on beyond its end
        right = next((i for i, (x, _) in enumerate(KNOTS) if margin <= x), len(KNOTS) - 1)
        (x0, y0), (x1, y1) = KNOTS[right - 1], KNOTS[right]
        growth: N = (self.number(y1) / self.number(y0)) ** ((margin - x0) / (x1 - x0))
        return self.number(y0) * growth


def float_formula(rules: Rules, *, by_margin: bool) -> Formula[float]:
    """The formula in floats, which decide nearly every rounding."""
    return Formula(rules, float, math.exp, by_margin=by_margin)


def decimal_formula(rules: Rules, *, by_margin: bool) -> Formula[Decimal]:
    """To be made and used inside ``localcontext(EXACT)``."""
    return Formula(rules, Decimal, Decimal.exp, by_margin=by_margin)


_CLASSIC = float_formula(Rules(), by_margin=False)


def expected_score(own: float, opponent: float) -> float:
    """E of a player or team, from two ratings in tenths (docs/rating.md, section 2)."""
    return _CLASSIC.expected(own - opponent)


def damped(expected: float, keep: float | Decimal) -> float:
    """The expectation of which only the share ``keep`` of its distance to 0.5 survives (C1)."""
    share = float(keep)
    return share * expected + (1 - share) / 2


def margin_multiplier(rules: Rules, margin: int) -> float:
    """M of a margin in game points, scaled by the rules' margin unit (C4, C5, C12).

    Raises ValueError for a margin that is negative or beyond all ratings.
    """
    if margin < 0:
        raise ValueError(f"A margin is {margin}; it cannot be negative.")
    return float_formula(rules, by_margin=True).multiplier(margin)


def largest_rated_margin(margin_unit: Decimal) -> Decimal:
    """The margin, in game points, beyond which a curve without limit has no M."""
    return LARGEST_MARGIN * margin_unit / 100


def fide_k(*, games: int, rating: Tenths, peak: Tenths, junior: bool = False) -> tuple[Decimal, str]:
    """K in FIDE's bands, with its reason (see ``fide_reason``)."""
    reason = fide_reason(games, max(rating, peak), junior)
    return FIDE_K[reason], reason


def fide_reason(games: int, highest: Tenths, junior: bool) -> str:
    """Which of FIDE's bands a player is in (docs/rating.md, section 6).

    ``games`` is the number played before this one, ``highest`` the highest rating ever reached, ``junior``
    whether the junior clause is in force and covers the player. 2400 ever reached comes first, for good.
    """
    if highest >= FIDE_TOP:
        return "fide-2400"
    if junior and highest < FIDE_JUNIOR_TOP:
        return "fide-junior"
    return "fide-new" if games < FIDE_NEW_GAMES else "fide-standard"


def games_counted(rules: Rules, game: Game) -> int:
    """How many games of the season a game counts as (C11); at least 1."""
    others = len(game.sides) - 1
    if others == 1 or rules.games_counted is GamesCounted.SIDES:
        return others
    for side in game.sides:
        if len(side.members) > 1:
            return others
    return 1


def starting_rating(rules: Rules, previous: Tenths | None) -> Tenths:
    """The rating a season starts with, given the last one of the season before (docs/rating.md, 9)."""
    if previous is None:
        return rules.initial_rating
    distance = (previous - rules.initial_rating) * Fraction(rules.carry_over)
    return round(rules.initial_rating + distance)  # of a Fraction: exact, ties to even


def exact_tenths(value: Decimal) -> Tenths:
    """A value in tenths as a whole number, ties to even."""
    with localcontext(EXACT):
        return int(value.quantize(SNAP).to_integral_value(ROUND_HALF_EVEN))
