"""What the fault tests stand on: seasons in which each revision is one game, and a Redis that may be hurt."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from leagues.models import Season
from leagues.services import enter_player
from tests.factories import make_players, make_season, replayed
from tests.faults.servers import OwnRedis
from tests.processes import Processes

# How long faults are let loose on running processes.
SECONDS = float(os.environ.get("FAULT_SECONDS", "4"))
# Tests that need several processes start them at once, and then wait for all of them.
WORKER = "celery -A wsd_site worker --concurrency 1 --without-gossip --without-mingle --loglevel INFO"
BEAT = "celery -A wsd_site beat --loglevel INFO"
SWEEP = "manage.py sweep --every 0.5"

PLAYERS = ("Ann", "Bob", "Cyd", "Dan", "Eve", "Fay")


def entered_season(*names: str) -> Season:
    """A season of these players that is level: from here on each revision is exactly one game."""
    season = make_season()
    for player in make_players(season.league, *names):
        enter_player(season=season, player=player, by=None)
    return replayed(season)


@pytest.fixture
def season(db: None) -> Season:
    return entered_season(*PLAYERS)


@pytest.fixture
def own_redis() -> Iterator[OwnRedis]:
    server = OwnRedis()
    yield server
    server.end()


@pytest.fixture(autouse=True)
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are started by the dozen; compiling what they import takes longer than running it."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("SWEEP_SECONDS", "0.5")


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """Processes of an installation without Redis."""
    with Processes(folder=tmp_path) as processes:
        yield processes
        kill(processes)


@pytest.fixture
def queueing(tmp_path: Path, own_redis: OwnRedis) -> Iterator[Processes]:
    """Processes of an installation with a Redis of the test's own."""
    with Processes(folder=tmp_path, redis_url=own_redis.url) as processes:
        yield processes
        kill(processes)


@contextmanager
def installation(**services: Any) -> Iterator[Processes]:
    """Processes of an installation whose database has its tables; none is left."""
    with Processes(**services) as processes:
        migrate = processes.manage("migrate", "-v", "0")
        assert migrate.process.wait(300) == 0, migrate.output()
        yield processes
        kill(processes)


def kill(processes: Processes) -> None:
    """Ends all of them at once: what they were doing no longer matters."""
    for process in processes.started:
        process.send(signal.SIGKILL)
