"""Programs report games, and who may: what all addresses of the API that write have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Literal

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Header, Status
from ninja.errors import HttpError
from ninja.security import HttpBearer
from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from leagues.models import ApiToken, Game, Season
from leagues.models.api_token import KEY_LENGTH
from leagues.services import GameChangedError, GameRefusedError, report_game
from leagues.services.api_games import ApiReport, KeyReusedError, ReportedSide
from leagues.services.game_checks import SIDES_MAX, GameProblem
from leagues.tenancy.requests import LeagueRequest, season_of
from leagues.tenancy.tokens import token_of
from ratings.api.errors import WRITING, Problem, ProblemsError
from ratings.api.games import GameItem, game_items, router  # one address, two methods: one router
from ratings.services.battles import BattleRefusedError

# Bounds of what is read at all; what a game may have is for its season to say, in a sentence.
Name = Annotated[
    str, Field(max_length=200, description="name, other name or slug of a player", examples=["ann"])
]
POINTS_READ = 10**12
Kind = Annotated[
    Literal["played", "forfeit", "friendly", "bye"],
    Field(description="a forfeit is rated where the season says so, a friendly and a bye never"),
]
Points = Annotated[int, Field(ge=-POINTS_READ, le=POINTS_READ, examples=[21])]
Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=KEY_LENGTH,
        pattern=r"^[!-~]+$",
        description="a text of your own for each game and each draw, as a UUID",
    ),
]


class LeagueToken(HttpBearer):
    """A token of the league, made by one of its owners. No cookie takes its place."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:  # noqa: ARG002
        return token_of(request)  # the middleware has read it


class SideReport(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    players: list[Name] = Field(min_length=1, max_length=SIDES_MAX)
    points: Points | None = Field(None, description="left out in a bye alone")


EXAMPLE: JsonDict = {
    "played_at": "2026-05-03T21:30",
    "sides": [{"players": ["Ann"], "points": 21}, {"players": ["Bob"], "points": 15}],
}


class ReportedGame(BaseModel):
    """Names that the description does not know are refused: nothing that was meant is left out."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [EXAMPLE]})

    played_at: str = Field(
        max_length=40,
        description="ISO 8601, with a time or without; where there is no offset, in the league's zone",
        examples=["2026-05-03T21:30"],
    )
    sides: list[SideReport] = Field(
        min_length=1,
        max_length=SIDES_MAX,
        description="in order; in a ladder the challenger first. One in a bye, else two or more",
    )
    note: str = Field("", max_length=200)
    kind: Kind = "played"
    create_players: bool = Field(False, description="whether names that nobody has are new players")


@router.post(
    "/leagues/{slug:league}/seasons/{slug:season}/games",
    response={201: GameItem, 200: GameItem, **WRITING},
    auth=LeagueToken(),
    url_name="games",
    summary="Report a game",
)
def record_game(
    request: LeagueRequest,
    response: HttpResponse,
    league: str,
    season: str,
    report: ReportedGame,
    key: Key,
) -> Status[GameItem]:
    """Takes a token with the scope `write`. The game is rated within seconds.

    Sent again with the same `Idempotency-Key`, the answer is 200 and the game that the first one made
    (201): repeat a request whose answer you have not seen. A key is kept for 7 days; with another game it
    is refused (422), and where its game was deleted since (409). 409 is also a closed season.
    """
    with writing(request) as (token, found):
        game, is_new = report_game(season=found, report=_read(report), key=key, by=token)
    response["Location"] = f"{request.path}/{game.pk}"
    return Status(201 if is_new else 200, item(found, game))


@contextmanager
def writing(request: LeagueRequest) -> Iterator[tuple[ApiToken, Season]]:
    """The token that writes and the season of the address; what a service refuses is the answer."""
    token, season = _writer(request), season_of(request)
    try:
        yield token, season
    except ValidationError as refused:
        raise _refusal(refused) from refused


def _writer(request: LeagueRequest) -> ApiToken:
    """The token of who writes; Http404 where it is another league's, 403 where it only reads."""
    token = token_of(request)
    if token is None or request.role is None:
        raise Http404
    if not token.writes:
        raise HttpError(403, "This token only reads; reporting games takes one with the scope “write”.")
    return token


def _read(report: ReportedGame) -> ApiReport:
    sides = sides_of(report.sides)
    return ApiReport(report.played_at, sides, report.note, report.kind, report.create_players)


def sides_of(sides: Sequence[SideReport]) -> tuple[ReportedSide, ...]:
    """Sides as the services take them."""
    return tuple(ReportedSide(tuple(side.players), side.points) for side in sides)


def _refusal(refused: ValidationError) -> HttpError:
    """What a service says, as the API's answer."""
    if isinstance(refused, GameRefusedError):
        return ProblemsError([Problem(field=_place(each), message=each.message) for each in refused.problems])
    if isinstance(refused, KeyReusedError):
        return ProblemsError([Problem(field="Idempotency-Key", message=refused.messages[0])])
    if isinstance(refused, GameChangedError):
        return HttpError(412, STALE)
    if isinstance(refused, BattleRefusedError) or getattr(refused, "code", "") in CONFLICTS:
        return HttpError(409, refused.messages[0])
    if hasattr(refused, "error_dict"):
        fields = refused.message_dict.items()
        return ProblemsError([Problem(field=name, message=each) for name, said in fields for each in said])
    return ProblemsError([Problem(field="", message=message) for message in refused.messages])


STALE = "This game is no longer as it was read; read it again, and say what is to become of it as it is now."
# A closed season, one that was deleted meanwhile, and the deleted game of a key.
CONFLICTS = {"closed", "deleted", "gone"}


def _place(problem: GameProblem) -> str:
    """The part of the body that a problem is about."""
    if problem.side is None:
        return problem.field
    return f"sides[{problem.side - 1}].{'players' if problem.field == 'side' else problem.field}"


def item(season: Season, game: Game) -> GameItem:
    """A game as the API tells it."""
    return game_items(season, list(Game.objects.filter(pk=game.pk).with_sides()))[0]
