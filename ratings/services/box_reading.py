"""Opening a league's box: its manifest and the rows of its tables. Nothing is unpacked to the disk."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NoReturn
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from leagues.games_csv import shown, unguarded
from ratings.services.league_box import FILES, FORMAT, LEAGUE_COLUMNS, MANIFEST, VERSION, Table

LARGEST_BOX = 2_000_000_000  # bytes unpacked: some million games
LARGEST_MANIFEST = 1_000_000
LONGEST_LINE = 20_000_000  # characters: a merge of players with a million games tells their ids


class BoxError(ValidationError):
    """Why a box cannot be taken in: a sentence, with file, line and column where there are some."""

    def __init__(self, message: Promise | str, file: str = "", line: int = 0, column: str = "") -> None:
        place = [file, _("line %(line)s") % {"line": line} if line else "", column]
        where = ", ".join(filter(None, place))
        super().__init__(f"{where}: {message}" if where else str(message), code="box")


class Box:
    """An open box. ``league`` has the league's values by LEAGUE_COLUMNS, ``rows`` the numbers of rows."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        _check_entries(archive)
        manifest = _manifest(self._lines(MANIFEST))
        self.league: dict[str, Any] = manifest["league"]
        self.rows: dict[str, int] = manifest["rows"]

    def rows_of(self, table: Table) -> Iterator[tuple[int, list[Any]]]:
        """Each row with the line it begins in: a value for each column. Raises BoxError."""
        read = self._csv_rows if table.file.endswith(".csv") else self._json_rows
        count = 0
        for row in read(table):
            count += 1
            yield row
        if count != self.rows[table.file]:
            found = {"count": count, "told": self.rows[table.file]}
            message = _("It has %(count)s rows, and the box says %(told)s: it is not whole.")
            raise BoxError(message % found, table.file)

    def _csv_rows(self, table: Table) -> Iterator[tuple[int, list[Any]]]:
        reader = csv.reader(self._lines(table.file), strict=True)
        try:
            header = next(reader, [])
            if header != table.columns:
                _refuse_columns(table)
            line = reader.line_num + 1
            for cells in reader:
                if len(cells) != len(header):
                    message = _("The row has %(cells)s cells, the header %(width)s.")
                    raise BoxError(message % {"cells": len(cells), "width": len(header)}, table.file, line)
                yield line, [unguarded(cell) for cell in cells]
                line = reader.line_num + 1
        except csv.Error:
            message = _("The row cannot be read: its quotation marks do not fit, or a cell is far too long.")
            raise BoxError(message, table.file, reader.line_num) from None

    def _json_rows(self, table: Table) -> Iterator[tuple[int, list[Any]]]:
        for number, line in enumerate(self._lines(table.file), 1):
            row = _object(line, table.file, number)
            if row.keys() != set(table.columns):
                _refuse_columns(table, number)
            yield number, [row[name] for name in table.columns]

    def _lines(self, name: str) -> Iterator[str]:
        with self._archive.open(name) as member:
            text = io.TextIOWrapper(member, "utf-8-sig", newline="")
            number = 0
            while line := text.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE:
                    raise BoxError(_("The line is far too long."), name, number)
                yield line


@contextmanager
def opened(file: IO[bytes]) -> Iterator[Box]:
    """The box in a file. Raises BoxError, from inside the block too, where the archive is damaged."""
    try:
        with ZipFile(file) as archive:
            yield Box(archive)
    except UnicodeDecodeError:
        raise BoxError(_("The box is damaged: a text in it is no UTF-8.")) from None
    except (BadZipFile, zlib.error, EOFError, NotImplementedError):
        raise BoxError(
            _("The file is no box of a league, or it is damaged: it must be a whole ZIP.")
        ) from None


def _check_entries(archive: ZipFile) -> None:
    """Raise BoxError before anything is unpacked; no entry unpacks to more than it says."""
    names = [entry.filename for entry in archive.infolist()]
    for name in names:
        if name not in FILES and name != MANIFEST:
            message = _("The box holds “%(name)s”, which is no part of one.")
            raise BoxError(message % {"name": shown(name)})
    if missing := sorted({*FILES, MANIFEST} - set(names)):
        raise BoxError(_("The box lacks “%(name)s”.") % {"name": missing[0]})
    if len(set(names)) < len(names):
        raise BoxError(_("The box holds a file twice."))
    sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    if sum(sizes.values()) > LARGEST_BOX or sizes[MANIFEST] > LARGEST_MANIFEST:
        raise BoxError(_("The box is too large: unpacked it may have 2 GB."))
    for entry in archive.infolist():
        if entry.flag_bits & 1 or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise BoxError(_("It is encrypted, or packed in an unknown way."), entry.filename)


def _manifest(lines: Iterator[str]) -> dict[str, Any]:
    manifest = _object("".join(lines), MANIFEST)
    if manifest.get("format") != FORMAT:
        raise BoxError(_("This says of no league's box that it is one."), MANIFEST)
    if manifest.get("version") != VERSION:
        message = _("The box is of version %(version)s, and this release reads version %(known)s.")
        found = {"version": shown(str(manifest.get("version"))), "known": VERSION}
        raise BoxError(message % found, MANIFEST)
    league, rows = manifest.get("league"), manifest.get("rows")
    if not isinstance(league, dict) or league.keys() != set(LEAGUE_COLUMNS):
        raise BoxError(_("The columns must be these: %(known)s.") % _known(LEAGUE_COLUMNS), MANIFEST)
    if not isinstance(rows, dict) or rows.keys() != FILES.keys():
        raise BoxError(_("It must say of each table how many rows it has."), MANIFEST)
    if not all(type(count) is int for count in rows.values()):
        raise BoxError(_("It must say of each table how many rows it has."), MANIFEST)
    return manifest


def _object(text: str, file: str, line: int = 0) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BoxError(_("This is no JSON object."), file, line)
    return found


def _refuse_columns(table: Table, line: int = 1) -> NoReturn:
    raise BoxError(_("The columns must be these: %(known)s.") % _known(table.columns), table.file, line)


def _known(columns: Any) -> dict[str, str]:
    return {"known": ", ".join(columns)}
