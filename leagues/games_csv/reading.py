"""From the rows of a game file to its games."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leagues.games_csv.layout import AS_IT_SAYS, Layout, guess_columns, in_24_hours, in_iso, is_day, order_of
from leagues.games_csv.table import decode, rows, shown
from leagues.games_csv.values import BYE, KINDS, PLAYED, ErrorList, FileGame, FileSide, Form, GamesFile
from leagues.games_csv.workbook import UnreadableWorkbookError, as_csv
from leagues.games_csv.writing import plain
from leagues.names import name_problem, same_name, tidy
from leagues.progress import Stage, over

NOTE_LENGTH = 200
MAX_COLUMNS = 2_000
MOST_CHOSEN = 200  # columns of which somebody can say what they hold
LEAST_COLUMNS = 5  # a time, and two sides with their points
MAX_POINTS = 1_000_000_000
# A year from either end of the calendar no zone can move a time beyond what a datetime holds.
YEARS = range(2, 9999)

_NUMBERED = re.compile(r"(side|points) [1-9][0-9]{0,2}")
# In both forms; where somebody says what columns hold, the time of day may have one of its own.
_IN_BOTH = {False: ("played_at", "note", "kind"), True: ("played_at", "clock", "note", "kind")}
_LONG = ("game", "played_at", "side", "player", "points")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ]([01][0-9]|2[0-3]):[0-9]{2}(:[0-9]{2}([.,][0-9]{1,6})?)?"
    r"(Z|[+-][0-9]{2}(:?[0-9]{2}(:?[0-9]{2})?)?)?)?"
)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_JOINER = re.compile(r"(?:^| )\+(?= |$)")

Row = tuple[int, list[str]]


def read_games(
    data: bytes,
    *,
    timezone: ZoneInfo,
    language: str = "en",
    encoding: str | None = None,
    layout: Layout | None = None,
) -> GamesFile:
    """Reads a file in the wide or the long form; bad input becomes errors, never an exception.

    It is CSV or a workbook, of which the first sheet is read and a row is a line.

    Times without an offset are in `timezone`. A file that is neither UTF-8 nor UTF-16 with a byte-order mark
    is read in `encoding` or, without one, as `language` (of the league) was written before Unicode.

    With a `layout` columns may be called otherwise, and days written like 29.11.2026 or 3/4/2026: as it
    says, or as far as it can be found out.
    """
    errors = ErrorList()
    try:
        data = as_csv(data)
    except UnreadableWorkbookError as unreadable:
        errors.add(None, "", unreadable.message)
        return GamesFile((), errors.in_order(), errors.count, "utf-8", "wide")
    text, encoding = decode(data, language, encoding, errors)
    games: Iterable[FileGame] = ()
    form: Form = "wide"
    table = rows(text, errors)
    look = _Look(AS_IT_SAYS, (), (), "")
    if header := next(table, None):
        line, names = header
        if layout is not None:
            look = _look(layout, names, text)
        form, columns = _read_header(
            line, list(look.layout.columns) or names, errors, is_said=bool(look.header)
        )
        if look.either:
            message = _(
                "“%(value)s” can be read in two ways: choose below whether days or months come first."
            )
            errors.add(None, "played_at", message, value=shown(look.either))
        said = None if layout is None else look.layout
        reader = _GameReader(timezone, columns, width=len(names), errors=errors, layout=said)
        read_table = reader.wide_games if form == "wide" else reader.long_games
        is_readable = columns and not look.either
        games = read_table(over(Stage.READING, table, text.count("\n"))) if is_readable else ()
    in_order = tuple(sorted(games, key=lambda game: game.played_at))
    if not in_order and not errors.count:
        errors.add(None, "", _("The file has a header but no game: put each game in a row below it."))
    return GamesFile(in_order, errors.in_order(), errors.count, encoding, form, *look)


class _Look(NamedTuple):
    """The last fields of a GamesFile."""

    layout: Layout
    header: tuple[str, ...]
    sample: tuple[str, ...]
    either: str


def _look(layout: Layout, header: list[str], text: str) -> _Look:
    """How a file is laid out: as somebody said, or as it can be found out.

    A title, or a game, in the first row names no column that could be chosen.
    """
    is_game = any(_TIME.fullmatch(name.upper()) or is_day(name) for name in header)
    if is_game or sum(map(bool, header)) < LEAST_COLUMNS:
        return _Look(AS_IT_SAYS, (), (), "")
    table = rows(text, ErrorList())
    next(table)
    tried = ErrorList()
    _form, columns = _read_header(1, header, tried)
    is_known = not tried.count and not layout.columns
    chosen: tuple[str, ...] = ()
    if not is_known and len(header) <= MOST_CHOSEN:
        chosen = (
            (*layout.columns, *[""] * len(header))[: len(header)] if layout.columns else guess_columns(header)
        )
        _form, columns = _read_header(1, list(chosen), ErrorList(), is_said=True)
    first = next(table, (0, []))[1]
    order, either = layout.order, ""
    index = columns.get("played_at", len(header))
    if order is None and index < len(first) and not _TIME.fullmatch(first[index].upper()):
        days = (cells[index] for _line, cells in table if index < len(cells))
        order, either = order_of(chain([first[index]], days))
    names = tuple(header) if chosen else ()
    return _Look(Layout(chosen, order), names, tuple(first[: len(names)]), either)


def _read_header(
    line: int, header: list[str], errors: ErrorList, *, is_said: bool = False
) -> tuple[Form, dict[str, int]]:
    """The form, and the index of each column; no columns where one that is needed is missing.

    Where somebody said what each column holds, those without a name are left out.
    """
    names = [tidy(name).casefold() for name in header]
    form: Form = "long" if {"game", "side", "player"} & set(names) else "wide"
    columns: dict[str, int] = {}
    while names and not names[-1]:  # spreadsheets leave blank columns behind
        names.pop()
    if len(names) > MAX_COLUMNS:
        errors.add(line, "", _("The file has more than 2,000 columns: 999 sides are the most."))
        return form, columns
    if not is_said and not any(name in _LONG or _NUMBERED.fullmatch(name) for name in names):
        errors.add(
            line, "", _("The first row must name the columns: played_at, side 1, points 1, side 2, points 2.")
        )
        return form, columns
    for index, name in enumerate(names):
        if is_said and not name:
            continue
        if name in columns:
            errors.add(line, name, _("The column is there twice: keep one of them."))
        elif name in _IN_BOTH[is_said] or (name in _LONG if form == "long" else _NUMBERED.fullmatch(name)):
            columns[name] = index
        else:
            errors.add(line, shown(name) or str(index + 1), _unknown_column(form))
    last = max((int(name.split()[1]) for name in columns if _NUMBERED.fullmatch(name)), default=2)
    numbered = [f"{word} {n}" for n in range(1, max(last, 2) + 1) for word in ("side", "points")]
    missing = [
        name for name in (_LONG if form == "long" else ["played_at", *numbered]) if name not in columns
    ]
    for name in missing:
        missed = _("Choose below which column of the file holds this.")
        errors.add(line, name, missed if is_said else _("The column is missing: add it to the first row."))
    return form, {} if missing else columns


def _unknown_column(form: Form) -> Promise:
    if form == "long":
        return _(
            "This is no column of a game file: there are game, played_at, side, player, points, note "
            "and kind."
        )
    return _(
        "This is no column of a game file: there are played_at, side 1, points 1, side 2, ..., note and kind."
    )


class _Participant(NamedTuple):
    """A row of the long form."""

    line: int
    played_at: datetime
    side: int
    player: str
    points: int
    note: str
    kind: str


class _GameReader:
    """Turns rows into games; what it cannot read goes to the errors."""

    def __init__(
        self,
        timezone: ZoneInfo,
        columns: dict[str, int],
        width: int,
        errors: ErrorList,
        layout: Layout | None,
    ) -> None:
        self.timezone, self.layout = timezone, layout
        self.columns = columns
        self.width = width
        self.needed = max(columns.values(), default=-1) + 1
        self.errors = errors
        # What a cell was read to: equal cells are read once, and kept once.
        self.times: dict[str, datetime] = {}
        self.members: dict[str, tuple[str, ...]] = {}
        self.sides: dict[tuple[str, str], FileSide] = {}

    def wide_games(self, table: Iterable[Row]) -> Iterator[FileGame]:
        last = sum(column.startswith("side ") for column in self.columns)
        numbered = [(n, self.columns[f"side {n}"], self.columns[f"points {n}"]) for n in range(1, last + 1)]
        # The last side that begins within so many cells: most rows of a file with many sides are short.
        last_within = [
            max((n for n, side, points in numbered if min(side, points) < cells), default=0)
            for cells in range(self.needed + 1)
        ]
        for line, cells in table:
            before = self.errors.count
            possible = last_within[min(len(cells), self.needed)]
            self._fit(line, cells)
            played_at = self._time(line, cells)
            note, kind = self._note(line, cells), self._kind(line, cells)
            filled = [(n, cells[side], cells[points]) for n, side, points in numbered[:possible]]
            while filled and not any(filled[-1][1:]):
                filled.pop()
            sides = tuple(self._wide_side(line, *side, kind) for side in filled)
            self._check_number(line, f"side {len(sides) + 1}", len(sides), kind)
            seats = [(line, f"side {n}", name) for n, side in enumerate(sides, 1) for name in side.members]
            self._check_players_differ(seats)
            if played_at and self.errors.count == before:
                yield FileGame(line, played_at, sides, note, kind)

    def long_games(self, table: Iterable[Row]) -> Iterator[FileGame]:
        games: dict[str, list[_Participant]] = {}
        unreadable: set[str] = set()
        for line, cells in table:
            self._fit(line, cells)
            game = plain(cells[self.columns["game"]])
            participant = self._participant(line, game, cells)
            if participant:
                games.setdefault(game, []).append(participant)
            else:
                unreadable.add(game)
        for game, participants in games.items():
            # What else is wrong with a game of which a row is missing here may only follow from that.
            if game not in unreadable and (read := self._long_game(participants)):
                yield read

    def _wide_side(self, line: int, number: int, side: str, points: str, kind: str) -> FileSide:
        column = f"side {number}"
        if not side and not points:
            self.errors.add(line, column, _("The side is empty but a later one is not: leave no side out."))
            return FileSide((), 0)
        members = self._members(line, column, side)
        return FileSide(members, self._points(line, f"points {number}", points, kind))

    def _members(self, line: int, column: str, cell: str) -> tuple[str, ...]:
        if cell not in self.members:
            members = tuple(member.strip() for member in _JOINER.split(plain(cell)))
            if problem := next(filter(None, map(name_problem, members)), None):
                self.errors.add(line, column, problem)
                return ()
            self.members[cell] = members
        return self.members[cell]

    def _participant(self, line: int, game: str, cells: list[str]) -> _Participant | None:
        before = self.errors.count
        if not game:
            self.errors.add(line, "game", _("The cell is empty: give all rows of a game the same text here."))
        played_at = self._time(line, cells)
        side, player, points = (cells[self.columns[column]] for column in ("side", "player", "points"))
        if not _NUMBERED.fullmatch(f"side {side}"):
            message = _("“%(value)s” is no number of a side: number the sides of a game 1, 2, 3 and so on.")
            self.errors.add(line, "side", message, value=shown(side))
        if problem := name_problem(plain(player)):
            self.errors.add(line, "player", problem)
        note, kind = self._note(line, cells), self._kind(line, cells)
        whole_points = self._points(line, "points", points, kind)
        if not played_at or self.errors.count > before:
            return None
        return _Participant(line, played_at, int(side), plain(player), whole_points, note, kind)

    def _long_game(self, participants: list[_Participant]) -> FileGame | None:
        before = self.errors.count
        first = participants[0]
        sides: dict[int, list[_Participant]] = {}
        for participant in sorted(participants, key=lambda participant: participant.side):
            sides.setdefault(participant.side, []).append(participant)
        kind = next((participant.kind for participant in participants if participant.kind != PLAYED), PLAYED)
        self._check_number(first.line, "side", len(sides), kind)
        for number, side in enumerate(sides, 1):
            if side != number:
                message = _("The game has a side %(side)s but no side %(number)s: leave no side out.")
                self.errors.add(sides[side][0].line, "side", message, side=side, number=number)
                break
        self._check_agreement("played_at", participants)
        self._check_agreement("note", [participant for participant in participants if participant.note])
        self._check_agreement(
            "kind", [participant for participant in participants if participant.kind != PLAYED]
        )
        for members in sides.values():
            self._check_agreement("points", members)
        self._check_players_differ([(each.line, "player", each.player) for each in participants])
        if self.errors.count > before:
            return None
        read = tuple(FileSide(tuple(each.player for each in side), side[0].points) for side in sides.values())
        note = next((participant.note for participant in participants if participant.note), "")
        return FileGame(first.line, first.played_at, read, note, kind)

    def _check_number(self, line: int, column: str, sides: int, kind: str) -> None:
        if kind == BYE and not sides:
            self.errors.add(line, column, _("A bye needs the one who has it."))
        elif kind != BYE and sides < 2:
            self.errors.add(line, column, _("A game needs two sides or more."))

    def _check_agreement(self, column: str, participants: list[_Participant]) -> None:
        for participant in participants[1:]:
            if getattr(participant, column) != getattr(participants[0], column):
                message = _("The value differs from the one in line %(other)s of the same game.")
                self.errors.add(participant.line, column, message, other=participants[0].line)

    def _check_players_differ(self, seats: Iterable[tuple[int, str, str]]) -> None:
        """The seats of one game: line, column and name of each."""
        seen: set[str] = set()
        for line, column, name in seats:
            key = same_name(name)
            if key in seen:
                message = _("“%(name)s” is in this game twice: name each player once.")
                self.errors.add(line, column, message, name=shown(name))
            seen.add(key)

    def _fit(self, line: int, cells: list[str]) -> None:
        """Fills a short row up; a cell beyond the header is an error."""
        cells.extend([""] * (self.needed - len(cells)))
        if any(cells[self.width :]):
            message = _(
                "The row has %(cells)s cells, the header %(width)s: quote a cell that holds a separator."
            )
            self.errors.add(line, "", message, cells=len(cells), width=self.width)

    def _note(self, line: int, cells: list[str]) -> str:
        note = plain(cells[self.columns["note"]]) if "note" in self.columns else ""
        if len(note) > NOTE_LENGTH:
            self.errors.add(line, "note", _("A note has at most 200 characters."))
        return note

    def _kind(self, line: int, cells: list[str]) -> str:
        cell = cells[self.columns["kind"]] if "kind" in self.columns else ""
        kind = tidy(cell).casefold() or PLAYED
        if kind not in KINDS:
            message = _("“%(value)s” is no kind of game: write %(kinds)s, or leave the cell empty.")
            self.errors.add(line, "kind", message, value=shown(cell), kinds=", ".join(KINDS))
        return kind

    def _time(self, line: int, cells: list[str]) -> datetime | None:
        cell = cells[self.columns["played_at"]]
        if "clock" in self.columns:
            cell = f"{cell} {in_24_hours(cells[self.columns['clock']])}".strip()
        if cell not in self.times:
            time = instant(in_iso(cell, self.layout.order) if self.layout else cell, self.timezone)
            if not isinstance(time, datetime):
                self.errors.add(line, "played_at", time, value=shown(cell), zone=self.timezone.key)
                return None
            self.times[cell] = time
        return self.times[cell]

    def _points(self, line: int, column: str, cell: str, kind: str) -> int:
        points = 0 if kind == BYE and not cell else whole_points(cell)
        if isinstance(points, int):
            return points
        self.errors.add(line, column, points, value=shown(cell))
        return 0


def whole_points(cell: str) -> int | Promise:
    """The points, or what is wrong, with a place for `value`. Nothing is rounded or guessed."""
    if len(cell) < len(str(MAX_POINTS)) and cell.isascii() and cell.isdigit():
        return int(cell)  # nearly every cell: the rest is for the others
    digits = cell.replace("−", "-")
    if not digits:
        return _("Write the points.")
    if not _WHOLE.fullmatch(digits):
        return _("“%(value)s” is no whole number: write only digits, like 12 or -3.")
    # The length comes first: int() refuses thousands of digits.
    if len(digits.lstrip("+-0")) > len(str(MAX_POINTS)) or abs(int(digits)) > MAX_POINTS:
        return _("“%(value)s” is too large: points lie between -1000000000 and 1000000000.")
    return int(digits)


def instant(cell: str, timezone: ZoneInfo) -> datetime | Promise:
    """The time in UTC, or what is wrong, with places for `value` and `zone`.

    A local time that happens twice is its first one.
    """
    if not cell:
        return _("Write the day, or day and time, like 2026-11-29 or 2026-11-29 18:05.")
    try:
        written = datetime.fromisoformat(cell.upper()) if _TIME.fullmatch(cell.upper()) else None
    except ValueError:
        written = None
    if not written:
        return _("“%(value)s” is no date or time: write it like 2026-11-29 or 2026-11-29 18:05.")
    if written.year not in YEARS:
        return _("“%(value)s” is too far away: the year lies between 2 and 9998.")
    if written.tzinfo:
        return written.astimezone(UTC)
    moment = written.replace(tzinfo=timezone).astimezone(UTC)
    local = moment.astimezone(timezone).replace(tzinfo=None)
    # A bare date is the first moment of its day, even where the clocks skip midnight.
    is_bare_date = len(cell) == len("2026-11-29")
    if local.date() != written.date() or (local != written and not is_bare_date):
        return _("“%(value)s” does not exist in %(zone)s: the clocks skipped that time.")
    return moment
