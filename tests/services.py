"""The servers a test run stands on: a private PostgreSQL, a private Redis, and the Chromium of the machine.

Loaded by `-p tests.services`, because pytest-django reads the settings before any conftest runs. What the
tests find in the environment:

    DATABASE_URL     PostgreSQL; unset (SQLite) where there is none
    TEST_REDIS_URL   a Redis for tests that start real workers; the suite's own tasks run in the process
    CHROMIUM         the browser's program
    VAR_DIR          a fresh folder, so that a run never touches a developer's var/

Their programs are found by tests/servers.py. A DATABASE_URL given by the caller is used as it is.
WSD_TEST_SERVICES=0 starts nothing and tests on SQLite. Tests marked `pg`, `redis` or `browser` skip where
their program is missing; with REQUIRE_SERVICES=1 that is an error, and so is any skip whose reason does not
begin with "allowed:".
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.servers import (
    NotStartedError,
    browser_program,
    new_folder,
    postgres_programs,
    redis_program,
    start_postgres,
    start_redis,
)

INSTALL = {
    "pg": "PostgreSQL is missing: apt-get install postgresql",
    "redis": "Redis is missing: apt-get install redis-server",
    "browser": "Chromium is missing: apt-get install chromium",
}
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

found: dict[str, str] = {}


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
