"""The players of a season."""

from __future__ import annotations

from django.http import Http404
from ninja import Query, Router
from pydantic import BaseModel, Field

from leagues.models import Entry
from leagues.tenancy.requests import LeagueRequest, season_of
from ratings.api.errors import READING
from ratings.api.paging import Items, Page
from ratings.api.standings import StandingItem, standing_items
from ratings.api.values import Moment, Rating, moment, points
from ratings.models import Standing
from ratings.services.history import PlayedGame, history

router = Router(tags=["players"])


class EnteredPlayer(BaseModel):
    slug: str
    name: str
    entered_at: Moment
    withdrawn: bool


class HistoryItem(BaseModel):
    """Duels are those of this game alone."""

    game: int
    played_at: Moment
    number: int = Field(description="of the player's games in the season, from 1")
    before: Rating
    after: Rating
    change: Rating
    wins: int
    draws: int
    losses: int


class PlayerDetail(EnteredPlayer):
    standing: StandingItem | None = Field(description="null until the first replay")
    history: list[HistoryItem] = Field(description="rated games in order of play")


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}/players",
    response={200: Items[EnteredPlayer], **READING},
    summary="The players of a season",
)
def players(request: LeagueRequest, league: str, season: str, page: Query[Page]) -> Items[EnteredPlayer]:
    """Everybody entered, by name; the withdrawn too."""
    entries = Entry.objects.filter(season=season_of(request)).select_related("player")
    shown = entries.order_by("player__sort_key", "player_id")[page.slice]
    return Items[EnteredPlayer](count=entries.count(), items=[_entered(entry, request) for entry in shown])


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}/players/{slug:player}",
    response={200: PlayerDetail, **READING},
    summary="A player of a season",
)
def player(request: LeagueRequest, league: str, season: str, player: str) -> PlayerDetail:
    """A player with the row of the standings and every rated game."""
    found = season_of(request)
    entry = (
        Entry.objects.filter(season=found, player__league=found.league_id, player__slug=player)
        .select_related("player")
        .first()
    )
    if entry is None:
        raise Http404
    rows = list(Standing.objects.filter(season=found, player=entry.player).select_related("player"))
    standing = next(iter(standing_items(found, rows)), None)
    games = history(found, entry.player)
    return PlayerDetail(
        **_entered(entry, request).model_dump(),
        standing=standing,
        history=[_history_item(game, request) for game in games],
    )


def _entered(entry: Entry, request: LeagueRequest) -> EnteredPlayer:
    return EnteredPlayer(
        slug=entry.player.slug,
        name=entry.player.name,
        entered_at=moment(entry.entered_at, request.league.zone),
        withdrawn=entry.withdrawn_at is not None,
    )


def _history_item(game: PlayedGame, request: LeagueRequest) -> HistoryItem:
    return HistoryItem(
        game=game.game_id,
        played_at=moment(game.played_at, request.league.zone),
        number=game.number,
        before=points(game.before),
        after=points(game.after),
        change=points(game.change),
        wins=game.wins,
        draws=game.draws,
        losses=game.losses,
    )
