"""Game files that are spreadsheet workbooks (XLSX): their first sheet as CSV, row by line."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import repeat
from typing import Any
from zipfile import ZipFile, ZipInfo

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from openpyxl import load_workbook

from leagues.games_csv.writing import csv_lines
from leagues.progress import Stage, over

MAGIC = b"PK\x03\x04"
# Bytes unpacked. A sheet is read through; the texts of its cells, and all else that is read, are held whole.
LARGEST_SHEET = 60_000_000
LARGEST_TEXTS = 16_000_000
LARGEST_REST = 2_000_000
TEXTS = "xl/sharedStrings.xml"
NOT_READ = ("xl/media/", "xl/drawings/", "xl/charts/", "xl/pivotCache/", "xl/calcChain.xml", "customXml/")
MAX_CELLS = 1_000_000  # some ten seconds of reading; 100,000 duels have 600,000
CUT_OFF = timedelta(milliseconds=5)  # in seven decimals of a day
MAX_ROW = 1_048_576  # the last one a spreadsheet has


class UnreadableWorkbookError(ValueError):
    """A workbook that cannot be read; ``message`` is the sentence that says why."""

    def __init__(self, message: Promise) -> None:
        super().__init__(str(message))
        self.message = message


def is_workbook(data: bytes) -> bool:
    """Whether a file is one, whatever it is called."""
    return data.startswith(MAGIC)


def as_csv(data: bytes) -> bytes:
    """The first sheet of a workbook as CSV, each row a line; a file that is no workbook as it is.

    Numbers are written as whole numbers where they are such, and dates as in game files. Of a formula the
    value counts that was stored with it. Raises UnreadableWorkbookError.
    """
    if not is_workbook(data):
        return data
    try:
        _refuse_large(ZipFile(io.BytesIO(data)).infolist())
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # the file may claim any
        return "".join(csv_lines(_rows(sheet))).encode()
    except UnreadableWorkbookError:
        raise
    except Exception as error:  # the library raises of every kind for what it does not expect
        message = _("The workbook cannot be read: save the table again as XLSX or CSV (UTF-8).")
        raise UnreadableWorkbookError(message) from error


def _refuse_large(entries: list[ZipInfo]) -> None:
    """Raise UnreadableWorkbookError before anything is unpacked; no entry unpacks to more than it says."""
    texts = rest = 0
    for entry in entries:
        if entry.filename.startswith("xl/worksheets/"):
            if entry.file_size > LARGEST_SHEET:
                raise _too_large()
        elif entry.filename == TEXTS:
            texts += entry.file_size
        elif not entry.filename.startswith(NOT_READ):
            rest += entry.file_size
    if texts > LARGEST_TEXTS or rest > LARGEST_REST:
        raise _too_large()


def _too_large() -> UnreadableWorkbookError:
    return UnreadableWorkbookError(_("The workbook is too large: split it, or save the table as CSV."))


def _rows(sheet: Any) -> Iterator[list[str]]:
    """The texts of each row, those of blank rows between others too."""
    blank = cells = 0
    for number, row in enumerate(over(Stage.READING, sheet.iter_rows(values_only=True), 0), 1):
        cells += len(row)
        if cells > MAX_CELLS or number > MAX_ROW:
            raise _too_large()
        texts = [_text(value) for value in row]
        while texts and not texts[-1]:
            texts.pop()
        if texts:
            yield from repeat([], blank)
            blank = 0
            yield texts
        else:
            blank += 1


def _on_the_second(moment: datetime) -> datetime:
    """Times are stored as fractions of a day, which some programs cut off some milliseconds short."""
    near = (moment + CUT_OFF).replace(microsecond=0)
    return near if abs(near - moment) <= CUT_OFF else moment


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return _on_the_second(value).isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, time):
        return _on_the_second(datetime.combine(date.min, value)).time().isoformat()
    if isinstance(value, float) and value.is_integer():  # spreadsheets know no other numbers
        return str(int(value))
    return " ".join(str(value).split())  # a line break in a cell would make two lines of a row
