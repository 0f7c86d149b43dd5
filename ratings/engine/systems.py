"""The rating systems: what a game changes.

Both compare every two sides of a game by the ratings before it, add up what
the duels of a side are worth and round once. They differ in where K comes
from and in whether the margin and damping count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from itertools import combinations

from ratings.engine import formulas
from ratings.engine.formulas import (
    EXACT,
    FIDE_K,
    FIDE_K_IN_TENTHS,
    Formula,
    decimal_formula,
    exact_tenths,
    fide_reason,
    float_formula,
)
from ratings.engine.types import Game, GameId, KRule, PlayerId, PlayerState, Rules, Tenths

LARGEST_RATING: Tenths = 100_000_000  # ten million points, either way
ROUNDS_SAFELY = 0.5 - 1e-6  # tenths from a whole one; a float is a hundred times nearer than this to a tie

# The largest power of ten that the odds are computed for; beyond, E is 0.
HOPELESS, HUGE = formulas.HOPELESS / 4000, 1e300

Members = Sequence[PlayerState]


@dataclass(frozen=True, slots=True)
class System:
    """What sets a rating system apart."""

    k_rules: frozenset[KRule]
    by_margin: bool  # expectations are damped and changes weighted by the margin
    two_players: bool  # a game is one player, the challenger, against another


SYSTEMS: dict[str, System] = {
    "wsd": System(frozenset({KRule.FIXED}), by_margin=True, two_players=False),
    "ladder": System(frozenset(KRule), by_margin=False, two_players=True),
}


class Outcomes(dict[int, tuple[float, float, int, int, int]]):
    """By lead in game points, remembered, since leads repeat: M (times K in tenths, where that is fixed),
    the result less what damping adds to every expectation, and whether the duel is won, drawn or lost."""

    def __init__(self, formula: Formula[float], fixed_k: float | None) -> None:
        self.formula, self.k = formula, fixed_k or 1.0

    def __missing__(self, lead: int) -> tuple[float, float, int, int, int]:
        weight = self.k * self.formula.multiplier(abs(lead))
        surprise = self.formula.result(lead) - self.formula.level
        outcome = self[lead] = weight, surprise, int(lead > 0), int(lead == 0), int(lead < 0)
        return outcome


class Rater:
    """A rule set made ready to rate many games."""

    def __init__(self, rules: Rules, reasons: dict[GameId, str] | None = None) -> None:
        """``reasons`` gets why K is what it is, by game, where it is not the same for all.

        Raises ValueError for an unknown system or a K rule the system does not have.
        """
        if rules.system not in SYSTEMS:
            raise ValueError(f"The system is {rules.system!r}; it must be one of {', '.join(SYSTEMS)}.")
        self.rules, self.reasons = rules, reasons
        self.system = SYSTEMS[rules.system]
        if rules.k_rule not in self.system.k_rules:
            raise ValueError(f"The system {rules.system!r} cannot take K by the rule {rules.k_rule.value!r}.")
        self.formula = float_formula(rules, by_margin=self.system.by_margin)
        self.fixed_k = float(rules.k) * 10 if rules.k_rule is KRule.FIXED else None  # in tenths
        self.has_juniors = rules.k_rule is KRule.FIDE_JUNIOR
        self.keep = self.formula.keep
        self.outcomes = Outcomes(self.formula, self.fixed_k)

    def seats(self, game: Game) -> list[PlayerId]:
        """The game's players in order of sides and members. Raises ValueError unless it can be rated."""
        sides = game.sides
        if len(sides) < 2:
            raise ValueError(f"it has {len(sides)} side; a game needs at least two.")
        for side in sides:
            if not side.members:
                raise ValueError("it has a side without players; a side needs at least one.")
        players = [player for side in sides for player in side.members]
        if len(set(players)) != len(players):
            twice = next(player for player in players if players.count(player) > 1)
            raise ValueError(f"the player {twice} is in it twice; once is allowed.")
        if self.system.two_players and len(players) != 2:
            raise ValueError(f"it has {len(players)} players; a ladder game is one challenger against one.")
        return players

    def k(self, game: Game, challenger: PlayerState) -> tuple[Decimal, str]:
        """K of a game, for all its sides, and the reason for it: in a ladder the challenger's."""
        if self.rules.k_rule is KRule.FIXED:
            return self.rules.k, "fixed"
        reason = self._k_reason(game, challenger)
        return FIDE_K[reason], reason

    def k_in_tenths(self, game: Game, challenger: PlayerState) -> float:
        """The same of rules without a fixed K, for every game of a season: no decimals are made."""
        return FIDE_K_IN_TENTHS[self._k_reason(game, challenger)]

    def _k_reason(self, game: Game, challenger: PlayerState) -> str:
        junior = self.has_juniors and game.sides[0].members[0] in game.juniors
        rating, peak = challenger.rating, challenger.peak
        reason = fide_reason(challenger.played, rating if rating > peak else peak, junior)
        if self.reasons is not None:
            self.reasons[game.id] = reason
        return reason

    def steps(self, game: Game, members: Members) -> list[Tenths] | None:
        """By how much the members of each side rise, from the states before the game.

        ``members`` are those of all sides, in order. None where a float cannot tell: too near
        to a tie of rounding, which is even from the exact value (docs/rating.md, section 8).
        """
        outcomes, keep = self.outcomes, self.keep
        ratings = side_ratings(game, members)
        points = [side.points for side in game.sides]
        changes = [0.0] * len(points)
        for i, j in pairs(len(points)):
            weight, surprise, _won, _drawn, _lost = outcomes[points[i] - points[j]]
            behind = (ratings[j] - ratings[i]) / 4000.0
            odds = 10.0**behind if behind < HOPELESS else HUGE
            # what one side of a duel gains the other loses, since their expectations sum to 1
            change = weight * (surprise - keep / (1.0 + odds))
            changes[i] += change
            changes[j] -= change
        k = self.k_in_tenths(game, members[0]) if self.fixed_k is None else 1.0
        scale = k / (len(points) - 1)
        steps = []
        for change in changes:
            change *= scale
            step = round(change)
            if not -ROUNDS_SAFELY < change - step < ROUNDS_SAFELY:
                return None
            steps.append(step)
        return steps

    def exact_ratings(self, game: Game, members: Members) -> list[Tenths]:
        """The ratings of all members after the game, from decimals and in no hurry."""
        k = self.k(game, members[0])[0] * 10 / (len(game.sides) - 1)
        sides = list(by_side(game, members))
        with localcontext(EXACT):
            formula = decimal_formula(self.rules, by_margin=self.system.by_margin)
            ratings = [Decimal(sum(member.rating for member in side)) / len(side) for side in sides]
            changes = [Decimal(0)] * len(sides)
            for i, j in pairs(len(sides)):
                lead = game.sides[i].points - game.sides[j].points
                change = formula.change(ratings[i] - ratings[j], lead, k)
                changes[i] += change
                changes[j] -= change
            exact = [
                member.rating + change for side, change in zip(sides, changes, strict=True) for member in side
            ]
        return [exact_tenths(rating) for rating in exact]


def out_of_range(rating: Tenths | Decimal) -> bool:
    """Whether a rating is beyond ten million points, either way."""
    return not -LARGEST_RATING <= rating <= LARGEST_RATING


def side_ratings(game: Game, members: Members) -> list[float]:
    """The rating of each side: its player's, or the unrounded mean of its members'."""
    if len(members) == len(game.sides):
        return [member.rating for member in members]
    return [sum([member.rating for member in side]) / len(side) for side in by_side(game, members)]


def by_side(game: Game, members: Members) -> Iterator[Members]:
    """The members of all sides, which come in order, side by side."""
    first = 0
    for side in game.sides:
        yield members[first : first + len(side.members)]
        first += len(side.members)


@cache
def pairs(sides: int) -> tuple[tuple[int, int], ...]:
    """Every duel of a game of so many sides, as two indexes."""
    return tuple(combinations(range(sides), 2))
