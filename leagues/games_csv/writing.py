"""Writing CSV that spreadsheets open safely and that reads back to the same values."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from leagues.games_csv.values import BYE, PLAYED, FileGame
from leagues.names import tidy

MEMBER_JOINER = " + "

# What makes a spreadsheet take a text for a formula, in some languages the full-width signs too. Where commas
# are for decimals, as in Bulgarian and Turkish, spreadsheets part cells at semicolons, quoted or not.
_START = r"(^|[;\t]\s*)"
_RUNS = r"(?='*[=+\-@\t\r\n＝＋－＠])"
_FORMULA = re.compile(_START + _RUNS)
_NEUTRAL = re.compile(f"{_START}'{_RUNS}")
_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def write_games(games: Iterable[FileGame], *, timezone: ZoneInfo) -> Iterator[str]:
    """The lines of a file in the wide form, which `read_games` reads to the same games."""
    return csv_lines(game_rows(games, timezone=timezone))


def game_rows(games: Iterable[FileGame], *, timezone: ZoneInfo) -> Iterator[list[object]]:
    """The rows of a file in the wide form, the header first; times are in the zone.

    There is a column of kinds where not all games were played.
    """
    games = list(games)
    width = max(2, max((len(game.sides) for game in games), default=2))
    numbered = [f"{word} {n}" for n in range(1, width + 1) for word in ("side", "points")]
    kinds = any(game.kind != PLAYED for game in games)
    yield ["played_at", *numbered, "note", *(["kind"] if kinds else [])]
    for game in games:
        yield [*_wide_row(game, len(numbered), timezone), *([game.kind] if kinds else [])]


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The rows as lines of CSV, each cell made neutral; the first begins with a byte-order mark.

    A moment is written in ISO 8601, with its offset, and what is true or false in a word.
    """
    writer = csv.writer(_Echo())
    for number, row in enumerate(rows):
        line = writer.writerow([neutral(_written(cell)) for cell in row])
        yield line if number else "\ufeff" + line


def _written(cell: object) -> object:
    if isinstance(cell, datetime):
        return cell.isoformat()
    return str(cell).lower() if isinstance(cell, bool) else cell


def neutral(cell: object) -> object:
    """The cell, with a ' before what a spreadsheet would run as a formula. Numbers stay numbers.

    Where such a ' stands already there comes one more, so that reading takes off exactly the one.
    """
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    return _FORMULA.sub(r"\1'", cell)


def plain(cell: str) -> str:
    """The tidy text of a cell, without what `neutral` put in."""
    return tidy(unguarded(cell))


def unguarded(cell: str) -> str:
    """The text of a cell exactly as it was before `neutral`."""
    return _NEUTRAL.sub(r"\1", cell)


def _wide_row(game: FileGame, width: int, timezone: ZoneInfo) -> list[object]:
    sides = [
        cell
        for side in game.sides
        for cell in (MEMBER_JOINER.join(side.members), "" if game.kind == BYE else side.points)
    ]
    absent = [""] * (width - len(sides))
    return [game.played_at.astimezone(timezone), *sides, *absent, game.note]


class _Echo:
    """A file for csv.writer that hands each line back."""

    def write(self, line: str) -> str:
        return line
