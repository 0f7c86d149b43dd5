"""Boxes of leagues made for their owners, in or after the request, and what is told of it meanwhile."""

from __future__ import annotations

import logging
from contextlib import suppress
from secrets import token_hex

from django.core.cache import caches
from redis import RedisError

from leagues.models import Game, League
from leagues.progress import Step, claim, release, shown, shown_at
from leagues.services.kept_boxes import KEPT_SECONDS, box_path, forget_box, forget_old_boxes
from ratings.services.box_export import export_league

logger = logging.getLogger(__name__)

ATTEMPTS = 3
LARGEST_IN_REQUEST = 2_000  # games, some seconds of work


def is_quick(league: League) -> bool:
    """Whether the box of a league is made while its owner waits."""
    return Game.objects.in_league(league).count() <= LARGEST_IN_REQUEST


def claim_export(league_id: int) -> bool:
    """Say that a league waits for its box; False where that is said already."""
    caches["progress"].delete(_failed_key(league_id))
    return claim(_step_key(league_id))


def release_export(league_id: int) -> None:
    """Take a claim back."""
    release(_step_key(league_id))


def state_of_export(league_id: int) -> tuple[Step | None, bool]:
    """How far the box of a league has come, and whether the last one could not be made."""
    has_failed = False
    with suppress(OSError, RedisError):
        has_failed = bool(caches["progress"].get(_failed_key(league_id)))
    return shown(_step_key(league_id)), has_failed


def run_export(league_id: int) -> bool:
    """Make the box of a league and keep it in place of the one before; whether that was done."""
    try:
        with shown_at(_step_key(league_id)):
            _make_box(League.objects.get(pk=league_id))
    except Exception:
        # Nobody else would hear of it; the box of before is still there.
        logger.exception("The box of league %s could not be made.", league_id)
        with suppress(OSError, RedisError):
            caches["progress"].set(_failed_key(league_id), True, KEPT_SECONDS)
        return False
    finally:
        release_export(league_id)
    return True


def _make_box(league: League) -> None:
    path = box_path(league.pk)
    forget_old_boxes()
    for _attempt in range(ATTEMPTS):
        part = path.with_suffix(f".{token_hex(8)}")  # of two that make it at once, each writes its own
        try:
            with part.open("wb") as file:
                made_of = export_league(league, file)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        # Whose name was taken out meanwhile must not stay in the box: that has raised the version.
        if League.objects.filter(pk=league.pk, version=made_of.version).exists():
            return
        forget_box(league.pk)
    raise RuntimeError("The league changed again and again while it was put in its box.")


def _step_key(league_id: int) -> str:
    return f"box:{league_id}"


def _failed_key(league_id: int) -> str:
    return f"box-failed:{league_id}"
