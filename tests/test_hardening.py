"""What every answer carries, how much the site takes, and how often. Ids are those of attacks.md."""

import io
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.core.cache.backends.redis import RedisCache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.test import Client

from isolation.matrix import addresses
from isolation.pages import FormReader, filled
from isolation.routes import site_routes
from isolation.world import World, make_world
from leagues.models import Game, Role
from leagues.services import merge_players
from tests.factories import make_organizer, make_players
from tests.test_query_counts import ROUTES, address_of, season_of
from wsd_site import limits

pytestmark = [pytest.mark.django_db, pytest.mark.pages]

OTHER_PAGES = [
    "/accounts/login/",
    "/accounts/reset/",
    "/accounts/password/",
    "/nowhere/",
    "/api/v1/docs",
    "/admin/",
    "/admin/leagues/game/",
    "/admin/leagues/game/add/",
    "/admin/leagues/player/add/",
    "/admin/ratings/ruleset/",
]
ANSWERS = [*OTHER_PAGES, "/api/v1/openapi.json", "/api/v1/leagues", "/healthz"]


@pytest.fixture
def season():
    return season_of(3, "club")


@pytest.fixture
def owner(season):
    client = Client()
    client.force_login(season.league.organizers.get().user)
    return client


# --- Headers


class Inline(HTMLParser):
    """Whatever of a page the policy would refuse to run or apply."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        given = dict(attributes)
        is_data = given.get("type") in ("application/json", "importmap")
        if tag == "style" or (tag == "script" and "src" not in given and not is_data):
            self.found.append(tag)
        self.found += [name for name in given if name == "style" or name.startswith(("on", "hx-on"))]
        self.found += [value for value in given.values() if (value or "").strip().startswith("javascript:")]


def policy_of(answer: Any) -> dict[str, list[str]]:
    parts = (part.split() for part in answer["Content-Security-Policy"].split(";"))
    return {name: sources for name, *sources in parts}


def test_xs_05_no_page_has_anything_inline(owner, season):
    for address in [*OTHER_PAGES, *(address_of(name, season) for name in ROUTES)]:
        answer = owner.get(address)
        inline = Inline()
        inline.feed(b"".join(answer).decode(errors="replace"))
        assert inline.found == [], address
        policy = policy_of(answer)
        assert policy["default-src"] == ["'none'"]
        assert policy["script-src"] == policy["style-src"] == ["'self'"]
        policy.pop("frame-ancestors")  # see test_cj_01
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*"} & set(chain(*policy.values()))


def test_xs_05_htmx_runs_no_text_and_asks_no_other_site(client):
    page = client.get("/").content.decode()
    start = page.index("content='", page.index('name="htmx-config"')) + len("content='")
    config = json.loads(page[start : page.index("'", start)])
    wanted = {"allowEval": False, "allowScriptTags": False, "selfRequestsOnly": True}
    assert {name: config[name] for name in wanted} == wanted


def test_cj_01_no_answer_but_one_may_stand_in_a_frame(owner, season):
    others = ROUTES.keys() - {"ratings:embed"}  # see tests/ratings/test_embed.py
    for address in [*ANSWERS, *(address_of(name, season) for name in others)]:
        answer = owner.get(address)
        assert answer["X-Frame-Options"] == "DENY", address
        assert policy_of(answer)["frame-ancestors"] == ["'none'"], address


def test_every_answer_says_what_browsers_may_do(owner, season):
    for address in ANSWERS:
        answer = owner.get(address)
        assert answer["Referrer-Policy"] == "same-origin", address
        assert answer["X-Content-Type-Options"] == "nosniff", address
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin", address
        assert "camera=()" in answer["Permissions-Policy"], address


def test_cs_03_other_sites_may_not_read_the_api(owner, season):
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}
    for answer in (
        owner.get("/api/v1/leagues", headers=asked),
        owner.options("/api/v1/leagues", headers=asked),
    ):
        assert not [name for name in answer.headers if name.startswith("Access-Control")]


PRODUCTION = """
import json
import re
import django
django.setup()
from django.conf import settings
from django.test import Client
plain = Client(headers={"host": "standings.example.org"}).get("/accounts/login/")
page = Client(headers={"host": "standings.example.org"}).get("/accounts/login/", secure=True)
style = re.search(r'href="(/static/css/[^"]+)"', page.content.decode())[1]
packed = Client(headers={"host": "standings.example.org", "accept-encoding": "br"}).get(style, secure=True)
strange = Client(headers={"host": "evil.example"}).get("/accounts/login/", secure=True)
cookies = {name: {key: cookie[key] for key in ("secure", "samesite", "path", "domain")}
           for name, cookie in page.cookies.items()}
