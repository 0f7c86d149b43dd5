"""The health page."""

import pytest
from django.db import connection


@pytest.mark.django_db
def test_it_answers_200_when_everything_answers(client):
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "problems": {}})


@pytest.mark.django_db
def test_it_answers_503_when_the_database_does_not(client):
    with connection.execute_wrapper(lambda *_args: 1 / 0):
        answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["problems"]) == (503, {"database": "ZeroDivisionError"})


@pytest.mark.django_db
def test_it_answers_503_when_redis_does_not(client, settings):
    settings.CACHES = {
        "default": {
            "BACKEND": "wsd_site.cache.PageCache",
            "LOCATION": "redis://127.0.0.1:1",
        }
    }
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["problems"]) == (503, {"cache": "RuntimeError"})
