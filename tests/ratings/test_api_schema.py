"""The description of the API, tried at random: no error of the site, no answer that it does not describe."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leagues.services import create_api_token
from tests.factories import (
    make_challenge,
    make_game,
    make_league,
    make_players,
    make_season,
    make_user,
    replayed,
)
from wsd_site import limits
from wsd_site.api import api

pytestmark = pytest.mark.django_db

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
ADDRESSES = [
    (path, method) for path, methods in api.get_openapi_schema()["paths"].items() for method in methods
]


def playable(report: Any) -> None:
    """Let a game be one of the season: at random no text is one of its days, and no number near another."""
    report |= {"played_at": "2026-05-03", "create_players": True}
    if len(report["sides"]) == 1:
        report["kind"] = "bye"
    is_bye = report.get("kind") == "bye"
    if is_bye:
        del report["sides"][1:]
    for number, side in enumerate(report["sides"]):
        side["points"] = None if is_bye else (side.get("points") or 0) % 100
        side["players"] = [f"{side['players'][0]} {number}"]


def of_ann(draw: Any) -> None:
    draw["challenger"] = "ann"


def near(result: Any) -> None:
    for name in ("challenger_points", "opponent_points"):
        result[name] %= 100


def corrected(correction: Any) -> None:
    """Leave out what is of no season and of no player."""
    for name in ("played_at", "sides"):
        correction.pop(name, None)


BODIES = {"games": playable, "draw": of_ann, "result": near, "{game}": corrected}


def around_today() -> dict[str, date]:
    """Days of a season in which games can be played now, and on the day of ``playable`` too."""
    today = timezone.localdate()
    return {"starts_on": min(today, date(2026, 1, 1)), "ends_on": max(today, date(2026, 12, 31))}


@pytest.fixture
def connection_kept():
    """A server lets go of the connection after each request; the test's transaction is in it."""
    request_finished.disconnect(close_old_connections)
    request_started.disconnect(close_old_connections)
    yield
    request_finished.connect(close_old_connections)
    request_started.connect(close_old_connections)


@pytest.mark.usefixtures("connection_kept")
@pytest.mark.parametrize(("path", "method"), ADDRESSES, ids=lambda each: each.rpartition("/")[2])
def test_up_07_whatever_is_asked_the_answer_is_a_described_one(path, method, monkeypatch):
    monkeypatch.setattr(limits, "OF_ADDRESSES", {})
    monkeypatch.setattr(limits, "OF_ALL_OTHERS", [])
    owner = make_user("alice")
    preset = "ranked-battle" if "/ladder/" in path or "/battles/" in path else "wsd-2.0"
    season = make_season(make_league("alpha", owner=owner), slug="now", preset=preset, **around_today())
    ann, bob = make_players(season.league, "Ann", "Bob")
    game = make_game(season, (ann, 3), (bob, 1), played_at=season.starts_at)
    replayed(season)
    _token, secret = create_api_token(league=season.league, name="Bot", scope="write", by=owner)
    challenge = make_challenge(season, ann, bob, state="accepted")
    real = {
        "league": "alpha", "season": "now", "player": "ann", "game": game.pk, "battle": str(challenge.uuid),
    }  # fmt: skip

    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
    operation: Any = schema[path][method.upper()]
    modes = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
    cases = st.one_of(operation.as_strategy(generation_mode=mode) for mode in modes)

    @settings(max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=cases, is_real=st.sampled_from([True, True, False]))
    def ask(case: Any, is_real: bool) -> None:
        if is_real:
            names = (case.path_parameters or {}).keys()
            case.path_parameters = {name: real[name] for name in names}
            if case.meta.generation.mode == schemathesis.GenerationMode.POSITIVE:
                if (
                    near_a_game := BODIES.get(path.rpartition("/")[2])
                    if method in ("post", "patch")
                    else None
                ):
                    near_a_game(case.body)
                if "If-Match" in (case.headers or {}):
                    case.headers["If-Match"] = "*"
        case.call_and_validate(headers={"Authorization": f"Bearer {secret}"}, checks=CHECKS)

    ask()
