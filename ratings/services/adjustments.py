"""Adjustments with what each did to a rating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leagues.models import Adjustment, Player, Season
from ratings.engine.types import Tenths
from ratings.models import AppliedAdjustment, Standing
from ratings.services.history import PlayedGame


@dataclass(frozen=True, slots=True)
class ListedAdjustment:
    """An adjustment and its row of the ledger: none while it is not rated by, or is cancelled."""

    adjustment: Adjustment
    applied: AppliedAdjustment | None


@dataclass(frozen=True, slots=True)
class Sum:
    """How a rating came about: the first one, what games and adjustments added, and the last one."""

    start: Tenths
    games: Tenths
    adjustments: Tenths
    rating: Tenths


def listed_adjustments(adjustments: Sequence[Adjustment]) -> list[ListedAdjustment]:
    """These adjustments with their rows of the ledger. One query, and none for no adjustments."""
    if not adjustments:
        return []
    rows = AppliedAdjustment.objects.filter(adjustment__in=[each.pk for each in adjustments])
    applied = {row.adjustment_id: row for row in rows}
    return [ListedAdjustment(each, applied.get(each.pk)) for each in adjustments]


def adjustments_of(season: Season, player: Player) -> list[ListedAdjustment]:
    """All of a player in a season, the latest first. Two queries, one where there are none."""
    found = Adjustment.objects.filter(season=season, player=player).latest_first()
    return listed_adjustments(list(found))


def summed(standing: Standing, games: Sequence[PlayedGame], listed: Sequence[ListedAdjustment]) -> Sum:
    """The parts of a player's rating, from the rows of the ledger: of all games, and of adjustments."""
    played = sum(game.change for game in games)
    adjusted = sum(each.applied.change for each in listed if each.applied)
    return Sum(standing.rating - played - adjusted, played, adjusted, standing.rating)
