"""What the tables of this site have in common."""

from __future__ import annotations

from typing import Any

import django_tables2 as tables
from django.core.paginator import Paginator
from django.http import QueryDict

from ratings.models import Meeting, Standing

ROWS = 100  # on a page


def figures(*more: str) -> dict[str, dict[str, str]]:
    """The attributes of a column of numbers, with more classes."""
    classes = " ".join(("num", *more))
    return {"th": {"class": classes}, "td": {"class": classes}}


def balance(row: Standing | Meeting) -> str:
    """Duels won, drawn and lost: 84–0–69."""
    return f"{row.wins}–{row.draws}–{row.losses}"


class LeagueTable(tables.Table):
    """A table in the site's own template, sorted and paged by the address."""

    class Meta:
        template_name = "django_tables2/league.html"
        attrs = {"class": "table"}

    def sort(self, query: QueryDict) -> None:
        """Sort by the ``sort`` of an address; what is no column is passed over."""
        self.order_by = query.getlist(self.prefixed_order_by_field)[:1]

    def show(self, query: QueryDict, *, rows: int = ROWS) -> list[Any]:
        """Sort and page by an address; what makes no sense there is passed over.

        Returns the rows of the page as the query gave them, to look up what belongs to them at once.
        """
        self.sort(query)
        self.paginator = Paginator(self.rows, rows)
        self.page = self.paginator.get_page(query.get(self.prefixed_page_field))
        return [row.record for row in self.page.object_list]
