"""What runs outside the request: in a worker, or in the process where there is none."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from celery import shared_task
from django.conf import settings

from ratings.services import replay

logger = logging.getLogger(__name__)


@shared_task
def replay_season(season_id: int) -> None:
    replay.replay_season(season_id)


@shared_task
def replay_stale_seasons() -> None:
    replay.replay_stale_seasons()


class Nudge:
    """Asks for a replay soon. Only a nudge: whatever happens to it, the sweep finds the season.

    After a message that could not be sent none is tried until the next sweep is due: a change of
    many seasons waits for a silent broker once, not once for each.
    """

    def __init__(self) -> None:
        self.lost = 0  # messages not sent since this process started; in its log
        self.not_before = 0.0  # by time.monotonic()

    def __call__(self, *, season_id: int, **_signal: Any) -> None:
        error = None
        if monotonic() >= self.not_before:
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
