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
from leagues.services import import_options, import_preview
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
    assert response.context["preview"].error_count
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
        ("Time,Date,HomeTeam,AwayTeam,HomeScore", "clock,played_at,side 1,side 2,points 1"),
        ("Saat;Ev sahibi", "played_at,side 1"),
    ],
)
def test_names_of_columns_are_known_in_the_languages_of_the_site(header, columns):
    assert guess_columns(header.replace(";", ",").split(",")) == tuple(columns.split(","))


def test_a_file_with_the_columns_of_game_files_asks_for_nothing(manager, season):
    response = upload(manager, season, "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Ann,3,Bob,1\n")
    assert (response.context["columns"], response.context["asks_order"]) == ([], False)
    assert (response.context["unknown"], response.context["mark"]) == ([], "1")


def test_a_time_of_day_in_a_column_of_its_own_is_not_lost(manager, season):
    response = upload(manager, season, "Date,Time,HomeTeam,HG,AwayTeam,AG\n15/8/2026,9:05 PM,Ann,3,Bob,1\n")
    assert [chosen for _header, _sample, chosen in response.context["columns"]] == [
        "played_at", "clock", "side 1", "", "side 2", "",
    ]  # fmt: skip
    column = ["played_at", "clock", "side 1", "points 1", "side 2", "points 2"]
    again = manager.post(url(season), {**shown(response), "column": column})
    assert manager.post(url(season), shown(again)).status_code == 302
    assert played() == [("2026-08-15 21:05", [("Ann", 3), ("Bob", 1)])]


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01,Ann,3,Bob,1\n2026-03-02,Ann,3,Bob,1\n",
        "1/3/2026,Ann,3,Bob,1\n2/3/2026,Ann,3,Bob,1\n",
        "Our games\n\nplayed_at,side 1,points 1,side 2,points 2\n2026-03-01,Ann,3,Bob,1\n",
    ],
)
def test_a_game_or_a_title_in_the_first_row_is_not_taken_for_names_of_columns(manager, season, text):
    response = upload(manager, season, text)
    assert response.context["columns"] == []
    ((line, _column, sentence),) = response.context["preview"].errors
    assert (line, sentence[:35]) == (1, "The first row must name the columns")


def test_what_a_column_holds_is_said_in_words(manager, season):
    manager.cookies["django_language"] = "bg"
    page = upload(manager, season, RESULTS.replace("3,1,Cup", "x,1,Cup")).content.decode()
    assert '<option value="points 1" selected>Страна 1: точки</option>' in page
    assert "<td>home_score</td>" in page, "an error names the column as the file does"
    assert ">points 1<" not in page
    page = upload(manager, season, "a,b,c,d,e\n1,2,3,4,5\n").content.decode()
    assert "<td>Страна 1: точки</td>" in page, "and one that is nowhere by what it holds"


def test_a_file_is_not_imported_in_another_encoding_than_it_was_seen_in(manager, season):
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Ann,3,Bjørn,1\n".encode("cp1252")
    response = upload(manager, season, text, create_players="on")
    otherwise = {**shown(response), "create_players": "on", "encoding": "cp1251"}
    again = manager.post(url(season), otherwise)
    assert "Bjшrn" in again.content.decode()
    assert not Game.objects.exists()


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
        ("3/4/2026 12:05 am", "month", "2026-03-04 00:05"),
        ("3/4/2026 9:05:30 PM", "month", "2026-03-04 21:05:30"),
        ("3/4/2026 13:05 PM", "month", "2026-03-04 13:05 PM"),
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
    assert (name, players[0]) == ("Anne", (ann.pk, "Ann")), "the likely one comes first"
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


def test_more_names_than_one_page_shows_are_matched_one_page_after_the_other(manager, season, monkeypatch):
    monkeypatch.setattr(import_preview, "NAMES_SHOWN", 2)
    make_players(season.league, "Cyd", "Dan")
    ids = dict(Player.objects.values_list("name", "pk"))
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,A,3,B,1\n2026-03-02,C,3,D,1\n"
    page = upload(manager, season, text)
    assert [name for name, _players, _chosen in page.context["unknown"]] == ["A", "B"]
    page = manager.post(url(season), {**shown(page), "match": [ids["Ann"], ids["Bob"]]})
    assert [name for name, _players, _chosen in page.context["unknown"]] == ["A", "B", "C", "D"]
    page = manager.post(url(season), {**shown(page), "match": [ids[n] for n in ("Ann", "Bob", "Cyd", "Dan")]})
    assert manager.post(url(season), shown(page)).status_code == 302
    assert [sides for _day, sides in played()] == [[("Ann", 3), ("Bob", 1)], [("Cyd", 3), ("Dan", 1)]]


def test_in_a_large_league_the_likely_ones_and_the_chosen_one_are_offered(manager, season, monkeypatch):
    monkeypatch.setattr(import_options, "MOST_OPTIONS", 1)
    ann, bob = Player.objects.order_by("name")
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Anne,3,Bob,1\n"
    page = upload(manager, season, text)
    assert page.context["unknown"] == [("Anne", [(ann.pk, "Ann")], None)]
    page = manager.post(url(season), {**shown(page), "match": [bob.pk]})
    assert page.context["unknown"] == [("Anne", [(ann.pk, "Ann"), (bob.pk, "Bob")], bob.pk)]


def test_namesakes_are_told_apart_where_one_is_chosen(manager, season):
    make_players(season.league, "Ann")
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Anne,3,Bob,1\n"
    page = upload(manager, season, text).content.decode()
    assert ">Ann (ann)</option>" in page
    assert ">Ann (ann-2)</option>" in page


@pytest.mark.parametrize("pk", ["other", "0", "x", "9" * 30, "-1"])
def test_a_name_means_players_of_the_league_alone(manager, season, pk):
    (stranger,) = make_players(make_league("other"), "Anne")
    text = "played_at,side 1,points 1,side 2,points 2\n2026-03-01,Anne,3,Bob,1\n"
    response = upload(manager, season, text)
    match = str(stranger.pk) if pk == "other" else pk
    again = manager.post(url(season), {**shown(response), "match": [match]})
    assert again.context["preview"].error_count == 1
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
