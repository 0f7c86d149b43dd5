"""What a game file holds: games, errors, and the identity of a game."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Literal

from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from leagues.games_csv.layout import AS_IT_SAYS, Layout
from leagues.names import same_name

MAX_ERRORS = 100
# What the column ``kind`` may say; an empty cell, or no such column, is the first.
PLAYED, FORFEIT, FRIENDLY, BYE = KINDS = ("played", "forfeit", "friendly", "bye")

Form = Literal["wide", "long"]
# The instant, and for each side its members (matched by name, in any order) and points, as JSON.
Identity = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class FileSide:
    members: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class FileGame:
    """A game of a file; `line` is where its (first) row begins, `played_at` is in UTC."""

    line: int
    played_at: datetime
    sides: tuple[FileSide, ...]
    note: str = ""
    kind: str = PLAYED


@dataclass(frozen=True, slots=True)
class FileError:
    """What is wrong where; its text is a sentence with line and column, in the active language."""

    line: int | None
    column: str
    message: Promise | str

    def __str__(self) -> str:
        place = {"line": self.line, "column": self.column, "message": self.message}
        if self.line and self.column:
            return str(_("Line %(line)s, %(column)s: %(message)s") % place)
        return str(_("Line %(line)s: %(message)s") % place) if self.line else str(self.message)


@dataclass(frozen=True, slots=True)
class GamesFile:
    """The games that could be read, in order of play, and the first errors.

    Nothing of a file may be written unless `error_count` is 0; the games are there all the same, so that a
    service can find what else is wrong with them.
    """

    games: tuple[FileGame, ...]
    errors: tuple[FileError, ...]
    error_count: int
    encoding: str
    form: Form
    layout: Layout = AS_IT_SAYS  # as it was read
    header: tuple[str, ...] = ()  # where its columns are not called as in game files: what they are called,
    sample: tuple[str, ...] = ()  # and their first cells
    either: str = ""  # a day that can be read in two ways, and nobody said in which


class ErrorList:
    """Collects errors: all are counted, the first hundred kept."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[FileError] = []

    def add(self, line: int | None, column: str, message: Promise | str, **values: object) -> None:
        """`values` fill the placeholders of the message when it is shown."""
        self.count += 1
        if len(self._kept) < MAX_ERRORS:
            self._kept.append(FileError(line, column, _filled(message, values) if values else message))

    def in_order(self) -> tuple[FileError, ...]:
        return tuple(sorted(self._kept, key=lambda error: error.line or 0))


def game_key(played_at: datetime, sides: Iterable[FileSide], occurrence: int) -> str:
    """The identity of a game of a file: 32 hexadecimal digits.

    It depends on the instant, on the sides in order with their members and points, and on which of several
    such games it is (1, 2, ...). The order of a side's members and what `same_name` forgives do not count.
    """
    return _digest((_instant(played_at), tuple(map(_named, sides))), occurrence)


def with_keys(games: Iterable[FileGame]) -> Iterator[tuple[FileGame, str]]:
    """Each game with its key; equal games are numbered in the order they come."""
    seen: Counter[Identity] = Counter()
    named = cache(_named)  # for this file: most of its sides come again and again
    for game in games:
        identity = _instant(game.played_at), tuple(map(named, game.sides))
        seen[identity] += 1
        yield game, _digest(identity, seen[identity])


def _instant(played_at: datetime) -> str:
    return played_at.astimezone(UTC).isoformat(timespec="microseconds")


def _named(side: FileSide) -> str:
    return json.dumps([sorted(map(same_name, side.members)), side.points])


def _digest(identity: Identity, occurrence: int) -> str:
    played_at, sides = identity
    text = f'["{played_at}", [{", ".join(sides)}], {occurrence}]'
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _fill(message: Promise | str, values: dict[str, object]) -> str:
    return str(message) % values


_filled = lazy(_fill, str)
