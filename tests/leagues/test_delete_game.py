"""Deleting games: the service and the page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from leagues.models import AuditEntry, Game, Player, Season, Side, SideMember
from leagues.services import delete_games, update_season
from ratings.models import Meeting, RatingChange, Standing
from ratings.services.check import check_season
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    return make_season(make_league("wsd"))


@pytest.fixture
def players(season: Season) -> list[Player]:
    return make_players(season.league, "A", "B", "C")


def url(game: Game) -> str:
    return reverse("leagues:game-delete", args=[game.season.league.slug, game.season.slug, game.pk])


def ten_games(season: Season, players: list[Player]) -> list[Game]:
    return [
        make_game(
            season,
            (players[number % 3], 3),
            (players[(number + 1) % 3], number),
            played_at=season.starts_at + timedelta(days=number),
        )
        for number in range(10)
    ]


def test_r3_deleting_one_of_ten_leaves_what_nine_would_have_made(season, players):
    games = ten_games(season, players)
    replayed(season)
    delete_games(games=[games[2]], by=None)
    season.refresh_from_db()
    assert season.stale_from == games[2].played_at
    replayed(season)
    assert check_season(season.pk) == []
    assert Game.objects.count() == 9
    assert (Side.objects.count(), SideMember.objects.count()) == (18, 18)
    assert RatingChange.objects.filter(game_id=games[2].pk).count() == 0
    counted = dict(Standing.objects.filter(season=season).values_list("player__name", "played"))
    assert counted == {"A": 6, "B": 7, "C": 5}
    assert Meeting.objects.get(season=season, player=players[2], opponent=players[0]).games == 2


def test_deleting_many_is_one_change_of_each_season(season, players):
    cup = make_season(season.league, name="Cup")
    games = [*ten_games(season, players), make_game(cup, (players[0], 1), (players[1], 0))]
    for each in (season, cup):
        each.refresh_from_db()
    before = (season.revision, cup.revision)
    delete_games(games=games[3:], by=None)
    for each in (season, cup):
        each.refresh_from_db()
    assert (season.revision, cup.revision) == (before[0] + 1, before[1] + 1)
    assert Game.objects.count() == 3
    assert AuditEntry.objects.filter(action="delete_game").count() == 8


def test_deleting_again_changes_nothing(season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    delete_games(games=[Game.objects.get()], by=None)
    season.refresh_from_db()
    revision = season.revision
    delete_games(games=[game], by=None)
    delete_games(games=[], by=None)
    season.refresh_from_db()
    assert season.revision == revision


def test_one_closed_season_and_nothing_is_deleted(season, players):
    cup = make_season(season.league, name="Cup")
    games = [make_game(each, (players[0], 1), (players[1], 0)) for each in (season, cup)]
    update_season(season=cup, by=None, state=Season.State.CLOSED)
    with pytest.raises(ValidationError, match="closed"):
        delete_games(games=games, by=None)
    assert Game.objects.count() == 2


def test_the_page_asks_first(scorer, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    page = scorer.get(url(game)).content.decode()
    assert "A deleted game is gone from every page" in page
    assert Game.objects.count() == 1
    response = scorer.post(url(game))
    assert response["Location"] == reverse("ratings:game-list", args=["wsd", season.slug])
    assert not Game.objects.exists()
    assert scorer.post(url(game)).status_code == 404


def test_a_closed_season_says_so(scorer, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    update_season(season=season, by=None, state=Season.State.CLOSED)
    for response in (scorer.get(url(game)), scorer.post(url(game))):
        assert "is closed and takes no changes" in response.content.decode()
    assert Game.objects.count() == 1
