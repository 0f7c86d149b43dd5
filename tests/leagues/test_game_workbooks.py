"""Game files that are workbooks: what is read of them, and what of hostile ones is refused."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, time
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command
from openpyxl import Workbook, load_workbook

from leagues.games_csv import GamesFile, read_games, workbook
from leagues.models import Game
from tests.factories import make_league, make_season

WIDE = ["played_at", "side 1", "points 1", "side 2", "points 2", "note"]
SHEET = "xl/worksheets/sheet1.xml"


def written(*rows: list[Any]) -> bytes:
    book = Workbook()
    sheet: Any = book.active
    for row in rows:
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def read(data: bytes) -> GamesFile:
    return read_games(data, timezone=ZoneInfo("Europe/Sofia"))


def problems(data: bytes) -> list[str]:
    file = read(data)
    assert file.error_count
    assert not file.games
    return [str(error) for error in file.errors]


def repacked(data: bytes, **changed: bytes) -> bytes:
    """The workbook with other content in some of its parts, named by their last word."""
    packed = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as before, ZipFile(packed, "w", ZIP_DEFLATED) as after:
        for entry in before.infolist():
            word = entry.filename.rpartition("/")[2].partition(".")[0]
            after.writestr(entry.filename, changed.pop(word, before.read(entry)))
        for name, content in changed.items():
            after.writestr(name, content)
    return packed.getvalue()


def test_numbers_dates_and_texts_are_read_as_what_they_say():
    file = read(
        written(
            WIDE,
            [datetime.fromisoformat("2026-05-01T18:30"), "Захари + Валя", 1200.0, "Eve", -3, "two\nlines"],
            [date(2026, 5, 2), 12, "7", "Bob", 0, None],
            ["2026-05-03T10:00+01:00", "Ann", 1, "Bob", 2, None],
        )
    )
    assert [str(error) for error in file.errors] == []
    first, second, third = file.games
    assert first.played_at == datetime(2026, 5, 1, 15, 30, tzinfo=UTC)
    assert [(side.members, side.points) for side in first.sides] == [
        (("Захари", "Валя"), 1200),
        (("Eve",), -3),
    ]
    assert (first.note, first.line) == ("two lines", 2)
    assert second.played_at == datetime(2026, 5, 1, 21, tzinfo=UTC)  # the first moment of the day in Sofia
    assert second.sides[0].members == ("12",)
    assert third.played_at == datetime(2026, 5, 3, 9, tzinfo=UTC)


def test_a_time_that_a_program_cut_short_is_the_full_second():
    moments = ["2026-05-01T18:04:59.998000", "2026-05-01T18:05:00.003000", "2026-05-01T18:05:00.250000"]
    data = written(WIDE, *([datetime.fromisoformat(moment), "A", 1, "B", 2] for moment in moments))
    seconds = [game.played_at.strftime("%H:%M:%S.%f") for game in read(data).games]
    assert seconds == ["15:05:00.000000", "15:05:00.000000", "15:05:00.250000"]


def test_cells_that_a_merged_one_covers_are_empty_and_told_so():
    book = load_workbook(io.BytesIO(written(WIDE, *[[date(2026, 5, 1), "A", 1, "B", 2]] * 2)))
    sheet: Any = book.active
    sheet.merge_cells("A2:A3")
    file = io.BytesIO()
    book.save(file)
    (error,) = read(file.getvalue()).errors
    assert str(error).startswith("Line 3, played_at: Write the day")


def test_the_long_form_is_read_too():
    rows = [["game", "played_at", "side", "player", "points"], ["a", date(2026, 5, 1), 1, "Ann", 1]]
    (game,) = read(written(*rows, ["a", date(2026, 5, 1), 2, "Bob", 3])).games
    assert [side.members for side in game.sides] == [("Ann",), ("Bob",)]


def test_errors_name_the_row_of_the_sheet_and_the_column():
    day = date(2026, 5, 1)
    found = problems(
        written(
            WIDE,
            [],
            [day, "A", 1.5, "B", 2],
            [None] * 6,
            [time(18, 30), "A", 1, "B", True],
            [day, "A", "x", "", ""],
        )
    )
    assert found == [
        "Line 3, points 1: “1.5” is no whole number: write only digits, like 12 or -3.",
        "Line 5, played_at: “18:30:00” is no date or time: write it like 2026-11-29 or 2026-11-29 18:05.",
        "Line 5, points 2: “True” is no whole number: write only digits, like 12 or -3.",
        "Line 6, points 1: “x” is no whole number: write only digits, like 12 or -3.",
        "Line 6, side 2: A game needs two sides or more.",
    ]


@pytest.mark.django_db
def test_the_command_imports_a_workbook(tmp_path):
    season = make_season(make_league("apes"), slug="now")
    path = tmp_path / "games.xlsx"
    path.write_bytes(written(WIDE, [date(2026, 5, 1), "Ann", 1, "Bob", 2]))
    call_command("import_games", "apes/now", str(path), "--create-players")
    assert Game.objects.get(season=season).played_at == datetime(2026, 5, 1, tzinfo=UTC)


# --- What is hostile


TOO_LARGE = ["The workbook is too large: split it, or save the table as CSV."]
UNREADABLE = ["The workbook cannot be read: save the table again as XLSX or CSV (UTF-8)."]


def sheet(rows: str, dimension: str = "A1:E2") -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    inside = f'<dimension ref="{dimension}"/><sheetData>{rows}</sheetData>'
    return f'<worksheet xmlns="{space}">{inside}</worksheet>'.encode()


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"sheet1": b" " * (workbook.LARGEST_SHEET + 1)}, TOO_LARGE),  # 60 kB in the file
        ({"styles": b" " * (workbook.LARGEST_REST + 1)}, TOO_LARGE),
        ({"xl/sharedStrings.xml": b" " * (workbook.LARGEST_TEXTS + 1)}, TOO_LARGE),
        ({"sheet1": sheet('<row r="99999999"><c r="A99999999"><v>1</v></c></row>')}, TOO_LARGE),
        (
            {
                "sheet1": sheet(
                    "".join(f'<row r="{n}"><c r="ZZZ{n}"><v>1</v></c></row>' for n in range(1, 60))
                )
            },
            TOO_LARGE,
        ),
        ({"sheet1": b"<worksheet"}, UNREADABLE),
        ({"sheet1": b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + sheet("<row/>")}, UNREADABLE),
        ({"sheet1": sheet('<row r="1"><c r="A1" t="s"><v>77</v></c></row>')}, UNREADABLE),
        ({"workbook": b"<workbook/>"}, UNREADABLE),
    ],
)
def test_up_03_a_hostile_workbook_is_refused_in_a_sentence(parts, told):
    assert problems(repacked(written(WIDE), **parts)) == told


def test_a_sheet_may_claim_to_be_larger_than_it_is():
    claims = sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>played_at</t></is></c></row>', "A1:XFD1048576")
    assert "The column is missing" in problems(repacked(written(WIDE), sheet1=claims))[0]


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x03\x04" + b"x" * 500, written(WIDE)[:-400]])
def test_a_damaged_workbook_is_refused(data):
    assert problems(data) == UNREADABLE


def test_another_archive_is_no_workbook():
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("games.csv", "played_at")
    assert problems(packed.getvalue()) == UNREADABLE


def test_an_empty_workbook_is_an_empty_file():
    assert problems(written()) == ["The file is empty."]
