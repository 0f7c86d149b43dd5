"""How a file is read that is laid out otherwise than game files: its columns, and how it writes days."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from leagues.names import tidy

Order = Literal["day", "month"]  # which of both a day like 3/4/2026 begins with

# What other programs and people call columns, in the languages of the site.
_DAYS = {"date", "day", "played", "datetime", "when", "дата", "ден", "кога", "tarih", "gün"}
# Of a file without a column of days these hold them too.
_CLOCKS = {"time", "hour", "време", "час", "zaman", "saat"}
_NOTES = {"notes", "comment", "remark", "бележка", "бележки", "коментар", "not", "açıklama"}
_FIRST = {"home", "host", "winner", "домакин", "победител", "ev sahibi", "kazanan"}
_SECOND = {"away", "guest", "visitor", "loser", "гост", "губещ", "deplasman", "konuk", "kaybeden"}
_SIDES = r"side|team|player|name|страна|отбор|играч|име|taraf|takım|oyuncu|ad"
_POINTS = r"points|score|goals|pts|result|точки|резултат|голове|puan|skor|gol|sonuç"
_JOINED = re.compile(r"(?<=[a-zа-я])(?=[A-ZА-Я])")  # HomeTeam
_SIDE = re.compile(rf"(?:{_SIDES})[ .]?([1-9][0-9]?)")
_SCORE = re.compile(rf"(?:{_POINTS})[ .]?([1-9][0-9]?)|([1-9][0-9]?) (?:{_POINTS})")
_DAY = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})(?: г\.?)?(?:[T, ]+([0-9].*))?")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2}(?::[0-9]{2})?)(?: ?([ap])\.?m\.?)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Layout:
    """What somebody said of a file: nothing, where it is to be found out."""

    columns: tuple[str, ...] = ()  # what each holds, called as in game files; empty texts are left out
    order: Order | None = None


AS_IT_SAYS = Layout()


def guess_columns(header: Sequence[str]) -> tuple[str, ...]:
    """What the columns of such a header hold, as far as their names tell; each thing once."""
    names = [re.sub(r"[_\s]+", " ", _JOINED.sub(" ", tidy(name))).casefold() for name in header]
    has_days = any(_meant(name) == "played_at" for name in names)
    found: list[str] = []
    for name in names:
        meant = ("clock" if has_days else "played_at") if name in _CLOCKS else _meant(name)
        found.append(meant if meant not in found else "")
    return tuple(found)


def _meant(name: str) -> str:
    if name in ("played at", *_DAYS):
        return "played_at"
    if name in ("note", *_NOTES):
        return "note"
    for number, words in ((1, _FIRST), (2, _SECOND)):
        for word in words:
            if name == word or re.fullmatch(rf"{word} (?:{_SIDES})", name):
                return f"side {number}"
            if re.fullmatch(rf"{word} (?:{_POINTS})", name):
                return f"points {number}"
    if match := _SIDE.fullmatch(name):
        return f"side {match[1]}"
    if match := _SCORE.fullmatch(name):
        return f"points {match[1] or match[2]}"
    return ""


def order_of(cells: Iterable[str]) -> tuple[Order | None, str]:
    """Which part of their days comes first, if they tell it; else a day that can be read in both ways.

    Days with dots always begin with the day. Where no day is written so, both are empty.
    """
    either = ""
    for cell in cells:
        match = _DAY.fullmatch(cell)
        if not match or match[2] == ".":
            continue
        first, second = int(match[1]), int(match[3])
        if first > 12 >= second:
            return "day", ""
        if second > 12 >= first:
            return "month", ""
        if first != second:
            either = either or cell
    return None, either


def in_iso(cell: str, order: Order | None) -> str:
    """A day like 29.11.2026 or 3/4/2026 18:05 in ISO 8601; what is written otherwise as it is."""
    match = _DAY.fullmatch(cell)
    if match is None:
        return cell
    first, dot, second, year, clock = match.groups()
    if dot != "." and order is None and first != second:
        return cell
    day, month = (second, first) if order == "month" and dot != "." else (first, second)
    return f"{year}-{month:0>2}-{day:0>2}" + (f" {in_24_hours(clock)}" if clock else "")


def is_day(cell: str) -> bool:
    """Whether it is a day, or a day and a time, in one of the ways ``in_iso`` reads."""
    return bool(_DAY.fullmatch(cell))


def in_24_hours(clock: str) -> str:
    """A time like 9:05 or 9:05 PM as in ISO 8601; what is written otherwise as it is."""
    match = _CLOCK.fullmatch(clock)
    if match is None:
        return clock
    hour = int(match[1])
    if match[3] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if match[3] in "pP" else 0)
    elif match[3]:
        return clock
    return f"{hour:02}:{match[2]}"
