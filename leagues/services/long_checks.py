"""Files that are looked through after the request that asked for their preview, and what is told meanwhile.

The preview is kept for a day beside how far it has come, and before it what was chosen for it, so that it
can be asked for again where it broke off.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import NamedTuple

from django.contrib.auth.models import User
from django.core.cache import caches
from django.utils import translation
from redis import RedisError

from leagues.games_csv import UnreadableWorkbookError, as_csv, is_workbook
from leagues.models import Season
from leagues.progress import Step, claim, release, shown, shown_at
from leagues.services.import_options import ImportOptions
from leagues.services.import_preview import Preview, preview_file
from leagues.services.uploads import KEPT_SECONDS, change_upload, kept_upload, name_of

# Bytes of a file that takes a second or two, some 4,000 duels: until then the answer is the result itself.
LARGEST_IN_REQUEST = 200_000
LARGEST_WORKBOOK = 100_000  # which is packed, and slower to read

logger = logging.getLogger(__name__)


class Check(NamedTuple):
    """How far the check of a file has come; neither step nor preview where it broke off."""

    step: Step | None
    preview: Preview | None
    options: ImportOptions | None  # as somebody chose them; None where nobody can tell


def takes_long(data: bytes) -> bool:
    """Whether nobody should wait for an answer until this file is read through, or imported."""
    return len(data) > (LARGEST_WORKBOOK if is_workbook(data) else LARGEST_IN_REQUEST)


def claim_check(token: str, options: ImportOptions) -> bool:
    """Say that the file of a token waits for its check; False where that is said already."""
    if not claim(_step_key(token)):
        return False
    caches["progress"].set(_kept_key(token), (options.as_json(), None), KEPT_SECONDS)
    return True


def release_check(token: str) -> None:
    """Take a claim back."""
    release(_step_key(token))


def state_of_check(token: str) -> Check:
    """How far the check of a token's file has come, or what it found."""
    step, preview, options = shown(_step_key(token)), None, None
    with suppress(OSError, RedisError, TypeError):  # the last: what another release kept
        chosen, found = caches["progress"].get(_kept_key(token)) or (None, None)
        options = ImportOptions.from_json(chosen) if chosen else None
        preview = Preview(*found) if found else None
    return Check(step, None if step else preview, options)


def run_check(*, season: Season, by: User, token: str, options: ImportOptions, language: str) -> None:
    """Look through the file of a token and keep what is told of it, in a language."""
    data = kept_upload(token, season=season, by=by)
    try:
        if data is not None:
            with shown_at(_step_key(token)), translation.override(language):
                preview = preview_file(season, _as_csv(data, token), options)
            caches["progress"].set(_kept_key(token), (options.as_json(), tuple(preview)), KEPT_SECONDS)
    except Exception:
        # Nobody else would hear of it; the page says that it broke off.
        logger.exception("The check of a file for season %s failed.", season.pk)
    finally:
        release_check(token)


def _as_csv(data: bytes, token: str) -> bytes:
    """The file as CSV; a workbook, which is slow to read, is kept as that from here on."""
    try:
        text = as_csv(data)
    except UnreadableWorkbookError:
        return data  # an error of the file, which reading it tells
    if text is not data:
        change_upload(token, text)
    return text


def _step_key(token: str) -> str:
    return f"check:{name_of(token)}"


def _kept_key(token: str) -> str:
    return f"checked:{name_of(token)}"
