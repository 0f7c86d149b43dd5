"""How a service begins and ends: the lock, the revision, the audit row, the signal."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.utils.translation import gettext as _

from leagues.models import AuditEntry, Season, SeasonClosedError
from leagues.models.base import hold_open, league_of
from leagues.prepared import PreparedLookup, PreparedSave
from leagues.signals import season_changed

Actor = User | None
UNDO = "undo"  # under this an entry keeps what taking its act back needs
Row = TypeVar("Row", bound=models.Model)

HELD = PreparedLookup(lambda: Season.objects.filter(pk=0).locked())
ENTRY = PreparedSave(AuditEntry)


def lock_season(season: Season) -> Season:
    """The season, read afresh under its row lock, so that writers of one season queue up.

    Raises SeasonClosedError, and ValidationError when it is gone.
    """
    locked = HELD.first(season.pk)
    if locked is None:
        raise _gone(season)
    refuse_closed(locked)
    return locked


def read_locked(rows: models.QuerySet[Row], row: Row) -> Row:
    """The row, read afresh from these, which are locked. Raises ValidationError when it is gone."""
    stored = rows.filter(pk=row.pk).first()
    if stored is None:
        raise _gone(row)
    return stored


def save_checked(row: models.Model, **options: Any) -> None:
    """Save a row that was found to be right; ``options`` are those of ``save``.

    Raises ValidationError, as ``full_clean`` does, where somebody else took an address or a name between
    the check and the write, and no lock keeps them apart.
    """
    try:
        with transaction.atomic():
            row.save(**options)
    except IntegrityError:
        row.full_clean()
        raise


def refuse_twin(rows: models.QuerySet[Any]) -> None:
    """Raise ValidationError where a row that says just the same is there: a form sent twice makes one.

    ``rows`` are those, looked for under a lock that whoever makes one takes.
    """
    if rows.exists():
        message = _("Exactly this is there already: the form was sent twice, or somebody else was faster.")
        raise ValidationError(message, code="twin")


def _gone(row: models.Model) -> ValidationError:
    message = _("“%(row)s” was deleted meanwhile.")
    return ValidationError(message, code="deleted", params={"row": str(row)})


def refuse_closed(season: Season) -> None:
    """Raise SeasonClosedError when the season, read under its lock, is closed; else remember it as open."""
    if season.is_closed:
        raise SeasonClosedError(season.name)
    hold_open(season.pk)


def leave_audit(
    action: str,
    row: models.Model,
    *,
    by: Actor,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    season: Season | None = None,
) -> None:
    """Write the one audit row of a service call. ``before`` and ``after`` are JSON objects.

    ``season``, as read under its lock, is the one whose facts the call changes: ``season_is_changed``
    follows, once, and makes the revision that the row names.
    """
    entry = AuditEntry(
        league=season.league if season else league_of(row),
        season=season,
        revision=season.revision + 1 if season else None,
        by=by if by is not None and by.is_authenticated else None,
        action=action,
        object_type=row._meta.model_name or "",
        object_id=str(row.pk),
        before=before,
        after=after,
    )
    entry.set_object_name(str(row)[:200])
    ENTRY.insert(entry)


def season_is_changed(season: Season, *, since: datetime | None) -> None:
    """Raise the season's revision, and have its results recomputed once this is committed.

    ``since`` is the moment from which ratings are affected; None when only who is entered changed.
    """
    season.touch(since)
    season_id = season.pk

    def announce() -> None:
        # Robust: whatever a receiver does, the facts are saved and the organizer gets an answer.
        season_changed.send_robust(sender=Season, season_id=season_id)

    transaction.on_commit(announce)


def values_of(row: models.Model, names: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """The row's values of these fields, for an audit row."""
    return {name: getattr(row, name) for name in names}
