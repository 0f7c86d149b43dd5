"""Work on facts outside the request: in a worker, or beside the requests where there is none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any

from celery import Task, shared_task
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils.translation import get_language

from leagues.models import Role, Season
from leagues.progress import WAIT_SECONDS
from leagues.services.challenges import carry_out_deadlines, remind
from leagues.services.game_reports import settle_due_reports
from leagues.services.import_options import ImportOptions
from leagues.services.kept_boxes import forget_old_boxes
from leagues.services.long_checks import claim_check, release_check, run_check
from leagues.services.long_imports import claim_import, release_import, run_import
from leagues.services.reminders import mail_reminder
from leagues.services.uploads import forget_old_uploads
from leagues.tenancy.reach import Reach


@shared_task
def import_upload(season_id: int, user_id: int, token: str, options: dict[str, Any]) -> None:
    season = Season.objects.select_related("league").get(pk=season_id)
    user = User.objects.get(pk=user_id)
    if not Reach(user).covers(Role.MANAGER, season.league_id):  # no longer
        release_import(token)
        return
    run_import(season=season, by=user, token=token, options=ImportOptions.from_json(options))


@shared_task
def check_upload(season_id: int, user_id: int, token: str, options: dict[str, Any], language: str) -> None:
    season = Season.objects.select_related("league").get(pk=season_id)
    user = User.objects.get(pk=user_id)
    if not Reach(user).covers(Role.MANAGER, season.league_id):  # no longer
        release_check(token)
        return
    run_check(
        season=season, by=user, token=token, options=ImportOptions.from_json(options), language=language
    )


@shared_task
def settle_reports() -> None:
    settle_due_reports()


@shared_task
def forget_old_files() -> None:
    forget_old_uploads()
    forget_old_boxes()


@shared_task
def sweep_challenges() -> None:
    carry_out_deadlines()
    if settings.MESSAGES:
        remind(mail_reminder)


def start_import(season_id: int, user_id: int, token: str, options: ImportOptions) -> None:
    """Have a file imported outside the request; one that is being imported is left alone.

    Raises as ``start_outside``.
    """
    if claim_import(token):
        args = (season_id, user_id, token, options.as_json())
        start_outside(import_upload, *args, release=partial(release_import, token))


def start_check(season_id: int, user_id: int, token: str, options: ImportOptions) -> None:
    """Have a file looked through outside the request, for a preview in the active language.

    One that is looked through already is left alone. Raises as ``start_outside``.
    """
    if claim_check(token, options):
        args = (season_id, user_id, token, options.as_json(), get_language())
        start_outside(check_upload, *args, release=partial(release_check, token))


def start_outside(task: Task, *args: Any, release: Callable[[], None]) -> None:
    """Have a worker do what somebody has a claim to, which is released where it cannot be started.

    Without a broker a thread of this process does it. A process that is asked to end waits for the thread;
    one that is killed leaves nothing of its transaction. Raises what the library of the broker raises when
    that does not answer.
    """
    try:
        if settings.CELERY_TASK_ALWAYS_EAGER:
            Thread(target=_beside_the_requests, args=(task, *args), name=task.name).start()
        else:
            task.apply_async(args, expires=WAIT_SECONDS)
    except Exception:
        release()
        raise


def _beside_the_requests(task: Task, *args: Any) -> None:
    try:
        task(*args)
    finally:
        connection.close()
