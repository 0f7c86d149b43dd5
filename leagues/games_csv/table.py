"""From the bytes of a file to the rows of a table."""

import codecs
import csv
import io
import re
from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from leagues.games_csv.values import ErrorList
from leagues.names import tidy

MAX_ROWS = 200_000
# What the programs of a country wrote before Unicode; elsewhere it was cp1252.
LEGACY_ENCODINGS = {"bg": "cp1251", "tr": "cp1254"}

_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")  # as in pictures, archives and workbooks of before XLSX
_NO_TEXT_MESSAGE = _("This is no text: save the table as CSV (UTF-8) or XLSX and choose that file.")


def decode(data: bytes, language: str, encoding: str | None, errors: ErrorList) -> tuple[str, str]:
    """The text and the encoding it is in; the text is empty, and there is an error, if it cannot be read."""
    data = data.removeprefix(codecs.BOM_UTF8)
    encoding = _encoding(data, language, encoding)
    text = ""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        if _has_ascii_lines(encoding) and _NO_TEXT.search(data):
            errors.add(None, "", _NO_TEXT_MESSAGE)
        else:
            _add_undecodable(data, encoding, errors)
    except (LookupError, ValueError):
        message = _("“%(value)s” is no encoding that can be read: use utf-8, cp1251, cp1254 or cp1252.")
        errors.add(None, "", message, value=shown(encoding))
    else:
        if not text.strip("\ufeff\r\n\t ,;"):
            errors.add(None, "", _("The file is empty."))
            text = ""
    if "\0" in text:
        line = _line_number(text.partition("\0")[0])
        errors.add(line, "", _NO_TEXT_MESSAGE)
        text = ""
    return text, encoding


def rows(text: str, errors: ErrorList) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not blank, its cells stripped, with the line it begins in; the header first."""
    delimiter = _delimiter(text)
    text = text.rstrip(f"\r\n\t {delimiter}")  # spreadsheets leave a million blank rows behind
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    count = 0
    while True:
        line = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error:
            message = _(
                "The row cannot be read: a quotation mark is missing or one too many, or a cell is far too "
                "long. In a quoted cell a quotation mark is written twice."
            )
            errors.add(line, "", message)
            continue
        count += 1
        if count > MAX_ROWS + 1:
            errors.add(line, "", _("The file has more than 200,000 rows: split it."))
            return
        if any(cells):
            yield line, cells


def shown(text: str) -> str:
    """A value as an error message quotes it."""
    text = tidy(text)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _encoding(data: bytes, language: str, encoding: str | None) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    replaced = data.decode("utf-8", "replace")
    bad = replaced.count("\ufffd")
    if encoding and (bad or "\0" in replaced):
        return encoding
    # Text in other encodings is hardly ever valid UTF-8 beyond ASCII: where half of it is, the file is
    # damaged UTF-8 and must not be read as something else.
    beyond_ascii = len(replaced) - len(replaced.encode("ascii", "ignore"))
    is_utf8 = beyond_ascii >= 2 * bad
    return "utf-8" if is_utf8 else LEGACY_ENCODINGS.get(language.partition("-")[0], "cp1252")


def _add_undecodable(data: bytes, encoding: str, errors: ErrorList) -> None:
    """One error for each line with a byte that is no character; in UTF-16 and its like for the first one."""
    message = _("Byte %(number)s of the line, %(byte)s, is not in %(encoding)s: save the file as UTF-8.")
    has_ascii_lines = _has_ascii_lines(encoding)
    for number, line in enumerate(data.splitlines() if has_ascii_lines else [data], 1):
        try:
            line.decode(encoding)
        except UnicodeDecodeError as error:
            if not has_ascii_lines:
                number = _line_number(data[: error.start].decode(encoding, "ignore"))
            found = {"number": error.start + 1, "byte": f"0x{line[error.start]:02X}", "encoding": encoding}
            errors.add(number, "", message, **found)


def _has_ascii_lines(encoding: str) -> bool:
    return "\n".encode(encoding) == b"\n"


def _line_number(text_before: str) -> int:
    return text_before.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


def _delimiter(text: str) -> str:
    """The one of comma, semicolon and tab that parts the header into most cells."""
    start = io.StringIO(text[:100_000], newline="")
    header = next((line for line in start if line.strip(" \t\r\n,;")), "")
    return max(",;\t", key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter))))
