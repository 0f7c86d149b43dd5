"""Charts as numbers for SVG: what the templates draw, in texts that no language changes.

A chart is stretched to its place, so paths are in a box of 1000 by 100 and everything that must not be
stretched (dots, labels) stands at percentages of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from math import cbrt, ceil
from typing import NamedTuple

WIDTH, HEIGHT = 1000, 100
MOST_POINTS = 200
GRID_STEPS = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)  # tenths between two grid lines
GRID_LINES = 4
MOST_BARS = 20
LEAST_BARS = 6
MOST_EDGES = 6  # of bars with a number, besides the last: more do not fit on a phone
LABEL_GAP = 0.08  # of the height: the least distance of two labels at the ends of lines
SPARKLINE_HEIGHT = 16
SPARKLINE_LEAST = 4  # ratings; fewer look like a stray mark


LEAST_QUARTERED = timedelta(days=28)  # of less time the dates along a chart would be nearly the same


def quarters(first: datetime, last: datetime) -> list[datetime]:
    """The moments that part the time along a chart into four; none of a short time."""
    if last - first < LEAST_QUARTERED:
        return []
    return [first + (last - first) * number / 4 for number in (1, 2, 3)]


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

    @property
    def anchor(self) -> str:
        """How a label stands to the place so that it stays inside the chart."""
        across = float(self.x.rstrip("%"))
        return "start" if across < 10 else "end" if across > 90 else "middle"


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve. ``line`` and ``area`` are path data in the box of WIDTH by HEIGHT.

    ``label`` is how far from the top the name of the line can stand without covering another one.
    """

    line: str
    area: str
    grid: tuple[Mark, ...]
    peak: Mark
    now: Mark
    label: str


def curve(points: Sequence[Point]) -> Curve:
    """The curve through these points, at least two, in order of their x."""
    return curves([points])[0]


def curves(series: Sequence[Sequence[Point]]) -> list[Curve]:
    """Curves in one chart, on the same scales; each through at least two points, in order of their x."""
    box = _Box.around([point for points in series for point in points])
    grid = tuple(Mark("0%", _percent(box.down(rating)), rating) for rating in box.grid)
    labels = _apart([box.down(points[-1].rating) for points in series])
    return [_curve(points, box, grid, label) for points, label in zip(series, labels, strict=True)]


def _curve(points: Sequence[Point], box: _Box, grid: tuple[Mark, ...], label: float) -> Curve:
    kept = thinned(points)
    places = [f"{_number(box.across(p) * WIDTH)} {_number(box.down(p.rating) * HEIGHT)}" for p in kept]
    line = f"M{'L'.join(places)}"
    first, last = (_number(box.across(point) * WIDTH) for point in (kept[0], kept[-1]))
    return Curve(
        line=line,
        area=f"{line}L{last} {HEIGHT}L{first} {HEIGHT}Z",
        grid=grid,
        peak=box.mark(max(points, key=lambda point: point.rating)),
        now=box.mark(points[-1]),
        label=_percent(label),
    )


@dataclass(frozen=True, slots=True)
class _Box:
    """The scales of a chart: shares of its width and height."""

    first: float
    last: float
    low: int
    high: int
    step: int

    @classmethod
    def around(cls, points: Sequence[Point]) -> _Box:
        ratings, places = [point.rating for point in points], [point.x for point in points]
        return cls(min(places), max(places), *_scale(min(ratings), max(ratings)))

    @property
    def grid(self) -> range:
        return range(self.low, self.high + 1, self.step)

    def across(self, point: Point) -> float:
        return (point.x - self.first) / (self.last - self.first) if self.last > self.first else 0.0

    def down(self, rating: int) -> float:
        return (self.high - rating) / (self.high - self.low)

    def mark(self, point: Point) -> Mark:
        return Mark(_percent(self.across(point)), _percent(self.down(point.rating)), point.rating)


def _apart(places: Sequence[float]) -> list[float]:
    """The places, from 0 to 1, moved as little as it takes to keep them LABEL_GAP apart."""
    moved, lowest = list(places), -1.0
    for index in sorted(range(len(places)), key=places.__getitem__):
        moved[index] = lowest = max(places[index], lowest + LABEL_GAP)
    beyond = max(0.0, lowest - 1)
    return [place - beyond for place in moved]


