"""From what a box has in a column to a value of the model. Whatever stands there is nobody's word."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models
from django.db.backends.base.operations import BaseDatabaseOperations
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Parse = Callable[[Any], Any]

_WHOLE = re.compile(r"-?[0-9]{1,19}")


class CellError(ValueError):
    """A value that a column cannot have; ``message`` is the sentence that says why."""

    def __init__(self, message: Promise | str) -> None:
        super().__init__(str(message))
        self.message = message


def parser_of(field: Any) -> Parse:
    """What reads the column of a field that points to no other row: to what the database takes.

    A value is a text, or from JSON whatever JSON has. An empty text is nothing where nothing is allowed.
    """
    parse = _parser(field)
    if not field.null:
        return parse
    return lambda raw: None if raw is None or raw == "" else parse(raw)


def _parser(field: Any) -> Parse:
    if isinstance(field, models.JSONField):
        return lambda raw: field.get_db_prep_save(check_json(raw), connection)
    if isinstance(field, models.BooleanField):
        return _flag
    if isinstance(field, models.DateTimeField):
        return _moment
    if isinstance(field, models.IntegerField):
        return _number_within(*_limits(field))
    if isinstance(field, models.DateField):
        return lambda raw: field.get_db_prep_save(_cleaned(field, _day(raw)), connection)
    if isinstance(field, models.UUIDField):
        return lambda raw: field.get_db_prep_save(_cleaned(field, _text(raw)), connection)
    if isinstance(field, models.DecimalField):
        return lambda raw: field.get_db_prep_save(Decimal(_cleaned(field, _text(raw))), connection)
    return lambda raw: _short_text(field, _text(raw))


def whole(raw: Any) -> int:
    """A whole number, as an id is."""
    if type(raw) is int:
        return raw
    if isinstance(raw, str) and _WHOLE.fullmatch(raw):
        return int(raw)
    raise CellError(_("It must be a whole number."))


def check_json(value: Any) -> Any:
    """A value of JSON that both databases can hold."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, RecursionError):  # a number that is none, half a sign, or nested without end
        raise CellError(_("It holds what cannot be stored.")) from None
    if "\\u0000" in text:
        raise CellError(_("It holds a sign that cannot be stored."))
    return value


def _limits(field: Any) -> tuple[int, int]:
    """What the column holds on every database, and the field allows."""
    lowest, highest = BaseDatabaseOperations.integer_field_ranges[field.get_internal_type()]
    for validator in field._validators:
        if isinstance(validator, MinValueValidator):
            lowest = max(lowest, validator.limit_value)
        elif isinstance(validator, MaxValueValidator):
            highest = min(highest, validator.limit_value)
    return lowest, highest


def _number_within(lowest: int, highest: int) -> Parse:
    def parse(raw: Any) -> int:
        number = whole(raw)
        if lowest <= number <= highest:
            return number
        message = _("%(number)s is not between %(lowest)s and %(highest)s.")
        raise CellError(message % {"number": number, "lowest": lowest, "highest": highest})

    return parse


def _flag(raw: Any) -> bool:
    flags: dict[Any, bool] = {"true": True, "false": False}
    flag = raw if isinstance(raw, bool) else flags.get(raw) if isinstance(raw, str) else None
    if flag is None:
        raise CellError(_("It must be true or false."))
    return flag


def _moment(raw: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(raw))
        if moment.tzinfo:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise CellError(_("It must be a time with its offset, like 2026-11-29T18:05:00+00:00."))


def _day(raw: Any) -> date:
    try:
        return date.fromisoformat(_text(raw))
    except ValueError:
        raise CellError(_("It must be a date, like 2026-11-29.")) from None


def _text(raw: Any) -> str:
    if not isinstance(raw, str):
        raise CellError(_("It must be a text."))
    if "\0" in raw:
        raise CellError(_("It holds a sign that cannot be stored."))
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise CellError(_("It holds a sign that cannot be stored.")) from None
    return raw


def _short_text(field: Any, text: str) -> str:
    if field.max_length and len(text) > field.max_length:  # of a TextField only forms ask
        raise CellError(_("It has more than %(length)s characters.") % {"length": field.max_length})
    return str(_cleaned(field, text))


def _cleaned(field: Any, value: Any) -> Any:
    try:
        return field.clean(value, None)
    except ValidationError as refused:
        raise CellError(refused.messages[0]) from None
