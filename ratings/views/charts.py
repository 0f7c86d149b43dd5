"""A season in charts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from leagues.models import Season
from ratings.charts import Point, curves, edges, histogram, quarters
from ratings.engine.types import Rules, Tenths
from ratings.models import Replay
from ratings.services.facts import shown_rules
from ratings.services.trends import Moment, race, spread
from ratings.views.live import LiveMixin

TOLD = 6  # moments of each player in the table below the race
MARKS = "ABCDE"  # of the lines: a number would be taken for the place
LEAST_RACE = 10  # tenths: lines nearer than that to each other all the time tell nothing
LEAST_SPREAD = 5  # players: of fewer there is nothing to see in bars


class ChartsView(LiveMixin):
    """The season score of the first over time, and how the ratings are spread."""

    template_name = "ratings/charts.html"
    fragment_name = "ratings/_charts.html"
    season: Season

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        rules = shown_rules(self.season)
        return super().get_context_data(
            rules=rules,
            lines=race_lines(self.season, rules, self.replay),
            **_spread(spread(self.season)),
        )


def race_lines(season: Season, rules: Rules, replay: Replay) -> list[dict[str, Any]]:
    """The lines of the race of the first with what tells them in words; empty until they part."""
    racers = race(season, rules)
    scores = [moment.score for racer in racers for moment in racer.moments]
    if not racers or max(scores) - min(scores) < LEAST_RACE:
        return []
    drawn = curves([_points(racer.moments, replay.last_played_at) for racer in racers])
    along = quarters(season.starts_at, replay.last_played_at) if replay.last_played_at else []
    return [
        {
            "mark": mark,
            "player": racer.player,
            "curve": line,
            "told": _told(racer.moments),
            "quarters": along,
        }
        for mark, racer, line in zip(MARKS, racers, drawn, strict=False)
    ]


def _points(moments: Sequence[Moment], until: datetime | None) -> list[Point]:
    """The moments in the chart, the last score holding until the last game of the season."""
    points = [Point(moment.at.timestamp(), moment.score) for moment in moments]
    end = max(until or moments[-1].at, moments[-1].at)
    return [*points, Point(end.timestamp(), moments[-1].score)]


def _told(moments: Sequence[Moment]) -> list[Moment]:
    """Some of the moments, evenly taken, the last one always."""
    step = max(1, (len(moments) - 1) // TOLD)
    return [*moments[1:-1:step], moments[-1]][-TOLD:]


def _spread(ratings: Sequence[Tenths]) -> dict[str, Any]:
    """The bars of the ratings, which come lowest first, and their sentence: the middle and its half."""
    if len(ratings) < LEAST_SPREAD:
        return {"bars": []}
    last, bars = len(ratings) - 1, histogram(ratings)
    return {
        "bars": bars,
        "edges": edges(bars),
        "players": len(ratings),
        "lowest": ratings[0],
        "quarter": ratings[round(last * 0.25)],
        "median": ratings[round(last * 0.5)],
        "three_quarters": ratings[round(last * 0.75)],
        "highest": ratings[last],
    }
