"""A season in charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leagues.models import Season
from ratings.charts import Point, curves, histogram
from ratings.engine.types import Rules, Tenths
from ratings.services.facts import shown_rules
from ratings.services.trends import Moment, race, spread
from ratings.views.live import LiveMixin

TOLD = 6  # moments of each player in the table below the race


class ChartsView(LiveMixin):
    """The season score of the first over time, and how the ratings are spread."""

    template_name = "ratings/charts.html"
    fragment_name = "ratings/_charts.html"
    season: Season

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        lines = race_lines(self.season, shown_rules(self.season))
        return super().get_context_data(lines=lines, **_spread(spread(self.season)))


def race_lines(season: Season, rules: Rules) -> list[dict[str, Any]]:
    """The lines of the race of the first with what tells them in words; empty before the first game."""
    racers = race(season, rules)
    if not racers:
        return []
    drawn = curves([[Point(each.at.timestamp(), each.score) for each in racer.moments] for racer in racers])
    return [
        {"player": racer.player, "curve": line, "told": _told(racer.moments), "latest": racer.moments[-1]}
        for racer, line in zip(racers, drawn, strict=True)
    ]


def _told(moments: Sequence[Moment]) -> list[Moment]:
    """Some of the moments, evenly taken, the last one always."""
    step = max(1, (len(moments) - 1) // TOLD)
    return [*moments[1:-1:step], moments[-1]][-TOLD:]


def _spread(ratings: Sequence[Tenths]) -> dict[str, Any]:
    """The bars of the ratings, which come lowest first, and their sentence: the middle and its half."""
    if not ratings:
        return {"bars": []}
    last = len(ratings) - 1
    return {
        "bars": histogram(ratings),
        "players": len(ratings),
        "lowest": ratings[0],
        "quarter": ratings[round(last * 0.25)],
        "median": ratings[round(last * 0.5)],
        "three_quarters": ratings[round(last * 0.75)],
        "highest": ratings[last],
    }
