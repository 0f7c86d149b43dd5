"""What the tables of this site have in common."""

from __future__ import annotations

from html import escape
from typing import Any

import django_tables2 as tables
from django.core.paginator import Paginator
from django.db.models import IntegerField, Subquery
from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString

from leagues.models import Season
from ratings.models import Meeting, Standing

ROWS = 100  # on a page


def figures(*more: str) -> dict[str, dict[str, str]]:
    """The attributes of a column of numbers, with more classes."""
    classes = " ".join(("num", *more))
    return {"th": {"class": classes}, "td": {"class": classes}}


def players_path(season: Season) -> str:
    """Where the pages of a season's players are: the address of each is this, the slug and a slash."""
    values = {"league": season.league.slug, "season": season.slug, "player": "player"}
    return reverse("ratings:player-season", kwargs=values).removesuffix("player/")


def balance(row: Standing | Meeting) -> str:
    """Duels won, drawn and lost: 84–0–69."""
    return f"{row.wins}–{row.draws}–{row.losses}"


class _Number(Subquery):
    """How many rows a query has."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


class LeagueTable(tables.Table):
    """A table in the site's own template, sorted and paged by the address.

    Each column has a ``render_<column>(record)``, which gives text or HTML. ``body`` goes straight
    through them: django-tables2's own way through the cells takes twenty times as long.
    """

    records: list[Any]  # the rows of the page, as the query gave them
    paginator: Any
    ranked_by = ""  # the column whose highest numbers come first where no other order is asked for

    class Meta:
        template_name = "django_tables2/league.html"
        attrs = {"class": "table"}

    def sort(self, query: QueryDict) -> None:
        """Sort by the ``sort`` of an address; what is no column is passed over."""
        self.order_by = query.getlist(self.prefixed_order_by_field)[:1]

    def show(self, query: QueryDict, *, rows: int = ROWS) -> list[Any]:
        """Sort and page by an address; what makes no sense there is passed over.

        Returns the rows of the page, to look up what belongs to them at once. A query's are read with
        their number in one; only a page beyond the last takes two more.
        """
        self.sort(query)
        number = _page_number(query.get(self.prefixed_page_field, ""))
        found = self.data.data
        if isinstance(found, list):
            self.paginator = Paginator(found, rows)
            self.page = self.paginator.get_page(number)
            self.records = list(self.page)
            return self.records
        # Their number in a query inside: a window would have all rows read and joined for the first of them.
        number_of = _Number(found.order_by().values("pk"))
        self.records = list(found.annotate(of=number_of)[(number - 1) * rows : number * rows])
        self.paginator = Paginator(found, rows)
        if self.records or number == 1:
            self.paginator.count = self.records[0].of if self.records else 0
        self.page = self.paginator.get_page(number)
        self.page.object_list = self.records = self.records or list(self.page.object_list)
        return self.records

    def show_all(self) -> list[Any]:
        """All rows, on one page."""
        self.records = list(self.data.data)
        return self.records

    def body(self) -> SafeString:
        """The rows of the page in HTML."""
        cells = [
            (f"<td {column.attrs['td'].as_html()}>", getattr(self, f"render_{column.name}"))
            for column in self.columns
        ]
        rows = [
            f"<tr {self.row_attributes(record)}>"
            + "".join([f"{tag}{_html(render(record))}</td>" for tag, render in cells])
            + "</tr>"
            for record in self.records
        ]
        return SafeString("\n".join(rows))

    def row_attributes(self, record: Any) -> str:  # noqa: ARG002 - for tables that have some
        """The HTML attributes of a row."""
        return ""


def _html(cell: str) -> str:
    return cell if isinstance(cell, SafeString) else escape(cell)


def _page_number(text: str) -> int:
    """The page an address asks for, the first where that is no number of one."""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else 1
