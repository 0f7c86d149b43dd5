"""Whether a place can be reached in the days that are left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import Max

from leagues.models import Season
from ratings.engine.eligibility import missing_games
from ratings.engine.types import Rules
from ratings.models import Standing

HARD_PACE = 2  # games a day: more than that, day after day, hardly anybody plays


@dataclass(frozen=True, slots=True)
class Pace:
    """What a place would take of whoever is nearest to one."""

    least: int  # games that the season asks for
    missing: int  # of them
    days: int  # left, today included

    @property
    def a_day(self) -> float:
        """Games for each of the days."""
        return self.missing / self.days


def is_over(season: Season, today: date) -> bool:
    """Whether nobody can reach a place any more who has none: the season is closed, or its days are gone."""
    return season.is_closed or today > season.ends_on


def hard_pace(
    season: Season, rules: Rules, today: date, *, everybody: Iterable[Standing] | None = None
) -> Pace | None:
    """The pace that a place takes, where it is more than people play; None where it is not, or too late.

    One query, which a caller saves who gives ``everybody`` in the season; none where no games are asked for.
    """
    if not rules.min_games:
        return None
    missing = missing_games(rules, _most_games(season, everybody))
    days = (season.ends_on - max(today, season.starts_on)).days + 1
    is_hard = missing > HARD_PACE * days and not is_over(season, today)
    return Pace(rules.min_games, missing, days) if is_hard else None


def _most_games(season: Season, everybody: Iterable[Standing] | None) -> int:
    """The games counted of whoever is nearest to a place; 0 where nobody is entered.

    Not the games that a standing says are missing: until the next replay those are of the rules before.
    """
    if everybody is not None:
        return max((row.games for row in everybody if not row.withdrawn), default=0)
    entered = Standing.objects.filter(season=season, withdrawn=False)
    most: int | None = entered.aggregate(most=Max("games"))["most"]
    return most or 0
