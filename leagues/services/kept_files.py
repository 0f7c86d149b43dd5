"""Files that wait under ``VAR_DIR`` for somebody to come back for them, for a day."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings

KEPT_SECONDS = 24 * 60 * 60


def folder_of(kind: str) -> Path:
    """The folder of files of a kind; it is there, and nobody else's to look into."""
    folder = Path(settings.VAR_DIR) / kind
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def forget_old_files(kind: str) -> None:
    """Delete everybody's files of a kind that have waited too long."""
    for path in folder_of(kind).iterdir():
        if seconds_waited(path) > KEPT_SECONDS:
            path.unlink(missing_ok=True)


def seconds_waited(path: Path) -> float:
    """How long ago the file was written; 0 where another process deletes it just now."""
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime
    return 0
