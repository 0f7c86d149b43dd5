"""Game files between their preview and their import.

A file waits under ``VAR_DIR/imports`` by a random name. Who comes back for it must bring the
signed token that was given for it, which holds for the same user and season and for one day.
Of each user only the latest few wait, so that nobody fills the disk.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from django.contrib.auth.models import User
from django.core import signing

from leagues.models import Season
from leagues.services.kept_files import KEPT_SECONDS, folder_of, forget_old_files, seconds_waited

KIND = "imports"
KEPT_FILES = 5  # of one user
SALT = "leagues.uploads"


def keep_upload(data: bytes, *, season: Season, by: User) -> str:
    """Keep a file for its import; the token to come back with. Forgets what is too old or too much."""
    forget_old_uploads()
    _make_room(by)
    name = f"{by.pk}-{secrets.token_hex(16)}"
    path = _path(name)
    path.touch(mode=0o600)
    path.write_bytes(data)
    return signing.dumps([name, season.pk, by.pk], salt=SALT)


def is_token(token: str, *, season: Season, by: User) -> bool:
    """Whether the token was given to this user for this season, not too long ago; its file may be gone."""
    try:
        _name, *whose = signing.loads(token, salt=SALT, max_age=KEPT_SECONDS)
    except signing.BadSignature:
        return False
    return whose == [season.pk, by.pk]


def kept_upload(token: str, *, season: Season, by: User) -> bytes | None:
    """The file of a token; None when it is another's, imported already or too old."""
    if is_token(token, season=season, by=by):
        with suppress(FileNotFoundError):
            return _path(name_of(token)).read_bytes()
    return None


def name_of(token: str) -> str:
    """The name of the file of a token that is one."""
    name, _season_id, _user_id = signing.loads(token, salt=SALT)
    return name


def change_upload(token: str, data: bytes) -> None:
    """Keep other bytes as the file of a token that is one; who reads it meanwhile has either, and whole."""
    path = _path(name_of(token))
    part = path.with_suffix(".part")
    part.touch(mode=0o600)
    part.write_bytes(data)
    part.replace(path)


def forget_upload(token: str) -> None:
    """Delete the file of a token that is one."""
    _path(name_of(token)).unlink(missing_ok=True)


def _path(name: str) -> Path:
    return folder_of(KIND) / name


def forget_old_uploads() -> None:
    """Delete everybody's files that waited too long."""
    forget_old_files(KIND)


def _make_room(by: User) -> None:
    """Delete all files of the user but the latest few, of which one more will be."""
    for path in sorted(folder_of(KIND).glob(f"{by.pk}-*"), key=seconds_waited)[KEPT_FILES - 1 :]:
        path.unlink(missing_ok=True)
