"""A game written in one line: what is read of it, without a database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from leagues.one_line import WrittenGame, read_line

SOFIA = ZoneInfo("Europe/Sofia")
NOW = datetime(2026, 5, 1, 21, 40, 30, tzinfo=UTC)  # 00:40 on 2 May in Sofia


def read(line: str, now: datetime = NOW, zone: ZoneInfo = SOFIA) -> WrittenGame:
    return read_line(line, now=now, zone=zone)


def sides(line: str) -> list[tuple[str, int | None]]:
    return [(" + ".join(name.text for name in side.members), side.points) for side in read(line).sides]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ann 50, bob 30, cyd 30", [("ann", 50), ("bob", 30), ("cyd", 30)]),
        ("ann+bob 21 : 15 cyd+dan", [("ann + bob", 21), ("cyd + dan", 15)]),
        ("ann + bob 21:15 cyd + dan", [("ann + bob", 21), ("cyd + dan", 15)]),
        ("ann 21-15 bob", [("ann", 21), ("bob", 15)]),
        ("ann 21 – 15 bob", [("ann", 21), ("bob", 15)]),
        ("ann -3 : -5 bob", [("ann", -3), ("bob", -5)]),
        ("ann −3, bob +5,", [("ann", -3), ("bob", 5)]),
        ("ann: 50, bob = 30", [("ann", 50), ("bob", 30)]),
        ("Ann Lee 50,Player 2 30", [("Ann Lee", 50), ("Player 2", 30)]),
        ("Player 1 21:15 Player 2", [("Player 1", 21), ("Player 2", 15)]),
        ("Lee, Ann 50; Bob 30", [("Lee, Ann", 50), ("Bob", 30)]),
        ("  Захари  50 ,, Валя+Çağla 30 ", [("Захари", 50), ("Валя + Çağla", 30)]),
        ("Jean-Luc 5, Anne-Marie 3", [("Jean-Luc", 5), ("Anne-Marie", 3)]),
        ("x@y 5, bob 3", [("x@y", 5), ("bob", 3)]),
    ],
)
def test_sides_stand_between_commas_or_around_a_score(line, expected):
    assert sides(line) == expected
    assert read(line).problems == ()


def test_each_name_tells_where_it_stands():
    line = "ann + Ann Lee 21 : 15 ann @ yesterday 21:30"
    names = [name for side in read(line).sides for name in side.members]
    assert [(name.text, line[name.start : name.end]) for name in names] == [
        ("ann", "ann"), ("Ann Lee", "Ann Lee"), ("ann", "ann"),
    ]  # fmt: skip
    assert [name.start for name in names] == [0, 6, 22]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "A game has at least two sides: write “ann 50, bob 30” or “ann 21 : 15 bob”."),
        ("ann 50", "A game has at least two sides: write “ann 50, bob 30” or “ann 21 : 15 bob”."),
        ("ann 50, bob", "“bob” needs a name and points, as in “ann 50”."),
        ("ann 50, 30", "“30” needs a name and points, as in “ann 50”."),
        ("ann 50, bob 3.5", "“3.5” is no whole number: write only digits, like 12 or -3."),
        (
            "ann 9999999999 : 1 bob",
            "“9999999999” is too large: points lie between -1000000000 and 1000000000.",
        ),
        (
            "ann 5, bob 3 @ tomorow",
            "“tomorow” is no date or time: write it like 2026-11-29 or 2026-11-29 18:05.",
        ),
        (
            "ann 5, bob 3 @ 2026-02-30",
            "“2026-02-30” is no date or time: write it like 2026-11-29 or 2026-11-29 18:05.",
        ),
        (
            "ann 5, bob 3 @ 25:00",
            "“25:00” is no date or time: write it like 2026-11-29 or 2026-11-29 18:05.",
        ),
    ],
)
def test_a_part_that_cannot_be_read_is_named(line, problem):
    assert read(line).problems == (problem,)


def test_all_problems_are_said_and_what_could_be_read_is_kept():
    game = read("ann 5x, bob @ soon")
    assert len(game.problems) == 3
    assert [side.points for side in game.sides] == [None, None]
    assert [side.members[0].text for side in game.sides] == ["ann", "bob"]
    assert (game.time, game.played_at) == ("soon", None)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("now", "2026-05-02 00:40"),
        ("сега", "2026-05-02 00:40"),
        ("ŞİMDİ", "2026-05-02 00:40"),
        ("21:30", "2026-05-02 21:30"),
        ("9:05", "2026-05-02 09:05"),
        ("today 0:05", "2026-05-02 00:05"),
        ("днес в 9:05", "2026-05-02 09:05"),
        ("bugün saat 09:05", "2026-05-02 09:05"),
        ("yesterday 21:30", "2026-05-01 21:30"),
        ("Yesterday at 21:30", "2026-05-01 21:30"),
        ("21:30 yesterday", "2026-05-01 21:30"),
        ("ВЧЕРА 21:30", "2026-05-01 21:30"),
        ("dün 21:30", "2026-05-01 21:30"),
        ("DUN 21:30", "2026-05-01 21:30"),
        ("yesterday", "2026-05-01 00:00"),
        ("2026-04-03", "2026-04-03 00:00"),
        ("2026-04-03 9:05", "2026-04-03 09:05"),
        ("2026-04-03T18:05", "2026-04-03 18:05"),
        ("2026-04-03 18:05+00:00", "2026-04-03 21:05"),
    ],
)
@pytest.mark.parametrize("at", ["@ ", "@"])
def test_a_time_is_of_the_leagues_day_in_any_language(time, expected, at):
    game = read(f"ann 5, bob 3 {at}{time}")
    assert game.problems == ()
    assert game.played_at is not None
    assert f"{game.played_at.astimezone(SOFIA):%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(
    ("end", "kind", "time"),
    [
        ("#forfeit", "forfeit", ""),
        ("# Forfeit ", "forfeit", ""),
        ("#служебна", "forfeit", ""),
        ("#HÜKMEN @ 9:05", "forfeit", "9:05"),
        ("@ yesterday 9:05 #friendly", "friendly", "yesterday 9:05"),
        ("@9:05 #приятелска", "friendly", "9:05"),
        ("#unrated", "friendly", ""),
        ("#dostluk", "friendly", ""),
        ("", "", ""),
    ],
)
@pytest.mark.parametrize("line", ["ann 3, bob 0", "ann 3 : 0 bob"])
def test_the_kind_of_a_game_is_a_word_behind_a_sign_in_any_language(line, end, kind, time):
    game = read(f"{line} {end}")
    assert (game.kind, game.time, game.problems) == (kind, time, ())
    assert [(side.members[0].text, side.points) for side in game.sides] == [("ann", 3), ("bob", 0)]


def test_only_a_word_at_the_end_is_a_kind():
    assert sides("Player #2 50, #1 Ann 30") == [("Player #2", 50), ("#1 Ann", 30)]
    assert sides("ann 21 : 15 Player #2") == [("ann", 21), ("Player #2", 15)]
    (problem,) = read("ann 3, bob 0 #forfiet").problems
    assert problem.startswith("“forfiet” is no kind of game: write #forfeit where")
    assert "needs a name and points" in read("ann 3, bob 0 forfeit").problems[0]


def test_without_a_time_none_is_said():
    assert read("ann 5, bob 3").played_at is None
    assert read("ann 5, bob 3 @").played_at is None
    assert read("ann 5, bob 3 @").problems == ()


def test_a_time_that_the_clocks_skipped_is_refused():
    now = datetime(2026, 3, 30, 9, tzinfo=UTC)
    game = read("ann 5, bob 3 @ yesterday 03:30", now)
    assert game.played_at is None
    assert game.problems == (
        "“yesterday 03:30” does not exist in Europe/Sofia: the clocks skipped that time.",
    )


def test_a_time_that_happens_twice_is_its_first_one():
    game = read("ann 5, bob 3 @ today 03:30", datetime(2026, 10, 25, 9, tzinfo=UTC))
    assert game.played_at == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_r69_today_is_the_leagues_day():
    now = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)
    auckland = ZoneInfo("Pacific/Auckland")  # there it is half past midnight on 2 May
    assert read("ann 5, bob 3 @ today 00:10", now, auckland).played_at == now - timedelta(minutes=20)


def test_problems_are_in_the_readers_language():
    with translation.override("bg"):
        (problem,) = read("ann 50, bob").problems
    assert "bob" in problem
    assert "needs" not in problem


@given(st.text(alphabet="ab1+-−:,;@#= \n\x00ЖıŞ٣", max_size=60))
def test_anything_is_read_without_an_exception(line):
    game = read(line)
    for side in game.sides:
        for name in side.members:
            assert line[name.start : name.end] == name.text
