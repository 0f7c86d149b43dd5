"""Game files: what is read, what is refused and where, and that what is written reads back."""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy
from hypothesis import example, given
from hypothesis import strategies as st

from leagues.games_csv import (
    ErrorList,
    FileGame,
    FileSide,
    GamesFile,
    csv_lines,
    game_key,
    neutral,
    read_games,
    with_keys,
    write_games,
)
from leagues.games_csv import table as csv_table
from leagues.names import name_problem, same_name, tidy

SOFIA = ZoneInfo("Europe/Sofia")
WIDE = "played_at,side 1,points 1,side 2,points 2,side 3,points 3,note\n"
LONG = "game,played_at,side,player,points,note\n"


def read(
    text: str | bytes, *, timezone: ZoneInfo = SOFIA, language: str = "en", encoding: str | None = None
) -> GamesFile:
    data = text.encode() if isinstance(text, str) else text
    return read_games(data, timezone=timezone, language=language, encoding=encoding)


def read_rows(*rows: str, header: str = WIDE) -> GamesFile:
    return read(header + "\n".join(rows))


def problems(file: GamesFile) -> list[str]:
    return [str(error) for error in file.errors]


def sides_of(game: FileGame) -> list[tuple[tuple[str, ...], int]]:
    return [(side.members, side.points) for side in game.sides]


# --- What is read


def test_a_wide_file_with_duels_and_teams() -> None:
    file = read_rows(
        "2026-03-01 18:05,Захари + Валя,120,Марина,-30,Добри+1,0,first round",
        "2026-03-02,Ann,1,Bob,2",
    )
    assert problems(file) == []
    assert (file.form, file.encoding, file.error_count) == ("wide", "utf-8", 0)
    first, second = file.games
    assert first.played_at == datetime(2026, 3, 1, 16, 5, tzinfo=UTC)
    assert sides_of(first) == [(("Захари", "Валя"), 120), (("Марина",), -30), (("Добри+1",), 0)]
    assert (first.note, first.line, second.line) == ("first round", 2, 3)
    assert second.played_at == datetime(2026, 3, 1, 22, tzinfo=UTC)
    assert sides_of(second) == [(("Ann",), 1), (("Bob",), 2)]


def test_a_long_file_groups_rows_wherever_they_stand() -> None:
    file = read_rows(
        "a,2026-03-01T10:00,2,Bob,5,",
        "b,2026-02-01,1,Ann,1,",
        "a,2026-03-01 10:00:00,1,Ann,7,final",
        "a,2026-03-01T08:00Z,1,Cid,7,",
        "b,2026-02-01,2,Bob,3,",
        header=LONG,
    )
    assert problems(file) == []
    assert file.form == "long"
    earlier, later = file.games
    assert sides_of(earlier) == [(("Ann",), 1), (("Bob",), 3)]
    assert sides_of(later) == [(("Ann", "Cid"), 7), (("Bob",), 5)]
    assert (later.line, later.note) == (2, "final")


