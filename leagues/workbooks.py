"""Tables as spreadsheet workbooks (XLSX)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

from xlsxwriter import Workbook

# Some ten seconds of work, as games.xlsx of 100,000 duels; a request must not take much longer.
LARGEST_TABLE = 1_000_000  # cells
COLUMN_WIDTH = 18  # characters, for a date with its time
DATE = "yyyy-mm-dd hh:mm:ss"
FIRST_YEAR = 1901  # what is earlier, spreadsheets do not count alike


class TableTooLargeError(Exception):
    """The table has more cells than a workbook is made of here."""


def write_workbook(rows: Iterable[Sequence[object]], *, title: str) -> IO[bytes]:
    """A workbook of one sheet with these rows, of which the first, the header, stays in sight.

    Numbers are numbers, moments are dates in the zone they are given in, and a text is never a formula.
    The rows are written as they come, to the disk. Raises TableTooLargeError.
    """
    file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - the answer closes it
    with TemporaryDirectory() as folder:
        options = {"constant_memory": True, "tmpdir": folder, "default_date_format": DATE}
        with Workbook(file, options) as book:
            sheet = book.add_worksheet(title)
            sheet.freeze_panes(1, 0)
            writer = _CellWriter(book, sheet)
            left = LARGEST_TABLE
            for number, row in enumerate(rows):
                left -= len(row)
                if left < 0:
                    raise TableTooLargeError
                writer.write_row(number, row)
            sheet.set_column(0, writer.last, COLUMN_WIDTH)
    file.seek(0)
    return file


class _CellWriter:
    """Writes each value as the kind of cell it is."""

    def __init__(self, book: Any, sheet: Any) -> None:
        self.book, self.sheet = book, sheet
        self.formats: dict[int, Any] = {}  # by the number of decimals
        self.last = 0  # column with something in it
        # Not by the library's own `write`, which guesses: a name may look like a formula or a number.
        self.writers = {
            str: sheet.write_string,
            int: sheet.write_number,
            bool: sheet.write_boolean,
            Decimal: self._write_decimal,
            datetime: self._write_moment,
            type(None): self._write_nothing,
        }

    def write_row(self, number: int, row: Sequence[object]) -> None:
        self.last = max(self.last, len(row) - 1)
        for column, value in enumerate(row):
            write = self.writers.get(type(value)) or partial(self._write_text, type(value))
            write(number, column, value)

    def _write_decimal(self, row: int, column: int, value: Decimal) -> None:
        places = max(0, -int(value.as_tuple().exponent))
        if places not in self.formats:
            self.formats[places] = self.book.add_format({"num_format": f"0.{'0' * places}".rstrip(".")})
        self.sheet.write_number(row, column, value, self.formats[places])

    def _write_moment(self, row: int, column: int, value: datetime) -> None:
        if _is_told_by_the_clock(value):
            self.sheet.write_datetime(row, column, value.replace(tzinfo=None))
        else:
            self.sheet.write_string(row, column, value.isoformat())

    def _write_nothing(self, row: int, column: int, value: None) -> None:
        pass

    def _write_text(self, _kind: type, row: int, column: int, value: object) -> None:
        self.sheet.write_string(row, column, str(value))


def _is_told_by_the_clock(moment: datetime) -> bool:
    """Whether a date and a time without a zone say exactly which moment it is.

    Not of an hour that comes a second time when the clocks go back, nor of parts of a millisecond.
    """
    first = moment.replace(fold=0)
    return (
        moment.year >= FIRST_YEAR
        and moment.microsecond % 1000 == 0
        and first.utcoffset() == moment.utcoffset()
    )
