"""Leagues and their seasons."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from ninja import Query, Router
from pydantic import BaseModel, Field

from leagues.models import Entry, Game, League, Season
from leagues.models.season import SeasonQuerySet
from leagues.tenancy.requests import LeagueRequest, season_of
from ratings.api.errors import READING
from ratings.api.paging import Items, Page
from ratings.api.values import Moment, moment, points
from ratings.engine.presets import DEFAULT_PRESET
from ratings.models import Replay
from ratings.models.rules import LIMIT_FIELDS, RULE_FIELDS, TENTHS_FIELDS
from ratings.services.facts import UnreadableRulesError, rules_of

router = Router(tags=["leagues"])

Setting = bool | int | float | str | list[str] | None


class LeagueItem(BaseModel):
    slug: str
    name: str
    about: str
    language: str
    timezone: str
    current_season: str | None = Field(description="slug of the open season, else of the latest one")


class SeasonItem(BaseModel):
    slug: str
    name: str
    state: str = Field(description="open or closed; organizers see drafts too")
    starts_on: date
    ends_on: date = Field(description="the last day, still part of the season")
    system: str
    preset: str = Field(description="the rule set the season's rules started from; may be empty")
    revision: int = Field(description="rises with every change of the season's facts")
    replayed_revision: int = Field(description="the revision the results were computed from")


class SeasonDetail(SeasonItem):
    league: str
    players: int = Field(description="players entered and not withdrawn")
    games: int = Field(description="games that are not voided")
    last_played_at: Moment | None
    replayed_at: Moment | None
    rules: dict[str, Setting] = Field(description="by the names of `rate --set`; ratings in rating points")


@router.get("/leagues", response={200: Items[LeagueItem], **READING}, summary="The public leagues")
def leagues(request: HttpRequest, page: Query[Page]) -> Items[LeagueItem]:
    """By name. Unlisted leagues are not here, but answer at their address."""
    listed = League.objects.listed()
    return Items[LeagueItem](count=listed.count(), items=_league_items(listed[page.slice]))


@router.get("/leagues/{slug:league}", response={200: LeagueItem, **READING}, summary="A league")
def league(request: LeagueRequest, league: str) -> LeagueItem:
    return _league_items(League.objects.filter(pk=request.league.pk))[0]


@router.get(
    "/leagues/{slug:league}/seasons",
    response={200: Items[SeasonItem], **READING},
    summary="A league's seasons",
)
def seasons(request: LeagueRequest, league: str, page: Query[Page]) -> Items[SeasonItem]:
    """Open seasons first, then the latest."""
    seasons = Season.objects.in_league(request.league)
    if request.role is None:
        seasons = seasons.published()
    shown = _with_replay(seasons.current_first())[page.slice]
    return Items[SeasonItem](count=seasons.count(), items=[SeasonItem(**_season(each)) for each in shown])


@router.get(
    "/leagues/{slug:league}/seasons/{slug:season}",
    response={200: SeasonDetail, **READING},
    summary="A season",
)
def season(request: LeagueRequest, league: str, season: str) -> SeasonDetail:
    """A season with its rules, and how far its results have come."""
    found = _with_replay(Season.objects.filter(pk=season_of(request).pk)).get()
    found.league = request.league
    replay = Replay.objects.filter(season=found).first()
    return SeasonDetail(
        **_season(found),
        league=request.league.slug,
        players=Entry.objects.filter(season=found).active().count(),
        games=Game.objects.filter(season=found).counted().count(),
        last_played_at=_moment(replay and replay.last_played_at, request.league.zone),
        replayed_at=_moment(replay and replay.finished_at, request.league.zone),
        rules=_rules(found),
    )


def _league_items(leagues: QuerySet[League]) -> list[LeagueItem]:
    current = Season.objects.filter(league=OuterRef("pk")).published().current_first().values("slug")[:1]
    names = [name for name in LeagueItem.model_fields if name != "current_season"]
    rows = leagues.annotate(current_season=Subquery(current)).values(*names, "current_season")
    return [LeagueItem(**row) for row in rows]


def _with_replay(seasons: SeasonQuerySet) -> SeasonQuerySet:
    return seasons.annotate(
        system=Coalesce("rule_set__system", Value("wsd")),
        preset=Coalesce("rule_set__preset", Value(DEFAULT_PRESET["wsd"])),
        replayed_revision=Coalesce("replay__revision", Value(0)),
    )


def _season(season: Season) -> dict[str, Any]:
    return {name: getattr(season, name) for name in SeasonItem.model_fields}


def _moment(value: Any, zone: ZoneInfo) -> str | None:
    return moment(value, zone) if value else None


def _rules(season: Season) -> dict[str, Setting]:
    try:
        rules = rules_of(season)
    except UnreadableRulesError:
        return {}
    return {name: _setting(name, getattr(rules, name)) for name in (*RULE_FIELDS, *LIMIT_FIELDS)}


def _setting(name: str, value: Any) -> Setting:
    if name in TENTHS_FIELDS:
        return points(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, StrEnum):
        return value.value
    return list(value) if isinstance(value, tuple) else value
