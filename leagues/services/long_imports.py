"""Imports that go on after the request that asked for them, and what is told of them meanwhile.

What came of one is kept for a day beside how far it has come. Both are only told: the file is imported as a
whole or not at all, and a second time it adds nothing.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Literal, NamedTuple

from django.contrib.auth.models import User
from django.core.cache import caches
from django.core.exceptions import ValidationError
from redis import RedisError

from leagues.models import Season
from leagues.progress import Step, claim, release, shown, shown_at
from leagues.services.import_options import ImportOptions, import_file
from leagues.services.uploads import KEPT_SECONDS, forget_upload, kept_upload, name_of

logger = logging.getLogger(__name__)


class Outcome(NamedTuple):
    """What came of an import: nothing unless it is done."""

    kind: Literal["done", "changed", "refused", "failed"]
    new: int = 0
    known: int = 0
    players: int = 0
    revision: int | None = None  # of the season that the import made


def claim_import(token: str) -> bool:
    """Say that the file of a token waits for its import; False where that is said already."""
    caches["progress"].delete(_outcome_key(token))
    return claim(_step_key(token))


def release_import(token: str) -> None:
    """Take a claim back."""
    release(_step_key(token))


def state_of_import(token: str) -> tuple[Step | None, Outcome | None]:
    """How far the import of a token's file has come, and what came of it; neither where it broke off."""
    kept = None
    with suppress(OSError, RedisError):
        kept = caches["progress"].get(_outcome_key(token))
    return shown(_step_key(token)), Outcome(*kept) if kept else None


def run_import(*, season: Season, by: User, token: str, options: ImportOptions) -> Outcome | None:
    """Import the file of a token and keep what came of it; None where the file was imported meanwhile."""
    data = kept_upload(token, season=season, by=by)
    if data is None:
        release_import(token)
        return None
    outcome = Outcome("failed")
    try:
        with shown_at(_step_key(token)):
            outcome = _imported(season, data, by, options)
    except Exception:
        # Nobody else would hear of it; the transaction has taken everything back.
        logger.exception("The import of a file into season %s failed.", season.pk)
    if outcome.kind == "done":
        forget_upload(token)
    with suppress(OSError, RedisError):
        caches["progress"].set(_outcome_key(token), tuple(outcome), KEPT_SECONDS)
    release_import(token)
    return outcome


def _imported(season: Season, data: bytes, by: User, options: ImportOptions) -> Outcome:
    try:
        plan = import_file(season=season, data=data, options=options, by=by)
    except ValidationError:  # closed, or deleted, meanwhile
        return Outcome("refused")
    if plan.error_count:
        return Outcome("changed")
    return Outcome("done", plan.new, plan.known, len(plan.players), plan.revision)


def _step_key(token: str) -> str:
    return f"import:{name_of(token)}"


def _outcome_key(token: str) -> str:
    return f"imported:{name_of(token)}"
