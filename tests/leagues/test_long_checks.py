"""Files looked through after the request that asked for their preview: what is told meanwhile, and found."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from openpyxl import Workbook

from leagues.games_csv import is_workbook
from leagues.models import Game, Organizer, Player, Role, Season
from leagues.progress import Shown, Stage, Step
from leagues.services import import_preview, long_checks, update_season
from leagues.services.import_options import ImportOptions
from leagues.services.long_checks import claim_check, release_check, run_check, state_of_check
from leagues.services.uploads import forget_upload, keep_upload, kept_upload, name_of
from leagues.tasks import check_upload
from tests.factories import make_organizer, make_players
from tests.leagues.test_long_imports import HEADER, large, manager, own_folder, season, user
from tests.processes import wait_until

__all__ = ["manager", "own_folder", "season", "user"]  # fixtures
pytestmark = pytest.mark.django_db


def kept(season: Season, user: User, data: str | bytes) -> str:
    return keep_upload(data.encode() if isinstance(data, str) else data, season=season, by=user)


def run(season: Season, user: User, token: str, language: str = "en", **options: Any) -> None:
    chosen = ImportOptions(**{"create_players": True, **options})
    run_check(season=season, by=user, token=token, options=chosen, language=language)


def address(season: Season, name: str = "import", *args: str) -> str:
    return reverse(f"leagues:{name}", args=[season.league.slug, season.slug, *args])


def page_of(season: Season, token: str) -> str:
    return address(season, "import-check", token)


def page(client: Client, season: Season, token: str, **headers: str) -> str:
    response = client.get(page_of(season, token), headers=headers)
    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    return response.content.decode()


def as_shown(text: str) -> dict[str, Any]:
    """What the form of a page that has no script would send: its hidden fields."""
    fields: dict[str, Any] = {}
    for tag in text.split('<input type="hidden" name="')[1:]:
        name, rest = tag.split('" value="', 1)
        fields.setdefault(name, []).append(rest.split('"', 1)[0])
    return fields


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_an_error_in_line_90000_of_a_large_file_is_found_outside_the_request(manager, season, user):
    text = large()
    games = text.count("\n") - 1
    text += "\n" * (89_999 - text.count("\n")) + "2026-05-03,Player 1,many,Player 2,0\n"
    file = SimpleUploadedFile("games.csv", text.encode())
    answer = manager.post(address(season), {"file": file, "create_players": "on"})
    assert answer.status_code == 302
    token = answer["Location"].split("/")[-3]
    assert answer["Location"] == page_of(season, token)
    wait_until(lambda: state_of_check(token).preview, "the check")
    shown = page(manager, season, token)
    assert '<td class="num">90000</td><td>points 1</td><td>“many” is no whole number' in shown
    assert f"<dt>New games</dt><dd>{games:,}</dd>" in shown
    assert 'name="confirm"' not in shown
    assert (Game.objects.count(), Player.objects.count()) == (0, 0)


def test_what_was_checked_is_confirmed_as_it_was_seen(manager, season, user):
    """The columns found out, and a name matched on the way, go along."""
    (ann,) = make_players(season.league, "Ann")
    text = "Day,Player 1,Score 1,Player 2,Score 2\n25/3/2026,Anne,3,Bob,1\n"
    token = kept(season, user, text)
    run(season, user, token, matches={"Anne": ann.pk})
    shown = page(manager, season, token)
    assert "Import 1 game" in shown
    assert f'action="{address(season)}"' in shown
    context = manager.get(page_of(season, token)).context
    chosen = {
        "token": token, "create_players": "on", "order": "day", "confirm": context["mark"],
        "column": [name for _header, _sample, name in context["columns"]],
        "unknown": ["Anne"], "match": [str(ann.pk)],
    }  # fmt: skip
    assert manager.post(address(season), chosen)["Location"] == address(season).replace("import", "games")
    assert Game.objects.get().sides.first().members.get().player == ann


def test_its_sentences_are_in_the_language_of_who_asked(manager, season, user):
    token = kept(season, user, HEADER + "2026-05-01,Ann,x,Bob,7\n")
    run(season, user, token, language="bg")
    assert "„x“ не е цяло число" in page(manager, season, token)


# --- What is told meanwhile


def test_a_running_check_shows_its_stage_and_percent_and_asks_again(manager, season, user):
    token = kept(season, user, large())
    assert claim_check(token, ImportOptions())
    assert "Waiting to begin" in page(manager, season, token)
    Shown(f"check:{name_of(token)}").show(Step(Stage.CHECKING, 30, 40))
    text = page(manager, season, token)
    assert "Checking the games: 75 %" in text
    assert 'hx-trigger="every 1s, refresh"' in text
    assert '<noscript><meta http-equiv="refresh" content="1">' in text
    fragment = page(manager, season, token, HX_Request="true")
    assert "Checking the games: 75 %" in fragment
    assert "<html" not in fragment


def test_choosing_otherwise_while_it_runs_starts_no_second_check(manager, season, user):
    token = kept(season, user, large())
    assert claim_check(token, ImportOptions(create_players=True))
    answer = manager.post(address(season), {"token": token, "encoding": "cp1251", "check": "1"})
    assert answer["Location"] == page_of(season, token)
    assert state_of_check(token).options == ImportOptions(create_players=True)


def test_a_killed_worker_leaves_a_page_that_says_so_and_checks_again_as_chosen(manager, season, user):
    (ann,) = make_players(season.league, "Ann")
    token = kept(season, user, "a,b,c,d,e\n3/4/2026,Anne,3,Bob,1\n")
    columns = ("played_at", "side 1", "points 1", "side 2", "points 2")
    chosen = ImportOptions("cp1251", True, columns, "month", {"Anne": ann.pk})
    assert claim_check(token, chosen)
    release_check(token)  # as a minute without a word does
    text = page(manager, season, token)
    assert "The check broke off." in text
    assert 'hx-trigger="every 20s, refresh"' in text
    again = manager.post(address(season), as_shown(text)).context
    assert again["preview"].options == chosen.as_json() | {"columns": columns}
    assert (again["preview"].new, again["preview"].error_count) == (1, 0)


def test_a_fault_of_ours_is_told_as_a_check_that_broke_off(manager, season, user, monkeypatch, caplog):
    token = kept(season, user, HEADER + "2026-05-01,Ann,1,Bob,7\n")
    monkeypatch.setattr(import_preview, "NAMES_SHOWN", "a fault")
    run(season, user, token)
    assert "The check broke off." in page(manager, season, token)
    assert f"The check of a file for season {season.pk} failed" in caplog.text
    monkeypatch.undo()
    run(season, user, token)
    assert "Import 1 game" in page(manager, season, token)


def test_a_file_gone_meanwhile_is_told(manager, season, user):
    token = kept(season, user, HEADER)
    assert claim_check(token, ImportOptions())
    forget_upload(token)
    run(season, user, token)
    again = manager.post(address(season), as_shown(page(manager, season, token)), follow=True)
    assert "The file is no longer here" in again.content.decode()


def test_a_broker_that_does_not_answer_is_told(manager, season, user, settings):
    settings.CELERY_TASK_ALWAYS_EAGER = False
    settings.CACHES = settings.CACHES | {
        "progress": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    answer = manager.post(address(season), {"token": kept(season, user, large())})
    assert "The file could not be checked" in manager.get(answer["Location"]).content.decode()


# --- Who may


def test_who_is_removed_before_the_check_begins_is_told_nothing(season, user):
    token = kept(season, user, HEADER + "2026-05-01,Ann,1,Bob,7\n")
    assert claim_check(token, ImportOptions())
    Organizer.objects.filter(user=user).update(role=Role.SCORER)
    check_upload(season.pk, user.pk, token, ImportOptions().as_json(), "en")
    assert state_of_check(token)[:2] == (None, None)


def test_nobody_else_sees_the_check(client, season, user):
    token = kept(season, user, HEADER + "2026-05-01,Ann,1,Bob,7\n")
    run(season, user, token)
    for visitor, status in [
        (make_organizer(season.league, Role.SCORER), 403),
        (make_organizer(season.league, Role.OWNER), 404),  # not the one who chose the file
    ]:
        client.force_login(visitor)
        assert client.get(page_of(season, token)).status_code == status


def test_a_closed_season_says_so(manager, season, user):
    token = kept(season, user, HEADER + "2026-05-01,Ann,1,Bob,7\n")
    run(season, user, token)
    update_season(season=season, by=None, state=Season.State.CLOSED)
    assert 'name="confirm"' not in page(manager, season, token)


# --- Workbooks


def workbook() -> bytes:
    book, file = Workbook(), io.BytesIO()
    for row in (HEADER.strip().split(","), ["2026-05-01", "Ann", 12, "Bob", 7]):
        book.active.append(row)
    book.save(file)
    return file.getvalue()


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_a_large_workbook_is_read_outside_the_request_and_once(manager, season, user, monkeypatch):
    monkeypatch.setattr(long_checks, "LARGEST_WORKBOOK", 1_000)
    file = SimpleUploadedFile("games.xlsx", workbook())
    answer = manager.post(address(season), {"file": file, "create_players": "on"})
    token = answer["Location"].split("/")[-3]
    assert answer["Location"] == page_of(season, token)
    wait_until(lambda: state_of_check(token).preview, "the check")
    assert "Import 1 game" in page(manager, season, token)
    data = kept_upload(token, season=season, by=user)
    assert data
    assert not is_workbook(data)


def test_a_workbook_that_cannot_be_read_has_that_error(manager, season, user):
    token = kept(season, user, b"PK\x03\x04 and no more")
    run(season, user, token)
    assert "The workbook cannot be read" in page(manager, season, token)
