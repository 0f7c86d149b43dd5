"""A game written in one line, read without a database.

    ann 50, bob 30, cyd 30
    ann+bob 21 : 15 cyd+dan @ yesterday 21:30
    ann 3 : 0 bob #forfeit
    ann #bye

Sides with their points stand between commas, or between semicolons where a name has a comma; two sides may
stand around their score. ``+`` joins the members of a team. At the end, after an ``@``, stands when it was
played: a time of today, today or yesterday with or without a time, or a date as in game files; and after a
``#``, before or behind the time, the kind of a game that was not simply played. A bye is one side without
points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from leagues.games_csv import BYE, FORFEIT, FRIENDLY, instant, shown, whole_points
from leagues.names import fold, tidy

LINE_LENGTH = 1_000

# In all languages of the site at once, because people mix them; in whatever letters.
_DAYS_AGO = {
    fold(word): days
    for days, words in enumerate([("today", "днес", "bugün"), ("yesterday", "вчера", "dün")])
    for word in words
}
_NOW = {fold(word) for word in ("now", "сега", "şimdi")}
_KINDS = {
    fold(word): kind
    for kind, words in (
        (FORFEIT, ("forfeit", "служебна", "служебно", "hükmen")),
        (FRIENDLY, ("friendly", "unrated", "приятелска", "dostluk")),
        (BYE, ("bye", "почива", "почивка", "бай", "bay")),
    )
    for word in words
}
_FILLERS = {fold(word) for word in ("at", "в", "във", "saat")}

_NUMBER = r"[+\-−]?[0-9]+"
_MARK = re.compile(r"(?:^|\s)(?:@(?P<time>[^@#]*)|#\s*(?P<kind>[^\W\d_]+)\s*)$")
_SCORE = re.compile(rf"(.*?\S)\s+({_NUMBER})\s*[:–—-]\s*({_NUMBER})\s+(\S.*)")
_SIDE = re.compile(r"(.*?[^\s:=])[\s:=]+([+\-−]?[0-9]\S*)\s*")
_CLOCK = re.compile(r"(?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9])")


@dataclass(frozen=True, slots=True)
class WrittenName:
    """A name and the place in the line where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class WrittenSide:
    """A side; ``points`` is None where none are written or they are no whole number."""

    members: tuple[WrittenName, ...]
    points: int | None


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """What could be read of a line, and a sentence for each part that could not.

    ``time`` is what stands after the @, "" for nothing; ``played_at``, in UTC, is None where that is no time.
    ``word`` stands after the #, "" for nothing; ``kind``, as in game files, is "" where that is no kind.
    """

    sides: tuple[WrittenSide, ...]
    time: str
    played_at: datetime | None
    word: str
    kind: str
    problems: tuple[str, ...]


def read_line(line: str, *, now: datetime, zone: ZoneInfo) -> WrittenGame:
    """Read a game of a league whose times are in ``zone``; bad input becomes problems, never an exception.

    A time that the clocks skipped is a problem; one that happens twice is its first, as in files.
    """
    problems: list[str] = []
    marks, end = _marks(line)
    word = marks.get("kind", "")
    kind = _KINDS.get(fold(word), "")
    sides = tuple(_sides(line, end, problems, scored=kind != BYE))
    if kind == BYE and len(sides) != 1:
        problems.append(_("A bye has exactly one side: write “ann #bye”, or “ann+bob #bye” for a team."))
    elif kind != BYE and len(sides) < 2:
        problems.append(_("A game has at least two sides: write “ann 50, bob 30” or “ann 21 : 15 bob”."))
    time = marks.get("time", "")
    moment = _moment(time, now, zone) if time else None
    if isinstance(moment, str):
        problems.append(moment)
    if word and not kind:
        message = _(
            "“%(word)s” is no kind of game: write #forfeit where it was decided without play, #friendly "
            "where it was played and is not rated, or #bye where nobody was against it."
        )
        problems.append(message % {"word": shown(word)})
    played_at = None if isinstance(moment, str) else moment
    return WrittenGame(sides, time, played_at, word, kind, tuple(problems))


def _marks(line: str) -> tuple[dict[str, str], int]:
    """What stands after the @ and the # at the end of the line, and where the sides before them end."""
    marks: dict[str, str] = {}
    end = len(line)
    while (mark := _MARK.search(line, 0, end)) and mark.lastgroup and mark.lastgroup not in marks:
        marks[mark.lastgroup] = mark[mark.lastgroup].strip()
        end = mark.start()
    return marks, end


def _sides(line: str, end: int, problems: list[str], *, scored: bool) -> Iterator[WrittenSide]:
    comma = next((sign for sign in ";," if sign in line[:end]), None)
    score = _SCORE.fullmatch(line, 0, end)
    if score and comma is None:
        yield WrittenSide(_names(line, *score.span(1)), _points(score[2], problems))
        yield WrittenSide(_names(line, *score.span(4)), _points(score[3], problems))
        return
    for start, stop in _parts(line, end, comma):
        if not line[start:stop].strip():
            continue  # a comma at the end, or one too many
        side = _SIDE.fullmatch(line, start, stop)
        if side is None and scored:
            message = _("“%(part)s” needs a name and points, as in “ann 50”.")
            problems.append(message % {"part": shown(line[start:stop])})
        points = _points(side[2], problems) if side else None
        yield WrittenSide(_names(line, *(side.span(1) if side else (start, stop))), points)


def _parts(line: str, end: int, comma: str | None) -> Iterator[tuple[int, int]]:
    """Where the parts between the commas begin and end."""
    start = 0
    for stop in [place for place in range(end) if line[place] == comma]:
        yield start, stop
        start = stop + 1
    yield start, end


def _names(line: str, start: int, end: int) -> tuple[WrittenName, ...]:
    names = re.compile(r"[^+\s](?:[^+]*[^+\s])?").finditer(line, start, end)
    return tuple(WrittenName(name[0], *name.span()) for name in names)


def _points(text: str, problems: list[str]) -> int | None:
    points = whole_points(text)
    if isinstance(points, int):
        return points
    problems.append(str(points) % {"value": shown(text)})
    return None


def _moment(text: str, now: datetime, zone: ZoneInfo) -> datetime | str:
    """When a game was played that somebody writes about now, or a sentence that says what is wrong."""
    words = [word for word in tidy(text).split() if fold(word) not in _FILLERS]
    if [fold(word) in _NOW for word in words] == [True]:
        return now.replace(second=0, microsecond=0)
    clock = next(filter(None, map(_CLOCK.fullmatch, words)), None)
    written = _date([word for word in words if not clock or word != clock[0]], now.astimezone(zone))
    if clock:
        written += f" {clock['hour']:0>2}:{clock['minute']}"
    moment = instant(written, zone)
    if isinstance(moment, datetime):
        return moment
    return str(moment) % {"value": shown(text), "zone": zone.key}


def _date(words: list[str], today: datetime) -> str:
    """The date that words mean, as game files write it; what they mean is not judged here."""
    days = [_DAYS_AGO.get(fold(word)) for word in words] or [0]
    if len(days) == 1 and days[0] is not None:
        return f"{today.date() - timedelta(days=days[0])}"
    return " ".join(words)
