"""Files that are laid out otherwise: their columns, their days, and names that nobody bears."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leagues.games_csv import read_games
from leagues.games_csv.layout import Layout, guess_columns, in_iso, order_of
from leagues.models import Game, Player, PlayerAlias, Role, Season
from leagues.services.import_options import ImportOptions
from leagues.services.uploads import keep_upload
from leagues.tasks import import_upload
from tests.factories import make_league, make_organizer, make_players, make_season
from tests.leagues.test_import_page import upload, url

pytestmark = pytest.mark.django_db

RESULTS = """date,home_team,away_team,home_score,away_score,tournament
1/3/2026,Ann,Bob,3,1,Cup
25/3/2026,Bob,Ann,2,2,Cup
"""
EITHER = "played_at,side 1,points 1,side 2,points 2\n3/4/2026 9:05,Ann,3,Bob,1\n"


@pytest.fixture(autouse=True)
def kept(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path


@pytest.fixture
def season() -> Season:
    season = make_season(make_league("wsd"))
    make_players(season.league, "Ann", "Bob")
    return season


@pytest.fixture
def manager(season: Season, client: Client) -> Client:
    client.force_login(make_organizer(season.league, Role.MANAGER, "manager"))
    return client


def shown(response: Any) -> dict[str, Any]:
    """What the preview would send back if nothing was changed in it."""
    context = response.context
    return {
        "token": context["token"],
        "column": [chosen for _header, _sample, chosen in context["columns"]],
        "order": context["order"] or "",
        "unknown": [name for name, _players, _chosen in context["unknown"]],
        "match": [str(chosen or "") for _name, _players, chosen in context["unknown"]],
        "confirm": context["mark"],
    }


def played() -> list[tuple[str, list[tuple[str, int]]]]:
    """The games: the day, and for each side who and with which points."""
    return [
        (
            f"{game.played_at:%Y-%m-%d %H:%M}",
            [(side.members.get().player.name, side.points) for side in game.sides.all()],
        )
        for game in Game.objects.in_play_order()
    ]


# --- Columns


def test_a_file_of_results_is_read_by_what_its_columns_are_called(manager, season):
    response = upload(manager, season, RESULTS)
    assert [(header, chosen) for header, _sample, chosen in response.context["columns"]] == [
        ("date", "played_at"),
        ("home_team", "side 1"),
        ("away_team", "side 2"),
        ("home_score", "points 1"),
        ("away_score", "points 2"),
        ("tournament", ""),
    ]
    page = response.content.decode()
    assert "Import 2 games" in page
    assert "Cup" in page, "the first cell of each column helps to choose"
    assert manager.post(url(season), shown(response)).status_code == 302
    assert played() == [
        ("2026-03-01 00:00", [("Ann", 3), ("Bob", 1)]),
        ("2026-03-25 00:00", [("Bob", 2), ("Ann", 2)]),
    ]


def test_columns_whose_names_tell_nothing_are_chosen(manager, season):
    response = upload(manager, season, "a;b;c;d;e\n2026-03-01;Ann;Bob;3;1\n")
    assert response.context["plan"].error_count
    assert "Choose below which column of the file holds this." in response.content.decode()
    assert "or correct the file and choose it again" in response.content.decode()
    chosen = {**shown(response), "column": ["played_at", "side 1", "side 2", "points 1", "points 2"]}
    again = manager.post(url(season), chosen)
    assert "Import 1 game" in again.content.decode(), "what was chosen is seen before it is imported"
    assert Game.objects.count() == 0
    assert manager.post(url(season), shown(again)).status_code == 302
    assert played() == [("2026-03-01 00:00", [("Ann", 3), ("Bob", 1)])]


@pytest.mark.parametrize(
    "column",
    [[], ["x"] * 5, ["played_at"] * 5, ["\0"], ["side 1"] * 900, ["played_at", "side 1", "", "", ""]],
)
def test_no_choice_of_columns_is_an_error_of_the_site(manager, season, column):
    response = upload(manager, season, "a;b;c;d;e\n2026-03-01;Ann;Bob;3;1\n")
    again = manager.post(url(season), {**shown(response), "column": column})
    assert again.status_code == 200
    assert Game.objects.count() == 0


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("Дата,Домакин,Гост,Домакин голове,Гост голове", "played_at,side 1,side 2,points 1,points 2"),
        ("Tarih;Oyuncu 1;Puan 1;Oyuncu 2;Puan 2", "played_at,side 1,points 1,side 2,points 2"),
        ("When,Player 1,Score 1,Player 2,Score 2,Comment", "played_at,side 1,points 1,side 2,points 2,note"),
        ("date,date,home,away", "played_at,,side 1,side 2"),
    ],
)
def test_names_of_columns_are_known_in_the_languages_of_the_site(header, columns):
    assert guess_columns(header.replace(";", ",").split(",")) == tuple(columns.split(","))


def test_a_file_with_the_columns_of_game_files_asks_for_nothing(manager, season):
    response = upload(manager, season, "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Ann,3,Bob,1\n")
    assert (response.context["columns"], response.context["asks_order"]) == ([], False)
    assert (response.context["unknown"], response.context["mark"]) == ([], "1")


# --- Days


def test_a_day_that_can_be_read_in_two_ways_is_asked_for(manager, season):
    response = upload(manager, season, EITHER)
    page = response.content.decode()
    assert "“3/4/2026 9:05” can be read in two ways" in page
    assert 'name="confirm"' not in page
    again = manager.post(url(season), {**shown(response), "order": "month"})
    assert manager.post(url(season), shown(again)).status_code == 302
    assert played()[0][0] == "2026-03-04 09:05"


def test_one_day_beyond_the_twelfth_tells_it_for_the_whole_file(manager, season):
    response = upload(manager, season, EITHER + "3/25/2026,Ann,1,Bob,0\n")
    assert response.context["order"] == "month"
    manager.post(url(season), shown(response))
    assert [day for day, _sides in played()] == ["2026-03-04 09:05", "2026-03-25 00:00"]


@pytest.mark.parametrize(
    ("cell", "order", "iso"),
    [
        ("29.11.2026", None, "2026-11-29"),
        ("1.2.2026 г. 18:05", "month", "2026-02-01 18:05"),
        ("3/4/2026", "day", "2026-04-03"),
        ("3/4/2026", "month", "2026-03-04"),
        ("3/4/2026", None, "3/4/2026"),
        ("4/4/2026, 7:30", None, "2026-04-04 07:30"),
        ("2026-04-03", "month", "2026-04-03"),
        ("3/4-2026", "day", "3/4-2026"),
    ],
)
def test_days_are_read_as_they_are_written(cell, order, iso):
    assert in_iso(cell, order) == iso


def test_days_that_contradict_each_other_are_errors_with_their_lines():
    assert order_of(["3/4/2026", "13/4/2026", "4/13/2026"]) == ("day", "")
    file = read_games(
        (EITHER + "13/4/2026,Ann,1,Bob,0\n4/14/2026,Ann,1,Bob,0\n").encode(),
        timezone=make_league().zone,
        layout=Layout(),
    )
    assert [error.line for error in file.errors] == [4]


def test_the_command_and_the_contract_stay_strict():
    file = read_games(EITHER.encode(), timezone=make_league().zone)
    assert "is no date or time" in str(file.errors[0])


# --- Names


def test_a_name_is_matched_once_and_remembered(manager, season):
    ann = Player.objects.get(name="Ann")
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Anne,3,Bob,1\n"
    response = upload(manager, season, text)
    ((name, players, _chosen),) = response.context["unknown"]
    assert (name, players[0]) == ("Anne", ann), "the likely one comes first"
    again = manager.post(url(season), {**shown(response), "match": [str(ann.pk)]})
    assert "Import 1 game" in again.content.decode()
    assert not PlayerAlias.objects.exists()
    assert manager.post(url(season), shown(again)).status_code == 302
    assert played() == [("2026-03-01 00:00", [("Ann", 3), ("Bob", 1)])]
    assert PlayerAlias.objects.get().player == ann
    later = upload(manager, season, text.replace("03-01", "03-02"))
    assert later.context["unknown"] == []
    assert "Import 1 game" in later.content.decode()


def test_with_new_players_allowed_a_name_may_still_mean_somebody(manager, season):
    ann = Player.objects.get(name="Ann")
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Anne,3,Cyd,1\n"
    response = upload(manager, season, text, create_players="on")
    assert [name for name, _players, _chosen in response.context["unknown"]] == ["Anne", "Cyd"]
    chosen = {**shown(response), "match": [str(ann.pk), ""], "create_players": "on"}
    again = manager.post(url(season), chosen)
    manager.post(url(season), {**shown(again), "create_players": "on"})
    assert played() == [("2026-03-01 00:00", [("Ann", 3), ("Cyd", 1)])]
    assert Player.objects.count() == 3


@pytest.mark.parametrize("pk", ["other", "0", "x", "9" * 30, "-1"])
def test_a_name_means_players_of_the_league_alone(manager, season, pk):
    (stranger,) = make_players(make_league("other"), "Anne")
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Anne,3,Bob,1\n"
    response = upload(manager, season, text)
    match = str(stranger.pk) if pk == "other" else pk
    again = manager.post(url(season), {**shown(response), "match": [match]})
    assert again.context["plan"].error_count == 1
    assert not PlayerAlias.objects.exists()


def test_a_name_that_somebody_bears_is_not_taken_away(season):
    bob = Player.objects.get(name="Bob")
    user = make_organizer(season.league, Role.MANAGER)
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Ann,3,Bob,1\n"
    token = keep_upload(text.encode(), season=season, by=user)
    import_upload(season.pk, user.pk, token, ImportOptions(matches={"Ann": bob.pk}).as_json())
    assert played() == [("2026-03-01 00:00", [("Ann", 3), ("Bob", 1)])]


def test_an_import_outside_the_request_keeps_to_what_was_chosen(season):
    ann = Player.objects.get(name="Ann")
    user = make_organizer(season.league, Role.MANAGER)
    options = ImportOptions(
        columns=("played_at", "side 1", "side 2", "points 1", "points 2", ""),
        order="month",
        matches={"Anne": ann.pk},
    )
    text = RESULTS.splitlines()[0] + "\n3/4/2026,Anne,Bob,3,1,Cup\n"
    token = keep_upload(text.encode(), season=season, by=user)
    import_upload(season.pk, user.pk, token, options.as_json())
    assert Game.objects.get().played_at == datetime(2026, 3, 4, tzinfo=UTC)
    assert PlayerAlias.objects.get().name == "Anne"
