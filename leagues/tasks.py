"""Work on facts outside the request: in a worker, or beside the requests where there is none."""

from __future__ import annotations

from threading import Thread
from typing import Any

from celery import shared_task
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from leagues.models import Role, Season
from leagues.services.kept_boxes import forget_old_boxes
from leagues.services.long_imports import WAIT_SECONDS, claim_import, release_import, run_import
from leagues.services.uploads import forget_old_uploads
from leagues.tenancy.reach import Reach


@shared_task
def import_upload(season_id: int, user_id: int, token: str, encoding: str, create_players: bool) -> None:
    season = Season.objects.select_related("league").get(pk=season_id)
    user = User.objects.get(pk=user_id)
    if not Reach(user).covers(Role.MANAGER, season.league_id):  # no longer
        release_import(token)
        return
    run_import(season=season, by=user, token=token, encoding=encoding or None, create_players=create_players)


@shared_task
def forget_old_files() -> None:
    forget_old_uploads()
    forget_old_boxes()


def start_import(season_id: int, user_id: int, token: str, encoding: str, create_players: bool) -> None:
    """Have a file imported outside the request; one that is being imported is left alone.

    Without a broker a thread of this process does it. A process that is asked to end waits for the thread;
    one that is killed leaves nothing of the file. Raises what the libraries of cache and broker raise when
    these do not answer.
    """
    if not claim_import(token):
        return
    args = (season_id, user_id, token, encoding, create_players)
    try:
        if settings.CELERY_TASK_ALWAYS_EAGER:
            Thread(target=_beside_the_requests, args=args, name="import").start()
        else:
            import_upload.apply_async(args, expires=WAIT_SECONDS)
    except Exception:
        release_import(token)
        raise


def _beside_the_requests(*args: Any) -> None:
    try:
        import_upload(*args)
    finally:
        connection.close()
