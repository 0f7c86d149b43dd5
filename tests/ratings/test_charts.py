"""Curves as numbers for SVG."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from django.utils import translation

from ratings.charts import Point, curve, curves, edges, histogram, quarters, sparkline, thinned


def numbers_of(path):
    return [tuple(map(float, pair.split())) for pair in re.split("[MLZ]", path) if pair]


def test_the_curve_runs_from_left_to_right_with_high_ratings_at_the_top():
    """1500, 1520, 1510: the scale runs from 1500 to 1520 in steps of 5 points."""
    drawn = curve([Point(0, 15_000), Point(1, 15_200), Point(2, 15_100)])
    assert numbers_of(drawn.line) == [(0, 100), (500, 0), (1000, 50)]
    assert [line.rating for line in drawn.grid] == [15_000, 15_050, 15_100, 15_150, 15_200]
    assert [line.y for line in drawn.grid] == ["100%", "75%", "50%", "25%", "0%"]


def test_the_peak_and_the_present_are_marked():
    drawn = curve([Point(0, 15_000), Point(1, 15_200), Point(2, 15_100)])
    assert drawn.peak == ("50%", "0%", 15_200)
    assert drawn.now == ("100%", "50%", 15_100)


def test_points_stand_at_their_times():
    drawn = curve([Point(100, 15_000), Point(110, 15_100), Point(200, 15_000)])
    assert [x for x, _y in numbers_of(drawn.line)] == [0, 100, 1000]


def test_a_level_curve_lies_in_the_middle_of_its_scale():
    drawn = curve([Point(0, 15_000), Point(1, 15_000)])
    assert numbers_of(drawn.line) == [(0, 50), (1000, 50)]
    assert [line.rating for line in drawn.grid] == [14_950, 15_000, 15_050]


def test_points_at_one_time_do_not_divide_by_zero():
    assert numbers_of(curve([Point(5, 15_000), Point(5, 15_100)]).line) == [(0, 100), (0, 0)]


def test_wide_scales_have_at_most_six_lines():
    for spread in (1, 60, 950, 12_345, 100_000, 5_000_000):
        drawn = curve([Point(0, -1_234), Point(1, spread - 1_234)])
        assert 2 <= len(drawn.grid) <= 6
        assert drawn.grid[0].rating <= -1_234
        assert drawn.grid[-1].rating >= spread - 1_234


def test_numbers_are_written_alike_in_every_language():
    points = [Point(0, 15_000), Point(1, 15_033), Point(3, 15_011)]
    english = curve(points)
    with translation.override("bg"):
        assert curve(points) == english
        assert "," not in english.line + sparkline([1, 2, 2, 3], 10)


def test_long_histories_are_thinned_and_keep_their_extremes():
    points = [Point(x, 15_000 + x * 7919 % 1_013) for x in range(1_000)]
    points[371] = Point(371, 20_000)
    points[372] = Point(372, 10_000)
    kept = thinned(points)
    assert len(kept) <= 200
    assert {points[0], points[371], points[372], points[-1]} <= set(kept)
    assert kept == sorted(kept)


def test_short_histories_are_kept_whole():
    points = [Point(x, x) for x in range(200)]
    assert thinned(points) == points


def test_a_sparkline_fills_the_height_of_its_box_and_ends_at_its_right():
    assert sparkline([15_000, 15_100, 15_050, 15_050], 3) == "M0 16l1-16 1 8 1 0"
    assert sparkline([15_000, 15_100, 15_050, 15_050], 10) == "M7 16l1-16 1 8 1 0"


def test_a_level_sparkline_lies_in_the_middle():
    assert sparkline([15_000] * 4, 10) == "M7 8l1 0 1 0 1 0"


def test_three_ratings_make_no_sparkline():
    assert sparkline([], 10) == sparkline([15_000, 15_100, 15_050], 10) == ""


def test_several_curves_share_their_scales():
    """From 1500 to 1520 in steps of 5, from game 0 to game 4: the second line stops half way."""
    one, other = curves(
        [[Point(0, 15_000), Point(4, 15_200)], [Point(0, 15_000), Point(2, 15_100)]],
    )
    assert numbers_of(one.line) == [(0, 100), (1000, 0)]
    assert numbers_of(other.line) == [(0, 100), (500, 50)]
    assert numbers_of(other.area) == [(0, 100), (500, 50), (500, 100), (0, 100)]
    assert one.grid == other.grid


def test_labels_at_the_ends_of_lines_keep_apart():
    ends = [15_000, 15_000, 15_010, 15_990, 15_991]
    drawn = curves([[Point(0, 15_000), Point(1, end)] for end in ends])
    labels = sorted(float(each.label.rstrip("%")) for each in drawn)
    assert all(low + 7.9 <= high for low, high in pairwise(labels))
    assert labels[-1] <= 100


def test_labels_of_marks_stay_inside_the_chart():
    drawn = curve([Point(0, 15_300), Point(1, 15_200), Point(2, 15_100)])
    assert (drawn.peak.anchor, drawn.now.anchor) == ("start", "end")
    assert curve([Point(0, 15_000), Point(1, 15_200), Point(2, 15_100)]).peak.anchor == "middle"


def test_a_histogram_counts_every_rating_once_in_bars_of_round_width():
    """From 1499.0 to 1521.0: 5 points a bar would be 6 bars, which is few enough."""
    bars = histogram([14_990, 15_000, 15_049, 15_050, 15_210])
    assert [(bar.low, bar.high, bar.count) for bar in bars] == [
        (14_950, 15_000, 1),
        (15_000, 15_050, 2),
        (15_050, 15_100, 1),
        (15_100, 15_150, 0),
        (15_150, 15_200, 0),
        (15_200, 15_250, 1),
    ]
    assert [(bar.y, bar.height) for bar in bars[:2]] == [("50%", "50%"), ("0%", "100%")]
    assert [bar.width for bar in bars] == ["16.67%"] * 6


def test_a_histogram_of_any_spread_has_few_bars():
    assert [bar.count for bar in histogram([15_000])] == [1]
    for spread in (1, 60, 950, 12_345, 100_000, 5_000_000):
        bars = histogram([-1_234, spread - 1_234])
        assert len(bars) <= 6  # two ratings fill no more
        assert (bars[0].count, bars[-1].count) in {(1, 1), (2, 2)}
    assert len(histogram(range(0, 20_000, 10))) == 20


def test_a_histogram_has_numbers_at_both_its_ends_and_few_between():
    for players in (5, 100, 1_000, 2_000):
        bars = histogram(range(10_000, 10_000 + 10 * players, 10))
        marks = edges(bars)
        assert (marks[0].rating, marks[-1].rating) == (bars[0].low, bars[-1].high)
        assert (marks[0].x, marks[-1].x) == ("0%", "100%")
        steps = {right.rating - left.rating for left, right in pairwise(marks[:-1])}
        assert len(steps) <= 1
        assert marks[-1].rating - marks[-2].rating >= max(steps, default=0)
        assert len(marks) <= 7


def test_the_time_along_a_chart_is_told_at_its_quarters():
    start = datetime(2026, 1, 1, tzinfo=UTC)
    told = quarters(start, start + timedelta(days=40))
    assert [(moment - start).days for moment in told] == [10, 20, 30]
    assert quarters(start, start + timedelta(days=27)) == []
