"""Requests to the standings page: their CPU through all middleware, and how many a server answers."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from wsgiref.util import setup_testing_defaults

from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.db.models import F
from django.http import HttpResponseBase
from django.test.utils import CaptureQueriesContext

from bench.seasons import season_of_duels
from bench.serving import served
from bench.timing import QUICK, Measure, ratio, seconds
from leagues.models import Season
from ratings.models import Replay

SMALL, LARGE = (100, 500) if QUICK else (100, 10_000)
ROUNDS = 3 if QUICK else 25
IN_A_ROW = 100


def measures() -> Iterator[Measure]:
    site = WSGIHandler()
    small, season = season_of_duels(SMALL), season_of_duels(LARGE)
    first, first_of_small = partial(_first_view, site, season), partial(_first_view, site, small)
    etag = get(site, season.get_absolute_url())["ETag"]
    again = partial(get, site, season.get_absolute_url(), etag)
    assert again().status_code == 304, "an unchanged page must be a 304"
    plain = partial(cpu, partial(get, site, f"/bench/plain/{season.pk}"))
    yield Measure(f"standings page, CPU at {LARGE:,} games against {SMALL}", _ratio(first, first_of_small))
    yield Measure("standings page, CPU against a plain view", _ratio(first, plain), "<= 3")
    yield Measure("unchanged page, requests/s against hello", _served(season), ">= 0.3")
    yield Measure("unchanged page, CPU against the first view", _ratio(partial(cpu, again), first))
    next_revision()
    yield _queries("first view", partial(get, site, season.get_absolute_url()), "<= 6")
    yield _queries("unchanged", again, "<= 2")


_ratio = partial(ratio, rounds=ROUNDS)
cpu = partial(seconds, clock=time.process_time)


def _served(season: Season) -> float:
    """How the seconds of some hellos from a server stand to those of as many unchanged pages."""
    with served() as client:
        hello = partial(client.get, "/bench/hello")
        page = season.get_absolute_url()
        again = partial(client.get, page, client.get(page).headers["ETag"])
        assert again().status == 304, "an unchanged page must be a 304 of a server too"
        return _ratio(*(partial(seconds, partial(_in_a_row, request)) for request in (hello, again)))


def _in_a_row(request: Callable[[], object]) -> None:
    for _request in range(IN_A_ROW):
        request()


def next_revision() -> None:
    """Have every season's page made anew at its next view, as after a game."""
    for model in (Season, Replay):
        model.objects.update(revision=F("revision") + 1)


def _first_view(site: WSGIHandler, season: Season) -> float:
    next_revision()
    return cpu(partial(get, site, season.get_absolute_url()))


def get(site: WSGIHandler, path: str, etag: str = "", query: str = "") -> HttpResponseBase:
    environ = {"PATH_INFO": path, "QUERY_STRING": query, "HTTP_IF_NONE_MATCH": etag}
    setup_testing_defaults(environ)
    response = site(environ, _start)
    b"".join(response)
    response.close()
    assert response.status_code in (200, 304), f"{path} answered {response.status_code}"
    return response


def _start(_status: str, _headers: list[tuple[str, str]], _error: object = None) -> Callable[[bytes], object]:
    return bytes  # a server's writer, which Django leaves alone


def _queries(what: str, view: partial[HttpResponseBase], goal: str) -> Measure:
    with CaptureQueriesContext(connection) as queries:
        view()
    return Measure(f"standings page, queries, {what}", len(queries), goal, unit="queries")
