"""Two scorers at one table, or one with a quick finger, save the same game at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client

from leagues.models import Game, Role, Season
from tests.factories import make_league, make_organizer, make_players, make_season
from tests.faults.interleaving import WAIT, Stopped
from tests.faults.test_concurrent_writers import is_waiting
from tests.processes import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def season() -> Season:
    return make_season(make_league("club", timezone="UTC"), slug="now")


def at_once(season: Season, *forms: dict[str, Any]) -> list[int]:
    """Both answers: the second scorer saves when the first game is about to be written."""
    ann, bob = make_players(season.league, "Ann", "Bob")
    game = {
        "played_at": "2026-05-01T15:00",
        "side-TOTAL_FORMS": "2",
        "side-INITIAL_FORMS": "0",
        "side-0-members": str(ann.pk),
        "side-0-points": "3",
        "side-1-members": str(bob.pk),
        "side-1-points": "1",
    }
    clients = [Client(), Client()]
    for client in clients:
        client.force_login(make_organizer(season.league, Role.SCORER))

    def save(number: int) -> int:
        try:
            return clients[number].post("/club/now/games/new/", game | forms[number]).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with Stopped(lambda: save(0), before='INSERT INTO "leagues_game"') as first:
            second = pool.submit(save, 1)
            wait_until(lambda: second.done() or is_waiting(), "the second save to wait")
        return [first.result(), second.result(WAIT)]


def test_rc_01_r77_a_form_sent_twice_at_once_makes_one_game(season):
    form = {"token": str(uuid4())}
    assert at_once(season, form, form) == [302, 302]
    assert Game.objects.count() == 1


def test_r77_of_two_scorers_at_one_table_the_second_is_asked(season):
    assert at_once(season, {"token": str(uuid4())}, {"token": str(uuid4())}) == [302, 200]
    assert Game.objects.count() == 1


def test_control_told_that_it_is_another_game_there_are_two(season):
    second = {"token": str(uuid4()), "anyway": "1"}
    assert at_once(season, {"token": str(uuid4())}, second) == [302, 302]
    assert Game.objects.count() == 2
