"""Programs correct, void and delete games, each only as it was when the program read it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from django.http import Http404, HttpResponse
from django.utils.http import parse_etags
from ninja import Header, Status
from ninja.errors import HttpError
from pydantic import BaseModel, ConfigDict, Field

from leagues.models import ApiToken, Game, Season
from leagues.services import correct_reported_game, delete_games, restore_game, void_game
from leagues.services.api_games import Correction
from leagues.services.game_checks import SIDES_MAX
from leagues.tenancy.requests import LeagueRequest
from ratings.api.errors import CORRECTING
from ratings.api.games import GameItem, router  # one address, several methods: one router
from ratings.api.reports import STALE, Kind, LeagueToken, SideReport, item, sides_of, writing

ADDRESS = "/leagues/{slug:league}/seasons/{slug:season}/games/{int:game}"
TAG = r'(W/)?"[!#-~]*"'
Match = Annotated[
    str,
    Header(
        alias="If-Match",
        max_length=500,
        pattern=rf"^(\*|{TAG}(\s*,\s*{TAG})*)$",
        description="the `ETag` of the game as it was read, or its `version` in quotes; `*` is any version",
        examples=['"3"'],
    ),
]


class GameCorrection(BaseModel):
    """What is left out, or null, stays as it is."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"note": "Table 4"}]}
    )

    played_at: str | None = Field(None, max_length=40, description="as in a report")
    sides: list[SideReport] | None = Field(
        None, min_length=1, max_length=SIDES_MAX, description="all of them, in order"
    )
    note: str | None = Field(None, max_length=200)
    kind: Kind | None = None
    create_players: bool = Field(False, description="whether names that nobody has are new players")


class Voiding(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    reason: str = Field(
        min_length=1,
        max_length=200,
        description="players read it next to the game",
        examples=["entered twice"],
    )


@router.patch(
    ADDRESS,
    response={200: GameItem, **CORRECTING},
    auth=LeagueToken(),
    url_name="game",
    summary="Correct a game",
)
def correct(
    request: LeagueRequest,
    response: HttpResponse,
    league: str,
    season: str,
    game: int,
    correction: GameCorrection,
    seen: Match,
) -> GameItem:
    """Takes a token with the scope `write`. All games from there on are rated anew, within seconds.

    412 where the game is no longer the one of `If-Match`: somebody else changed it, or this request came
    before. 409 where the season is closed.
    """
    with acting(request, game) as (token, found):
        said = Correction(
            correction.played_at,
            None if correction.sides is None else sides_of(correction.sides),
            correction.note,
            correction.kind,
            correction.create_players,
        )
        done = correct_reported_game(game=found, correction=said, version=version_of(found, seen), by=token)
    return answered(response, found.season, done)


@router.delete(
    ADDRESS,
    response={204: None, **CORRECTING},
    auth=LeagueToken(),
    url_name="game",
    summary="Delete a game",
)
def delete(request: LeagueRequest, league: str, season: str, game: int, seen: Match) -> Status[None]:
    """Takes a token with the scope `write`. For what was never played; what should not count is voided.

    404 where it is gone already; 412 and 409 as for a correction.
    """
    with acting(request, game) as (token, found):
        delete_games(games=[found], by=token.created_by, version=version_of(found, seen), through=token)
    return Status(204, None)


@router.post(
    f"{ADDRESS}/void",
    response={200: GameItem, **CORRECTING},
    auth=LeagueToken(),
    url_name="game-void",
    summary="Void a game",
)
def void(
    request: LeagueRequest,
    response: HttpResponse,
    league: str,
    season: str,
    game: int,
    voiding: Voiding,
    seen: Match,
) -> GameItem:
    """Takes a token with the scope `write`. The game stays on record and is not rated.

    412 and 409 as for a correction.
    """
    with acting(request, game) as (token, found):
        version = version_of(found, seen)
        by = token.created_by
        done = void_game(game=found, reason=voiding.reason, by=by, version=version, through=token)
    return answered(response, found.season, done)


@router.post(
    f"{ADDRESS}/restore",
    response={200: GameItem, **CORRECTING},
    auth=LeagueToken(),
    url_name="game-restore",
    summary="Let a voided game count again",
)
def restore(
    request: LeagueRequest, response: HttpResponse, league: str, season: str, game: int, seen: Match
) -> GameItem:
    """Takes a token with the scope `write`. A game that is not voided stays as it is.

    412 and 409 as for a correction.
    """
    with acting(request, game) as (token, found):
        by = token.created_by
        done = restore_game(game=found, by=by, version=version_of(found, seen), through=token)
    return answered(response, found.season, done)


@contextmanager
def acting(request: LeagueRequest, game: int) -> Iterator[tuple[ApiToken, Game]]:
    """The token that acts and the game of the request's season; what a service refuses is the answer."""
    with writing(request) as (token, season):
        found = Game.objects.filter(season=season, pk=game).first()
        if found is None:
            raise Http404
        found.season = season
        yield token, found


def version_of(game: Game, seen: str) -> int | None:
    """The version that is to be changed; None for any. HttpError 412 where the game is at none that was seen.

    A tag of a game begins with its version: what was rated meanwhile makes another tag, and no other game.
    """
    tags = parse_etags(seen)
    if tags == ["*"]:
        return None
    versions = {tag.removeprefix("W/").strip('"').partition("-")[0] for tag in tags}
    if str(game.version) not in versions:
        raise HttpError(412, STALE)
    return game.version


def answered(response: HttpResponse, season: Season, game: Game) -> GameItem:
    """The game as it is now, with a tag for the next change."""
    response["ETag"] = f'"{game.version}"'
    return item(season, game)
