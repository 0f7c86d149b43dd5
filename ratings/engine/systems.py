"""The rating systems: what a game changes, and why.

Both compare every two sides of a game by the ratings before it, add up what
the duels of a side are worth and round once. They differ in where K comes
from and in whether the margin and damping count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from itertools import combinations
from math import floor

from ratings.engine.formulas import (
    EXACT,
    Formula,
    N,
    decimal_formula,
    exact_tenths,
    fide_k,
    float_formula,
)
from ratings.engine.types import (
    Duel,
    Explanation,
    Game,
    KRule,
    PlayerId,
    PlayerState,
    Rules,
    SideExplanation,
    Tenths,
)

LARGEST_RATING: Tenths = 100_000_000  # ten million points, either way
NEAR_TIE = 1e-6  # tenths; a float is a hundred times nearer than this

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


class Rater:
    """A rule set made ready to rate many games."""

    def __init__(self, rules: Rules) -> None:
        """Raises ValueError for an unknown system or a K rule the system does not have."""
        if rules.system not in SYSTEMS:
            raise ValueError(f"The system is {rules.system!r}; it must be one of {', '.join(SYSTEMS)}.")
        self.rules = rules
        self.system = SYSTEMS[rules.system]
        if rules.k_rule not in self.system.k_rules:
            raise ValueError(f"The system {rules.system!r} cannot take K by the rule {rules.k_rule.value!r}.")
        self.formula = float_formula(rules, by_margin=self.system.by_margin)

    def check(self, game: Game) -> None:
        """Raise ValueError unless the game can be rated."""
        sides = game.sides
        if len(sides) < 2:
            raise ValueError(f"Game {game.id}: it has {len(sides)} side; a game needs at least two.")
        players: list[PlayerId] = []
        for side in sides:
            if not side.members:
                raise ValueError(f"Game {game.id}: it has a side without players; a side needs at least one.")
            players += side.members
        if len(set(players)) != len(players):
            twice = next(player for player in players if players.count(player) > 1)
            raise ValueError(f"Game {game.id}: the player {twice} is in it twice; once is allowed.")
        if self.system.two_players and len(players) != 2:
            raise ValueError(
                f"Game {game.id}: it has {len(players)} players; a ladder game is one challenger against one."
            )

    def k(self, game: Game, sides: Sequence[Members]) -> tuple[Decimal, str]:
        """K of a game, for all its sides, and the reason for it: in a ladder the challenger's."""
        if self.rules.k_rule is KRule.FIXED:
            return self.rules.k, "fixed"
        challenger = sides[0][0]
        junior = self.rules.k_rule is KRule.FIDE_JUNIOR and game.sides[0].members[0] in game.juniors
        return fide_k(games=challenger.played, rating=challenger.rating, peak=challenger.peak, junior=junior)

    def new_ratings(self, game: Game, sides: Sequence[Members]) -> list[list[Tenths]]:
        """Every member's rating after the game, from the states before it.

        Floats decide unless they come too near to a tie of rounding, which is even
        from the exact value (docs/rating.md, section 8), or leave their range.
        """
        k = self.k(game, sides)[0]
        points = [side.points for side in game.sides]
        try:
            changes = _changes(self.formula, [_mean(side) for side in sides], points, float(k) * 10)
            return [
                [_rounded(member.rating + changes[index]) for member in side]
                for index, side in enumerate(sides)
            ]
        except _UndecidedError:
            return self._exact_ratings(game, sides, points, k)
        except ValueError as error:
            raise ValueError(f"Game {game.id}: {error}") from None

    def _exact_ratings(
        self, game: Game, sides: Sequence[Members], points: Sequence[int], k: Decimal
    ) -> list[list[Tenths]]:
        with localcontext(EXACT):
            formula = decimal_formula(self.rules, by_margin=self.system.by_margin)
            ratings = [Decimal(sum(member.rating for member in side)) / len(side) for side in sides]
            changes = _changes(formula, ratings, points, k * 10)
            exact = [[member.rating + changes[index] for member in side] for index, side in enumerate(sides)]
        if any(abs(rating) > LARGEST_RATING for side in exact for rating in side):
            raise ValueError(f"Game {game.id}: a rating would leave the range of ten million points.")
        return [[exact_tenths(rating) for rating in side] for side in exact]


class _UndecidedError(Exception):
    """A float cannot tell which way to round, or whether a rating is in range."""


def _mean(side: Members) -> float:
    if len(side) == 1:
        return side[0].rating
    return sum([member.rating for member in side]) / len(side)


@cache
def pairs(sides: int) -> tuple[tuple[int, int], ...]:
    """Every duel of a game of so many sides, as two indexes."""
    return tuple(combinations(range(sides), 2))


def _changes(formula: Formula[N], ratings: Sequence[N], points: Sequence[int], k: N) -> list[N]:
    """The unrounded change of every side: the sum of its duels at K / (sides - 1)."""
    changes = [formula.zero] * len(ratings)
    k = k / (len(ratings) - 1)
    for i, j in pairs(len(ratings)):
        # what one side of a duel gains the other loses, since their expectations sum to 1
        change = formula.change(ratings[i] - ratings[j], points[i] - points[j], k)
        changes[i] += change
        changes[j] -= change
    return changes


def _rounded(rating: float) -> Tenths:
    if not -LARGEST_RATING < rating < LARGEST_RATING:
        raise _UndecidedError
    below = floor(rating)
    part = rating - below
    if -NEAR_TIE < part - 0.5 < NEAR_TIE:
        raise _UndecidedError
    return below if part < 0.5 else below + 1


def explain(rules: Rules, players: Mapping[PlayerId, PlayerState], game: Game) -> Explanation:
    """Why a game changes what it changes, every factor of every duel laid open.

    ``players`` are the states before the game; who is not among them starts on the initial
    rating. The new ratings are those of ``replay``. Raises ValueError as ``replay`` does.
    """
    rater = Rater(rules)
    rater.check(game)
    beginner = PlayerState(rating=rules.initial_rating, peak=rules.initial_rating)
    sides = [[players.get(member, beginner) for member in side.members] for side in game.sides]
    after = rater.new_ratings(game, sides)
    k_base, k_reason = rater.k(game, sides)
    ratings = [_mean(side) for side in sides]
    k = float(k_base) / (len(sides) - 1)
    explained = []
    for i, side in enumerate(sides):
        duels = _explained_duels(rater.formula, game, ratings, i, k)
        explained.append(
            SideExplanation(
                rating=ratings[i] / 10,
                duels=duels,
                change=sum(duel.change for duel in duels),
                before=tuple(member.rating for member in side),
                after=tuple(after[i]),
            )
        )
    return Explanation(sides=tuple(explained), k_base=k_base, k_reason=k_reason)


def _explained_duels(
    formula: Formula[float], game: Game, ratings: Sequence[float], own: int, k: float
) -> tuple[Duel, ...]:
    duels = []
    for opponent, side in enumerate(game.sides):
        if opponent == own:
            continue
        difference = ratings[own] - ratings[opponent]
        lead = game.sides[own].points - side.points
        expected = formula.expected(difference)
        duels.append(
            Duel(
                opponent=opponent,
                difference=difference,
                expected=expected,
                damped=formula.damped(expected),
                margin=abs(lead),
                multiplier=formula.multiplier(abs(lead)),
                k=k,
                result=formula.result(lead),
                change=formula.change(difference, lead, k),
            )
        )
    return tuple(duels)
