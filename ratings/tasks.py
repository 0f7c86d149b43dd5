"""What runs outside the request: in a worker, or in the process where there is none."""

from __future__ import annotations

import logging
from typing import Any

from celery import shared_task

from ratings.services import replay

logger = logging.getLogger(__name__)


@shared_task
def replay_season(season_id: int) -> None:
    replay.replay_season(season_id)


@shared_task
def replay_stale_seasons() -> None:
    replay.replay_stale_seasons()


def nudge(*, season_id: int, **_signal: Any) -> None:
    """Ask for a replay soon. Only a nudge: whatever happens to it, the sweep finds the season."""
    try:
        replay_season.delay(season_id)
    except Exception:
        logger.warning(
            "The replay of season %s was not queued; the sweep will do it.", season_id, exc_info=True
        )
