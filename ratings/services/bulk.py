"""Writing many rows at once by the database's bulk path; model objects would cost ten times its work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

Values = tuple[Any, ...]


def replace_rows(model: type[Model], season_id: int, columns: Sequence[str], rows: Iterable[Values]) -> None:
    """Make the season's rows of a model exactly these, writing only those that differ.

    ``columns`` are names of its fields except ``season``, and ``rows`` hold a value of each, no two
    rows the same. To be called inside a transaction.
    """
    stored = model._default_manager.filter(season=season_id).values_list("pk", *columns)
    old = {tuple(values): pk for pk, *values in stored.iterator(10_000)}
    new = [(season_id, *row) for row in rows if old.pop(row, None) is None]
    delete_rows(model, old.values())
    write_rows(model, ("season", *columns), new)


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
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", list(rows))  # noqa: S608 - names


def delete_rows(model: type[Model], ids: Collection[int]) -> None:
    """Delete the rows with these ids, which nothing refers to."""
    table = connection.ops.quote_name(model._meta.db_table)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"DELETE FROM {table} WHERE id = ANY(%s)", [list(ids)])  # noqa: S608 - a name
        else:
            cursor.executemany(f"DELETE FROM {table} WHERE id = %s", [(pk,) for pk in ids])  # noqa: S608
