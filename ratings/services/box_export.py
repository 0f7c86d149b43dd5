"""Putting a league in a box: all its rows as they are at one moment."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.utils import timezone

from leagues.games_csv import csv_lines
from leagues.models import AuditEntry, League
from leagues.progress import Stage, over
from ratings.services.league_box import FORMAT, LEAGUE_COLUMNS, MANIFEST, TABLES, VERSION, Table, rows_in_box

CHUNK = 5_000  # rows read from the database at once


def export_league(league: League, file: IO[bytes]) -> League:
    """Write a league's box, a ZIP of CSV and JSON; the league as it was at the moment the box is of.

    Others go on reading and writing meanwhile.
    """
    with _one_moment(), ZipFile(file, "w", ZIP_DEFLATED) as box:
        league = League.objects.get(pk=league.pk)
        counts = {table: rows_in_box(table, league).count() for table in TABLES}
        total, done = sum(counts.values()), 0
        for table, count in counts.items():
            rows = over(Stage.PACKING, _rows(table, league), total, before=done)
            lines = _csv_lines(table, rows) if table.file.endswith(".csv") else _json_lines(table, rows)
            with box.open(table.file, "w", force_zip64=True) as member:
                for line in lines:
                    member.write(line.encode())
            done += count
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "made_at": timezone.now(),
            "league": {name: getattr(league, name) for name in LEAGUE_COLUMNS},
            "rows": {table.file: count for table, count in counts.items()},
        }
        box.writestr(MANIFEST, json.dumps(manifest, cls=_Encoder, ensure_ascii=False, indent=2))
    return league


@contextmanager
def _one_moment() -> Iterator[None]:
    """Show every query of this block the database as it is at the first one, and hold nobody up.

    Inside a transaction of somebody else, which may have its own idea of that, nothing is changed.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # Django's own transactions take the right to write, which is one for all.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield


def _rows(table: Table, league: League) -> Iterator[list[Any]]:
    """The rows with a value for each column of the table."""
    single = [field.attname for field in table.fields if not field.many_to_many]
    links = [_links(table, field, league) for field in table.fields if field.many_to_many]
    for pk, *values in rows_in_box(table, league).values_list("pk", *single).iterator(CHUNK):
        yield [*values, *(each[pk] for each in links)]


def _links(table: Table, field: Any, league: League) -> defaultdict[int, list[int]]:
    """The ids that the rows of a table point to by a field of many to many, in the order they were given."""
    through = field.remote_field.through.objects.filter(
        **{f"{field.m2m_field_name()}__in": table.rows(league)}
    )
    names = (field.m2m_column_name(), field.m2m_reverse_name())
    linked: defaultdict[int, list[int]] = defaultdict(list)
    for pk, other in through.order_by("pk").values_list(*names):
        linked[pk].append(other)
    return linked


def _csv_lines(table: Table, rows: Iterable[list[Any]]) -> Iterator[str]:
    return csv_lines(chain([table.columns], rows))


def _json_lines(table: Table, rows: Iterable[list[Any]]) -> Iterator[str]:
    for values in rows:
        row = dict(zip(table.columns, values, strict=True))
        if table.model is AuditEntry and row["object_type"] == "league":
            row |= {name: _without_site(row[name]) for name in ("before", "after")}
        yield json.dumps(row, cls=_Encoder, ensure_ascii=False) + "\n"


def _without_site(values: dict[str, Any] | None) -> dict[str, Any] | None:
    """What was said of a league, but for its host name on this site and the account it was made for."""
    return values and {name: value for name, value in values.items() if name not in ("host", "owner")}


class _Encoder(DjangoJSONEncoder):
    """Django's, which cuts a time to milliseconds, without that."""

    def default(self, value: Any) -> Any:
        return value.isoformat() if hasattr(value, "isoformat") else super().default(value)
