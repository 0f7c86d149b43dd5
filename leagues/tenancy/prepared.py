"""A look-up that many requests begin with, by SQL that is put together once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model, QuerySet, query

M = TypeVar("M", bound=Model)


class PreparedLookup(Generic[M]):
    """The first row of a queryset, as often as wanted, each time with other values in it.

    ``rows`` gives the queryset with stand-ins, in the order in which ``first`` takes the values. The
    ORM spends ten times on making the SQL of a small look-up what the database does on answering it.
    """

    def __init__(self, rows: Callable[[], QuerySet[M]]) -> None:
        self._rows = rows

    def first(self, *values: int | str) -> M | None:
        with connection.cursor() as cursor:
            cursor.execute(self._sql, values)
            row = cursor.fetchone()
        return None if row is None else self._object(row)

    @cached_property
    def _compiler(self) -> Any:
        return self._rows().query.get_compiler(DEFAULT_DB_ALIAS)

    @cached_property
    def _sql(self) -> str:
        return self._compiler.as_sql()[0]

    @cached_property
    def _object(self) -> Callable[[Any], M]:
        """Makes a row an object with its related ones, by the same steps as Django's ``ModelIterable``."""
        compiler = self._compiler
        converters = compiler.get_converters([column for column, *_sql in compiler.select])
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