def test_games_come_in_order_of_play_and_equal_times_in_the_order_of_the_file() -> None:
    file = read_rows(
        "2026-03-02,A,1,B,0", "2026-03-01 09:00,C,1,D,0", "2026-03-01,E,1,F,0", "2026-03-02,G,1,H,0"
    )
    assert [game.line for game in file.games] == [4, 3, 2, 5]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found_in_the_header(separator: str) -> None:
    text = 'Played_At, SIDE 1 ,points 1,"side 2",Points 2\n2026-03-01,"A, B; C",1,D,2\n'
    quoted = '"A, B; C"'
    cells = [cell.replace(",", separator) for cell in text.split(quoted)]
    (game,) = read(quoted.join(cells)).games
    assert game.sides[0].members == ("A, B; C",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_and_blank_rows(end: str) -> None:
    rows = [WIDE.strip(), "", "2026-03-01,A,1,B,2", ",,,,", "2026-03-02,A,x,B,2"]
    file = read(end.join(rows))
    assert [game.line for game in file.games] == [3]
    assert [error.line for error in file.errors] == [5]


def test_a_quoted_line_break_does_not_shift_the_lines_of_errors() -> None:
    file = read_rows('2026-03-01,A,1,B,2,,,"two\nlines"', "2026-03-01,A,1,B,x")
    assert file.games[0].note == "two lines"
    assert [error.line for error in file.errors] == [4]


def test_names_are_tidied() -> None:
    (game,) = read_rows("2026-03-01, e\u0301va \u202e + Bo\u00a0\u00a0b ,1,C,2").games
    assert game.sides[0].members == ("éva", "Bo b")


# --- Encodings


@pytest.mark.parametrize(
    ("encoding", "language", "given_encoding", "reported"),
    [
        ("utf-8", "bg", None, "utf-8"),
        ("utf-8-sig", "en", None, "utf-8"),
        ("utf-16", "en", None, "utf-16"),
        ("cp1251", "bg", None, "cp1251"),
        ("cp1251", "en", "cp1251", "cp1251"),
        ("utf-8", "bg", "cp1251", "utf-8"),
        ("utf-16-le", "bg", "utf-16-le", "utf-16-le"),
    ],
)
def test_up_04_r106_cyrillic_in_every_encoding(
    encoding: str, language: str, given_encoding: str | None, reported: str
) -> None:
    data = (WIDE + "2026-03-01,Захари,1,Щерьо,2").encode(encoding)
    file = read(data, language=language, encoding=given_encoding)
    assert problems(file) == []
    assert sides_of(file.games[0]) == [(("Захари",), 1), (("Щерьо",), 2)]
    assert file.encoding == reported


def test_big_endian_utf_16() -> None:
    data = b"\xfe\xff" + (WIDE + "2026-03-01,Захари,1,B,2").encode("utf-16-be")
    assert read(data).games[0].sides[0].members == ("Захари",)


@pytest.mark.parametrize(("language", "name"), [("tr", "Işık Şenöz"), ("de", "Jürgen")])
def test_old_encodings_follow_the_language(language: str, name: str) -> None:
    encoding = {"tr": "cp1254"}.get(language, "cp1252")
    file = read((WIDE + f"2026-03-01,{name},1,B,2").encode(encoding), language=language)
    assert file.games[0].sides[0].members == (name,)
    assert file.encoding == encoding


def test_up_04_r106_bytes_that_are_no_character_are_named() -> None:
    data = WIDE.encode() + b"2026-03-01,\xc7\xe0,1,B,2\n2026-03-01,A\x98,1,B,2\r2026-03-01,\x98,1,B,2"
    file = read(data, language="bg")
    assert file.games == ()
    assert problems(file) == [
        "Line 3: Byte 13 of the line, 0x98, is not in cp1251: save the file as UTF-8.",
        "Line 4: Byte 12 of the line, 0x98, is not in cp1251: save the file as UTF-8.",
    ]


def test_up_04_damaged_utf_8_is_not_read_as_something_else() -> None:
    data = (WIDE + "2026-03-01,Захари,1,B,2\n").encode() + b"2026-03-01,\xff,1,B,2"
    assert problems(read(data, language="bg")) == [
        "Line 3: Byte 12 of the line, 0xFF, is not in utf-8: save the file as UTF-8."
    ]


def test_cut_utf_16_names_its_line() -> None:
    (problem,) = problems(read((WIDE + "2026-03-01,A,1,B,2").encode("utf-16") + b"\x00"))
    assert problem.startswith("Line 2: Byte ")


@pytest.mark.parametrize("encoding", ["nonsense", "rot13", "base64", "a\0b", "idna" * 30])
def test_an_unknown_encoding_is_a_sentence(encoding: str) -> None:
    (problem,) = problems(read(b"\xff\xff,\xff", encoding=encoding))
    assert "is no encoding that can be read" in problem


@pytest.mark.parametrize(
    "data",
    [
        b"\x00",
        (WIDE + "2026-03-01,A\0,1,B,2").encode(),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\n\x81",  # a workbook of before XLSX
    ],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    (problem,) = problems(read(data))
    assert "This is no text" in problem


@pytest.mark.parametrize("data", [b"", b"\n\r\n", b"\xef\xbb\xbf", b" ;;\n\t,"])
def test_an_empty_file(data: bytes) -> None:
    assert problems(read(data)) == ["The file is empty."]


def test_a_header_alone_holds_no_game() -> None:
    assert problems(read(WIDE)) == ["The file has a header but no game: put each game in a row below it."]
    assert read(LONG).error_count == 1


# --- The header


def test_a_file_without_a_header() -> None:
    assert problems(read("2026-03-01,A,1,B,2\n2026-03-02,A,1,B,2")) == [
        "Line 1: The first row must name the columns: played_at, side 1, points 1, side 2, points 2."
    ]


def test_columns_that_are_missing_unknown_or_there_twice() -> None:
    file = read("played_at,side 1,side 1,points 1,side 3,points 3,colour,,points 0\nx,A,B,1,C,2")
    assert problems(file) == [
        "Line 1, side 1: The column is there twice: keep one of them.",
        *(
            f"Line 1, {name}: This is no column of a game file: "
            "there are played_at, side 1, points 1, side 2, ..., note and kind."
            for name in ("colour", "8", "points 0")
        ),
        "Line 1, side 2: The column is missing: add it to the first row.",
        "Line 1, points 2: The column is missing: add it to the first row.",
    ]


def test_an_unknown_column_does_not_hide_the_errors_of_the_rows() -> None:
    file = read("played_at,side 1,points 1,side 2,points 2,colour\n2026-03-01,A,x,B,2,red")
    assert [(error.line, error.column) for error in file.errors] == [(1, "colour"), (2, "points 1")]


def test_missing_columns_of_the_long_form() -> None:
    file = read("game,player,points\n1,Ann,2")
    assert [error.column for error in file.errors] == ["played_at", "side"]


def test_empty_columns_at_the_end_are_nothing() -> None:
    assert read("played_at;side 1;points 1;side 2;points 2;;\n2026-03-01;A;1;B;2;;;;").error_count == 0


# --- Rows


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("2026-03-01,A,1", "side 2: A game needs two sides or more."),
        ("2026-03-01", "side 1: A game needs two sides or more."),
        ("2026-03-01,A,1,,,C,3", "side 2: The side is empty but a later one is not: leave no side out."),
        ("2026-03-01,A,1,B,", "points 2: Write the points."),
        (",A,1,B,2", "played_at: Write the day, or day and time, like 2026-11-29 or 2026-11-29 18:05."),
        ("2026-03-01,A,1,,2", "side 2: A name is needed: it has no visible character."),
        ("2026-03-01,A +,1,B,2", "side 1: A name is needed: it has no visible character."),
        ("2026-03-01,A + + C,1,B,2", "side 1: A name is needed: it has no visible character."),
        (f"2026-03-01,{'x' * 101},1,B,2", "side 1: A name has at most 100 characters."),
        ("2026-03-01,A,1,a,2", "side 2: “a” is in this game twice: name each player once."),
        ("2026-03-01,Işık + IŞIK,1,B,2", "side 1: “IŞIK” is in this game twice: name each player once."),
        (
            "2026-03-01,A,1,B,2,,,,extra",
            "The row has 9 cells, the header 8: quote a cell that holds a separator.",
        ),
        (f"2026-03-01,A,1,B,2,,,{'n' * 201}", "note: A note has at most 200 characters."),
    ],
)
def test_each_bad_row_says_where_and_what(row: str, problem: str) -> None:
    file = read_rows("2026-02-01,A,1,B,2", row)
    separator = ", " if not problem.startswith("The row") else ": "
    assert problems(file) == [f"Line 3{separator}{problem}"]
    assert [game.line for game in file.games] == [2]


