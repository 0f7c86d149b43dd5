"""Taking a league out of a box: all of it, with new ids in the old order, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import IO, Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from leagues.models import AuditEntry, League, Organizer, Player, PlayerAlias, Role, Team
from leagues.names import same_name
from leagues.progress import Stage, over
from leagues.services.addresses import refuse_former, refuse_reserved, reserved_words, taken_addresses
from leagues.services.audit import Actor, leave_audit
from leagues.services.bulk import write_rows
from ratings.models import RatingChange
from ratings.services.box_cells import CellError, Parse, parser_of, whole
from ratings.services.box_checks import check_logs, check_results, check_rows
from ratings.services.box_ids import RENEWED, Ids, told_ids
from ratings.services.box_reading import Box, BoxError, opened
from ratings.services.league_box import LEAGUE_COLUMNS, MANIFEST, TABLES, Table

CHUNK = 10_000  # rows held at once

Row = dict[str, Any]


def import_league(*, file: IO[bytes], by: Actor, slug: str = "", owner: User | None = None) -> League:
    """Make the league of a box, at its own address or another one, with all its rows as they were.

    Accounts and host names do not come along: ``owner`` is its first organizer. The results of a season
    that were level with its facts must equal a replay; those of others are rated anew.
    Raises BoxError, a ValidationError, for what does not fit; then nothing was made.
    """
    try:
        with opened(file) as box, transaction.atomic():
            league = _create_league(box.league, slug)
            _Loader(box, league).load()
            check_rows(league)
            check_results(league)
            check_logs(league)
            if owner is not None:
                Organizer.objects.create(league=league, user=owner, role=Role.OWNER)
            told = {"address": box.league["slug"], "rows": sum(box.rows.values())}
            leave_audit("import_league", league, by=by, after=told)
    except DatabaseError as error:
        # Two rows that are one, say, as only a box made by hand has: the database knows all such rules.
        raise BoxError(_("The box contradicts itself: %(reason)s") % {"reason": error}) from error
    return league


def _create_league(values: Row, slug: str) -> League:
    read: Row = {}
    for name in LEAGUE_COLUMNS:
        try:
            read[name] = parser_of(League._meta.get_field(name))(values[name])
        except CellError as error:
            raise BoxError(error.message, MANIFEST, column=name) from None
    kept = {name: read.pop(name) for name in ("version", "created_at")}
    league = League(**read)
    league.slug = slug or league.slug
    if league.slug in taken_addresses():
        message = _("The address “%(slug)s” is taken on this site; choose another one.")
        raise BoxError(message % {"slug": league.slug})
    try:
        league.full_clean()
        refuse_reserved(league.slug, reserved_words())
        refuse_former(league.slug, league=league)
    except ValidationError as refused:
        raise BoxError(refused.messages[0], MANIFEST) from refused
    league.save()
    League.objects.filter(pk=league.pk).update(**kept)
    league.refresh_from_db()
    return league


class _Loader:
    """Writes the tables of a box one after the other."""

    def __init__(self, box: Box, league: League) -> None:
        self.box, self.league, self.ids = box, league, Ids(league)
        self.total, self.done = sum(box.rows.values()), 0

    def load(self) -> None:
        for table in TABLES:
            rows = over(Stage.UNPACKING, self.box.rows_of(table), self.total, before=self.done)
            # A row that points to one of its own table may point to a later one.
            points_to_itself = any(field.related_model is table.model for field in table.fields)
            for some in _chunks(rows, None if points_to_itself else CHUNK):
                self._write(table, some)
                self.done += len(some)

    def _write(self, table: Table, rows: Sequence[tuple[int, list[Any]]]) -> None:
        has_id = table.columns[0] == "id"
        if has_id:
            self._give_ids(table, rows)
        parsers = [self._parser(table, field) for field in table.fields]
        written = [dict(zip(table.columns, self._values(table, parsers, row), strict=True)) for row in rows]
        derive = DERIVED.get(table.model, lambda _league, _row: {})
        if "league" in table.left_out:
            for row in written:
                row["league"] = self.league.pk
        for row in written:
            row |= derive(self.league, row)
        linked = [field.name for field in table.fields if field.many_to_many]
        names = [name for name in written[0] if name not in linked]
        write_rows(table.model, names, [tuple([row[name] for name in names]) for row in written])
        for name in linked:
            self._link(table.model._meta.get_field(name), written)

    def _give_ids(self, table: Table, rows: Sequence[tuple[int, list[Any]]]) -> None:
        line = 0

        def old_ids() -> Iterator[int]:
            nonlocal line
            for line, raw in rows:  # noqa: B007 - says where it is when an id is refused
                yield whole(raw[0])

        try:
            self.ids.give(table.model, old_ids())
        except CellError as error:
            raise BoxError(error.message, table.file, line, "id") from None

    def _parser(self, table: Table, field: Any) -> Parse:
        """What reads a column: ids of rows as their new ones."""
        if field.primary_key:
            return partial(self.ids.of, table.model)
        if field.many_to_many:
            return partial(self._all, field.related_model)
        if field.related_model is None:
            return parser_of(field)
        # The ledger speaks of deleted games until the next replay.
        of = self.ids.of_any if (table.model, field.name) == (RatingChange, "game") else self.ids.of
        return lambda raw: None if field.null and raw in (None, "") else of(field.related_model, raw)

    def _all(self, model: type[Model], raw: Any) -> list[int]:
        if not isinstance(raw, list):
            raise CellError(_("It must be a list of ids."))
        return [self.ids.of(model, each) for each in raw]

    def _values(self, table: Table, parsers: list[Parse], row: tuple[int, list[Any]]) -> list[Any]:
        line, raw = row
        values: list[Any] = []
        try:
            if table.model in RENEWED:
                told = told_ids(table.model, dict(zip(table.columns, raw, strict=True)), self.ids)
                raw = list(told.values())
            for parse, cell in zip(parsers, raw, strict=True):
                values.append(parse(cell))  # how many there are tells which one is refused
        except CellError as error:
            raise BoxError(error.message, table.file, line, table.columns[len(values)]) from None
        return values

    def _link(self, field: Any, rows: list[Row]) -> None:
        names = (field.m2m_field_name(), field.m2m_reverse_field_name())
        pairs = [(row["id"], other) for row in rows for other in row[field.name]]
        write_rows(field.remote_field.through, names, pairs)


def _entry(_league: League, row: Row) -> Row:
    entry = AuditEntry()
    entry.set_object_name(row["object_name"])
    return {"search": entry.search}


def _player(league: League, row: Row) -> Row:
    player = Player(league=league)
    player.set_name(row["name"])
    return {"search": player.search, "sort_key": player.sort_key}


# What follows from the other columns of a row.
DERIVED: dict[type[Model], Callable[[League, Row], Row]] = {
    AuditEntry: _entry,
    Player: _player,
    PlayerAlias: lambda _league, row: {"key": same_name(row["name"])},
    Team: lambda _league, row: {"member_key": Team.key_of(row["members"])},
}


def _chunks(rows: Iterable[Any], size: int | None) -> Iterator[list[Any]]:
    left = iter(rows)
    while some := list(islice(left, size)):
        yield some
