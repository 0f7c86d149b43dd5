"""Both rating systems once more, in plain decimals and without the engine: what `rate` is compared with.

A game is a list of (members, points). Everything is computed in rating points to sixty places.
"""

from __future__ import annotations

from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from itertools import groupby
from typing import Any

D = Decimal
Game = list[tuple[tuple[str, ...], int]]

STANDARD = D(1500)
# The share kept of (E - 0.5), and whether M above 500 goes through the printed table.
READINGS = {
    "wsd-2.0": (D("0.3"), False),
    "wsd-2.0-tables": (D("0.5"), True),
    "wsd-2.0-formulas": (D("0.7"), False),
    "ranked-battle": (D(1), False),
}
TABLE = [(D(500), D(4)), (D(1000), D(10)), (D(1500), D("15.81")), (D(2000), D(25))]


def rated(games: list[Game], preset: str, initial: Decimal = STANDARD) -> list[dict[str, Any]]:
    """The rows that `rate --format json` prints, with 75 games and 4 meetings required in WSD."""
    is_ladder = preset == "ranked-battle"
    keep, by_table = READINGS[preset]
    with localcontext(prec=60):
        ratings: dict[str, Decimal] = defaultdict(lambda: initial)
        peaks: dict[str, Decimal] = defaultdict(lambda: initial)
        count: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        met: dict[tuple[str, str], int] = defaultdict(int)
        for game in games:
            k = fide(ratings, peaks, count, game[0][0][0]) if is_ladder else D(10)
            means = [sum((ratings[name] for name in side), D(0)) / len(side) for side, _points in game]
            has_team = any(len(side) > 1 for side, _points in game)
            after = {}
            for i, (side, points) in enumerate(game):
                change = D(0)
                for j, (others, against) in enumerate(game):
                    if i == j:
                        continue
                    expected = 1 / (1 + D(10) ** ((means[j] - means[i]) / 400))
                    result = D(points > against) if points != against else D("0.5")
                    m = D(1) if is_ladder else multiplier(abs(points - against), by_table)
                    change += k / (len(game) - 1) * m * (result - keep * expected - (1 - keep) / 2)
                    for name in side:
                        count[name]["wins"] += points > against
                        count[name]["draws"] += points == against
                        count[name]["losses"] += points < against
                        for other in others:
                            met[name, other] += 1
                for name in side:
                    after[name] = one_decimal(ratings[name] + change)
                    count[name]["played"] += 1
                    count[name]["games"] += len(game) - 1 if has_team else 1
                    count[name]["first_places"] += points == max(other for _side, other in game)
            ratings.update(after)
            peaks.update({name: max(peaks[name], rating) for name, rating in after.items()})
        return rows(ratings, count, met, is_ladder=is_ladder)


def fide(ratings: Any, peaks: Any, count: Any, challenger: str) -> Decimal:
    if max(ratings[challenger], peaks[challenger]) >= 2400:
        return D(10)
    return D(40) if count[challenger]["played"] < 30 else D(20)


def multiplier(margin: int, by_table: bool) -> Decimal:
    if margin == 0:
        return D("0.4")
    if margin <= 500:
        return D("0.4") + D("3.6") * (margin - 1) / 499
    if not by_table:
        return 4 * (D("0.001833") * (margin - 500)).exp()
    right = min((i for i, (x, _m) in enumerate(TABLE) if margin <= x), default=len(TABLE) - 1)
    (x0, m0), (x1, m1) = TABLE[right - 1], TABLE[right]
    return m0 * (m1 / m0) ** ((margin - x0) / (x1 - x0))


def rows(ratings: Any, count: Any, met: Any, *, is_ladder: bool) -> list[dict[str, Any]]:
    names = sorted(ratings)
    shown = []
    for name in names:
        games = count[name]["games"]
        enough = all(met[name, other] >= 4 for other in names if other != name)
        score = ratings[name] if is_ladder else season_score(ratings[name], games)
        shown.append(
            {"player": name, "season_score": score, "rating": ratings[name], "games": games}
            | {key: count[name][key] for key in ("wins", "draws", "losses", "first_places")}
            | {"classified": is_ladder or (games >= 75 and enough)}
        )

    def key(row: dict[str, Any]) -> tuple[Decimal, Decimal, int]:
        return row["season_score"], row["rating"], row["wins"]

    shown.sort(key=key, reverse=True)
    place = 1
    for _key, tied in groupby((row for row in shown if row["classified"]), key):
        group = list(tied)
        for row in group:
            row["place"] = place
        place += len(group)
    return [
        {"place": row.get("place")} | row | {name: float(row[name]) for name in ("season_score", "rating")}
        for row in shown
    ]


def season_score(rating: Decimal, games: int) -> Decimal:
    if games <= 75:
        return one_decimal(1500 + (rating - 1500) * games / 75)
    return one_decimal(rating * (1 + D("0.05") * min(games - 75, 125) / 125))


def one_decimal(value: Decimal) -> Decimal:
    exact = value.quantize(D("1e-30"))  # a third times three is a whole again
    return exact.quantize(D("0.1"), ROUND_HALF_EVEN)
