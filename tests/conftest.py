"""What every test stands on: the language, quick passwords, and the services of tests/services.py."""

import copy
import gc
import os
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import redis
from django.core.cache import caches
from django.db import connections, transaction
from django.test import Client, override_settings
from django.utils import translation

from leagues.models import Role, Season
from tests.factories import make_organizer

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",  # Chromium refuses to run as root with it
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# A busy machine must not fail a property; a build server tries the same examples each time.
hypothesis.settings.register_profile("tests", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("tests")


gc.disable()  # what is imported and collected stays to the end: nobody need look for garbage meanwhile


def pytest_collection_finish() -> None:
    """Nor need what looks for garbage later look at it again, or after every few hundred objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Sign-ins are many in tests, and a good hash is slow by design."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Texts are compared in English, whatever language the test before left behind."""
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Each test begins with the same ids and revisions; what the one before kept must not answer."""
    for name in caches:
        caches[name].clear()


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """What a module's tests stand on is made once: each test begins with it as it was made.

    A fixture of the module makes it, and the one of a test hands out a ``copy.deepcopy``: tests change what
    they hold. All of it stands in one transaction, with a savepoint for each test: no test may commit, and
    those that make something of their own must bear that the rest is there too.
    """
    for item in request.session.items:
        marker = item.get_closest_marker("django_db")
        is_of_module = item.path == request.path
        assert not (is_of_module and marker and marker.kwargs.get("transaction")), f"{item.nodeid} commits"
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def world(made: Any) -> Any:
    """What the module's ``made`` is, as it was made: for modules that make theirs on ``kept``."""
    return copy.deepcopy(made)


@pytest.fixture
def scorer(season: Season, client: Client) -> Client:
    """The browser of somebody who enters games of the module's season."""
    client.force_login(make_organizer(season.league, Role.SCORER))
    return client


@pytest.fixture
def redis_url(worker_id: str) -> str:
    """An empty Redis database of this xdist worker; for tests marked `redis`."""
    number = int(worker_id.removeprefix("gw")) + 1 if worker_id != "master" else 0
    url = f"{os.environ['TEST_REDIS_URL'].rstrip('/')}/{number}"
    with redis.Redis.from_url(url) as server:
        server.flushdb()
    return url


@pytest.fixture(scope="session")
def playwright(playwright: Any) -> Iterator[Any]:
    """Playwright keeps an event loop in this thread; Django refuses queries there unless told it is safe.

    With the loop come connections of their own: left open they would keep the test database from going.
    """
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    yield playwright
    connections.close_all()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The machine's Chromium; for tests marked `browser`."""
    return {
        **browser_type_launch_args,
        "executable_path": os.environ["CHROMIUM"],
        "args": CHROMIUM_ARGUMENTS,
    }


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "locale": "en-GB"}