print(json.dumps({
    "plain": [plain.status_code, plain["Location"]],
    "page": [page.status_code, dict(page.headers)],
    "style": [style, packed.status_code, packed["Content-Encoding"], packed["Cache-Control"]],
    "strange": strange.status_code,
    "cookies": cookies,
    "session": [settings.SESSION_COOKIE_NAME, settings.SESSION_COOKIE_SECURE],
    "main_host": settings.MAIN_HOST,
}))
"""


def test_the_production_profile(tmp_path: Path):
    environment = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "x" * 60,
        "ALLOWED_HOSTS": ".example.net,standings.example.org",
        "VAR_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "wsd_site.settings",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("manage.py", "collectstatic", "--no-input", "-v", "0")
    run("manage.py", "migrate", "-v", "0")
    seen = json.loads(run("-c", PRODUCTION))
    assert seen["plain"] == [301, "https://standings.example.org/accounts/login/"]
    status, headers = seen["page"]
    assert status == 200
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    style, *told = seen["style"]
    assert re.search(r"\.[0-9a-f]{12}\.css$", style)
    assert told == [200, "br", "max-age=315360000, public, immutable"]
    assert seen["strange"] == 400
    assert seen["cookies"] == {
        "__Host-csrftoken": {"secure": True, "samesite": "Lax", "path": "/", "domain": ""}
    }
    assert seen["session"] == ["__Host-sessionid", True]
    assert seen["main_host"] == "standings.example.org"


# --- Forms of other sites


@pytest.fixture
def world() -> World:
    """Two leagues with a row of everything, two players of the first one merged."""
    world = make_world()
    keep, gone = make_players(world.a.league, "Twin", "Twin too")
    merge_players(keep=keep, gone=gone, by=None)
    return world


def addresses_of_a(world: World) -> list[str]:
    """One address of every route of the site, with rows of league A in it, or with nobody's."""
    found = [address for route in site_routes() for address in addresses(route, world)]
    return [each.url for each in found if "?" not in each.url and not each.is_foreign]


def rows() -> dict[str, list[Any]]:
    """Every row of every table but sessions."""
    models = [model for model in apps.get_models() if model is not Session]
    return {model._meta.label: list(QuerySet(model).order_by("pk").values()) for model in models}


def test_cs_01_no_address_takes_a_form_without_its_token_and_looking_changes_nothing(world):
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(world.a.owner)
    before = rows()
    for address in addresses_of_a(world):
        for headers in ({}, {"HX-Request": "true"}, {"Origin": "https://evil.example"}):
            answer = client.post(address, {"confirm": "1"}, headers=headers)
            assert answer.status_code in (401, 403, 404, 405), address
        client.get(address)
    assert rows() == before
    assert client.get("/").context["user"] == world.a.owner


