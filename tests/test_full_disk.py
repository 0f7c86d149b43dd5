"""A database without room for another game, as on a full disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from leagues.models import AuditEntry, Game, Season
from leagues.services import enter_player
from tests.factories import make_league, make_players, make_season, make_user

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db(transaction=True)]

FULL = """
CREATE FUNCTION refuse_game() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT ON leagues_auditentry FOR EACH ROW EXECUTE FUNCTION refuse_game();
"""
ROOM = "DROP TRIGGER no_room ON leagues_auditentry; DROP FUNCTION refuse_game();"


@contextmanager
def full_disk() -> Iterator[None]:
    """SQLite may take no further page; PostgreSQL says what it says of a full disk, late in the act."""
    on_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count = 1" if on_sqlite else FULL)
        yield
        cursor.execute("PRAGMA max_page_count = 1000000" if on_sqlite else ROOM)


@pytest.fixture
def season() -> Season:
    season = make_season(make_league("club", owner=make_user("alice")))
    for player in make_players(season.league, "Ann", "Bob"):
        enter_player(season=season, player=player, by=None)
    return season


def send(client: Client, season: Season) -> Any:
    ann, bob = season.league.players.order_by("name")
    sides = {"side-TOTAL_FORMS": "2", "side-INITIAL_FORMS": "0", "side-0-points": "3", "side-1-points": "1"}
    players = {"side-0-members": ann.pk, "side-1-members": bob.pk}
    facts = {"played_at": "2026-05-03T18:00", "note": "x" * 200, "token": str(uuid4()), "anyway": "1"}
    address = reverse("leagues:game-create", kwargs={"league": "club", "season": season.slug})
    return client.post(address, sides | players | facts)


def test_ft_09_a_game_that_finds_no_room_is_not_saved_and_says_so(season):
    client = Client(raise_request_exception=False)
    client.force_login(season.league.organizers.get().user)
    assert send(client, season).status_code == 302
    saved = 1
    with full_disk():
        for _time in range(200):  # what SQLite's last pages still take
            answer = send(client, season)
            if answer.status_code != 302:
                break
            saved += 1
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        assert "so nothing of this was saved" in answer.content.decode()
        assert Client().get(season.get_absolute_url()).status_code == 200, "reading goes on"
    assert Game.objects.count() == AuditEntry.objects.filter(action="record_game").count() == saved
    assert send(client, season).status_code == 302, "with room again it recovers by itself"


def test_control_another_error_of_the_database_is_one_of_the_site(season):
    client = Client(raise_request_exception=False)
    client.force_login(season.league.organizers.get().user)
    with connection.cursor() as cursor:
        cursor.execute('ALTER TABLE "leagues_auditentry" RENAME TO "elsewhere"')
        try:
            assert send(client, season).status_code == 500
        finally:
            cursor.execute('ALTER TABLE "elsewhere" RENAME TO "leagues_auditentry"')
