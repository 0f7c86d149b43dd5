"""Whether a form was filled with what is stored still: two people, or two tabs, may have it open.

A form that changes a row says of what it was filled with, and is refused where the row says something else
since: it would take back, field by field, what somebody else has done, and bring back a name taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.translation import gettext as _

SEEN = "seen"  # the field that says it


def seen_of(initials: Iterable[Mapping[str, Any]]) -> str:
    """A short text that is the same for forms filled with the same; ``initials`` are ``Form.initial``."""
    values = [sorted((name, repr(_plain(value))) for name, value in initial.items()) for initial in initials]
    return blake2b(repr(values).encode(), digest_size=12).hexdigest()


def refuse_stale(seen: str | None, initials: Iterable[Mapping[str, Any]]) -> None:
    """Raise ValidationError where a form says that it was filled with something else; one may say nothing."""
    if seen and seen != seen_of(initials):
        message = _("Somebody else changed this meanwhile, so nothing was saved; open it again and look.")
        raise ValidationError(message, code="conflict")


def _plain(value: Any) -> Any:
    """Rows by their ids: what they are called is theirs."""
    if isinstance(value, Model):
        return value.pk
    return sorted(map(_plain, value)) if isinstance(value, list) else value
