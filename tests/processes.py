"""The site's commands as real processes, for tests of what only shows between processes.

with Processes(redis_url=redis_url, folder=tmp_path) as processes:
    worker = processes.worker()
    ...
    wait_until(lambda: Standing.objects.exists(), "the worker's replay", worker)
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import quote

from django.conf import settings
from django.db import connection

T = TypeVar("T")


def database_url() -> str:
    """The address of the test's own PostgreSQL database, which other processes can open too."""
    values = connection.settings_dict
    if connection.vendor != "postgresql":
        raise ValueError("Other processes cannot see SQLite's test database: mark the test with pg.")
    user, password, host, name = (
        quote(values[key] or "", safe="") for key in ("USER", "PASSWORD", "HOST", "NAME")
    )
    port = f":{values['PORT']}" if values["PORT"] else ""
    return f"postgres://{user}{':' + password if password else ''}@{host}{port}/{name}"


class Process:
    """One command, whose output goes to a file; it ends with its children."""

    def __init__(self, arguments: list[str], environment: dict[str, str], log: Path) -> None:
        self.arguments, self.log = arguments, log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                arguments,
                cwd=settings.BASE_DIR,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for_text(self, text: str, seconds: float = 60) -> None:
        """Waits until the command has printed the text."""
        wait_until(lambda: text in self.output(), f"{text!r} in the output", self, seconds=seconds)

    def send(self, number: signal.Signals) -> None:
        """Sends a signal to the command and all its children."""
        with suppress(ProcessLookupError):  # when all of them have ended
            os.killpg(self.process.pid, number)

    def end(self, seconds: float = 5) -> None:
        """Asks the command to end, and after some seconds makes it and its children end."""
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        self.send(signal.SIGKILL)
        self.process.wait()


def wait_until(condition: Callable[[], T], what: str, *watched: Process, seconds: float = 60) -> T:
    """Asks again and again until the condition holds, and returns its value.

    Raises AssertionError when the time is over or one of the watched commands has ended, with their output.
    """
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        ended = [process for process in watched if process.process.poll() is not None]
        if ended or time.monotonic() > deadline:
            outputs = "\n".join(f"{' '.join(process.arguments)}:\n{process.output()}" for process in watched)
            reason = "a command ended" if ended else f"{seconds} seconds went by"
            raise AssertionError(f"Waiting for {what}: {reason}.\n{outputs}")
        time.sleep(0.05)
    return value


class Processes:
    """Starts commands on the test's database and ends them all when the block is left.

    `database` is the address of another one; `redis_url` empty is an installation without Redis.
    Several workers of one block share its queue.
    """

    def __init__(self, *, folder: Path, database: str = "", redis_url: str = "", queue: str = "test") -> None:
        self.folder = folder
        self.environment = os.environ | {
            "DATABASE_URL": database or database_url(),
            "REDIS_URL": redis_url,
            "CELERY_QUEUE": queue,
            "VAR_DIR": str(folder / "var"),
            "PYTHONUNBUFFERED": "1",
        }
        self.started: list[Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        for process in reversed(self.started):
            process.end()

    def start(self, *arguments: str) -> Process:
        """Starts a command of the virtual environment: `start("-m", "celery", ...)`."""
        log = self.folder / f"process-{len(self.started)}.log"
        process = Process([sys.executable, *arguments], self.environment, log)
        self.started.append(process)
        return process

    def manage(self, *arguments: str) -> Process:
        """Starts a command of manage.py and does not wait for it."""
        return self.start("manage.py", *arguments)

    def worker(self) -> Process:
        """Starts a Celery worker and waits until it takes messages."""
        options = ["--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "INFO"]
        worker = self.start("-m", "celery", "-A", "wsd_site", "worker", *options)
        worker.wait_for_text(" ready.")
        return worker

    def beat(self) -> Process:
        """Starts the clock of the sweep and waits until it ticks."""
        beat = self.start("-m", "celery", "-A", "wsd_site", "beat", "--loglevel", "INFO")
        beat.wait_for_text("beat: Starting")
        return beat
