"""Leagues apart: every route of the site as every kind of visitor, with another league's ids everywhere.

The walk is the one of ``manage.py check_isolation``; the controls here prove that it finds what is wrong.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as site_settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from isolation.matrix import addresses
from isolation.routes import Route, site_routes
from isolation.walk import Visit, Walk, watching
from isolation.world import CANARY, VISITORS, World, make_world, rows_of
from leagues.models import Entry, Game, League
from leagues.services import delete_league

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

# Read by the site itself, or not a text that people typed.
MACHINE_TEXTS = {
    "search",
    "sort_key",
    "key",
    "member_key",
    "token_hash",
    "digest",
    "secret",
    "remote_id",
    "object_type",
    "object_id",
    "action",
}
MACHINE_TEXTS |= {"timezone", "logo", "error", "tie_breaks", "outside", "k_reason"}

# Who may see what is decided in Python: the slice walks on SQLite as who may most and as who may least, on
# PostgreSQL as a program alone, which reads and writes little. WALK_ALL, of `make walk` and `make faults`,
# walks as everybody and tries each parameter by itself.
WALK_ALL = "WALK_ALL" in os.environ
SLICE = ("owner of A", "anonymous", "token of A") if connection.vendor == "sqlite" else ("token of A",)
WALKING: tuple[str, ...] = VISITORS if WALK_ALL else SLICE
THOROUGH: tuple[str, ...] = VISITORS if WALK_ALL else ("token of A",)

# What is made for other sites and robots shows nothing of a private league, not to its organizers either.
FOR_EVERYBODY = {
    "ratings:embed", "ratings:player-badge", "ratings:calendar", "ratings:league-calendar",
    "ratings:games-feed", "ratings:league-feed", "ratings:league-robots", "ratings:league-sitemap",
}  # fmt: skip

OF_THE_SITE = {"former_address_of_one_league"}  # unique on the whole site: no two leagues have one address


@pytest.fixture(scope="module")
def made(kept: None) -> World:
    return make_world()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("visitor", WALKING)
def test_xr_01_xr_02_xw_01_nothing_of_another_league_is_shown_or_changed(world: World, visitor: str) -> None:
    walk = Walk(world, thorough=visitor in THOROUGH)
    assert walk.run(visitor) == []
    assert walk.asked[visitor] > len(walk.routes)


@pytest.mark.timeout(3600)
@pytest.mark.skipif(WALKING == ("token of A",), reason="allowed: walked on SQLite and by make faults")
def test_control_the_walk_sees_what_there_is_to_see(world: World) -> None:
    """Who runs league B is shown it by nearly every route of a league, so silence means something."""
    world.visitors["anonymous"] = world.b.owner
    walk = Walk(world, thorough=False)
    visit = Visit(walk, "anonymous")

    def is_told(route: Route) -> bool:
        """Whether an address of B at this route tells of it: those that name nothing of A come last."""
        for address in reversed([each for each in addresses(route, world) if each.is_foreign]):
            visit.visit(address)
            if walk.leaks:
                walk.leaks.clear()
                return True
        return False

    of_league = [route for route in site_routes() if route.arguments[:1] == ("league",)]
    assert {route.key for route in of_league if not is_told(route)} == FOR_EVERYBODY


def test_a_union_is_no_write() -> None:
    """Else each request would be followed by a look at all rows of both leagues."""
    with watching() as writes:
        assert not League.objects.filter(slug="a").union(League.objects.filter(slug="b")).exists()
        League.objects.filter(slug="a").update(name="A")
    assert [statement.split()[0] for statement in writes] == ["UPDATE"]


@pytest.mark.urls("tests.leaking_urls")
def test_control_a_leaking_page_a_leaking_form_and_a_route_without_a_row_are_found(world: World) -> None:
    keys = ("ratings:game-detail", "ratings:player-career", "forgotten")
    routes = [route for route in site_routes() if route.key in keys]
    told = "\n".join(Walk(world, routes=routes).run("player of A"))
    assert "forgotten: the route has no row" in told
    assert f"games/{world.b.ids['game'][0]}/: the answer has: …" in told
    assert "rows of the other league changed: Player" in told


def test_control_an_admin_that_is_not_confined_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = admin.site.get_model_admin(Game)
    monkeypatch.setattr(type(games), "get_queryset", lambda self, request: Game.objects.all())
    routes = [route for route in site_routes() if route.model_admin is games]
    told = Walk(world, thorough=False, routes=routes).run("owner of A")
    assert any(CANARY in leak for leak in told)


@pytest.mark.urls("tests.leaking_urls")
def test_xr_16_an_error_of_the_site_tells_nothing_of_what_was_read(world: World) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(world.a.owner)
    answer = client.get(f"/{world.a.league.slug}/broken/")
    assert answer.status_code == 500
    assert CANARY not in answer.content.decode() + str(answer.headers)


@pytest.mark.urls("tests.leaking_urls")
def test_xr_18_nothing_of_a_request_is_left_for_the_next(world: World) -> None:
    """League B is in another zone and language; every second request ends with an error."""
    League.objects.filter(pk=world.b.league.pk).update(timezone="Asia/Tokyo", language="tr")
    client = Client(raise_request_exception=False)
    both = world.visitors["organizer of both"]
    assert both
    client.force_login(both)
    season = reverse("admin:leagues_season_change", args=[world.b.season.pk])
    for _number in range(20):
        for address in (f"/{world.b.league.slug}/broken/", season, f"/{world.b.league.slug}/players/"):
            client.get(address)
            assert timezone.get_current_timezone_name() == "UTC", address
        assert '<html lang="en"' in client.get("/").content.decode()


def test_di_09_each_row_leads_to_one_league_and_is_unique_within_it() -> None:
    for model in apps.get_models():
        if not hasattr(model, "league_path") or model is League:
            continue
        step: Any = model
        for name in model.league_path.split("__"):
            field = step._meta.get_field(name)
            assert not field.null, f"{model.__name__}.{field.name}"
            step = field.related_model
        assert step is League
        for constraint in model._meta.constraints:
            if isinstance(constraint, models.UniqueConstraint) and constraint.name not in OF_THE_SITE:
                parents = [model._meta.get_field(name).related_model for name in constraint.fields]
                assert any(hasattr(parent, "league_path") for parent in parents), constraint.name
        for field in model._meta.concrete_fields:
            is_within = field.primary_key or hasattr(field.related_model, "league_path")
            assert is_within or not field.unique or field.name == "token_hash", (
                f"{model.__name__}.{field.name}"
            )


def test_pv_06_a_deleted_league_is_gone_from_every_table_and_the_other_is_as_it_was(world: World) -> None:
    other = rows_of(world.a.league)
    delete_league(league=League.objects.get(pk=world.b.league.pk), by=None)
    left = {name for name, rows in rows_of(world.b.league).items() if rows}
    assert left == set()
    assert rows_of(world.a.league) == other
    for model in apps.get_models():
        if model is not User:  # who ran it keeps the account
            rows: Any = QuerySet(model)
            assert CANARY not in str(list(rows.values())).lower(), model
    client = Client()
    client.force_login(world.b.owner)
    assert client.get(f"/{world.b.league.slug}/").status_code == 404


def test_control_a_form_that_mixes_leagues_for_who_may_see_both_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def enter(*, season: Any, player: Any, by: Any) -> Entry:
        return Entry.objects.create(season=season, player=player)

    monkeypatch.setattr("leagues.admin.entries.enter_player", enter)
    routes = [route for route in site_routes() if route.model_admin is admin.site.get_model_admin(Entry)]
    told = "\n".join(Walk(world, routes=routes).run("organizer of both"))
    assert f"of league {world.a.league.pk}" in told
    assert f"of league {world.b.league.pk}" in told


def test_every_text_of_the_other_league_holds_the_canary(world: World) -> None:
    for model in apps.get_models():
        if not hasattr(model, "league_path"):
            continue
        rows: Any = QuerySet(model)
        rows = list(rows.filter(**{model.league_path: world.b.league.pk}))
        assert rows, f"no row of {model.__name__}"
        for field in model._meta.concrete_fields:
            is_text = isinstance(field, models.CharField | models.TextField | models.JSONField)
            if is_text and not field.choices and field.name not in MACHINE_TEXTS:
                values = [str(getattr(row, field.name)) for row in rows if getattr(row, field.name)]
                assert any(CANARY in value.lower() for value in values), f"{model.__name__}.{field.name}"


@pytest.mark.timeout(900)
@pytest.mark.skipif(not WALK_ALL, reason="allowed: by make walk, as it makes a database of its own")
def test_check_isolation_walks_in_a_database_of_its_own() -> None:
    command = [sys.executable, "manage.py", "check_isolation", "--as=token of A"]
    done = subprocess.run(
        command, cwd=site_settings.BASE_DIR, capture_output=True, text=True, check=False, timeout=800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing of another league was shown or changed." in done.stdout


def test_check_isolation_never_walks_in_a_database_with_something_in_it() -> None:
    with pytest.raises(CommandError, match="not empty"):
        call_command("check_isolation", "--here")
