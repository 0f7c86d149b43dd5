"""Charts as numbers for SVG: what the templates draw, in texts that no language changes.

A chart is stretched to its place, so paths are in a box of 1000 by 100 and everything that must not be
stretched (dots, labels) stands at percentages of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

WIDTH, HEIGHT = 1000, 100
MOST_POINTS = 200
GRID_STEPS = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)  # tenths between two grid lines
GRID_LINES = 4
SPARKLINE_WIDTH, SPARKLINE_HEIGHT = 80, 24


class Point(NamedTuple):
    """A rating, in tenths, at a place along the chart: a number of games, or a time."""

    x: float
    rating: int


class Mark(NamedTuple):
    """A place on the chart: percentages from the left and from the top, and the rating there, in tenths."""

    x: str
    y: str
    rating: int

    @property
    def points(self) -> int:
        """The rating in whole points, as grid lines have it."""
        return self.rating // 10


@dataclass(frozen=True, slots=True)
class Curve:
    """A rating curve. ``line`` and ``area`` are path data in the box of WIDTH by HEIGHT."""

    line: str
    area: str
    grid: tuple[Mark, ...]
    peak: Mark
    now: Mark


def curve(points: Sequence[Point]) -> Curve:
    """The curve through these points, at least two, in order of their x."""
    kept = thinned(points)
    ratings = [point.rating for point in points]
    low, high, step = _scale(min(ratings), max(ratings))
    first, last = points[0].x, points[-1].x

    def across(point: Point) -> float:
        return (point.x - first) / (last - first) if last > first else 0.0

    def down(rating: int) -> float:
        return (high - rating) / (high - low)

    def mark(point: Point) -> Mark:
        return Mark(_percent(across(point)), _percent(down(point.rating)), point.rating)

    places = [f"{_number(across(p) * WIDTH)} {_number(down(p.rating) * HEIGHT)}" for p in kept]
    line = f"M{'L'.join(places)}"
    return Curve(
        line=line,
        area=f"{line}L{_number(across(kept[-1]) * WIDTH)} {HEIGHT}L0 {HEIGHT}Z",
        grid=tuple(Mark("0%", _percent(down(rating)), rating) for rating in range(low, high + 1, step)),
        peak=mark(max(points, key=lambda point: point.rating)),
        now=mark(points[-1]),
    )


def sparkline(ratings: Sequence[int]) -> str:
    """Path data of a small curve in a box of 80 by 24; empty for fewer than two ratings."""
    if len(ratings) < 2:
        return ""
    kept = thinned([Point(x, rating) for x, rating in enumerate(ratings)], limit=SPARKLINE_WIDTH // 2)
    low, high = min(ratings), max(ratings)
    across = SPARKLINE_WIDTH / (len(ratings) - 1)
    if low == high:  # a level one lies in the middle
        low, high = low - 1, high + 1
    down = SPARKLINE_HEIGHT / (high - low)
    places = [f"{_number(x * across)} {_number((high - rating) * down)}" for x, rating in kept]
    return f"M{'L'.join(places)}"


def thinned(points: Sequence[Point], limit: int = MOST_POINTS) -> list[Point]:
    """At most about ``limit`` of the points: the first, the last, and every stretch's lowest and highest."""
    if len(points) <= limit:
        return list(points)
    inner = range(1, len(points) - 1)
    stretches = max(1, limit // 2 - 1)
    kept = {0, len(points) - 1}
    for number in range(stretches):
        stretch = inner[number * len(inner) // stretches : (number + 1) * len(inner) // stretches]
        kept.add(min(stretch, key=lambda index: points[index].rating))
        kept.add(max(stretch, key=lambda index: points[index].rating))
    return [points[index] for index in sorted(kept)]


def _scale(low: int, high: int) -> tuple[int, int, int]:
    """Round ends of the scale around these ratings, and the step between its grid lines."""
    steps = (step for step in GRID_STEPS if (high - low) / step <= GRID_LINES)
    step = next(steps, GRID_STEPS[-1])
    while (high - low) / step > GRID_LINES:
        step *= 2
    bottom, top = low // step * step, -(-high // step) * step
    return bottom, max(top, bottom + step), step


def _percent(share: float) -> str:
    return f"{_number(share * 100)}%"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
