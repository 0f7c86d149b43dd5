"""New ids for the rows of a box: in columns that point to rows, and in what log and replays tell of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from leagues.models import (
    Adjustment,
    AuditEntry,
    Challenge,
    Entry,
    FormerAddress,
    Game,
    GameReport,
    League,
    Player,
    PlayerAlias,
    Team,
)
from leagues.services.audit import UNDO
from leagues.services.bulk import reserve_ids
from leagues.services.games import ROW_KEPT
from ratings.models import Replay
from ratings.services.box_cells import CellError, parser_of, whole
from ratings.services.league_box import AUDITED

# What the log keeps of an act, so that it can be taken back: ids, and rows that it dropped or changed.
UNDO_IDS: dict[str, type[Model]] = {
    "keep": Player,
    "gone": Player,
    "games": Game,
    "players": Player,
    "challenge": Challenge,
    "challenges_issued": Challenge,
    "challenges_received": Challenge,
    "reports": GameReport,
    "adjustments": Adjustment,
    "teams": Team,
    "entries": Entry,
    "idle": Entry,
    "names": PlayerAlias,
    "name_added": PlayerAlias,
    "addresses": FormerAddress,
}
UNDO_ROWS: dict[str, type[Model]] = {
    "entries_dropped": Entry,
    "entries_joined": Entry,
    "names_dropped": PlayerAlias,
}
UNDO_ROW = "row"  # what else the row of a game held
SINGLE = {"keep", "gone", "name_added", "challenge"}  # of UNDO_IDS, the others are lists
MAY_BE_NONE = {"name_added", "challenge"}
MADE = {"players"}  # what is kept after an act that made players
CHANGED = {"players", "challenge", UNDO_ROW}  # and before one that changed a game
MERGED = {*UNDO_IDS, *UNDO_ROWS, "birth_year"} - CHANGED

Row = dict[str, Any]


class Ids:
    """The new ids of the rows of a league, by the ids they have in the box."""

    def __init__(self, league: League) -> None:
        self.league = league
        self._new: dict[type[Model], dict[int, int]] = defaultdict(dict)
        self._gone: dict[type[Model], dict[int, int]] = defaultdict(dict)

    def give(self, model: type[Model], old: Iterable[int]) -> None:
        """Give these rows new ids in their order. Raises CellError at the first not above the last."""
        known = self._new[model]
        rising = [next(reversed(known), 0)]
        for each in old:
            if each <= rising[-1]:
                raise CellError(_("The ids must be above 0 and rise from row to row."))
            rising.append(each)
        known.update(zip(rising[1:], reserve_ids(model, len(rising) - 1), strict=True))

    def of(self, model: type[Model], old: Any) -> int:
        """The new id of a row that is there. Raises CellError."""
        new = self._new[model].get(whole(old))
        if new is None:
            raise CellError(_("There is no row with the id %(id)s.") % {"id": old})
        return new

    def of_any(self, model: type[Model], old: Any) -> int:
        """The new id of a row that may be gone: then one that no other row is given."""
        if model is League:
            return self.league.pk
        number = whole(old)
        if number in self._new[model]:
            return self._new[model][number]
        gone = self._gone[model]
        if number not in gone:
            (gone[number],) = reserve_ids(model, 1)
        return gone[number]


def told_ids(model: type[Model], row: Row, ids: Ids) -> Row:
    """The row with new ids in what it tells of others. Raises CellError."""
    renew = RENEWED.get(model)
    try:
        return renew(row, ids) if renew else row
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, CellError):
            raise
        raise CellError(_("What it tells of other rows cannot be read.")) from error


def _audit_row(row: Row, ids: Ids) -> Row:
    object_id = ids.of_any(AUDITED[row["object_type"]], row["object_id"])
    before, after = row["before"], row["after"]
    if row["action"] == "merge_players":
        before = before | {UNDO: _undo(before[UNDO], MERGED, ids)}
    elif row["action"] == "reorder_games":
        before, after = (
            values | {"games": _all_of(Game, values["games"], ids)} for values in (before, after)
        )
    else:
        before, after = (
            values | {UNDO: _undo(values[UNDO], names, ids)} if values and UNDO in values else values
            for values, names in ((before, CHANGED), (after, MADE))
        )
    return row | {"object_id": str(object_id), "before": before, "after": after}


def _undo(undo: Row, names: Collection[str], ids: Ids) -> Row:
    """What an act keeps for its undoing, which is all of these names."""
    if undo.keys() != set(names):
        raise KeyError(UNDO)
    renewed: Row = {}
    for name, value in undo.items():
        if name == "birth_year":
            renewed[name] = _readable(Player, {name: value})[name]
        elif name == UNDO_ROW:
            renewed[name] = _readable(Game, {each: value[each] for each in ROW_KEPT})
        elif name in SINGLE:
            renewed[name] = _one_of(UNDO_IDS[name], value, ids, may_be_none=name in MAY_BE_NONE)
        elif name in UNDO_IDS:
            renewed[name] = _all_of(UNDO_IDS[name], value, ids)
        else:
            renewed[name] = [_row(UNDO_ROWS[name], each, ids) for each in value]
    return renewed


def _one_of(model: type[Model], old: Any, ids: Ids, *, may_be_none: bool) -> int | None:
    return None if old is None and may_be_none else ids.of_any(model, old)


def _all_of(model: type[Model], old: Any, ids: Ids) -> list[int]:
    if not isinstance(old, list):
        raise CellError(_("It must be a list of ids."))
    return [ids.of_any(model, each) for each in old]


def _row(model: type[Model], values: Row, ids: Ids) -> Row:
    """A row kept as JSON, by the names of its columns."""
    fields: dict[str, Any] = {field.attname: field for field in model._meta.concrete_fields}
    if values.keys() != fields.keys():
        raise KeyError(model._meta.model_name)
    renewed = dict(values)
    for name, field in fields.items():
        target: Any = model if field.primary_key else field.related_model
        if target is None:
            _readable(model, {name: values[name]})
        else:
            renewed[name] = _one_of(target, values[name], ids, may_be_none=field.null)
    return renewed


def _readable(model: type[Model], values: Row) -> Row:
    """Values of a row kept as JSON, as they are. Raises CellError for what the column cannot have."""
    for name, value in values.items():
        parser_of(model._meta.get_field(name))(value)
    return values


def _replay_row(row: Row, ids: Ids) -> Row:
    outside = row["outside"]
    if outside is None:
        return row
    renewed = {
        "order": _all_of(Player, outside["order"], ids),
        "born": [[ids.of_any(Player, player), year] for player, year in outside["born"]],
        "previous": [[ids.of_any(Player, player), rating] for player, rating in outside["previous"]],
    }
    return row | {"outside": outside | renewed}


RENEWED: dict[type[Model], Callable[[Row, Ids], Row]] = {AuditEntry: _audit_row, Replay: _replay_row}
