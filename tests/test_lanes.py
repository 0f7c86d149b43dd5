"""Which tests run on SQLite too."""

import pytest
from django.test import Client

from tests.lanes import makes_client, runs_on_sqlite


@pytest.mark.parametrize(
    ("marks", "fixtures", "runs"),
    [
        ("django_db", "", True),
        ("", "db season", True),
        ("", "season", False),
        ("django_db", "db client", False),
        ("django_db pages", "", False),
        ("django_db sqlite", "client", True),
        ("django_db pg", "", False),
        ("django_db sqlite browser", "", False),
    ],
)
def test_services_are_tested_on_both_databases_and_pages_on_one(marks, fixtures, runs):
    assert runs_on_sqlite(set(marks.split()), set(fixtures.split())) is runs


def test_who_makes_a_client_asks_for_pages():
    assert makes_client(lambda: Client(HTTP_HOST="a.example"))
    assert not makes_client(lambda client: client.get("/"))