@pytest.mark.parametrize(
    ("cell", "points"),
    [
        ("0", 0),
        ("007", 7),
        ("-3", -3),
        ("−3", -3),
        ("+3", 3),
        ("1000000000", 10**9),
        ("-1000000000", -(10**9)),
    ],
)
def test_points_are_whole_numbers(cell: str, points: int) -> None:
    assert read_rows(f"2026-03-01,A,{cell},B,2").games[0].sides[0].points == points


@pytest.mark.parametrize("cell", ["1.0", '"1,5"', "1e3", "١", "²", "1 000", "--1", "0x1", "1_0", "a", "½"])
def test_up_02_what_is_no_whole_number_is_refused(cell: str) -> None:
    (error,) = read_rows(f"2026-03-01,A,{cell},B,2").errors
    shown = cell.strip('"')
    assert (
        str(error)
        == f"Line 2, points 1: “{tidy(shown)}” is no whole number: write only digits, like 12 or -3."
    )


@pytest.mark.parametrize("cell", ["1000000001", "-1000000001", "9" * 50_000])
def test_points_have_a_largest_size(cell: str) -> None:
    (error,) = read_rows(f"2026-03-01,A,{cell},B,2").errors
    assert "is too large: points lie between -1000000000 and 1000000000." in str(error)
    assert len(str(error)) < 200


