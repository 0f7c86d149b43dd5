"""The import page: upload, preview, confirm."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leagues.forms.imports import LARGEST_FILE
from leagues.models import Game, Player, Role, Season
from leagues.services import update_season
from leagues.services.uploads import KEPT_FILES, KEPT_SECONDS
from tests.factories import make_league, make_organizer, make_players, make_season
from tests.leagues.test_record_game import visitors

pytestmark = pytest.mark.django_db

TEXT = """played_at,side 1,points 1,side 2,points 2
2026-05-01 18:30,Захари,12,Валя,7
2026-06-02,Захари,3,Марина,5
"""


@pytest.fixture(autouse=True)
def kept(settings, tmp_path: Path) -> Path:
    settings.VAR_DIR = tmp_path
    return tmp_path / "imports"


@pytest.fixture
def season() -> Season:
    return make_season(make_league("wsd", timezone="Europe/Sofia", language="bg"))


@pytest.fixture
def manager(season: Season, client: Client) -> Client:
    client.force_login(make_organizer(season.league, Role.MANAGER))
    client.cookies["django_language"] = "en"
    return client


def url(season: Season) -> str:
    return reverse("leagues:import", args=[season.league.slug, season.slug])


def upload(
    client: Client, season: Season, text: str | bytes = TEXT, name: str = "games.csv", **data: Any
) -> Any:
    content = text.encode() if isinstance(text, str) else text
    return client.post(url(season), {"file": SimpleUploadedFile(name, content), **data})


def token_of(response: Any) -> str:
    return response.context["token"]


def test_a_file_is_shown_before_anything_is_written(manager, season):
    response = upload(manager, season, create_players="on")
    page = response.content.decode()
    preview = response.context["preview"]
    assert (preview.new, preview.known, preview.error_count, preview.encoding) == (2, 0, 0, "utf-8")
    assert "from 1 May 2026 to 2 June 2026" in page
    assert "Захари, Валя, Марина" in page
    assert "<strong>Захари</strong> 12" in page
    assert "Import 2 games" in page
    assert (Game.objects.count(), Player.objects.count()) == (0, 0)


def test_confirming_imports_the_file_and_forgets_it(manager, season, kept):
    token = token_of(upload(manager, season, create_players="on"))
    assert len(list(kept.iterdir())) == 1
    response = manager.post(url(season), {"token": token, "create_players": "on", "confirm": "1"})
    assert response["Location"] == reverse("ratings:game-list", args=["wsd", season.slug])
    assert (Game.objects.count(), Player.objects.count(), season.entries.count()) == (2, 3, 3)
    assert list(kept.iterdir()) == []
    messages = [str(message) for message in manager.get(url(season)).context["messages"]]
    assert messages == ["2 games are imported. 3 players are new."]


def test_thousands_are_told_as_the_language_writes_them(manager, season):
    text = "played_at,player1,points1,player2,points2\n2026-01-01 10:00,A,1,B,0\n"
    text += "".join(
        f"2026-05-{day:02} {at // 60:02}:{at % 60:02},A,1,B,0\n" for day in (1, 2) for at in range(999)
    )
    made = upload(manager, season, text, create_players="on")
    assert "Import 1,999 games" in made.content.decode()
    manager.post(url(season), {"token": token_of(made), "create_players": "on", "confirm": "1"})
    (message,) = manager.get(url(season)).context["messages"]
    assert str(message) == "1,999 games are imported. 2 players are new."
    page = manager.get(reverse("ratings:game-list", args=["wsd", season.slug])).content.decode()
    assert 'data-status="1,999 games"' in page


def test_confirming_twice_imports_once(manager, season):
    token = token_of(upload(manager, season, create_players="on"))
    data = {"token": token, "create_players": "on", "confirm": "1"}
    manager.post(url(season), data)
    response = manager.post(url(season), data, follow=True)
    assert "The file is no longer here" in response.content.decode()
    assert Game.objects.count() == 2


def test_the_same_file_again_has_nothing_to_import(manager, season):
    token = token_of(upload(manager, season, create_players="on"))
    manager.post(url(season), {"token": token, "create_players": "on", "confirm": "1"})
    page = upload(manager, season).content.decode()
    assert "Nothing new: the season has all games of the file already." in page
    assert 'name="confirm"' not in page


def test_unknown_names_are_listed_and_can_be_created_from_the_preview(manager, season):
    response = upload(manager, season)
    page = response.content.decode()
    assert "Names that are nobody's in this league" in page
    assert "The file has 4 errors." in page
    assert 'name="confirm"' not in page
    again = manager.post(url(season), {"token": token_of(response), "create_players": "on", "check": "1"})
    assert again.context["preview"].error_count == 0
    assert Player.objects.count() == 0


def test_errors_stand_in_a_table_with_line_and_column(manager, season):
    response = upload(manager, season, TEXT + "2026-05-01,Захари,x,Захари,1\n", create_players="on")
    page = response.content.decode()
    assert "<td>points 1</td><td>“x” is no whole number: write only digits, like 12 or -3.</td>" in page
    assert '<td class="num">4</td>' in page
    assert page.index('id="errors"') < page.index('id="preview"')  # what to do comes before what would happen
    token = token_of(response)
    response = manager.post(url(season), {"token": token, "create_players": "on", "confirm": "1"})
    assert response.status_code == 200
    assert Game.objects.count() == 0


def test_a_wrong_encoding_is_visible_and_can_be_changed(manager, season):
    turkish = (
        TEXT.replace("Валя", "Şenol").replace("Захари", "Ayşe").replace("Марина", "Gül").encode("cp1254")
    )
    response = upload(manager, season, turkish, create_players="on")
    assert response.context["preview"].encoding == "cp1251"
    assert "Юenol" in response.content.decode()
    token = token_of(response)
    again = manager.post(
        url(season), {"token": token, "create_players": "on", "encoding": "cp1254", "check": "1"}
    )
    assert again.context["preview"].encoding == "cp1254"
    assert "Şenol" in again.content.decode()
    data = {"token": token, "create_players": "on", "encoding": "cp1254", "confirm": again.context["mark"]}
    manager.post(url(season), data)
    assert Player.objects.filter(name="Şenol").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"\xff\xfe\x00",
        b'"',
        b"played_at,side 1\n",
        b"x" * 100_000,
        b"a,b\r1,2\r",
        ",".join(["c"] * 10_000).encode(),
    ],
)
def test_what_is_no_game_file_is_explained(manager, season, content):
    response = upload(manager, season, content)
    assert response.status_code == 200
    assert response.context["preview"].error_count
    assert 'name="confirm"' not in response.content.decode()


def test_other_files_and_huge_ones_are_refused(manager, season, kept):
    page = upload(manager, season, name="games.pdf").content.decode()
    assert "Save the table as CSV or XLSX and choose that file." in page
    page = upload(manager, season, b"PK\x03\x04" + bytes(range(256)), name="games.xlsx").content.decode()
    assert "The workbook cannot be read" in page
    page = upload(manager, season, b"x" * (LARGEST_FILE + 1)).content.decode()
    assert "The file is larger than 10 MB: split it." in page
    assert "Choose a file." in manager.post(url(season), {}).content.decode()
    assert not kept.exists()


@pytest.mark.parametrize("encoding", ["klingon", "\0", "utf-8\0"])
def test_an_unknown_encoding_is_refused(manager, season, encoding):
    assert upload(manager, season, encoding=encoding).status_code == 200
    token = token_of(upload(manager, season))
    data = {"token": token, "encoding": encoding, "confirm": "1", "create_players": "on"}
    assert manager.post(url(season), data).status_code == 200
    assert Game.objects.count() == 0


def test_a_file_is_for_its_season_and_its_user(manager, season):
    make_players(season.league, "Захари", "Валя", "Марина")
    token = token_of(upload(manager, season))
    cup = make_season(season.league, name="Cup")
    assert manager.post(url(cup), {"token": token, "confirm": "1"}).status_code == 302
    somebody = Client()
    somebody.force_login(make_organizer(season.league, Role.OWNER))
    assert somebody.post(url(season), {"token": token, "confirm": "1"}).status_code == 302
    for forged in ("", "x", "\0", token[:-1] + "!", "a:b:c", "й"):
        assert manager.post(url(season), {"token": forged, "confirm": "1"}).status_code == 302
    assert Game.objects.count() == 0


def test_files_that_waited_a_day_are_forgotten(manager, season, kept):
    token = token_of(upload(manager, season))
    (old,) = kept.iterdir()
    long_ago = time.time() - KEPT_SECONDS - 1
    os.utime(old, (long_ago, long_ago))
    upload(manager, season)
    assert old not in kept.iterdir()
    assert manager.post(url(season), {"token": token, "confirm": "1"}).status_code == 302


def test_a_file_that_goes_while_the_folder_is_looked_through_is_no_error(manager, season, kept):
    upload(manager, season)
    (kept / "gone").symlink_to(kept / "nowhere")  # listed, and not there when it is asked for its age
    assert token_of(upload(manager, season))


def test_of_one_user_only_the_latest_files_wait(manager, season, kept):
    tokens = []
    for age in range(KEPT_FILES + 2, 0, -1):
        tokens.append(token_of(upload(manager, season)))
        newest = max(kept.iterdir(), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (time.time() - age * 60, time.time() - age * 60))
    other = Client()
    other.force_login(make_organizer(season.league, Role.MANAGER))
    upload(other, season)
    assert len(list(kept.iterdir())) == KEPT_FILES + 1
    assert "no longer here" in manager.post(url(season), {"token": tokens[0]}, follow=True).content.decode()
    assert token_of(manager.post(url(season), {"token": tokens[-1]})) == tokens[-1]


def test_a_closed_season_says_so_and_takes_no_file(manager, season, kept):
    token = token_of(upload(manager, season, create_players="on"))
    update_season(season=season, by=None, state=Season.State.CLOSED)
    for response in (
        manager.get(url(season)),
        upload(manager, season),
        manager.post(url(season), {"token": token, "confirm": "1", "create_players": "on"}),
    ):
        page = response.content.decode()
        assert "is closed and takes no changes" in page
        assert 'type="file"' not in page
    assert Game.objects.count() == 0


def test_a_large_file_is_previewed_in_constant_queries(manager, season, django_assert_max_num_queries):
    rows = "".join(f"2026-05-01,P{number % 40},1,Q{number % 50},0\n" for number in range(1000))
    with django_assert_max_num_queries(12):
        response = upload(manager, season, TEXT.splitlines()[0] + "\n" + rows, create_players="on")
    page = response.content.decode()
    assert response.context["preview"].new == 1000
    assert "and 40 more" in page


def test_only_managers_get_in(client, season):
    for user, _for_scorers, status in visitors(season):
        client.logout()
        if user:
            client.force_login(user)
        assert client.get(url(season)).status_code == status
        assert client.post(url(season), {}).status_code == status
