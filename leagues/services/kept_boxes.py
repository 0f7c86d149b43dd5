"""Boxes of leagues that wait to be fetched: one a league, under ``VAR_DIR/boxes``, for a day."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

KEPT_SECONDS = 24 * 60 * 60


class KeptBox(NamedTuple):
    """The file of a box, when it was made and how many bytes it has."""

    path: Path
    made_at: datetime
    size: int


def kept_box(league_id: int) -> KeptBox | None:
    """The box of a league that was made last, unless that is too long ago."""
    path = box_path(league_id)
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if time.time() - found.st_mtime > KEPT_SECONDS:
        return None
    return KeptBox(path, datetime.fromtimestamp(found.st_mtime, UTC), found.st_size)


def forget_box(league_id: int) -> None:
    """Delete the box of a league, which says what the league says no more."""
    box_path(league_id).unlink(missing_ok=True)


def forget_old_boxes() -> None:
    """Delete everybody's boxes that have waited too long."""
    for path in box_path(0).parent.iterdir():
        with suppress(FileNotFoundError):  # made anew, or forgotten by another process, just now
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()


def box_path(league_id: int) -> Path:
    """Where the box of a league is kept; the folder is there."""
    folder = Path(settings.VAR_DIR) / "boxes"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{league_id}.zip"
