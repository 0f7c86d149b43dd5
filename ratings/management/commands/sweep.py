"""What a small installation has instead of a broker: deadlines, replays, messages, forgetting old files."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import Error, close_old_connections

from leagues.services.game_reports import settle_due_reports
from leagues.services.kept_boxes import forget_old_boxes
from leagues.services.uploads import forget_old_uploads
from leagues.tasks import sweep_challenges
from ratings.services.announcing import announce_due
from ratings.services.digests import send_due_digests
from ratings.services.replay import replay_stale_seasons
from ratings.tasks import send_messages

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Brings every season level whose results lag its facts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--every", type=float, metavar="SECONDS", help="keep on, this often")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["every"] is None:
            settle_due_reports()
            sweep_challenges()
            self.stdout.write(f"{replay_stale_seasons()} seasons were recomputed.")
            while announce_due() + send_due_digests():  # who does not answer rests then
                pass
            return
        seconds = max(options["every"], 0.1)
        self.stdout.write(f"Looking every {seconds:g} seconds for seasons to recompute.")
        with suppress(KeyboardInterrupt):
            self._keep_on(seconds)

    def _keep_on(self, seconds: float) -> None:
        stop = threading.Event()  # waits without being woken
        while not stop.wait(seconds):
            close_old_connections()
            try:
                settle_due_reports()
                sweep_challenges()
                replay_stale_seasons()
                send_messages()
                forget_old_uploads()
                forget_old_boxes()
            except (Error, OSError):
                logger.exception("The sweep could not reach the database or its folder; it tries again.")
