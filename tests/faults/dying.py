"""A process that is killed while it records a game: python -m tests.faults dying SEASON FILE WHEN."""

import os
import signal
from random import Random
from typing import Any

from django.db import transaction

from leagues.models import Season
from leagues.signals import season_changed
from tests.faults.writer import acknowledge, record


def main(season_id: str, file: str, when: str) -> None:
    season = Season.objects.select_related("league").get(pk=season_id)
    if when == "between commit and replay":
        season_changed.disconnect(dispatch_uid="replay after a change of facts")
        season_changed.connect(die)
        record(season, Random(1))
    elif when == "between acknowledgement and commit":
        with transaction.atomic():
            acknowledge(record(season, Random(1)), file)
            die()
    raise ValueError(f"{when!r} is no moment to die at.")


def die(**_signal: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
