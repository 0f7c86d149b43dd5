"""Standings, and the prizes that hang on them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated

from ninja import Query, Router
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from leagues.models import Season
from leagues.tenancy.requests import LeagueRequest, season_of
from ratings.api.errors import READING
from ratings.api.paging import Items, Page
from ratings.api.values import Rating, points
from ratings.models import Standing
from ratings.services.facts import shown_rules
from ratings.services.prizes import HeldTier, Holder, prize_tiers
from ratings.services.standings import missing_opponents

router = Router(tags=["standings"])


class MissingOpponent(TypedDict):
    """A plain dictionary: a page of a large season has tens of thousands of them."""

    player: str
    games: Annotated[int, Field(description="how many more games against this opponent a place takes")]
    slug: str


class StandingItem(BaseModel):
    """The keys of `rate --format json` come first, in their order."""

    place: int | None = Field(description="null without a place; equal players share it: 1, 2, 2, 4")
    player: str
    season_score: Rating
    rating: Rating
    games: int = Field(description="games counted for the season")
    wins: int = Field(description="duels won; a game of n sides is n - 1 duels for each side")
    draws: int
    losses: int
    first_places: int = Field(description="games in which nobody scored more")
    classified: bool
    missing_games: int
    missing_opponents: list[MissingOpponent]
    slug: str
    position: int = Field(description="among everybody entered: 1, 2, 3")
    peak: Rating
    played: int = Field(description="games played, each as one")
    withdrawn: bool
    opponents: int = Field(description="how many opponents have to be met often enough")
    opponents_met: int = Field(description="how many of them were")


class StandingsPage(Page):
    classified: bool | None = Field(None, description="only players with a place, or only those without")


class PrizeHolder(BaseModel):
    player: str
    slug: str
    place: int | None
    season_score: Rating
    amount: float | None = Field(description="in the tier's unit; null where the prize is no amount")


class Prize(BaseModel):
    name: str
    text: str
    first_place: int
    last_place: int
    amount: float | None = Field(description="for each place, with the participants of now")
    unit: str
    per_participant: bool
    tie_rule: str = Field(description="share or each")
    participants: int
    holders: list[PrizeHolder]
    runner_up: PrizeHolder | None
    distance: Rating | None = Field(description="season score from the last holder to the runner-up")


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}/standings",
    response={200: Items[StandingItem], **READING},
    summary="The standings of a season",
)
def standings(
    request: LeagueRequest, league: str, season: str, page: Query[StandingsPage]
) -> Items[StandingItem]:
    """Everybody entered, the best season score first."""
    found = season_of(request)
    rows = Standing.objects.filter(season=found)
    if page.classified is not None:
        rows = rows.filter(classified=page.classified)
    shown = rows.select_related("player").order_by("position")[page.slice]
    return Items[StandingItem](count=rows.count(), items=standing_items(found, list(shown)))


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}/prizes",
    response={200: Items[Prize], **READING},
    summary="The prize tiers of a season",
)
def prizes(request: LeagueRequest, league: str, season: str, page: Query[Page]) -> Items[Prize]:
    """The best first, each with who holds it as the standings are."""
    tiers = prize_tiers(season_of(request))
    return Items[Prize](count=len(tiers), items=[_prize(tier) for tier in tiers[page.slice]])


def standing_items(season: Season, rows: Sequence[Standing]) -> list[StandingItem]:
    """These rows, which come with their players. Three queries for any number of them."""
    missing = missing_opponents(season, rows, shown_rules(season))
    return [
        StandingItem(
            place=row.place,
            player=row.player.name,
            season_score=points(row.season_score),
            rating=points(row.rating),
            games=row.games,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            first_places=row.first_places,
            classified=row.classified,
            missing_games=row.missing_games,
            missing_opponents=[
                MissingOpponent(player=opponent.name, games=games, slug=opponent.slug)
                for opponent, games in missing[row.player_id]
            ],
            slug=row.player.slug,
            position=row.position,
            peak=points(row.peak),
            played=row.played,
            withdrawn=row.withdrawn,
            opponents=row.opponents,
            opponents_met=row.opponents_met,
        )
        for row in rows
    ]


def _prize(held: HeldTier) -> Prize:
    tier = held.tier
    return Prize(
        name=tier.name,
        text=tier.text,
        first_place=tier.first_place,
        last_place=tier.last_place,
        amount=_number(held.amount),
        unit=tier.unit,
        per_participant=tier.per_participant,
        tie_rule=tier.tie_rule,
        participants=held.participants,
        holders=[_holder(holder) for holder in held.holders],
        runner_up=_holder(Holder(held.runner_up, None)) if held.runner_up else None,
        distance=None if held.distance is None else points(held.distance),
    )


def _holder(holder: Holder) -> PrizeHolder:
    row = holder.standing
    return PrizeHolder(
        player=row.player.name,
        slug=row.player.slug,
        place=row.place,
        season_score=points(row.season_score),
        amount=_number(holder.amount),
    )


def _number(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)
