"""Boxes of leagues that wait to be fetched: one a league, under ``VAR_DIR/boxes``, for a day."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from leagues.services.kept_files import KEPT_SECONDS, folder_of, forget_old_files

KIND = "boxes"


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
    forget_old_files(KIND)


def box_path(league_id: int) -> Path:
    """Where the box of a league is kept."""
    return folder_of(KIND) / f"{league_id}.zip"
