"""Curves as numbers for SVG."""

import re

from django.utils import translation

from ratings.charts import Point, curve, sparkline, thinned


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


def test_a_level_curve_lies_on_its_scale():
    drawn = curve([Point(0, 15_000), Point(1, 15_000)])
    assert numbers_of(drawn.line) == [(0, 100), (1000, 100)]


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
        assert "," not in english.line + sparkline([1, 2, 2])


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


def test_a_sparkline_fills_its_box():
    assert numbers_of(sparkline([15_000, 15_100, 15_050])) == [(0, 24), (40, 0), (80, 12)]


def test_a_level_sparkline_lies_in_the_middle():
    assert numbers_of(sparkline([15_000, 15_000])) == [(0, 12), (80, 12)]


def test_one_rating_makes_no_sparkline():
    assert sparkline([]) == sparkline([15_000]) == ""
