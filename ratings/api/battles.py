"""Battles of game servers: an opponent is drawn for a challenger, and the result recorded."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse
from ninja import Router, Status
from ninja.errors import HttpError
from pydantic import BaseModel, ConfigDict, Field

from leagues.models import Challenge, Player, Season
from leagues.tenancy.requests import LeagueRequest
from ratings.api.errors import WRITING
from ratings.api.games import GameItem
from ratings.api.reports import Key, LeagueToken, Name, Points, item, writing
from ratings.api.values import Moment, Rating, moment, points
from ratings.engine.types import Tenths
from ratings.services.battles import Battle, draw_battle, report_battle
from ratings.services.facts import CannotRateError

router = Router(tags=["battles"])


class Draw(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    challenger: Name


class Fighter(BaseModel):
    slug: str
    name: str
    rating: Rating = Field(description="when the battle was drawn")


class Outcome(BaseModel):
    """What each gains, and where it is below 0 loses."""

    challenger: Rating
    opponent: Rating


class Outcomes(BaseModel):
    """By what the challenger does, as both stand now: games that are played before change it."""

    win: Outcome
    draw: Outcome
    loss: Outcome


class BattleItem(BaseModel):
    battle: UUID = Field(description="the id that the result is reported under")
    challenger: Fighter
    opponent: Fighter
    k: float = Field(description="the challenger's K, which counts for both")
    k_reason: str = Field(description="as in the explanation of a game")
    outcomes: Outcomes
    drawn_at: Moment
    expires_at: Moment = Field(description="from then on no result is taken")


class BattleResult(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    challenger_points: Points
    opponent_points: Points
    note: str = Field("", max_length=200)


@router.post(
    "/leagues/{slug:league}/seasons/{slug:season}/ladder/draw",
    response={201: BattleItem, 200: BattleItem, **WRITING},
    auth=LeagueToken(),
    url_name="draw",
    summary="Draw an opponent",
)
def draw(request: LeagueRequest, league: str, season: str, asked: Draw, key: Key) -> Status[BattleItem]:
    """Takes a token with the scope `write`. Each member of the challenger's pool is equally likely.

    Sent again with the same `Idempotency-Key`, the answer is 200 and the battle that the first one drew
    (201). 409 says why there is no battle: nobody near enough, the season is closed or no ladder, the
    challenger is withdrawn.
    """
    with writing(request) as (token, found):
        try:
            battle = draw_battle(season=found, challenger=asked.challenger, key=key, by=token)
        except CannotRateError as error:
            raise HttpError(409, str(error)) from error
    return Status(201 if battle.is_new else 200, _item(found, battle))


@router.post(
    "/leagues/{slug:league}/seasons/{slug:season}/battles/{uuid:battle}/result",
    response={201: GameItem, 200: GameItem, **WRITING},
    auth=LeagueToken(),
    url_name="battle-result",
    summary="Report the result of a battle",
)
def result(
    request: LeagueRequest,
    response: HttpResponse,
    league: str,
    season: str,
    battle: UUID,
    told: BattleResult,
) -> Status[GameItem]:
    """Takes a token with the scope `write`. The game is played now, and rated within seconds.

    A battle has one result and needs no key: sent again, the answer is 200 and the game that the first one
    made (201). 409 is another result, a battle that has expired, and a closed season.
    """
    scored = (told.challenger_points, told.opponent_points)
    with writing(request) as (token, found):
        try:
            game, is_new = report_battle(season=found, battle=battle, points=scored, note=told.note, by=token)
        except Challenge.DoesNotExist as missing:
            raise Http404 from missing
    response["Location"] = f"{request.path.partition('/battles/')[0]}/games/{game.pk}"
    return Status(201 if is_new else 200, item(found, game))


def _item(season: Season, battle: Battle) -> BattleItem:
    challenge, stakes, zone = battle.challenge, battle.stakes, season.league.zone
    return BattleItem(
        battle=challenge.uuid,
        challenger=_fighter(challenge.challenger, challenge.challenger_rating),
        opponent=_fighter(challenge.opponent, challenge.opponent_rating),
        k=float(stakes.k),
        k_reason=stakes.k_reason,
        outcomes=Outcomes(win=_outcome(stakes.won), draw=_outcome(stakes.drawn), loss=_outcome(stakes.lost)),
        drawn_at=moment(challenge.issued_at, zone),
        expires_at=moment(challenge.play_by or season.ends_at, zone),
    )


def _fighter(player: Player, rating: Tenths) -> Fighter:
    return Fighter(slug=player.slug, name=player.name, rating=points(rating))


def _outcome(change: Tenths) -> Outcome:
    return Outcome(challenger=points(change), opponent=points(-change))
