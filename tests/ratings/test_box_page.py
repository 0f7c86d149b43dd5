"""The page on which an owner has the league's box made, and fetches it."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client

from leagues import services
from leagues.models import League, Role
from leagues.progress import Shown, Stage, Step
from leagues.services.kept_boxes import KEPT_SECONDS, box_path, kept_box
from ratings.services import long_exports
from ratings.services.long_exports import claim_export, run_export, state_of_export
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user
from tests.processes import wait_until

pytestmark = pytest.mark.django_db

PAGE, FILE = "/apes/box/", "/apes/box.zip"


@pytest.fixture(autouse=True)
def own_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "var"
    settings.CACHES = settings.CACHES | {
        "progress": settings.CACHES["progress"] | {"LOCATION": tmp_path / "var" / "progress"}
    }


@pytest.fixture
def league() -> League:
    league = make_league("apes", owner=make_user("owner"))
    ann, bob = make_players(league, "Ann", "Bob")
    make_game(make_season(league), (ann, 1), (bob, 0))
    return league


@pytest.fixture
def owner(client: Client, league: League) -> Client:
    client.force_login(league.organizers.get().user)
    return client


def page(client: Client, **headers: str) -> str:
    return client.get(PAGE, headers=headers).content.decode()


def test_an_owner_makes_the_box_of_a_small_league_at_once_and_fetches_it(owner, league):
    assert owner.get(FILE).status_code == 404
    assert "Make the box" in page(owner)
    assert owner.post(PAGE)["Location"] == PAGE
    assert FILE in page(owner)
    response = owner.get(FILE)
    assert response["Content-Disposition"].startswith('attachment; filename="apes-20')
    assert "no-store" in response["Cache-Control"]
    box = ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    assert box.read("games.csv").count(b"\n") == 2
    assert [path.name for path in box_path(0).parent.iterdir()] == [f"{league.pk}.zip"]


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_it_is_for_owners_alone(client, league, address):
    run_export(league.pk)
    assert client.get(address).status_code == 302
    for visitor, status in [
        (make_user(), 404),
        (make_organizer(make_league("bees"), Role.OWNER), 404),
        (make_organizer(league, Role.MANAGER), 403),
    ]:
        client.force_login(visitor)
        assert client.get(address).status_code == status
        assert client.post(PAGE).status_code == status


def test_how_far_it_has_come_is_told_and_asked_again(owner, league):
    assert claim_export(league.pk)
    assert "Waiting to begin" in page(owner)
    Shown(f"box:{league.pk}").show(Step(Stage.PACKING, 30, 40))
    text = page(owner, HX_Request="true")
    assert "Packing the league: 75 %" in text
    assert 'hx-trigger="every 1s, refresh"' in text
    assert "<html" not in text
    assert not claim_export(league.pk)


def test_a_fault_is_told_and_leaves_the_box_of_before(owner, league, caplog, monkeypatch):
    assert run_export(league.pk)
    made_at = kept_box(league.pk).made_at

    class Full:
        def __init__(self, *_args: Any) -> None:
            raise OSError("No space left on device")

    monkeypatch.setattr("ratings.services.box_export.ZipFile", Full)
    owner.post(PAGE)
    assert "The box could not be made." in page(owner)
    assert "No space left" in caplog.text
    assert kept_box(league.pk).made_at == made_at


def test_a_box_waits_for_a_day_and_for_nobody_who_was_taken_out(
    owner, league, django_capture_on_commit_callbacks
):
    run_export(league.pk)
    with django_capture_on_commit_callbacks(execute=True):
        services.anonymise_player(player=league.players.get(name="Ann"), by=None)
    assert owner.get(FILE).status_code == 404
    run_export(league.pk)
    assert owner.get(FILE).status_code == 200
    a_day_ago = time.time() - KEPT_SECONDS - 1
    os.utime(box_path(league.pk), (a_day_ago, a_day_ago))
    assert kept_box(league.pk) is None
    run_export(make_league("bees").pk)
    assert not box_path(league.pk).exists()


def test_a_deleted_league_takes_its_box_along(league, django_capture_on_commit_callbacks):
    run_export(league.pk)
    path = box_path(league.pk)
    with django_capture_on_commit_callbacks(execute=True):
        services.delete_league(league=league, by=None)
    assert not path.exists()


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_that_of_a_large_league_is_made_beside_the_requests(owner, league, monkeypatch):
    monkeypatch.setattr(long_exports, "LARGEST_IN_REQUEST", 0)
    assert owner.post(PAGE)["Location"] == PAGE
    wait_until(lambda: kept_box(league.pk), "the box")
    wait_until(lambda: state_of_export(league.pk) == (None, False), "its end")
    assert owner.get(FILE).status_code == 200
