"""A Redis and a PostgreSQL that a test may hurt."""

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

import redis

from tests.processes import wait_until
from tests.servers import (
    NotStartedError,
    make_cluster,
    new_folder,
    postgres_programs,
    redis_program,
    start,
    wait_until_up,
)


class OwnRedis:
    """A Redis that keeps nothing, and may be killed, paused, and started again at the same address."""

    def __init__(self) -> None:
        self.folder = new_folder("redis")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        log = self.folder / "log"
        options = f"--port {self.port} --bind 127.0.0.1 --dir {self.folder} --appendonly no --save".split()
        command = [str(redis_program()), *options, ""]
        self.server = start(command, log=log, stop=signal.SIGTERM, cwd="/")
        wait_until_up(self.server, self.client().ping, log)

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port)

    def kill(self) -> None:
        self.server.kill()
        self.server.wait()

    def pause(self) -> None:
        """From now on it takes connections and answers nothing."""
        self.server.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.server.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self.resume()  # a paused process hears no other signal until then
        self.kill()


class OwnPostgres:
    """A PostgreSQL that may be ended at any moment and started again at the same address."""

    def __init__(self) -> None:
        programs = postgres_programs()
        assert programs, "a test marked pg runs only where it is installed"
        self.cluster = make_cluster(programs)
        self.url = self.cluster.url
        self.start()

    def start(self, **settings: str) -> None:
        def has_started() -> bool:
            with suppress(NotStartedError):  # while processes of the killed one still go
                self.server = self.cluster.start(**settings)
                return True
            return False

        wait_until(has_started, "PostgreSQL to start again")

    def kill(self) -> None:
        """Kills all its processes: what they had not written yet is gone."""
        children = Path(f"/proc/{self.server.pid}/task/{self.server.pid}/children")
        pids = [self.server.pid, *map(int, children.read_text().split())] if children.exists() else []
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.server.wait()

    def end_at_once(self) -> None:
        """Ends it as an immediate shutdown does: no transaction is finished, no connection closed."""
        self.server.send_signal(signal.SIGQUIT)
        self.server.wait()