def test_cs_01_no_form_is_taken_without_its_token(season):
    user = season.league.organizers.get().user
    before = list(Game.objects.values())
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    acts = ["leagues:game-create", "leagues:game-update", "leagues:game-void", "leagues:game-delete"]
    addresses = [address_of(name, season) for name in [*acts, "leagues:import"]]
    addresses += ["/accounts/login/", "/accounts/logout/", "/accounts/password/", "/accounts/reset/"]
    addresses += ["/i18n/setlang/", "/admin/leagues/game/add/", "/admin/login/"]
    for address in addresses:
        for headers in ({}, {"HX-Request": "true"}, {"Origin": "https://evil.example"}):
            assert client.post(address, {"confirm": "1"}, headers=headers).status_code == 403, address
    assert list(Game.objects.values()) == before
    assert client.get("/").context["user"] == user


# --- Too large


def test_up_03_a_request_that_says_it_is_too_large_is_not_read(owner, season):
    class Unread(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise AssertionError("The body was read.")

    answer = owner.generic(
        "POST",
        address_of("leagues:import", season),
        content_type="multipart/form-data; boundary=x",
        **{"CONTENT_LENGTH": str(200 * 1024 * 1024), "wsgi.input": Unread()},
    )
    assert answer.status_code == 413
    assert "a file 10 MB" in answer.content.decode()


@pytest.mark.parametrize("debug", [False, True])
def test_up_03_a_form_of_too_much_text_is_a_sentence(client, debug, settings):
    settings.DEBUG = debug
    answer = client.post(
        "/accounts/login/", "username=" + "a" * 2_500_001, content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code == 413
    assert "A form may hold 2.5 MB of text" in answer.content.decode()


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize(
    "data",
    [
        {f"field{number}": "x" for number in range(1001)},
        {"field": "x" * 2_500_001},
        {f"file{number}": SimpleUploadedFile("a.csv", b"x") for number in range(101)},
    ],
    ids=["fields", "text", "files"],
)
def test_up_03_a_form_of_too_many_parts_is_a_sentence(client, settings, debug, data):
    settings.DEBUG = debug
    answer = client.post("/accounts/login/", data)
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "This request could not be understood" in page
    assert "Traceback" not in page


def test_up_03_what_is_packed_is_not_unpacked(owner, season):
    packed = io.BytesIO(b"\x1f\x8b" + b"\0" * 100)
    answer = owner.post(
        address_of("leagues:import", season),
        {"file": SimpleUploadedFile("games.csv", packed.read())},
        headers={"Content-Encoding": "gzip"},
    )
    assert answer.status_code == 200
    assert Game.objects.count() == season.games.count()


def test_the_api_says_in_json_that_a_request_is_too_large(client):
    answer = client.post("/api/v1/leagues", "x" * 2_500_001, content_type="application/json")
    assert (answer.status_code, answer["Content-Type"]) == (413, "application/json; charset=utf-8")


# --- Strange characters


def test_up_01_a_nul_anywhere_is_never_an_error_of_the_site(owner, season):
    pages = [address_of(name, season) for name in ROUTES]
    for address in [*pages, *ANSWERS]:
        answers = [
            owner.get(address, {"q": "a\0b", "sort": "\0", "page": "\0", "next": "/\0", "token": "\0"}),
            owner.get(f"{address}%00"),
            owner.get(address, headers={"Accept-Language": "e\0n", "HX-Request": "\0", "Referer": "\0"}),
            owner.get(address, headers={"If-None-Match": '"\0"', "X-Forwarded-For": "\0"}),
        ]
        assert [answer for answer in answers if answer.status_code >= 500] == [], address


def test_up_01_a_nul_in_a_form_is_never_an_error_of_the_site(owner, season):
    fields = "username password email next language token note reason q played_at sides-0-members"
    filled = dict.fromkeys(fields.split(), "a\0b") | {"sides-TOTAL_FORMS": "2", "sides-INITIAL_FORMS": "0"}
    acts = ["leagues:game-create", "leagues:game-update", "leagues:game-void", "leagues:import"]
    before = list(Game.objects.values())
    for address in [*(address_of(name, season) for name in acts), *OTHER_PAGES, "/i18n/setlang/"]:
        for client in (owner, Client()):
            assert client.post(address, filled).status_code < 500, address
    assert list(Game.objects.values()) == before


@pytest.mark.parametrize("who", ["owner of A", "superuser"])
def test_up_01_a_nul_in_any_field_of_any_form_is_never_an_error_of_the_site(world, who):
    client = Client(raise_request_exception=False)
    client.force_login(world.visitors[who])
    sent, before = 0, rows()
    for address in addresses_of_a(world):
        answer = client.get(address)
        if answer.status_code != 200 or "html" not in answer["Content-Type"] or "logout" in address:
            continue
        for form in FormReader(answer.content.decode()).forms:
            target = form.action or address
            if "logout" in target or "login" in target:
                continue
            good = filled(form, world.a)
            buttons = [name for name, kind, _value in form.fields if kind in ("submit", "button") and name]
            for data in (dict.fromkeys(good, "a\0b"), *({**good, name: "a\0b"} for name in buttons)):
                caches["limits"].clear()
                with transaction.atomic():
                    assert client.post(target, data).status_code < 500, (target, data)
                    transaction.set_rollback(True)
                sent += 1
    assert sent > 40
    assert rows() == before


# --- Too often


@pytest.fixture
def still():
    with time_machine.travel("2026-05-01 12:00Z", tick=False) as clock:
        yield clock


def statuses(client: Client, address: str, times: int, **data: Any) -> list[int]:
    return [client.post(address, data).status_code for _ in range(times)]


def test_ld_05_entering_is_limited_for_each_account(owner, season, still, monkeypatch):
    few = limits.Limit("changes", 3, 60, limits.CHANGES.reason)
    monkeypatch.setattr(limits, "OF_ALL_OTHERS", [(few, limits.visitor)])
    entry, admin = address_of("leagues:game-create", season), "/admin/leagues/game/add/"
    assert statuses(owner, entry, 2) + statuses(owner, admin, 2) == [200, 200, 200, 429]
    other = Client()
    other.force_login(make_organizer(season.league, Role.SCORER))
    assert statuses(other, entry, 1) == [200]
    assert owner.get(entry).status_code == 200, "reading goes on"
    still.shift(60)
    assert statuses(owner, entry, 1) == [200]


def test_ld_05_a_person_who_types_never_meets_the_limit(owner, season, still):
    assert 429 not in statuses(owner, address_of("leagues:game-create", season), 60)


def test_ld_05_importing_is_limited_for_each_account(owner, season, still):
    address = address_of("leagues:import", season)
    assert statuses(owner, address, 31) == [200] * 30 + [429]
    answer = owner.post(address)
    assert "Very many files were uploaded." in answer.content.decode()
    assert answer["Retry-After"] == "600"


def test_a_form_of_another_site_uses_up_nobodys_limit(season, still):
    client = Client(enforce_csrf_checks=True)
    client.force_login(season.league.organizers.get().user)
    address = address_of("leagues:import", season)
    assert set(statuses(client, address, 40)) == {403}
    client.get(address)
    token = client.cookies[settings.CSRF_COOKIE_NAME].value
    assert statuses(client, address, 1, csrfmiddlewaretoken=token) == [200]


@pytest.mark.redis
def test_ft_01_a_cache_that_does_not_answer_refuses_nobody(owner, season, monkeypatch):
    # Nothing listens there.
    down = RedisCache("redis://127.0.0.1:9/0", {"OPTIONS": {"socket_connect_timeout": 0.2}})
    monkeypatch.setattr(limits, "caches", {"limits": down})
    assert statuses(owner, address_of("leagues:import", season), 40) == [200] * 40


def test_a_visitor_of_a_strange_name_is_counted_like_any_other(still):
    for email in ("a b@example.org", "й" * 300, "\x7f", "x" * 5000):
        client = Client()
        answers = [
            client.post("/accounts/reset/", {"email": email}, REMOTE_ADDR=f"198.51.100.{number}").status_code
            for number in range(4)
        ]
        assert answers[3] == 429, email
