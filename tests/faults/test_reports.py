"""Two programs, or one that lost its patience, report games at the same moment."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from leagues.models import Game, Player, Season
from leagues.services import create_api_token
from tests.factories import make_league, make_players, make_season, make_user
from tests.faults.interleaving import WAIT, Stopped
from tests.faults.test_concurrent_writers import is_waiting
from tests.processes import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def season() -> Season:
    owner = make_user("alice")
    season = make_season(make_league("club", owner=owner), slug="now")
    make_players(season.league, "Ann")
    return season


def at_once(season: Season, *keys: str) -> list[int]:
    """Both answers: the second report comes when the first is about to write its game."""
    owner = season.league.organizers.get().user
    _token, secret = create_api_token(league=season.league, name="Bot", scope="write", by=owner)
    sides = [{"players": ["Ann"], "points": 3}, {"players": ["New"], "points": 1}]
    body = {"played_at": "2026-02-01", "sides": sides, "create_players": True}

    def report(key: str) -> int:
        headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": key}
        address = "/api/v1/leagues/club/seasons/now/games"
        try:
            return Client(headers=headers).post(address, body, content_type="application/json").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with Stopped(lambda: report(keys[0]), before='INSERT INTO "leagues_game"') as first:
            second = pool.submit(report, keys[1])
            wait_until(lambda: second.done() or is_waiting(), "the second report to wait")
        return [first.result(), second.result(WAIT)]


def test_rc_01_reported_twice_at_once_under_one_key_it_is_one_game(season):
    assert at_once(season, "k", "k") == [201, 200]
    assert Game.objects.count() == 1


def test_control_under_two_keys_they_are_two_games_and_one_new_player(season):
    assert at_once(season, "k", "l") == [201, 201]
    assert Game.objects.count() == 2
    assert Player.objects.filter(name="New").count() == 1
