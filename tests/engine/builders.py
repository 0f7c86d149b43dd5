"""Games and states written down shortly, ratings as they are printed ("1500.1")."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ratings.engine.explain import explain
from ratings.engine.replay import replay
from ratings.engine.types import (
    Change,
    Explanation,
    Game,
    Meetings,
    PlayerId,
    PlayerState,
    Rules,
    Side,
    State,
)


def tenths(rating: str | int) -> int:
    value = Decimal(rating) * 10
    assert value == int(value), f"{rating} has more than one decimal"
    return int(value)


def printed(rating: int) -> str:
    """A rating in tenths as the rulebooks print it."""
    return str(Decimal(rating) / 10 if rating % 10 else f"{rating // 10}.0")


def player(
    rating: str | int, *, played: int = 0, games: int = 0, wins: int = 0, peak: str | int | None = None
):
    rating = tenths(rating)
    highest = rating if peak is None else tenths(peak)
    return PlayerState(rating=rating, peak=highest, played=played, games=games, wins=wins)


def changes(rules: Rules, state: State, games: Iterable[Game]) -> list[Change]:
    """A replay's rows with the names of their fields."""
    return [Change._make(row) for row in replay(rules, state, games)]


def duel(own: str, opponent: str, own_points: int, opponent_points: int, game_id: int = 1) -> Game:
    """A game of two players, by name."""
    return Game(game_id, (Side((own,), own_points), Side((opponent,), opponent_points)))


@dataclass(frozen=True)
class Played:
    """What became of one game: new ratings side by side, and why."""

    before: list[list[int]]
    after: list[list[int]]
    explanation: Explanation

    @property
    def changes(self) -> list[list[int]]:
        return [
            [new - old for old, new in zip(*side, strict=True)]
            for side in zip(self.before, self.after, strict=True)
        ]

    @property
    def unrounded(self) -> list[float]:
        return [side.change for side in self.explanation.sides]


def play(rules: Rules, *sides: tuple[Sequence[PlayerState], int]) -> Played:
    """Play one game; a side is its members' states before it and its points."""
    state = State()
    game_sides = []
    for members, points in sides:
        names = tuple(range(len(state.players), len(state.players) + len(members)))
        state.players.update(zip(names, map(replace, members), strict=True))  # the fold changes them
        game_sides.append(Side(names, points))
    game = Game("game", tuple(game_sides))
    before = [[state.players[name].rating for name in side.members] for side in game.sides]
    explanation = explain(rules, state.players, game)
    after = {change.player: change.after for change in changes(rules, state, [game])}
    return Played(before, [[after[name] for name in side.members] for side in game.sides], explanation)


def play_singles(rules: Rules, ratings: Sequence[str | int], points: Sequence[int]) -> Played:
    """Play one game of single players."""
    return play(rules, *(([player(rating)], scored) for rating, scored in zip(ratings, points, strict=True)))


def meet(state: State, one: PlayerId, other: PlayerId, games: int) -> None:
    """Let two players have met so often."""
    state.meetings[one, other] = Meetings(games=games)
    state.meetings[other, one] = Meetings(games=games)
