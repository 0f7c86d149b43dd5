"""How often players met, which no rating depends on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

from ratings.engine.systems import pairs
from ratings.engine.types import Game, Meetings, Pair, PlayerId

_Outcome = tuple[PlayerId, PlayerId, int]  # who met whom, and the sign of the lead


def count_meetings(meetings: dict[Pair, Meetings], games: Iterable[Game], times: int = 1) -> None:
    """Count games into the meetings, for both players of every pair on different sides.

    ``times=-1`` takes games out again that were counted before.
    """
    # Counted by the interpreter first: a season has many more games than pairs and results.
    for (one, other, sign), number in Counter(_outcomes(games)).items():
        number *= times
        won, drawn, lost = number * (sign > 0), number * (sign == 0), number * (sign < 0)
        _count(meetings, (one, other), won, drawn, lost)
        _count(meetings, (other, one), lost, drawn, won)


def _outcomes(games: Iterable[Game]) -> Iterator[_Outcome]:
    for game in games:
        for i, j in pairs(len(game.sides)):
            one, other = game.sides[i], game.sides[j]
            sign = (one.points > other.points) - (one.points < other.points)
            for player, opponent in product(one.members, other.members):
                yield player, opponent, sign


def _count(meetings: dict[Pair, Meetings], pair: Pair, won: int, drawn: int, lost: int) -> None:
    met = meetings.get(pair)
    if met is None:
        met = meetings[pair] = Meetings()
    met.games += won + drawn + lost
    met.wins += won
    met.draws += drawn
    met.losses += lost
