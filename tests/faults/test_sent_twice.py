"""A form that makes something is sent twice at the same moment, on PostgreSQL; with its control."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from leagues.models import Season
from tests.factories import make_game, make_league, make_players, make_season, make_user
from tests.faults.interleaving import Stopped
from tests.faults.test_organizers import at_once
from tests.ratings.test_sent_twice import FORMS, TWIN

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def season(settings: Any) -> Season:
    settings.USERS_CREATE_LEAGUES = True
    season = make_season(make_league("apes", owner=make_user("owner")), slug="now")
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 30), (bob, 20))
    return season


def sent(address: str, typed: dict[str, str]) -> Callable[[], str]:
    """Sends the form once; returns what became of it."""
    client = Client()
    client.force_login(User.objects.get(username="owner"))

    def send() -> str:
        try:
            answer = client.post(address, {"language": "en"} | typed)
        finally:
            connection.close()
        return "refused" if TWIN in answer.content.decode() else "made"

    return send


def clicked_twice(made: str, *, locks: bool) -> list[str]:
    """What became of both; the second comes while the first has checked everything and not yet written."""
    address, typed, rows = FORMS[made]
    first = Stopped(sent(address, typed), before=f'INSERT INTO "{rows._meta.db_table}"')
    return at_once(first if locks else first.take_no_locks(), sent(address, typed))


@pytest.mark.usefixtures("season")
@pytest.mark.parametrize("made", FORMS)
def test_one_is_made(made: str) -> None:
    rows = FORMS[made][2]
    before = rows.objects.count()
    assert clicked_twice(made, locks=True) == ["made", "refused"]
    assert rows.objects.count() == before + 1


@pytest.mark.usefixtures("season")
@pytest.mark.parametrize("made", ["an adjustment", "a token"])
def test_control_without_locks_two_are_made(made: str) -> None:
    assert clicked_twice(made, locks=False) == ["made", "made"]
    assert FORMS[made][2].objects.count() == 2