def test_all_errors_of_a_row_are_listed() -> None:
    file = read_rows("yesterday,A + A,x,B,y")
    assert [error.column for error in file.errors] == ["played_at", "points 1", "points 2", "side 1"]


def test_the_first_hundred_errors_are_kept_and_all_counted() -> None:
    file = read_rows(*["2026-03-01,A,x,B,2"] * 150)
    assert [error.line for error in file.errors] == list(range(2, 102))
    assert file.error_count == 150


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('2026-03-01,"A,1,B,2\n2026-03-02,A,1,B,2', 3),
        ('2026-03-01,"A"a,1,B,2\n2026-03-02,A,1,B,2', 3),
        (f"2026-03-01,{'x' * 200_000},1,B,2", 3),
    ],
)
def test_a_row_that_cannot_be_taken_apart_names_its_line(text: str, line: int) -> None:
    file = read(WIDE + "2026-03-01,A,1,B,2\n" + text)
    assert [error.line for error in file.errors] == [line]
    assert "quotation mark" in str(file.errors[0])


def test_a_file_has_a_largest_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_table, "MAX_ROWS", 3)
    row = "2026-03-01,A,1,B,2"
    assert read_rows(*[row] * 3).error_count == 0
    assert problems(read_rows(*[row] * 5)) == ["Line 5: The file has more than 200,000 rows: split it."]
    assert problems(read_rows(row, "", ",,", row)) == [
        "Line 5: The file has more than 200,000 rows: split it."
    ]
    assert read_rows(row, row, row, *[",,,,"] * 50, "").error_count == 0, "blank rows at the end"


def test_a_file_has_a_largest_number_of_columns() -> None:
    columns = "played_at," + ",".join(f"side {n},points {n}" for n in range(1, 1000)) + ",note"
    assert read(f"{columns}\n2026-03-01,A,1,B,2\n").error_count == 0
    assert problems(read(f"{columns}{',x' * 100_000}\n2026-03-01,A,1,B,2\n")) == [
        "Line 1: The file has more than 2,000 columns: 999 sides are the most."
    ]


def test_up_03_blank_columns_cost_no_time() -> None:
    # Looking through what is left of the header for each column would take days.
    header = f"played_at,side 1,points 1,side 2,points 2{',' * 1_000_000}"
    assert len(read(f"{header}\n2026-03-01,A,1,B,2\n").games) == 1


