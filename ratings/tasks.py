"""What runs outside the request: in a worker, or in the process where there is none."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from functools import partial
from threading import Lock, Thread, main_thread
from time import monotonic
from typing import Any

from celery import current_app, shared_task
from celery.signals import worker_process_shutdown
from django.conf import settings
from django.db import connection

from leagues.tasks import start_outside
from ratings.services import replay
from ratings.services.announcing import announce_due, is_something_due
from ratings.services.digests import is_letter_due, send_due_digests
from ratings.services.long_exports import claim_export, release_export, run_export

logger = logging.getLogger(__name__)

# Seconds without a change after which the next one of a season is announced again.
QUIET = 2.0


class Beside:
    """Work that waits for other machines, in a thread of this process, so that nothing else waits for it.

    It ends when nothing is left to do. Asked again meanwhile it goes on as it is: who asks regularly
    misses nothing. Asking costs one query, ``is_due``.
    """

    def __init__(self, name: str, work: Callable[[], int], is_due: Callable[[], bool]) -> None:
        self.name, self.work, self.is_due = name, work, is_due
        self.lock = Lock()
        self.thread: Thread | None = None

    def start(self) -> None:
        """Do it, unless there is nothing to do, or it is being done."""
        with self.lock:
            is_idle = self.thread is None or not self.thread.is_alive()
            if is_idle and self.is_due():
                self.thread = Thread(target=self._run, name=self.name)
                self.thread.start()

    def wait(self) -> None:
        """Wait until it has ended; a process that ends leaves nothing half sent."""
        if self.thread is not None:
            self.thread.join()

    def _run(self) -> None:
        try:
            while self.work() and main_thread().is_alive():
                pass
        except Exception:
            logger.exception("The work %s failed; it is tried again.", self.name)
        finally:
            connection.close()


announcer = Beside("announcer", announce_due, is_something_due)
postman = Beside("postman", send_due_digests, is_letter_due)


@shared_task
def replay_season(season_id: int) -> None:
    if replay.replay_season(season_id):
        announcer.start()


@shared_task
def send_messages() -> None:
    announcer.start()
    postman.start()


@worker_process_shutdown.connect
def _finish_sending(**_signal: Any) -> None:
    announcer.wait()
    postman.wait()


@shared_task
def replay_stale_seasons() -> None:
    replay.replay_stale_seasons()


@shared_task
def make_box(league_id: int) -> None:
    run_export(league_id)


def start_export(league_id: int) -> None:
    """Have a league's box made outside the request, unless it is being made. Raises as ``start_outside``."""
    if claim_export(league_id):
        start_outside(make_box, league_id, release=partial(release_export, league_id))


class Nudge:
    """Asks for a replay soon. Only a nudge: whatever happens to it, the sweep finds the season.

    Of changes of a season that keep coming only the first is announced, and the sweep takes the others
    in, all at once: a burst of games is few replays. No message waits until a later time, because a
    Celery worker that holds one ends when it loses Redis.

    After a message that could not be sent none is tried until the next sweep is due: a change of
    many seasons waits for a silent broker once, not once for each.
    """

    def __init__(self, quiet: float = QUIET) -> None:
        self.quiet = quiet
        self.changed: dict[int, float] = {}  # by season, when this process last changed it
        self.lost = 0  # messages not sent since this process started; in its log
        self.not_before = 0.0  # by time.monotonic(), as all times here

    def __call__(self, *, season_id: int, **_signal: Any) -> None:
        now, error = monotonic(), None
        before, self.changed[season_id] = self.changed.get(season_id, -math.inf), now
        # Without a broker the season is replayed here and now.
        if now - before < self.quiet and not current_app.conf.task_always_eager:
            return
        if now >= self.not_before:
            try:
                replay_season.delay(season_id)
                return
            except Exception as failure:  # noqa: BLE001 - whatever it is, the facts are saved
                error = failure
                self.not_before = monotonic() + settings.SWEEP_SECONDS
        self.lost += 1
        logger.warning(
            "The replay of season %s was not queued; the sweep will do it (%s lost by this process).",
            season_id,
            self.lost,
            exc_info=error,
        )


nudge = Nudge()
