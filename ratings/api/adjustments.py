"""Penalties and bonuses of a season."""

from __future__ import annotations

from ninja import Query, Router
from pydantic import BaseModel, Field

from leagues.models import Adjustment
from leagues.tenancy.requests import LeagueRequest, season_of
from ratings.api.errors import READING
from ratings.api.games import ChangesPage, player_of
from ratings.api.paging import Items
from ratings.api.values import Moment, Rating, moment, points
from ratings.services.adjustments import ListedAdjustment, listed_adjustments

router = Router(tags=["players"])


class AdjustmentItem(BaseModel):
    id: int
    at: Moment = Field(description="games of this time and later are rated with it")
    player: str
    slug: str
    change: Rating
    reason: str
    before: Rating | None = Field(description="null while it is not rated by, or is cancelled")
    after: Rating | None
    cancelled: bool = Field(description="a cancelled adjustment changes nothing")
    cancel_reason: str


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}/adjustments",
    response={200: Items[AdjustmentItem], **READING},
    summary="The penalties and bonuses of a season",
)
def adjustments(
    request: LeagueRequest, league: str, season: str, page: Query[ChangesPage]
) -> Items[AdjustmentItem]:
    """The latest first, cancelled ones included."""
    found = season_of(request)
    asked = Adjustment.objects.filter(season=found).select_related("player")
    if page.player:
        asked = asked.filter(player=player_of(found, page.player))
    shown = listed_adjustments(list(asked.latest_first()[page.slice]))
    return Items[AdjustmentItem](count=asked.count(), items=[_item(each, request) for each in shown])


def _item(each: ListedAdjustment, request: LeagueRequest) -> AdjustmentItem:
    adjustment, applied = each.adjustment, each.applied
    return AdjustmentItem(
        id=adjustment.pk,
        at=moment(adjustment.at, request.league.zone),
        player=adjustment.player.name,
        slug=adjustment.player.slug,
        change=points(adjustment.change),
        reason=adjustment.reason,
        before=points(applied.before) if applied else None,
        after=points(applied.after) if applied else None,
        cancelled=adjustment.is_cancelled,
        cancel_reason=adjustment.cancel_reason,
    )