def test_a_short_row_of_a_file_with_columns_in_any_order() -> None:
    (game,) = read("points 3,side 2,points 2,points 1,side 1,played_at,side 3\n,B,2,1,A,2026-03-01\n").games
    assert [(side.members, side.points) for side in game.sides] == [(("A",), 1), (("B",), 2)]
    (game,) = read(
        "side 3,side 2,points 2,points 1,side 1,played_at,points 3\nC,B,2,1,A,2026-03-01,3\n"
    ).games
    assert [side.points for side in game.sides] == [1, 2, 3]


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        (["g,2026-03-01,1,A,1,", "g,2026-03-01,1,B,1,"], [(2, "side")]),
        (["g,2026-03-01,1,A,1,", "g,2026-03-01,3,B,1,"], [(3, "side")]),
        (["g,2026-03-01,1,A,1,", "g,2026-03-02,2,B,1,"], [(3, "played_at")]),
        (["g,2026-03-01,1,A,1,x", "g,2026-03-01,2,B,1,y"], [(3, "note")]),
        (["g,2026-03-01,1,A,1,", "g,2026-03-01,2,B,1,", "g,2026-03-01,1,C,2,"], [(4, "points")]),
        (["g,2026-03-01,1,A,1,", "g,2026-03-01,2,a,1,"], [(3, "player")]),
        (["g,2026-03-01,1,A,1,", "g,2026-03-01,red,B,1,"], [(3, "side")]),
        (["g,2026-03-01,1,A,1,", "g,2026-03-01,2,A + B,1,"], [(3, "player")]),
        ([",x,0,,1.5,"], [(2, "game"), (2, "played_at"), (2, "side"), (2, "player"), (2, "points")]),
    ],
)
def test_rows_of_the_long_form_must_agree(rows: list[str], places: list[tuple[int, str]]) -> None:
    file = read_rows(*rows, header=LONG)
    assert [(error.line, error.column) for error in file.errors] == places
    assert file.games == ()


# --- Times


@pytest.mark.parametrize(
    ("cell", "instant"),
    [
        ("2026-07-01", "2026-06-30T21:00:00+00:00"),
        ("2026-01-01", "2025-12-31T22:00:00+00:00"),
        ("2026-07-01T18:05", "2026-07-01T15:05:00+00:00"),
        ("2026-07-01 18:05:30", "2026-07-01T15:05:30+00:00"),
        ("2026-07-01t18:05z", "2026-07-01T18:05:00+00:00"),
        ("2026-07-01 18:05+0200", "2026-07-01T16:05:00+00:00"),
        ("2026-07-01T18:05:00.25-05:30", "2026-07-01T23:35:00.250000+00:00"),
        ("0002-01-01T00:00Z", "0002-01-01T00:00:00+00:00"),
        ("9998-12-31T23:00-10", "9999-01-01T09:00:00+00:00"),
        # 25 October 2026 in Sofia: 03:30 comes twice, first in summer time (+03).
        ("2026-10-25 03:30", "2026-10-25T00:30:00+00:00"),
        ("2026-10-25 03:30+02:00", "2026-10-25T01:30:00+00:00"),
    ],
)
def test_times_are_instants(cell: str, instant: str) -> None:
    file = read_rows(f"{cell},A,1,B,2")
    assert problems(file) == []
    assert file.games[0].played_at.isoformat() == instant


@pytest.mark.parametrize(
    "cell",
    ["01.03.2026", "2026-3-1", "2026-02-30", "2026-03-01T24:00", "2026-03-01T10:60", "2026-03-01 10",
     "2026-W10-1", "20260301", "2026-03-01T10:00+25:00", "2026-03-01  10:00", "٢٠٢٦-٠٣-٠١", "now"],
)  # fmt: skip
def test_what_is_no_time_is_refused(cell: str) -> None:
    (error,) = read_rows(f"{cell},A,1,B,2").errors
    assert (error.line, error.column) == (2, "played_at")
    assert "is no date or time: write it like 2026-11-29 or 2026-11-29 18:05." in str(error)


@pytest.mark.parametrize("cell", ["0000-01-01", "0001-01-01", "9999-12-31T23:59", "9999-12-31T23:59-12:00"])
def test_years_at_the_ends_of_the_calendar_are_refused(cell: str) -> None:
    assert read_rows(f"{cell},A,1,B,2").error_count == 1


