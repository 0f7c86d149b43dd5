"""What many requests and every replay ask and write, by SQL that is put together once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model, QuerySet, query
from django.db.models.sql import UpdateQuery

M = TypeVar("M", bound=Model)


def adapted(value: Any) -> Any:
    """A value as SQL of one's own takes it."""
    # SQLite has no times; Django's way of writing them is the one that it compares with.
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value


def _cursor() -> Any:
    """A cursor for the SQL of this module."""
    database = connections[DEFAULT_DB_ALIAS]  # itself: Django's ``connection`` looks it up at each attribute
    cursor = database.cursor()
    if database.vendor == "postgresql":
        # psycopg reads times in C; what Django puts in the place of that, for connections of another zone
        # than the project's, takes ten times as long.
        cursor.adapters.register_loader("timestamptz", _loader_of_times())
    return cursor


@cache
def _loader_of_times() -> Any:
    database: Any = connection
    psycopg = database.Database  # which an installation on SQLite need not be able to load
    return psycopg.adapters.get_loader(psycopg.adapters.types["timestamptz"].oid, psycopg.pq.Format.TEXT)


class _Prepared:
    """A queryset whose SQL is put together once, each time asked with other values in it.

    ``rows`` gives the queryset with stand-ins, in the order in which the values are given later. The
    ORM spends ten times on making the SQL of a small query what the database does on answering it.
    """

    def __init__(self, rows: Callable[[], QuerySet[Any, Any]]) -> None:
        self._rows = rows

    def _execute(self, cursor: Any, values: Iterable[Any]) -> None:
        cursor.execute(self._sql, list(map(adapted, values)))

    @cached_property
    def _compiler(self) -> Any:
        return self._rows().query.get_compiler(DEFAULT_DB_ALIAS)

    @cached_property
    def _sql(self) -> str:
        return self._compiler.as_sql()[0]

    @cached_property
    def _converters(self) -> Any:
        self._sql  # noqa: B018 - only then the compiler knows what it selects
        return self._compiler.get_converters([column for column, *_sql in self._compiler.select])


class PreparedRows(_Prepared):
    """The rows of a ``values_list``."""

    def all(self, *values: Any) -> list[tuple[Any, ...]]:
        with _cursor() as cursor:
            self._execute(cursor, values)
            rows = cursor.fetchall()
        if not self._needed:
            return rows
        return [tuple(row) for row in self._compiler.apply_converters(rows, self._needed)]

    @cached_property
    def _needed(self) -> Any:
        """The converters without those of truth values: SQLite's 0 and 1 are equal to False and True."""
        boolean = getattr(connection.ops, "convert_booleanfield_value", None)
        return {column: each for column, each in self._converters.items() if each[0] != [boolean]}


class PreparedLookup(_Prepared, Generic[M]):
    """The first row of a queryset, as an object."""

    def __init__(self, rows: Callable[[], QuerySet[M]]) -> None:
        super().__init__(rows)

    def first(self, *values: Any) -> M | None:
        with _cursor() as cursor:
            self._execute(cursor, values)
            row = cursor.fetchone()
        return None if row is None else self._object(row)

    @cached_property
    def _object(self) -> Callable[[Any], M]:
        """Makes a row an object with its related ones, by the same steps as Django's ``ModelIterable``."""
        compiler, converters = self._compiler, self._converters
        own = compiler.klass_info["select_fields"]
        names = [compiler.select[index][0].target.attname for index in own]
        populators: Any = query.get_related_populators  # not a public name
        related = populators(compiler.klass_info, compiler.select, DEFAULT_DB_ALIAS)

        def to_object(row: Any) -> M:
            (row,) = compiler.apply_converters([row], converters)
            found = compiler.klass_info["model"].from_db(DEFAULT_DB_ALIAS, names, [row[i] for i in own])
            for populator in related:
                populator.populate(row, found)
            return found

        return to_object


class PreparedUpdate(_Prepared):
    """The update of a queryset's rows to these values, which may be expressions."""

    def __init__(self, rows: Callable[[], QuerySet[Any, Any]], **changed: Any) -> None:
        super().__init__(rows)
        self._changed = changed

    def update(self, *values: Any) -> None:
        """``values`` are those of the whole statement, in its order: what is changed, then which rows."""
        with _cursor() as cursor:
            self._execute(cursor, values)

    @cached_property
    def _compiler(self) -> Any:
        update: Any = self._rows().query.chain(UpdateQuery)
        update.add_update_values(self._changed)
        return update.get_compiler(DEFAULT_DB_ALIAS)


class PreparedInsert:
    """Stores rows with values of these fields of a model, which are all it has besides its id."""

    def __init__(self, model: type[Model], *names: str) -> None:
        self._model, self._names = model, names

    def insert(self, *values: Any) -> int:
        """Store a row; its id."""
        with _cursor() as cursor:
            cursor.execute(self._sql, values)
            (pk,) = cursor.fetchone()
        return int(pk)

    @cached_property
    def _sql(self) -> str:
        quote, meta = connection.ops.quote_name, self._model._meta
        columns = [quote(str(meta.get_field(name).column)) for name in self._names]  # type: ignore[union-attr]
        names, places = ", ".join(columns), ", ".join(["%s"] * len(columns))
        table = quote(meta.db_table)
        return f"INSERT INTO {table} ({names}) VALUES ({places}) RETURNING id"  # noqa: S608 - names


class PreparedSave(Generic[M]):
    """Saves rows of a model, without its signals and what its ``save`` does besides."""

    def __init__(self, model: type[M]) -> None:
        self._model = model
        self._fields = [field for field in model._meta.concrete_fields if not field.primary_key]
        self._insert = PreparedInsert(model, *(field.name for field in self._fields))

    def insert(self, row: M) -> None:
        """Store a new row, which is given its id."""
        row.pk = self._insert.insert(*self._values(row, is_new=True))
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS

    def update(self, row: M) -> None:
        """Store what the row says now."""
        with _cursor() as cursor:
            cursor.execute(self._update, [*self._values(row, is_new=False), row.pk])

    def _values(self, row: M, *, is_new: bool) -> list[Any]:
        database = connections[DEFAULT_DB_ALIAS]
        return [field.get_db_prep_save(field.pre_save(row, is_new), database) for field in self._fields]

    @cached_property
    def _update(self) -> str:
        quote = connection.ops.quote_name
        changed = ", ".join(f"{quote(str(field.column))} = %s" for field in self._fields)
        table = quote(self._model._meta.db_table)
        return f"UPDATE {table} SET {changed} WHERE id = %s"  # noqa: S608 - names
