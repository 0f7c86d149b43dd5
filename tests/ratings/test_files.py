"""Tables as workbooks: the same rows as the CSV has, each cell as what it is."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from leagues import workbooks
from leagues.games_csv import read_games, unguarded
from leagues.models import Game, Season
from leagues.services import import_games, withdraw_player
from leagues.services.games import played_sides
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers
from ratings.views.files import XLSX
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db

ODD = ["=1+1", "'=x", "#N/A", "12", "-5", 'Ann + Bob,"x"'.replace(" + ", "+"), "TRUE", "2026-05-01"]
TABLES = ["standings", "games", "changes", "prizes", "players", "corrections"]


@pytest.fixture
def season() -> Season:
    """Names that a spreadsheet would take for something else, and an hour that came twice."""
    season = make_season(make_league("apes", timezone="Europe/Sofia"), slug="now")
    players = make_players(season.league, *ODD)
    for hour in (1, 0):  # 03:30 in Sofia, after and before the clocks go back
        make_game(
            season, (players[0], 5), (players[1], -3), played_at=datetime(2026, 10, 25, hour, 30, tzinfo=UTC)
        )
        replayed(season)  # so the second one is a correction
    make_game(season, (players[2:4], 500), (players[4], 100), (players[5:], 0), note="=note")
    withdraw_player(entry=season.entries.get(player=players[4]), by=None)
    tier = PrizeTier(name="=Cup", first_place=1, last_place=2, amount=Decimal("100.50"), unit="km")
    change_prize_tiers(season=season, saved=[tier], by=None)
    return replayed(season)


def content_of(client: Client, season: Season, table: str, kind: str, query: str = "") -> tuple[Any, bytes]:
    names = {"league": season.league.slug}
    if table != "players":
        names["season"] = season.slug
    response: Any = client.get(reverse(f"ratings:{table}-{kind}", kwargs=names) + query)
    return response, b"".join(response.streaming_content)


def sheet_of(content: bytes) -> Any:
    return load_workbook(io.BytesIO(content)).worksheets[0]


def as_written(cell: Any) -> str:
    """The value of a cell as the CSV has it, without its offset where it is a moment."""
    if cell.value is None:
        return ""
    if cell.is_date:
        return cell.value.isoformat()
    if cell.data_type == "b":
        return str(cell.value).lower()
    places = len(cell.number_format.partition(".")[2]) if cell.data_type == "n" else 0
    return f"{cell.value:.{places}f}" if places else str(cell.value)


@pytest.mark.parametrize("table", TABLES)
def test_a_workbook_has_the_rows_of_the_csv(client, season, table):
    response, content = content_of(client, season, table, "workbook")
    assert response["Content-Type"] == XLSX
    assert response["Content-Disposition"].endswith(f'{table}.xlsx"')
    sheet = sheet_of(content)
    assert sheet.freeze_panes == "A2"
    text = content_of(client, season, table, "file")[1].decode("utf-8-sig")
    expected = [
        [unguarded(cell).removesuffix("+02:00").removesuffix("+03:00") for cell in row]
        for row in csv.reader(io.StringIO(text))
    ]
    found = [[as_written(cell).removesuffix("+02:00") for cell in row] for row in sheet.iter_rows()]
    assert found == expected
    assert len(found) > 1
    assert "f" not in {cell.data_type for row in sheet.iter_rows() for cell in row}


def test_the_workbook_of_standings_has_the_order_and_the_filter_of_the_page(client, season):
    _response, content = content_of(client, season, "standings", "workbook", "?sort=-player&q=x")
    names = [row[2].value for row in sheet_of(content).iter_rows(min_row=2)]
    assert names == ['Ann+Bob,"x"', "'=x"]


@pytest.mark.parametrize(
    ("table", "page", "query", "cell", "found"),
    [
        ("games", "game-list", "?q=Ann&against=-5", 7, ["note"]),
        ("games", "game-list", "?q=nobody", 7, []),
        ("players", "player-list", "?q=ann", 0, ['Ann+Bob,"x"']),
        ("matrix", "matrix", "?q=ann", 0, ['Ann+Bob,"x"'] * 3),
    ],
)
def test_a_file_has_what_its_page_is_narrowed_to(client, season, table, page, query, cell, found):
    """The page links to it, also where only the list was loaded anew."""
    for kind in ("file", "workbook"):
        _response, content = content_of(client, season, table, kind, query)
        rows = (
            list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
            if kind == "file"
            else [
                [str(value or "") for value in row] for row in sheet_of(content).iter_rows(values_only=True)
            ]
        )
        assert [unguarded(row[cell]).removeprefix("=") for row in rows[1:]] == found
    names = {"league": season.league.slug} | ({} if table == "players" else {"season": season.slug})
    for headers in ({}, {"HX-Request": "true"}):
        text = client.get(reverse(f"ratings:{page}", kwargs=names) + query, headers=headers).content.decode()
        assert f"{table}.csv{query}".replace("&", "&amp;") in text


def test_cells_are_numbers_dates_truths_and_texts(client, season):
    _response, content = content_of(client, season, "standings", "workbook")
    head, *rows = sheet_of(content).iter_rows()
    kinds = {cell.value: {row[cell.column - 1].data_type for row in rows} for cell in head}
    assert kinds["player"] == {"inlineStr"} or kinds["player"] == {"s"}
    assert kinds["rating"] == kinds["games"] == {"n"}
    assert kinds["withdrawn"] == {"b"}
    games = sheet_of(content_of(client, season, "games", "workbook")[1])
    moments = [games.cell(row, 1).value for row in (2, 3, 4)]
    # The second 03:30 of that night is no other time on the clock: it keeps its offset.
    assert [str(moment) for moment in moments] == [
        "2026-01-01 01:00:00",
        "2026-10-25 03:30:00",
        "2026-10-25T03:30:00+02:00",
    ]


def test_the_workbook_of_games_imports_to_the_same_games(client, season):
    _response, content = content_of(client, season, "games", "workbook")
    other = make_season(make_league("bees", timezone="Europe/Sofia"), slug="now")
    file = read_games(content, timezone=other.league.zone)
    assert [str(error) for error in file.errors] == []
    import_games(season=other, file=file, create_players=True, by=None)

    def facts(of: Season) -> list[Any]:
        games = Game.objects.filter(season=of).in_play_order().with_sides()
        return [
            (
                game.key,
                game.played_at,
                game.note,
                [(p.name, s.points) for s in played_sides(game) for p in s.members],
            )
            for game in games
        ]

    assert facts(other) == facts(season)
    again = read_games(content, timezone=season.league.zone)
    assert import_games(season=season, file=again, by=None).new == 0


def test_a_table_too_large_for_a_workbook_leads_to_its_csv(client, season, monkeypatch):
    monkeypatch.setattr(workbooks, "LARGEST_TABLE", 20)
    response = client.get("/apes/now/changes.xlsx?x=1")
    assert response.status_code == 413
    assert 'href="/apes/now/changes.csv?x=1"' in response.content.decode()


def test_an_empty_table_has_its_header(client):
    season = make_season(make_league("apes"), slug="now")
    for table in TABLES:
        _response, content = content_of(client, season, table, "workbook")
        assert ZipFile(io.BytesIO(content)).testzip() is None
        assert sheet_of(content).max_row == 1
