"""Imports that go on after the request: what runs them, what is told meanwhile, and what came of them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from leagues.models import Game, Organizer, Player, Role, Season
from leagues.progress import Shown, Stage, Step, Watcher, watched_by
from leagues.services import update_player, update_season
from leagues.services.import_options import ImportOptions
from leagues.services.long_checks import LARGEST_IN_REQUEST
from leagues.services.long_imports import claim_import, release_import, run_import, state_of_import
from leagues.services.uploads import KEPT_SECONDS, keep_upload, kept_upload, name_of
from leagues.tasks import forget_old_files, import_upload
from tests.factories import make_league, make_organizer, make_players, make_season, make_user
from tests.processes import Processes, wait_until

pytestmark = pytest.mark.django_db

HEADER = "played_at,side 1,points 1,side 2,points 2\n"
SMALL = HEADER + "2026-05-01 18:30,Ann,12,Bob,7\n"


def large(games: int = 0) -> str:
    rows = []
    while len(rows) < games or (not games and sum(map(len, rows)) <= LARGEST_IN_REQUEST):
        number = len(rows)
        names = f"Player {number % 40}", f"Player {number % 50 + 40}"
        rows.append(f"2026-05-{number % 28 + 1:02},{names[0]},{number % 500},{names[1]},0\n")
    return HEADER + "".join(rows)


@pytest.fixture(autouse=True)
def own_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "var"
    settings.CACHES = settings.CACHES | {
        "progress": settings.CACHES["progress"] | {"LOCATION": tmp_path / "var" / "progress"}
    }


@pytest.fixture
def season() -> Season:
    return make_season(make_league("chess"))


@pytest.fixture
def user(season: Season) -> User:
    return make_organizer(season.league, Role.MANAGER)


@pytest.fixture
def manager(user: User, client: Client) -> Client:
    client.force_login(user)
    return client


def kept(season: Season, user: User, text: str = SMALL) -> str:
    return keep_upload(text.encode(), season=season, by=user)


def run(season: Season, user: User, token: str, *, create_players: bool = True) -> Any:
    options = ImportOptions(create_players=create_players)
    return run_import(season=season, by=user, token=token, options=options)


def stage_of(token: str) -> Stage | None:
    step, _outcome = state_of_import(token)
    return step.stage if step else None


def page_of(season: Season, token: str) -> str:
    return reverse("leagues:import-run", args=[season.league.slug, season.slug, token])


def page(client: Client, season: Season, token: str, **headers: str) -> str:
    response = client.get(page_of(season, token), headers=headers)
    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    return response.content.decode()


def confirm(client: Client, season: Season, token: str) -> Any:
    url = reverse("leagues:import", args=[season.league.slug, season.slug])
    return client.post(url, {"token": token, "create_players": "on", "confirm": "1"})


# --- What came of it


def test_what_was_imported_is_told_and_the_file_forgotten(manager, season, user):
    token = kept(season, user)
    assert claim_import(token)
    assert run(season, user, token).kind == "done"
    text = page(manager, season, token)
    assert "1 game is imported. 2 players are new." in text
    assert "hx-get" not in text
    assert kept_upload(token, season=season, by=user) is None
    assert state_of_import(token)[0] is None


def test_a_second_run_of_the_same_file_changes_neither_games_nor_what_is_told(season, user):
    token = kept(season, user)
    first = run(season, user, token)
    assert run(season, user, token) is None
    assert state_of_import(token) == (None, first)
    assert Game.objects.count() == 1


def test_pe_02_who_is_removed_before_the_import_begins_imports_nothing(season, user):
    token = kept(season, user)
    assert claim_import(token)
    Organizer.objects.filter(user=user).update(role=Role.SCORER)
    import_upload(season.pk, user.pk, token, ImportOptions(create_players=True).as_json())
    assert Game.objects.count() == 0
    assert state_of_import(token) == (None, None)


def test_a_file_that_nobody_comes_back_for_is_gone_after_a_day(season, user):
    """Though nobody brings another one."""
    old, new = kept(season, user), kept(season, make_organizer(season.league, Role.MANAGER))
    a_day_ago = time.time() - KEPT_SECONDS - 1
    os.utime(settings.VAR_DIR / "imports" / name_of(old), (a_day_ago, a_day_ago))
    forget_old_files()
    assert [path.name for path in (settings.VAR_DIR / "imports").iterdir()] == [name_of(new)]
    assert "leagues.tasks.forget_old_files" in {
        each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()
    }


def test_a_file_with_errors_by_now_writes_nothing_and_can_be_looked_at_again(manager, season, user):
    ann, _bob = make_players(season.league, "Ann", "Bob")
    token = kept(season, user)
    make_players(season.league, "Ann")  # a namesake: who of both is meant?
    assert run(season, user, token, create_players=False).kind == "changed"
    assert "the file has errors now" in page(manager, season, token)
    assert Game.objects.count() == 0
    update_player(player=ann, name="Anna", by=None)
    assert confirm(manager, season, token).status_code == 302


def test_a_season_closed_by_now_takes_nothing(manager, season, user):
    token = kept(season, user)
    update_season(season=season, by=None, state=Season.State.CLOSED)
    assert run(season, user, token).kind == "refused"
    assert "The season was closed meanwhile" in page(manager, season, token)
    assert (Game.objects.count(), Player.objects.count()) == (0, 0)


def test_a_fault_of_ours_is_told_as_an_import_that_broke_off(manager, season, user, caplog):
    class Fault(Watcher):
        seconds = 0

        def show(self, step: Step) -> None:
            raise RuntimeError("a fault")

    token = kept(season, user)
    with watched_by(Fault()):
        assert run(season, user, token).kind == "failed"
    assert "The import broke off." in page(manager, season, token)
    assert "RuntimeError: a fault" in caplog.text
    assert kept_upload(token, season=season, by=user)


# --- What is told meanwhile


def test_a_running_import_shows_its_stage_and_percent_and_asks_again(manager, season, user):
    token = kept(season, user)
    assert claim_import(token)
    assert "Waiting to begin" in page(manager, season, token)
    Shown(f"import:{name_of(token)}").show(Step(Stage.STORING, 30, 40))
    text = page(manager, season, token)
    assert "Storing the games: 75 %" in text
    assert 'hx-trigger="every 1s, refresh"' in text
    assert '<noscript><meta http-equiv="refresh"' in text
    fragment = page(manager, season, token, HX_Request="true")
    assert "Storing the games: 75 %" in fragment
    assert "<html" not in fragment


def test_an_import_that_broke_off_says_so_and_asks_seldom(manager, season, user):
    text = page(manager, season, kept(season, user))
    assert "The import broke off." in text
    assert 'hx-trigger="every 20s, refresh"' in text


def test_nobody_else_sees_it(client, season, user):
    token = kept(season, user)
    assert client.get(page_of(season, token)).status_code == 302
    strangers = [make_user(), make_organizer(make_league("other"), Role.OWNER)]
    for visitor, status in [
        *((stranger, 404) for stranger in strangers),
        (make_organizer(season.league, Role.SCORER), 403),
        (make_organizer(season.league, Role.OWNER), 404),  # not the one who chose the file
    ]:
        client.force_login(visitor)
        assert client.get(page_of(season, token)).status_code == status
    client.force_login(user)
    assert client.get(page_of(season, "a:b:c")).status_code == 404
    assert client.get(page_of(make_season(season.league, name="Cup"), token)).status_code == 404


# --- What runs it


def test_a_small_file_is_imported_in_the_request(manager, season, user):
    response = confirm(manager, season, kept(season, user))
    assert response["Location"] == reverse("ratings:game-list", args=["chess", season.slug])
    assert Game.objects.count() == 1


def test_a_file_that_is_being_imported_is_not_started_again(manager, season, user):
    token = kept(season, user, large())
    assert claim_import(token)
    assert confirm(manager, season, token)["Location"] == page_of(season, token)
    assert Game.objects.count() == 0
    release_import(token)


def test_a_broker_that_does_not_answer_is_told(manager, season, user, settings):
    settings.CELERY_TASK_ALWAYS_EAGER = False
    settings.CACHES = settings.CACHES | {
        "progress": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    response = confirm(manager, season, kept(season, user, large()))
    assert response["Location"] == reverse("leagues:import", args=["chess", season.slug])
    assert "could not be started" in manager.get(response["Location"]).content.decode()


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_without_a_broker_a_thread_imports_a_large_file(manager, season, user):
    text = large()
    token = kept(season, user, text)
    assert confirm(manager, season, token)["Location"] == page_of(season, token)
    wait_until(lambda: state_of_import(token)[1], "the import")
    games = text.count("\n") - 1
    assert f"{games:,} games are imported." in page(manager, season, token)
    assert Game.objects.filter(season=season).count() == games


@pytest.mark.pg
@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
def test_with_redis_a_worker_imports_it_and_a_killed_one_leaves_nothing(
    season, user, redis_url, tmp_path, settings
):
    """The server, which only waits for its worker, is this test itself."""
    settings.CACHES = settings.CACHES | {
        "progress": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": redis_url}
    }
    token = kept(season, user, large(8_000))
    call = (
        "import django; django.setup()\n"
        "from leagues.services.import_options import ImportOptions\n"
        "from leagues.tasks import start_import\n"
        f"start_import({season.pk}, {user.pk}, {token!r}, ImportOptions(create_players=True))\n"
    )
    with Processes(folder=tmp_path, redis_url=redis_url) as processes:
        processes.environment |= {
            "DJANGO_SETTINGS_MODULE": "wsd_site.settings",
            "SECRET_KEY": settings.SECRET_KEY,  # the token is signed
            "DEBUG": "1",
        }
        worker = processes.worker()
        assert processes.start("-c", call).process.wait(60) == 0
        wait_until(lambda: stage_of(token) == Stage.STORING, "storing", worker)
        worker.send(signal.SIGKILL)
        worker.process.wait()
        assert (Game.objects.count(), Player.objects.count(), season.entries.count()) == (0, 0, 0)
        assert kept_upload(token, season=season, by=user), "it can be imported again"
        release_import(token)  # as a minute without a word does
        processes.worker()
        assert processes.start("-c", call).process.wait(60) == 0
        outcome = wait_until(lambda: state_of_import(token)[1], "the second import")
    assert (outcome.kind, outcome.new) == ("done", 8_000)
    assert Game.objects.count() == 8_000
