"""Writing many rows at once by the database's bulk path; model objects would cost ten times its work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet

from leagues.prepared import adapted

Values = tuple[Any, ...]

CHUNK = 10_000  # rows held at a time where rows are not streamed to the database


@dataclass(frozen=True, slots=True)
class Replaced:
    """The rows that differed: those that went, and those that came."""

    gone: Collection[Values]
    come: Collection[Values]


def stored_rows(rows: QuerySet, columns: Sequence[str]) -> dict[Values, int]:
    """The values of these fields in every row, and its id."""
    # Not by a cursor: for its first rows PostgreSQL would look through a table once per row of another where
    # it knows little of them yet, as after an import.
    return by_values(rows.order_by().values_list("pk", *columns))


def by_values(rows: Iterable[Values]) -> dict[Values, int]:
    """By what else is in each row, the id that it begins with."""
    return {row[1:]: row[0] for row in rows}


def replace_rows(
    model: type[Model], columns: Sequence[str], stored: dict[Values, int], rows: Iterable[Values]
) -> Replaced:
    """Make ``stored`` rows of a model exactly these, writing only those that differ.

    ``columns`` are names of its fields, and ``rows`` hold a value of each, no two rows the same. Rows
    that stay are taken out of ``stored``. To be called inside a transaction.
    """
    come = [row for row in rows if stored.pop(row, None) is None]
    if stored:
        delete_rows(model, stored.values())
    if come:
        write_rows(model, columns, come)
    return Replaced(stored.keys(), come)


def write_rows(model: type[Model], columns: Sequence[str], rows: Iterable[Values]) -> None:
    """Insert rows with a value for each of these fields of the model; its other fields get the database's."""
    quote = connection.ops.quote_name
    column_of = {field.name: str(field.column) for field in model._meta.concrete_fields}
    names = ", ".join(quote(column_of[name]) for name in columns)
    table = quote(model._meta.db_table)
    with connection.wrap_database_errors, connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            places = ", ".join(["%s"] * len(columns))
            insert = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608 - names
            left = iter(rows)
            while values := [tuple(map(adapted, row)) for row in islice(left, CHUNK)]:
                cursor.executemany(insert, values)


def reserve_ids(model: type[Model], count: int) -> Sequence[int]:
    """Ids, rising, for this many new rows of the model, which nobody else is given.

    To be called inside the transaction that writes the rows.
    """
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, count]
            )
            return [pk for (pk,) in cursor.fetchall()]
        # A transaction here holds the only right to write; the highest id ever used is kept for each table.
        cursor.execute("UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s", [count, table])
        if not cursor.rowcount:
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, count])
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        last = cursor.fetchone()[0]
        return range(last - count + 1, last + 1)


def delete_rows(model: type[Model], ids: Collection[int]) -> None:
    """Delete the rows with these ids, which nothing refers to."""
    table = connection.ops.quote_name(model._meta.db_table)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"DELETE FROM {table} WHERE id = ANY(%s)", [list(ids)])  # noqa: S608 - a name
        else:
            cursor.executemany(f"DELETE FROM {table} WHERE id = %s", [(pk,) for pk in ids])  # noqa: S608
