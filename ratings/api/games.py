"""Games, one game explained, and the ledger of rating changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from django.db.models import Exists, OuterRef
from ninja import Query, Router
from ninja.errors import HttpError
from pydantic import BaseModel, Field

from leagues.models import Game, Player, Season, SideMember
from leagues.tenancy.requests import LeagueRequest, game_of, season_of
from ratings.api.errors import READING, Problem, ProblemsError
from ratings.api.paging import Items, Page
from ratings.api.values import Moment, Rating, Slug, moment, points
from ratings.engine.types import Explanation, Rules
from ratings.forms.games import GameFilterForm
from ratings.models import RatingChange, Replay
from ratings.services.explain import explain_game, k_of
from ratings.services.facts import shown_rules
from ratings.services.game_values import values_of
from ratings.services.history import listed

router = Router(tags=["games"])


class Member(BaseModel):
    slug: str
    name: str
    before: Rating | None = Field(description="null while the game is not rated")
    after: Rating | None
    change: Rating | None


class GameSide(BaseModel):
    position: int
    points: int = Field(description="0 in a bye, which has none")
    team: str | None = Field(description="the team whose members are exactly these")
    members: list[Member]


class GameItem(BaseModel):
    id: int
    played_at: Moment
    note: str
    kind: str = Field(description="played, forfeit (decided without play), friendly or bye (one side alone)")
    rated: bool = Field(description="whether a game of this kind is rated in the season")
    voided: bool = Field(description="voided games are not rated")
    version: int = Field(description="1 as it was entered; every change raises it")
    sides: list[GameSide]


class ExplainedDuel(BaseModel):
    opponent: int = Field(description="position of the other side")
    difference: float = Field(description="rating less the opponent's, in rating points")
    expected: float = Field(description="the expected score")
    damped: float = Field(description="the expected score after damping")
    margin: int = Field(description="game points")
    multiplier: float = Field(description="what the margin multiplies the change by")
    k: float
    result: float = Field(description="1, 0.5 or 0")
    change: float = Field(description="k * multiplier * (result - damped), unrounded")


class ExplainedSide(BaseModel):
    position: int
    rating: float = Field(description="the mean of the members' ratings before the game, unrounded")
    change: float = Field(description="the sum of the duels' changes, unrounded")
    duels: list[ExplainedDuel]


class GameExplanation(BaseModel):
    k: float = Field(description="K of the game; each duel has its share of it")
    k_reason: str = Field(
        description="fixed, fide-new, fide-standard or fide-2400; fide where the rule has a junior clause"
    )
    sides: list[ExplainedSide]


class GameDetail(GameItem):
    void_reason: str
    explanation: GameExplanation | None = Field(description="null while the game is not rated")


class GamesPage(Page):
    player: Slug | None = Field(None, description="slug of a player: only games with this player")
    first_day: date | None = Field(None, alias="from", description="first day, in the league's zone")
    last_day: date | None = Field(None, alias="to", description="last day, inclusive")


class ChangesPage(Page):
    player: Slug | None = Field(None, description="slug of a player: only changes of this player")


class LedgerItem(BaseModel):
    """The counts are the player's after the game."""

    game: int
    played_at: Moment
    player: str
    slug: str
    before: Rating
    after: Rating
    change: Rating
    peak: Rating
    played: int
    games: int
    wins: int
    draws: int
    losses: int
    first_places: int
    k: float = Field(description="K of the game")
    k_reason: str = Field(description="as in the explanation of a game")


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}/games",
    response={200: Items[GameItem], **READING},
    summary="The games of a season",
)
def games(request: LeagueRequest, league: str, season: str, page: Query[GamesPage]) -> Items[GameItem]:
    """The latest first, voided ones included."""
    found = season_of(request)
    asked = GameFilterForm({"from": page.first_day, "to": page.last_day}, season=found)
    if not asked.is_valid():
        raise ProblemsError([Problem(field="to", message="The day of “to” is before the day of “from”.")])
    games = asked.narrow(Game.objects.filter(season=found))
    if page.player:
        player = player_of(found, page.player)
        games = games.filter(Exists(SideMember.objects.filter(game=OuterRef("pk"), player=player)))
    shown = list(games.latest_first().with_sides()[page.slice])
    return Items[GameItem](count=games.count(), items=game_items(found, shown))


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}/games/{int:game}",
    response={200: GameDetail, **READING},
    summary="A game, explained",
)
def game(request: LeagueRequest, league: str, season: str, game: int) -> GameDetail:
    """A game with every duel of it, and what each was worth."""
    found = season_of(request)
    played = game_of(found, game)
    (row,) = listed([played], found.league)
    # Until a replay the ledger may speak of other rules than the season's.
    is_level = Replay.objects.filter(season=found, revision=found.revision).exists()
    explanation = explain_game(played) if is_level else None
    return GameDetail(
        **values_of(row, found.league.zone),
        void_reason=played.void_reason,
        explanation=_explanation(explanation) if explanation else None,
    )


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}/changes",
    response={200: Items[LedgerItem], **READING},
    summary="The ledger of rating changes",
)
def changes(request: LeagueRequest, league: str, season: str, page: Query[ChangesPage]) -> Items[LedgerItem]:
    """Every change of a rating in order of play."""
    found = season_of(request)
    ledger = RatingChange.objects.filter(season=found)
    if page.player:
        ledger = ledger.filter(player=player_of(found, page.player))
    # Only the rows shown are joined with their players.
    piece = ledger.order_by("played_at", "pk").values("pk")[page.slice]
    shown = RatingChange.objects.filter(pk__in=piece).order_by("played_at", "pk").select_related("player")
    rules = shown_rules(found)
    return Items[LedgerItem](count=ledger.count(), items=[_ledger_item(row, rules, request) for row in shown])


def game_items(season: Season, games: Sequence[Game]) -> list[GameItem]:
    """These games, which come ``with_sides``. Two queries for any number of them."""
    return [GameItem(**values_of(row, season.league.zone)) for row in listed(games, season.league)]


def player_of(season: Season, slug: str) -> Player:
    """The player of the season's league with this address; 404 where there is none."""
    player = Player.objects.in_league(season.league).filter(slug=slug).first()
    if player is None:
        raise HttpError(404, f"There is no player “{slug}” in this league.")
    return player


def _explanation(explanation: Explanation) -> GameExplanation:
    return GameExplanation(
        k=float(explanation.k_base),
        k_reason=explanation.k_reason,
        sides=[
            ExplainedSide(
                position=position,
                rating=side.rating,
                change=side.change,
                duels=[
                    ExplainedDuel(
                        opponent=duel.opponent + 1,
                        difference=duel.difference / 10,
                        expected=duel.expected,
                        damped=duel.damped,
                        margin=duel.margin,
                        multiplier=duel.multiplier,
                        k=duel.k,
                        result=duel.result,
                        change=duel.change,
                    )
                    for duel in side.duels
                ],
            )
            for position, side in enumerate(explanation.sides, 1)
        ],
    )


def _ledger_item(row: RatingChange, rules: Rules, request: LeagueRequest) -> LedgerItem:
    k, k_reason = k_of(rules, row)
    return LedgerItem(
        game=row.game_id,
        played_at=moment(row.played_at, request.league.zone),
        player=row.player.name,
        slug=row.player.slug,
        before=points(row.before),
        after=points(row.after),
        change=points(row.change),
        peak=points(row.peak),
        played=row.played,
        games=row.games,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        first_places=row.first_places,
        k=float(k),
        k_reason=k_reason,
    )
