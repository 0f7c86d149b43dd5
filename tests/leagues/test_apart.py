"""No service takes parts of two leagues, whoever calls it and with whatever rights."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from isolation.world import rows_of
from leagues.games_csv import read_games
from leagues.models import Game, Player, Season, Team
from leagues.services import (
    PlayedSide,
    correct_game,
    create_team,
    enter_player,
    import_games,
    merge_players,
    record_game,
    reorder_games,
    update_team,
)
from leagues.tenancy.mixtures import mixed_rows
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers
from tests.factories import make_game, make_league, make_players, make_season

pytestmark = pytest.mark.django_db


@pytest.fixture
def a() -> SimpleNamespace:
    return furnished("apes")


@pytest.fixture
def b() -> SimpleNamespace:
    return furnished("bees")


def furnished(slug: str) -> SimpleNamespace:
    season: Season = make_season(make_league(slug), slug="now")
    one, two = make_players(season.league, f"One of {slug}", f"Two of {slug}")
    game = make_game(season, (one, 3), (two, 1))
    team = create_team(league=season.league, name="Both", members=[one, two], by=None)
    change_prize_tiers(season=season, saved=[PrizeTier(name="Cup", first_place=1, last_place=1)], by=None)
    return SimpleNamespace(
        league=season.league,
        season=season,
        one=one,
        two=two,
        game=game,
        team=team,
        tier=season.prize_tiers.get(),
    )


def sides(*players: Player) -> list[PlayedSide]:
    return [PlayedSide((player,), points) for points, player in enumerate(players)]


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "record_game": lambda a, b: record_game(
        season=a.season, played_at=a.game.played_at, sides=sides(a.one, b.one), by=None
    ),
    "correct_game": lambda a, b: correct_game(
        game=a.game, played_at=a.game.played_at, sides=sides(b.one, b.two), by=None
    ),
    "reorder_games": lambda a, b: reorder_games(games=[a.game, b.game], by=None),
    "enter_player": lambda a, b: enter_player(season=a.season, player=b.one, by=None),
    "create_team": lambda a, b: create_team(league=a.league, name="Mixed", members=[a.one, b.one], by=None),
    "update_team": lambda a, b: update_team(team=a.team, name="Mixed", members=[a.one, b.one], by=None),
    "merge_players": lambda a, b: merge_players(keep=a.one, gone=b.one, by=None),
    "merge_players the other way": lambda a, b: merge_players(keep=b.one, gone=a.one, by=None),
    "change_prize_tiers": lambda a, b: change_prize_tiers(season=a.season, saved=[b.tier], by=None),
    "change_prize_tiers, deleting": lambda a, b: change_prize_tiers(
        season=a.season, deleted=[b.tier], by=None
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_xw_01_a_service_refuses_what_is_another_leagues(a: Any, b: Any, name: str) -> None:
    before = rows_of(a.league), rows_of(b.league)
    with pytest.raises(ValidationError):
        CALLS[name](a, b)
    assert (rows_of(a.league), rows_of(b.league)) == before


def test_xw_04_a_file_finds_only_players_of_its_league(a: Any, b: Any) -> None:
    """By name or by address: those of another league are unknown, or new ones here."""
    before = rows_of(b.league)
    text = f"played_at,side 1,points 1,side 2,points 2\n2026-05-03,{b.one.name},3,{b.two.slug},1\n"
    file = read_games(text.encode(), timezone=a.league.zone)
    plan = import_games(season=a.season, file=file, by=None, create_players=False)
    assert plan.error_count == 2
    import_games(season=a.season, file=file, by=None, create_players=True)
    assert Game.objects.in_league(a.league).count() == 2
    assert Player.objects.in_league(a.league).filter(name=b.one.name).exists()
    assert Team.objects.in_league(b.league).get().members.count() == 2
    assert rows_of(b.league) == before
    assert list(mixed_rows(a.league)) == []
