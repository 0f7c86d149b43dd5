"""Which tests `make test` runs on SQLite, and which begin first.

There are two lanes. On PostgreSQL everything runs. On SQLite runs what is marked `sqlite`, which is here put
on every test that uses the database and neither needs a server nor asks for pages: what a page shows is
decided in Python, from what the services read, and those are tested on both. A test asks for pages where it
takes pytest-django's `client`, where it or a fixture of it makes a `Client`, or where it is marked `pages`.
Modules that are to run on both although they ask for pages bear the mark `sqlite` themselves.
"""

from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

SERVERS = {"pg", "redis", "browser"}
DATABASE = {"db", "transactional_db"}
PROCESSES = {"faults", "browser"}


def functions(item: pytest.Item) -> Iterator[Callable[..., Any]]:
    """The function of a test, and those of its fixtures."""
    if isinstance(item, pytest.Function):
        yield item.function
        for fixtures in item._fixtureinfo.name2fixturedefs.values():
            yield from (fixture.func for fixture in fixtures)


def makes_client(function: Callable[..., Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and "Client" in code.co_names


def place(item: pytest.Item) -> int:
    """Where in the order a test begins.

    The long ones, which have a time limit of their own, come first: begun last, one worker would wait for the
    other. Then those that start processes and wait for them, while others have the processor.
    """
    if item.get_closest_marker("timeout"):
        return 0
    return 1 if any(map(item.get_closest_marker, PROCESSES)) else 2


def runs_on_sqlite(marks: set[str], fixtures: set[str]) -> bool:
    """Whether a test with these marks and fixtures runs in both lanes."""
    uses_database = "django_db" in marks or DATABASE & fixtures
    asks_pages = "client" in fixtures or "pages" in marks
    return bool("sqlite" in marks or (uses_database and not asks_pages)) and not SERVERS & marks


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, object, object]:
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if any(map(makes_client, functions(item))):
            marks.add("pages")
        if runs_on_sqlite(marks, set(getattr(item, "fixturenames", ()))):
            item.add_marker("sqlite")
    selected = yield
    items.sort(key=place)
    return selected
