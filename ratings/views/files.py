"""Tables as files to download: the rows of a page, as CSV or as a workbook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from django.http import FileResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.views.generic import View

from leagues.games_csv import csv_lines
from leagues.tenancy.requests import LeagueMixin
from leagues.workbooks import TableTooLargeError, write_workbook
from ratings.engine.types import Tenths

CHUNK = 2_000  # rows read from the database at once
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TOO_LARGE = 413


class TableFileView(LeagueMixin, View):
    """The rows of a table, which both kinds of files have alike."""

    table: str  # the last word of the file's name
    is_workbook = False

    def rows(self) -> Iterable[Sequence[object]]:
        """The header and then a row each: texts, numbers, moments in the league's zone, True, False, None."""
        raise NotImplementedError

    @property
    def file_name(self) -> str:
        of = [self.league.slug, *([self.season.slug] if self.season else [])]
        return "-".join([*of, self.table])

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponseBase:
        name = self.file_name
        if not self.is_workbook:
            return StreamingHttpResponse(
                csv_lines(self.rows()),
                content_type="text/csv; charset=utf-8",
                headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
            )
        try:
            file = write_workbook(self.rows(), title=self.table)
        except TableTooLargeError:
            csv = request.get_full_path().replace(f"{self.table}.xlsx", f"{self.table}.csv")
            return render(request, "workbook_too_large.html", {"csv": csv}, status=TOO_LARGE)
        return FileResponse(file, as_attachment=True, filename=f"{name}.xlsx", content_type=XLSX)


def table_file(route: str, view: type[TableFileView]) -> list[URLPattern]:
    """The addresses of a table as CSV and as a workbook, called ``<table>-file`` and ``<table>-workbook``."""
    return [
        path(f"{route}{view.table}.csv", view.as_view(), name=f"{view.table}-file"),
        path(f"{route}{view.table}.xlsx", view.as_view(is_workbook=True), name=f"{view.table}-workbook"),
    ]


def in_points(tenths: Tenths | None) -> Decimal | None:
    """A rating as files have it in every language, in rating points with one decimal: 1523.3."""
    return None if tenths is None else Decimal(tenths).scaleb(-1)
