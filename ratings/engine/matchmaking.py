"""Whom a challenger may meet, a pool drawn around the own rating, and what a battle would change.

See docs/rating.md, section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from ratings.engine.replay import replay
from ratings.engine.systems import Rater
from ratings.engine.types import Game, PlayerId, PlayerState, Rules, ShortSide, Side, State, Tenths


@dataclass(frozen=True, slots=True)
class Pool:
    """Opponents drawn from below and above, and the deviation it took, in tenths."""

    lower: tuple[PlayerId, ...]
    upper: tuple[PlayerId, ...]
    deviation: Tenths

    @property
    def members(self) -> tuple[PlayerId, ...]:
        return self.lower + self.upper


def opponent_pool(
    rules: Rules, challenger: Tenths, others: Sequence[tuple[PlayerId, Tenths]], rng: Random
) -> Pool:
    """Draw a challenger's pool from ``others``, who do not include the challenger.

    Both ends of the deviation belong. Half of the pool comes from each side; a player rated
    exactly as the challenger stands once, on the shorter side. Where a side is short, the rules
    leave it so, fill from the other side, or widen the deviation up to a limit.
    """
    deviation = rules.pool_deviation
    half = rules.pool_size // 2
    lower, upper = _sides(challenger, others, deviation, rng)
    if rules.pool_short_side is ShortSide.WIDEN:
        while min(len(lower), len(upper)) < half and deviation < rules.pool_widen_limit:
            deviation = min(deviation + rules.pool_widen_step, rules.pool_widen_limit)
            lower, upper = _sides(challenger, others, deviation, rng)
    below, above = min(half, len(lower)), min(rules.pool_size - half, len(upper))
    if rules.pool_short_side is ShortSide.FILL:
        below, above = min(len(lower), rules.pool_size - above), min(len(upper), rules.pool_size - below)
    return Pool(tuple(rng.sample(lower, below)), tuple(rng.sample(upper, above)), deviation)


def draw_opponent(pool: Pool, rng: Random) -> PlayerId | None:
    """One member of the pool, each equally likely; None where it is empty."""
    return rng.choice(pool.members) if pool.members else None


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a battle would change for the challenger, in tenths; for the opponent it is the opposite."""

    k: Decimal
    k_reason: str
    won: Tenths
    drawn: Tenths
    lost: Tenths


def at_stake(rules: Rules, challenger: PlayerState, opponent: PlayerState, *, junior: bool = False) -> Stakes:
    """What each result of a battle would change, from the states before it; they stay as they are.

    ``junior`` tells whether the challenger is one where K has a junior clause. Raises ValueError for rules
    that cannot rate it.
    """
    points_of = {1: 2, 2: 1, 3: 0}  # a pair of twins for each result, all rated in one replay
    state = State()
    for one in points_of:
        state.players |= {one: replace(challenger), -one: replace(opponent)}
    games = [
        Game(one, (Side((one,), points), Side((-one,), 1)), frozenset({one} if junior else ()))
        for one, points in points_of.items()
    ]
    k, k_reason = Rater(rules).k(games[0], challenger)
    replay(rules, state, games)
    won, drawn, lost = (state.players[one].rating - challenger.rating for one in points_of)
    return Stakes(k, k_reason, won, drawn, lost)


def _sides(
    challenger: Tenths, others: Sequence[tuple[PlayerId, Tenths]], deviation: Tenths, rng: Random
) -> tuple[list[PlayerId], list[PlayerId]]:
    lower: list[PlayerId] = []
    upper: list[PlayerId] = []
    equal: list[PlayerId] = []
    for player, rating in others:
        if abs(rating - challenger) <= deviation:
            side = lower if rating < challenger else upper if rating > challenger else equal
            side.append(player)
    rng.shuffle(equal)
    for player in equal:
        (lower if len(lower) <= len(upper) else upper).append(player)
    return lower, upper
