"""What the files to download have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from django.http import StreamingHttpResponse

from leagues.games_csv import csv_lines
from ratings.engine.types import Tenths

CHUNK = 2_000  # rows read from the database at once


def csv_file(name: str, rows: Iterable[Sequence[object]]) -> StreamingHttpResponse:
    """The rows, of which the first is the header, as a CSV file to download."""
    return download(name, csv_lines(rows))


def download(name: str, lines: Iterable[str]) -> StreamingHttpResponse:
    """Lines of CSV as a file to download."""
    return StreamingHttpResponse(
        lines,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def in_points(tenths: Tenths | None) -> Decimal | None:
    """A rating as files have it in every language, in rating points with one decimal: 1523.3."""
    return None if tenths is None else Decimal(tenths).scaleb(-1)
