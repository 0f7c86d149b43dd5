"""The engine alone, without Django: games per second of CPU against a textbook loop."""

import gc
import math
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random

from bench.timing import QUICK, Measure, ratio, seconds
from ratings.engine.replay import replay
from ratings.engine.types import Game, Rules, Side, State

GAMES = 2_000 if QUICK else 50_000
PLAYERS = range(1_000)
RULES = Rules(negative_points=False)


def measures() -> Iterator[Measure]:
    yield Measure(
        "engine with change rows, duels: games/s against a textbook loop", _speed(_duels()), ">= 1.5"
    )
    yield Measure("the same, mixed games", _speed(_mixed()), ">= 1.0")
    yield from _against_libraries(_duels())


def _speed(games: list[Game]) -> float:
    return _against(lambda: _textbook(games), games)


def _against_libraries(games: list[Game]) -> Iterator[Measure]:
    """Libraries that rate plain Elo and make no rows; the fastest of those on offer."""
    try:
        import numpy  # noqa: PLC0415 - of these libraries, which only the bench has
        from elote import EloCompetitor  # noqa: PLC0415
        from riix.models.elo import Elo  # noqa: PLC0415
    except ImportError:
        print("Rating libraries are missing: make bench installs them")
        return
    played = [
        (one.members[0], two.members[0], one.points - two.points)
        for one, two in (game.sides for game in games)
    ]
    pairs = numpy.array([pair for *pair, _lead in played])
    results = numpy.array([(lead > 0) + (lead == 0) / 2 for *_pair, lead in played])

    def riix() -> None:
        Elo(competitors=list(PLAYERS), k=10.0).update(pairs, results)

    def elote() -> None:
        players = [EloCompetitor(initial_rating=1500) for _player in PLAYERS]
        for one, two, lead in played:
            if lead:
                players[one if lead > 0 else two].beat(players[two if lead > 0 else one])
            else:
                players[one].tied(players[two])

    for library in (riix, elote):
        yield Measure(
            f"engine with change rows, duels: games/s against {library.__name__} without rows",
            _against(library, games),
            ">= 1.0",
        )


def _against(other: Callable[[], object], games: list[Game]) -> float:
    gc.freeze()  # the games and the libraries are no garbage to look through while either is timed
    return ratio(
        lambda: seconds(other, time.process_time),
        lambda: seconds(lambda: replay(RULES, State(), games), time.process_time),
        rounds=5,
    )


def _duels() -> list[Game]:
    random = Random(1)
    return [_game(random, number, [1, 1]) for number in range(GAMES)]


def _mixed() -> list[Game]:
    """60 % duels, 20 % free-for-alls of 3 to 6, 20 % two to four teams of up to three."""
    random = Random(2)
    sizes = {
        "duel": lambda: [1, 1],
        "all": lambda: [1] * random.randint(3, 6),
        "teams": lambda: [random.randint(2, 3) for _ in range(random.randint(2, 4))],
    }
    kinds = random.choices(list(sizes), [60, 20, 20], k=GAMES)
    return [_game(random, number, sizes[kind]()) for number, kind in enumerate(kinds)]


def _game(random: Random, number: int, sizes: list[int]) -> Game:
    players = iter(random.sample(PLAYERS, sum(sizes)))
    sides = [Side(tuple(next(players) for _ in range(size)), random.randint(0, 800)) for size in sizes]
    return Game(number, tuple(sides))


def _textbook(games: list[Game]) -> list[tuple[object, ...]]:
    """The league's formula as one would first write it: pair by pair, floats rounded to 0.1."""
    ratings: dict[object, float] = {}
    rows: list[tuple[object, ...]] = []
    for game in games:
        means = [
            sum(ratings.setdefault(player, 1500.0) for player in side.members) / len(side.members)
            for side in game.sides
        ]
        changes = [0.0] * len(means)
        for i, j in combinations(range(len(means)), 2):
            change = _duel(means[i] - means[j], game.sides[i].points - game.sides[j].points)
            changes[i] += change / (len(means) - 1)
            changes[j] -= change / (len(means) - 1)
        for side, change in zip(game.sides, changes, strict=True):
            for player in side.members:
                before = ratings[player]
                ratings[player] = round(before + change, 1)
                rows.append((game.id, player, before, ratings[player], round(ratings[player] - before, 1)))
    return rows


def _duel(difference: float, lead: int) -> float:
    expected = 1 / (1 + 10 ** (-difference / 400))
    damped = 0.5 + 0.3 * (expected - 0.5)
    margin = abs(lead)
    linear = 0.4 + 3.6 / 499 * (max(margin, 1) - 1)
    multiplier = linear if margin <= 500 else 4 * math.exp(0.001833 * (margin - 500))
    result = 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5
    return 10 * multiplier * (result - damped)
