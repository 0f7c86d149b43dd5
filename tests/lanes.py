"""Which tests `make test` runs on SQLite, and which begin first.

There are two lanes. On PostgreSQL everything runs. On SQLite runs what is marked `sqlite`, which is here put
on every test that uses the database and neither needs a server nor asks for pages: what a page shows is
decided in Python, from what the services read, and those are tested on both. A test asks for pages where it
takes pytest-django's `client`, or is marked `pages`. Modules that are to be walked on both, those of the
administration and of the API, bear the mark `sqlite` themselves.
"""

from collections.abc import Generator

import pytest

SERVERS = {"pg", "redis", "browser"}
DATABASE = {"db", "transactional_db"}


def runs_on_sqlite(marks: set[str], fixtures: set[str]) -> bool:
    """Whether a test with these marks and fixtures runs in both lanes."""
    uses_database = "django_db" in marks or DATABASE & fixtures
    asks_pages = "client" in fixtures or "pages" in marks
    return bool("sqlite" in marks or (uses_database and not asks_pages)) and not SERVERS & marks


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None, object, object]:
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if runs_on_sqlite(marks, set(getattr(item, "fixturenames", ()))):
            item.add_marker("sqlite")
    selected = yield
    # Tests with a time limit of their own are the long ones: begun last, one worker would wait for the other.
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)
    return selected