def test_a_local_time_that_the_clocks_skipped_is_refused() -> None:
    assert problems(read_rows("2026-03-29 03:30,A,1,B,2", "2026-03-29 03:30+02:00,A,1,B,2")) == [
        "Line 2, played_at: “2026-03-29 03:30” does not exist in Europe/Sofia: the clocks skipped that time."
    ]


def test_a_bare_date_is_the_first_moment_of_its_day() -> None:
    """In Beirut the clocks go from 00:00 to 01:00 on 29 March 2026."""
    file = read(WIDE + "2026-03-29,A,1,B,2", timezone=ZoneInfo("Asia/Beirut"))
    assert file.games[0].played_at.isoformat() == "2026-03-28T22:00:00+00:00"


def test_a_day_that_a_country_skipped_is_refused() -> None:
    """Samoa had no 30 December 2011."""
    assert read(WIDE + "2011-12-30,A,1,B,2", timezone=ZoneInfo("Pacific/Apia")).error_count == 1


# --- Errors as texts


def test_errors_speak_the_language_of_their_reader() -> None:
    errors = ErrorList()
    errors.add(7, "points 1", gettext_lazy("Yes"))
    (error,) = errors.in_order()
    with translation.override("tr"):
        turkish = str(error)
    assert str(error) == "Line 7, points 1: Yes"
    assert turkish.endswith("Evet")


# --- The identity of a game


def key(*sides: tuple[str, int], at: datetime | None = None, occurrence: int = 1) -> str:
    played = [FileSide(tuple(names.split("+")), points) for names, points in sides]
    return game_key(at or datetime(2026, 3, 1, tzinfo=UTC), played, occurrence)


def test_a_key_is_the_same_for_the_same_game() -> None:
    assert len(key(("A", 1), ("B", 2))) == 32
    assert key(("A+B", 1), ("C", 2)) == key(("b+A", 1), ("c", 2))
    local = datetime(2026, 3, 1, 2, tzinfo=SOFIA)
    assert key(("A", 1), ("B", 2), at=local) == key(("A", 1), ("B", 2))


def test_a_key_never_changes_between_releases() -> None:
    """Keys are stored with the games: importing an old file again must find them."""
    stored = '["2026-03-01T00:00:00.000000+00:00", [[["ann", "bob"], 120], [["i\\u015fik"], -3]], 1]'
    assert key(("Bob+Ann", 120), ("Işık", -3)) == hashlib.sha256(stored.encode()).hexdigest()[:32]


def test_every_part_of_a_game_is_in_its_key() -> None:
    others = [
        key(("B", 2), ("A", 1)),
        key(("A", 1), ("B", 3)),
        key(("A", 1), ("C", 2)),
        key(("A+B", 1), ("C", 2)),
        key(("A", 1), ("B+C", 2)),
        key(("A", 1), ("B", 2), at=datetime(2026, 3, 1, 0, 0, 1, tzinfo=UTC)),
        key(("A", 1), ("B", 2), occurrence=2),
        key(("A", 1), ("B", 2)),
    ]
    assert len(set(others)) == len(others)


def test_equal_rows_are_two_games() -> None:
    file = read_rows("2026-03-01,A,1,B,2", "2026-03-02,A,1,B,2", "2026-03-01T00:00:00+02:00,a,1,b,2")
    keys = [key for _game, key in with_keys(file.games)]
    assert len(set(keys)) == 3
    assert keys[1] == game_key(file.games[0].played_at, file.games[0].sides, 2)


# --- Writing


def written(games: Iterable[FileGame], zone: ZoneInfo = SOFIA) -> str:
    return "".join(write_games(games, timezone=zone))


def test_r105_a_written_file_looks_like_this() -> None:
    games = [
        FileGame(
            2, datetime(2026, 7, 1, 15, 5, tzinfo=UTC), (FileSide(("A", "B"), 1), FileSide(("C",), -2)), "x"
        ),
        FileGame(
            3,
            datetime(2026, 12, 1, 15, tzinfo=UTC),
            tuple(FileSide((name,), 0) for name in ("=A", "D, E", "F")),
        ),
    ]
    assert written(games).split("\r\n") == [
        "\ufeffplayed_at,side 1,points 1,side 2,points 2,side 3,points 3,note",
        "2026-07-01T18:05:00+03:00,A + B,1,C,-2,,,x",
        '2026-12-01T17:00:00+02:00,\'=A,0,"D, E",0,F,0,',
        "",
    ]


