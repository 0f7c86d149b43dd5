"""A whole installation on this machine, in a folder that goes afterwards."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psycopg

from tests.servers import new_folder, postgres_programs, redis_program, start, start_postgres, start_redis

ROOT = Path(__file__).resolve().parents[2]
CELERY = "-m celery -A wsd_site"
# Each publication of results is one change of a Replay row's revision.
LOG_REPLAYS = """
CREATE TABLE load_replays (season_id bigint, at timestamptz DEFAULT clock_timestamp());
CREATE FUNCTION load_replay() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO load_replays (season_id) VALUES (NEW.season_id); RETURN NEW; END';
CREATE TRIGGER load_replay AFTER UPDATE ON ratings_replay
    FOR EACH ROW WHEN (OLD.revision IS DISTINCT FROM NEW.revision) EXECUTE FUNCTION load_replay();
"""


class Installation:
    """Starts everything, and ends with this process."""

    def __init__(self, writers: int) -> None:
        postgres, redis = postgres_programs(), redis_program()
        if not postgres or not redis:
            raise SystemExit("make load needs PostgreSQL and Redis: apt-get install postgresql redis-server")
        self.folder = new_folder("load")
        self.database = start_postgres(postgres, durable=True)
        self.environment = os.environ | {
            "DATABASE_URL": self.database,
            "REDIS_URL": f"{start_redis(redis)}/0",
            "VAR_DIR": str(self.folder),
            "DJANGO_SETTINGS_MODULE": "wsd_site.settings",
            "DEBUG": "0",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "ALLOWED_HOSTS": "127.0.0.1",
            "HTTPS": "0",
            "PYTHONPATH": str(ROOT),
        }
        self.manage("migrate", "-v", "0")
        self.manage("collectstatic", "--no-input", "-v", "0")
        self.seasons: list[dict[str, Any]] = json.loads(self._seed(writers))
        self.query(LOG_REPLAYS)
        self._start_processes()

    def _seed(self, writers: int) -> str:
        code = f"import django; django.setup(); from bench.load.seeding import main; main('{writers}')"
        # Without Redis the results are computed at once.
        return self._run("-c", code, environment=self.environment | {"REDIS_URL": ""})

    def _start_processes(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        cores = len(os.sched_getaffinity(0))
        self._start("web", f"-m gunicorn wsd_site.wsgi --bind 127.0.0.1:{self.port} --workers {cores}")
        self._start("worker", f"{CELERY} worker --concurrency 2 --without-gossip --without-mingle -l INFO")
        self._start("beat", f"{CELERY} beat -l INFO")
        self._wait_for(self._answers, "the site")
        self._wait_for(lambda: " ready." in (self.folder / "worker.log").read_text(), "the worker")

    def _start(self, name: str, arguments: str) -> None:
        command = [sys.executable, *arguments.split()]
        log = self.folder / f"{name}.log"
        start(command, log=log, stop=signal.SIGTERM, cwd=ROOT, env=self.environment)

    def _answers(self) -> bool:
        try:
            connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def _wait_for(self, condition: Any, what: str, seconds: float = 120) -> None:
        until = monotonic() + seconds
        while not condition():
            if monotonic() > until:
                logs = "\n".join(log.read_text()[-2000:] for log in self.folder.glob("*.log"))
                raise SystemExit(f"Waiting for {what}: {seconds} seconds went by.\n{logs}")
            sleep(0.1)

    # --- Questions

    def manage(self, *arguments: str) -> str:
        """What a command of manage.py prints."""
        return self._run("manage.py", *arguments)

    def _run(self, *arguments: str, environment: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environment or self.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database, autocommit=True) as connection:
            cursor = connection.execute(sql, values or None)
            return cursor.fetchall() if cursor.description else []

    def wait_until_level(self) -> None:
        """Wait until the results of every season are those of its facts."""
        behind = """SELECT 1 FROM leagues_season s JOIN ratings_replay r ON r.season_id = s.id
            WHERE s.revision <> r.revision"""
        self._wait_for(lambda: not self.query(behind), "results that are level")

    def replays(self) -> int:
        """How often results were published since the beginning."""
        return self.query("SELECT count(*) FROM load_replays")[0][0]

    def numbers_of_games(self) -> dict[int, tuple[int, int]]:
        """For each game its season and, of the season's games as they came, which it is: games queue up."""
        sql = "SELECT id, season_id, row_number() OVER (PARTITION BY season_id ORDER BY id) FROM leagues_game"
        return {game: (season, number) for game, season, number in self.query(sql)}