@dataclass(frozen=True, slots=True)
class Bar:
    """How many ratings are from ``low`` to below ``high``, in tenths; the rest in percent of the chart."""

    low: int
    high: int
    count: int
    x: str
    middle: str
    width: str
    y: str
    height: str


def histogram(ratings: Sequence[int]) -> list[Bar]:
    """How ratings, at least one, are spread: bars of round widths, the empty ones between others too.

    As many bars as there are players to fill them: about twice the cube root of their number.
    """
    low, high = min(ratings), max(ratings)
    most_bars = min(MOST_BARS, max(LEAST_BARS, round(2 * cbrt(len(ratings)))))  # Rice's rule
    step = next((step for step in GRID_STEPS if high // step - low // step < most_bars), GRID_STEPS[-1])
    while high // step - low // step >= most_bars:
        step *= 2
    counts = Counter(rating // step for rating in ratings)
    most = max(counts.values())
    numbers = range(low // step, high // step + 1)
    wide = 1 / len(numbers)
    return [
        Bar(
            low=number * step,
            high=(number + 1) * step,
            count=counts[number],
            x=_percent(index * wide),
            middle=_percent((index + 0.5) * wide),
            width=_percent(wide),
            y=_percent(1 - counts[number] / most),
            height=_percent(counts[number] / most),
        )
        for index, number in enumerate(numbers)
    ]


def edges(bars: Sequence[Bar]) -> list[Mark]:
    """The numbers below a histogram: where bars begin, evenly taken, and where the last one ends."""
    every = ceil(len(bars) / MOST_EDGES)
    begun = [Mark(bar.x, "100%", bar.low) for bar in bars[: len(bars) - every + 1 : every]]
    return [*begun, Mark("100%", "100%", bars[-1].high)]


@dataclass(frozen=True, slots=True)
class Stakes:
    """Two curves over margins, and where the margin asked about lies. Paths as in Curve."""

    first: str
    second: str
    grid: tuple[Mark, ...]
    ticks: tuple[tuple[str, int], ...]  # percentage from the left, and the margin there
    dots: tuple[Mark, ...]  # of the first and the second curve; none for a margin of 0


def stakes_chart(gains: Sequence[tuple[int, float, float]], lead: int) -> Stakes:
    """What either side gains by winning with each of these margins, in rating points."""
    most = max(max(first, second) for _margin, first, second in gains)
    _low, high, step = _scale(0, round(most * 10))
    farthest = gains[-1][0]

    def path(numbers: Sequence[tuple[int, float]]) -> str:
        places = (
            f"{_number(margin / farthest * WIDTH)} {_number((1 - gain * 10 / high) * HEIGHT)}"
            for margin, gain in numbers
        )
        return f"M{'L'.join(places)}"

    nearest = min(gains, key=lambda row: abs(row[0] - lead))
    return Stakes(
        first=path([(margin, first) for margin, first, _second in gains]),
        second=path([(margin, second) for margin, _first, second in gains]),
        grid=tuple(Mark("0%", _percent(1 - tenths / high), tenths) for tenths in range(0, high + 1, step)),
        ticks=tuple((_percent(share / 4), round(farthest * share / 4)) for share in range(5)),
        dots=tuple(
            Mark(_percent(lead / farthest), _percent(1 - gain * 10 / high), round(gain * 10))
            for gain in nearest[1:]
        )
        if lead
        else (),
    )


def sparkline(ratings: Sequence[int], width: int) -> str:
    """Path data of a small curve, a step for each game, that ends at the right of its box of ``width`` steps.

    SPARKLINE_HEIGHT high; empty for fewer than SPARKLINE_LEAST ratings. In whole numbers, each told from
    the one before: a page has a hundred of them, and nobody sees the rest.
    """
    if len(ratings) < SPARKLINE_LEAST:
        return ""
    low, high = min(ratings), max(ratings)
    if low == high:  # a level one lies in the middle
        low, high = low - 1, high + 1
    heights = [round((high - rating) * SPARKLINE_HEIGHT / (high - low)) for rating in ratings]
    steps = [after - before for before, after in pairwise(heights)]
    line = " ".join([f"1{step}" if step < 0 else f"1 {step}" for step in steps])
    return f"M{width - len(steps)} {heights[0]}l{line}"


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
    if bottom == top:  # a level curve lies in the middle
        bottom, top = bottom - step, top + step
    return bottom, top, step


def _percent(share: float) -> str:
    return f"{_number(share * 100)}%"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
