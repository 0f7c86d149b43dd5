"""Why a game changes what it changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ratings.engine.formulas import Formula
from ratings.engine.replay import replay
from ratings.engine.systems import Rater, by_side, side_ratings
from ratings.engine.types import (
    Change,
    Duel,
    Explanation,
    Game,
    PlayerId,
    PlayerState,
    Rules,
    SideExplanation,
    State,
    Tenths,
)


def explain(rules: Rules, players: Mapping[PlayerId, PlayerState], game: Game) -> Explanation:
    """Why a game changes what it changes, every factor of every duel laid open.

    ``players`` are the states before the game; who is not among them starts on the initial
    rating. The new ratings are those of ``replay``. Raises ValueError as ``replay`` does.
    """
    rater = Rater(rules)
    beginner = PlayerState.starting_at(rules.initial_rating)
    played = State({player: replace(known) for player, known in players.items()})
    changes = [Change._make(row) for row in replay(rules, played, [game])]
    members = [players.get(change.player, beginner) for change in changes]
    k_base, k_reason = rater.k(game, members[0])
    ratings = side_ratings(game, members)
    rated = iter(changes)
    explained = []
    for i, side in enumerate(by_side(game, members)):
        duels = _duels(rater.formula, game, ratings, i, float(k_base) / (len(game.sides) - 1))
        explained.append(
            SideExplanation(
                rating=ratings[i] / 10,
                duels=duels,
                change=sum(duel.change for duel in duels),
                before=tuple(member.rating for member in side),
                after=tuple(next(rated).after for _member in side),
            )
        )
    return Explanation(sides=tuple(explained), k_base=k_base, k_reason=k_reason)


def _duels(
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


def expected(rules: Rules, difference: Tenths | float) -> float:
    """E of a side that is rated so much higher than the other."""
    return Rater(rules).formula.expected(difference)


def stakes(
    rules: Rules, difference: Tenths | float, k: float, leads: Iterable[int]
) -> list[tuple[int, float]]:
    """What is at stake in a duel: each lead in game points, and what the side that has it gains.

    ``difference`` is how much higher that side is rated; gains are unrounded rating points and, where the
    lead is negative, losses. The other side's change is the mirror.
    """
    formula = Rater(rules).formula
    return [(lead, formula.change(difference, lead, k)) for lead in leads]