def test_no_game_is_a_header() -> None:
    assert written([]) == "\ufeffplayed_at,side 1,points 1,side 2,points 2,note\r\n"


texts = st.text(max_size=20) | st.text(st.sampled_from("AaBЗıİ'=+-@,;\"\t ＝0"), max_size=8)
names = texts.map(tidy).filter(lambda name: name_problem(name) is None)


@st.composite
def file_games(draw: st.DrawFn) -> FileGame:
    members = draw(st.lists(names, min_size=2, max_size=8, unique_by=same_name))
    cuts = sorted(draw(st.sets(st.integers(1, len(members) - 1), min_size=1)))
    teams = [tuple(members[start:end]) for start, end in pairwise([0, *cuts, len(members)])]
    points = st.integers(-(10**9), 10**9)
    played_at = draw(st.datetimes(datetime(3, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
    note = tidy(draw(st.text(max_size=30)))
    return FileGame(0, played_at, tuple(FileSide(team, draw(points)) for team in teams), note)


@given(
    st.lists(file_games(), min_size=1, max_size=4),
    st.sampled_from(["Europe/Sofia", "UTC", "America/St_Johns"]),
)
@example(
    [FileGame(0, datetime(2026, 10, 25, 1, 30, tzinfo=UTC), (FileSide(("'=a",), 1), FileSide(("-5",), 2)))],
    "Europe/Sofia",
)
def test_what_is_written_reads_back_the_same(games: list[FileGame], zone: str) -> None:
    file = read(written(games, ZoneInfo(zone)))
    in_order = sorted(games, key=lambda game: game.played_at)
    assert problems(file) == []
    assert [(game.played_at, game.sides, game.note) for game in file.games] == [
        (game.played_at, game.sides, game.note) for game in in_order
    ]
    assert [key for _game, key in with_keys(file.games)] == [key for _game, key in with_keys(in_order)]


@given(st.binary(max_size=400))
@example(b'"')
def test_no_bytes_raise(data: bytes) -> None:
    for language in ("bg", "en", "tr"):
        file = read(data, language=language)
        assert file.error_count > 0
        assert all(problems(file))


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_no_text_in_a_cell_raises(time: str, side: str, points: str) -> None:
    cells = [cell.replace('"', '""') for cell in (time, side, points)]
    file = read((WIDE + '"{}","{}","{}",B,2'.format(*cells)).encode("utf-8", "replace"))
    assert len(file.games) == (file.error_count == 0)


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1 + B", "'+1 + B"),
        ("@x", "'@x"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("＝x", "'＝x"),
        ("-Ann", "'-Ann"),
        ("'=x", "''=x"),
        ("Ann;=cmd|' /C calc'!A0;", "Ann;'=cmd|' /C calc'!A0;"),
        ("=1;-1; @x;'+2", "'=1;'-1; '@x;''+2"),
        ("cup\t=1", "cup\t'=1"),
        ("a; b;c=1-1", "a; b;c=1-1"),
        ("-12.5", "-12.5"),
        ("+5,6", "+5,6"),
        (-3, -3),
        ("Ann", "Ann"),
        ("'Ann", "'Ann"),
        ("", ""),
        (None, None),
    ],
)
def test_xs_02_only_what_a_spreadsheet_would_run_is_made_neutral(cell: object, safe: object) -> None:
    assert neutral(cell) == safe


def test_lines_of_any_table() -> None:
    rows: list[list[object]] = [["player", "rating"], ["=Ann", -1.5], ['B "b", C', None]]
    assert list(csv_lines(rows)) == ["\ufeffplayer,rating\r\n", "'=Ann,-1.5\r\n", '"B ""b"", C",\r\n']
