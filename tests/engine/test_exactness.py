"""The engine, which is fast, against the same rules in plain 50-digit decimals."""

import random
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

import pytest

from ratings.engine.presets import PRESETS
from ratings.engine.replay import replay
from ratings.engine.types import Curve, DrawMargin, Game, PlayerId, PlayerState, Rules, Side, State

from .builders import changes

PLAYERS = 40
GAMES = 800

RULES = {
    "wsd-2.0": PRESETS["wsd-2.0"],
    "wsd-2.0-tables": PRESETS["wsd-2.0-tables"],
    "limited": Rules(keep=Decimal("0.7"), curve_limit=Decimal(8), draw_margin=DrawMargin.FORMULA),
    "other unit": Rules(
        k=Decimal("24.5"), margin_unit=Decimal("62.5"), curve=Curve.TABLE, draw_margin=DrawMargin.ZERO
    ),
}


def multiplier(rules: Rules, points: int) -> Decimal:
    slope = Decimal("3.6") / 499
    if points == 0:
        m = {"floor": Decimal("0.4"), "formula": Decimal("0.4") - slope, "zero": Decimal(0)}[
            rules.draw_margin
        ]
    else:
        margin = max(Decimal(1), Decimal(points) * 100 / rules.margin_unit)
        if margin <= 500:
            m = Decimal("0.4") + slope * (margin - 1)
        elif rules.curve == "formula":
            m = 4 * (Decimal("0.001833") * (margin - 500)).exp()
        elif margin <= 1000:
            m = 4 * (Decimal(10) / 4) ** ((margin - 500) / 500)
        elif margin <= 1500:
            m = 10 * Decimal("1.581") ** ((margin - 1000) / 500)
        else:
            m = Decimal("15.81") * (Decimal(25) / Decimal("15.81")) ** ((margin - 1500) / 500)
    return m if rules.curve_limit is None else min(m, rules.curve_limit)


def expected_score(own: Decimal, opponent: Decimal) -> Decimal:
    return 1 / (1 + Decimal(10) ** ((opponent - own) / 400))


def to_tenths(rating: Decimal) -> int:
    snapped = rating.quantize(Decimal("1e-30"))
    return int(snapped.quantize(Decimal("0.1"), ROUND_HALF_EVEN) * 10)


def rate_wsd(rules: Rules, ratings: dict[PlayerId, int], game: Game) -> None:
    means = [
        Decimal(sum(ratings[player] for player in side.members)) / 10 / len(side.members)
        for side in game.sides
    ]
    k = rules.k / (len(game.sides) - 1)
    new = {}
    for i, side in enumerate(game.sides):
        change = Decimal(0)
        for j, other in enumerate(game.sides):
            if i != j:
                lead = side.points - other.points
                result = Decimal("0.5") if lead == 0 else Decimal(int(lead > 0))
                e = Decimal("0.5") + rules.keep * (expected_score(means[i], means[j]) - Decimal("0.5"))
                change += k * multiplier(rules, abs(lead)) * (result - e)
        for member in side.members:
            new[member] = to_tenths(Decimal(ratings[member]) / 10 + change)
    ratings.update(new)


def random_game(rng: random.Random, game_id: int) -> Game:
    kind = rng.choice(["duel", "duel", "everyone for himself", "teams"])
    count = {"duel": 2, "everyone for himself": rng.randint(3, 9), "teams": rng.randint(2, 4)}[kind]
    sizes = [rng.randint(1, 3) if kind == "teams" else 1 for _ in range(count)]
    players = rng.sample(range(PLAYERS), sum(sizes))
    most = rng.choice([2, 12, 600, 2500])  # small ones give draws and ties of rounding
    return Game(
        game_id,
        tuple(
            Side(tuple(players.pop() for _ in range(size)), rng.randint(-most // 2, most)) for size in sizes
        ),
    )


@pytest.mark.parametrize("name", RULES)
def test_mixed_games_equal_plain_decimals(name):
    rules, rng = RULES[name], random.Random(f"exactness {name}")
    games = [random_game(rng, game_id) for game_id in range(GAMES)]
    state = State()
    replay(rules, state, games)
    ratings: dict[PlayerId, int] = dict.fromkeys(range(PLAYERS), 15_000)
    with localcontext() as context:
        context.prec = 50
        for game in games:
            rate_wsd(rules, ratings, game)
    assert {player: known.rating for player, known in state.players.items()} == ratings


def test_ladder_battles_equal_plain_decimals():
    rng = random.Random("exactness ladder")
    rules = PRESETS["ranked-battle"]
    ratings = [13_000 + 270 * player for player in range(PLAYERS)]  # some are near 2400
    state = State(players={p: PlayerState.starting_at(r) for p, r in enumerate(ratings)})
    games = []
    pairs = [rng.sample(range(PLAYERS), 2) for _ in range(4_000)]
    for game_id, (one, two) in enumerate(pairs):
        games.append(
            Game(
                game_id,
                (Side((one,), one + rng.randint(0, 9)), Side((two,), two + rng.randint(0, 9))),
            )
        )
    replay(rules, state, games)
    peaks, played = list(ratings), [0] * PLAYERS
    used = set()
    with localcontext() as context:
        context.prec = 50
        for game, (one, two) in zip(games, pairs, strict=True):
            lead = game.sides[0].points - game.sides[1].points
            result = Decimal("0.5") if lead == 0 else Decimal(int(lead > 0))
            k = 10 if peaks[one] >= 24_000 else 40 if played[one] < 30 else 20
            used.add(k)
            change = k * (result - expected_score(Decimal(ratings[one]) / 10, Decimal(ratings[two]) / 10))
            ratings[one] = to_tenths(Decimal(ratings[one]) / 10 + change)
            ratings[two] = to_tenths(Decimal(ratings[two]) / 10 - change)
            for player in (one, two):
                peaks[player] = max(peaks[player], ratings[player])
                played[player] += 1
    assert [state.players[player].rating for player in range(PLAYERS)] == ratings
    assert [state.players[player].peak for player in range(PLAYERS)] == peaks
    assert used == {10, 20, 40}


@pytest.mark.parametrize("start", range(15_000, 15_010))
def test_every_exact_tie_goes_to_even(start):
    # among equals a win by one point is worth 0.25 x 0.4 x 0.5 = 0.05 points: half a tenth
    rules = Rules(k=Decimal("0.25"))
    state = State(players={name: PlayerState.starting_at(start) for name in "ab"})
    played = changes(rules, state, [Game(1, (Side(("a",), 1), Side(("b",), 0)))])
    towards_even = start % 2
    assert [change.after for change in played] == [start + towards_even, start - towards_even]
