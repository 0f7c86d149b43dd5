"""Brings stale seasons level without any broker, and forgets files that nobody came back for."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import Error, close_old_connections

from leagues.services.kept_boxes import forget_old_boxes
from leagues.services.uploads import forget_old_uploads
from ratings.services.replay import replay_stale_seasons

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Brings every season level whose results lag its facts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--every", type=float, metavar="SECONDS", help="keep on, this often")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["every"] is None:
            self.stdout.write(f"{replay_stale_seasons()} seasons were recomputed.")
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
                replay_stale_seasons()
                forget_old_uploads()
                forget_old_boxes()
            except (Error, OSError):
                logger.exception("The sweep could not reach the database or its folder; it tries again.")
