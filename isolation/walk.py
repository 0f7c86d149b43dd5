"""The walk itself: each visitor, each address, each form; what leaks and what changes."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from io import BytesIO
from itertools import groupby, product
from typing import Any
from urllib.parse import quote, quote_plus, unquote_plus, urlsplit
from zipfile import ZipFile

from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client

from isolation.matrix import Address, addresses, admin_actions, rowless
from isolation.pages import FormReader, poisoned
from isolation.routes import Route, site_routes
from isolation.world import CANARY, TRUSTED, World, rows_of
from leagues.tenancy.mixtures import mixed_rows

# PostgreSQL's unions begin with a parenthesis.
READING = re.compile(r"[\s(]*(SELECT|SAVEPOINT|RELEASE|ROLLBACK|SET|BEGIN|PRAGMA)", re.IGNORECASE)
OWN_TABLES = re.compile(r"django_session|auth_user.*last_login", re.IGNORECASE)
NOT_POSTED = ("/accounts/", "/i18n/", "/admin/login/", "/admin/logout/", "/admin/password_change/")
TOKEN = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")\w+')
FRAGMENT = {"HX-Request": "true"}


@dataclass
class Walk:
    """A walk through a world. ``leaks`` are sentences; ``asked`` counts requests of each visitor.

    One that is not ``thorough`` tries no parameter of an address by itself, and asks for what is of B by
    plain GET and POST alone.
    """

    world: World
    thorough: bool = True
    routes: list[Route] = field(default_factory=site_routes)
    leaks: list[str] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)
    told: Callable[[str], None] = lambda _visitor: None

    def run(self, *visitors: str) -> list[str]:
        """Walk as these visitors, or as all; everything that leaked."""
        missing = rowless(self.routes)
        self.leaks += [f"{key}: the route has no row in isolation/matrix.py" for key in missing]
        self.routes = [route for route in self.routes if route.key not in missing]
        logging.disable(logging.CRITICAL)  # every refusal would leave a line
        try:
            for name in visitors or self.world.visitors:
                self.told(name)
                Visit(self, name).run()
        finally:
            logging.disable(logging.NOTSET)
        return self.leaks


class Visit:
    """The walk of one visitor."""

    def __init__(self, walk: Walk, name: str) -> None:
        self.walk, self.name, self.world = walk, name, walk.world
        self.user = self.world.visitors[name]
        walk.asked[name] = 0
        self.is_trusted = name in TRUSTED
        self.is_program = name.startswith("token")
        headers = {"Authorization": f"Bearer {self.world.a.secret}"} if self.is_program else None
        self.client = Client(raise_request_exception=False, headers=headers)
        if self.user is not None:
            self.client.force_login(self.user)
        self.before = rows_of(self.world.b.league)
        self.nothing: dict[str, tuple[int, str]] = {}  # what was answered about what never was

    def run(self) -> None:
        for route in self.walk.routes:
            if self.is_program and not route.key.startswith("api:"):
                continue
            for _path, same_path in groupby(addresses(route, self.world), key=_path_of):
                address, *with_query = same_path
                if address.of_a or not self.is_trusted:
                    # What is refused, without parameters and with all of them, is refused with each.
                    answers = [self.visit(each) for each in (address, *with_query[-1:])]
                    is_shown = any(answer.status_code == HTTPStatus.OK for answer in answers)
                    if is_shown and self.walk.thorough:
                        for each in with_query[:-1]:
                            self.visit(each)
                elif route.key == "admin:model:add":
                    self.mix(address.url)
        if not self.is_trusted and not self.is_program:
            for url, data in admin_actions(self.world):
                self.ask("POST", url, data)
        if self.name == "anonymous":
            self.visit_hosts()

    def visit(self, address: Address) -> Any:
        """Ask for an address in every way, and send its forms with rows of B in them; its first answer."""
        is_admin = address.url.startswith("/admin/")
        sees_both = self.is_trusted and is_admin
        answer = self.ask("GET", address.url, may_show=sees_both)
        if "?" in address.url:
            return answer
        if not is_admin and (self.walk.thorough or not address.is_foreign):
            self.ask("GET", address.url, headers=FRAGMENT, may_show=sees_both)
        if self.is_program and address.route.key == "api:games":
            self.report_games(address.url)
        if self.is_program and address.route.key in ("api:draw", "api:battle-result"):
            self.battle(address)
        if self.is_program and address.route.key in ("api:game", "api:game-void", "api:game-restore"):
            self.correct(address.url)
        if address.is_foreign:
            self.compare_with_nothing(address, answer)
            for method in ("HEAD", "OPTIONS") if self.walk.thorough else ():
                self.ask(method, address.url)
            self.ask("POST", address.url, {"post": "yes", "name": "taken", "role": "owner", "remove": "yes"})
            return answer
        for url, data in self.forms_of(address.url, answer):
            self.ask("POST", url, data, may_show=sees_both)
        return answer

    def report_games(self, url: str) -> None:
        """Report games of players of B, by all that they are called, under a key of B."""
        other = self.world.b
        slug, number = other.slugs["player"], str(other.ids["player"][0])
        for name, create in product((slug, number, f"Two {CANARY}"), (False, True)):
            if create and name not in (slug, number):
                continue  # a new player of that name has an address made of it
            sides = [{"players": [name], "points": 3}, {"players": ["Two alpha"], "points": 1}]
            report = {"played_at": "2026-05-03", "sides": sides, "create_players": create}
            self.ask("POST", url, report, headers={"Idempotency-Key": f"key-{CANARY}"})

    def correct(self, url: str) -> None:
        """Correct, void and delete a game, of B or with players of B."""
        headers, other = {"If-Match": "*"}, self.world.b
        self.ask("POST", url, {"reason": "Twice"}, headers=headers)
        for name in (other.slugs["player"], str(other.ids["player"][0])):
            sides = [{"players": [name], "points": 3}, {"players": ["Two alpha"], "points": 1}]
            self.ask("PATCH", url, {"sides": sides}, headers=headers)
        self.ask("DELETE", url, headers=headers)

    def battle(self, address: Address) -> None:
        """Draw for players of B, by all that they are called, and tell the result of a battle of B."""
        other, headers = self.world.b, {"Idempotency-Key": f"key-{CANARY}"}
        if address.route.key == "api:battle-result":
            self.ask("POST", address.url, {"challenger_points": 3, "opponent_points": 1}, headers=headers)
            return
        for name in (other.slugs["player"], str(other.ids["player"][0]), f"Two {CANARY}"):
            self.ask("POST", address.url, {"challenger": name}, headers=headers)

    def mix(self, url: str) -> None:
        """Send the form of a new row, of either league, with rows of B in it: it must not be of both."""
        answer = self.ask("GET", url, may_act=True)
        for target, data in self.forms_of(url, answer):
            self.ask("POST", target, data, may_act=True)

    def forms_of(self, url: str, answer: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        """The forms of a page with rows of B in each field. Of accounts and languages none is of a league."""
        if answer.status_code != HTTPStatus.OK or "html" not in answer.get("Content-Type", ""):
            return
        for form in FormReader(_text(answer)).forms:
            target = form.action or url
            if target.startswith(NOT_POSTED):
                continue
            for data in poisoned(form, self.world.a, self.world.b):
                yield target, {**data, **self.files_of(form)}

    def files_of(self, form: Any) -> dict[str, Any]:
        """A game file that names players of B by their addresses and ids, where the form takes a file."""
        player = self.world.b.slugs["player"]
        other = self.world.b.ids["player"][1]
        text = f"played_at,side 1,points 1,side 2,points 2\n2026-05-03,{player},3,{other},1\n"
        return {
            name: SimpleUploadedFile("games.csv", text.encode())
            for name, kind, _value in form.fields
            if kind == "file"
        }

    def visit_hosts(self) -> None:
        """The pages of leagues at their own hosts: those of B at B's host, and at A's host with B's ids.

        Nobody is signed in there, so one visitor does for all.
        """
        for route in self.walk.routes:
            before, is_of_league, _after = route.pattern.partition("<slug:league>/")
            if not is_of_league:
                continue
            for address in self.addresses_at_hosts(route):
                slug, _slash, path = address.url.removeprefix(f"/{before}").partition("/")
                path = before + path
                for side in (self.world.a, self.world.b):
                    is_of_a = side is self.world.a
                    if address.is_foreign or not is_of_a:
                        self.ask("GET", f"/{path}", host=side.league.host)
                if slug == self.world.b.league.slug and "?" not in address.url:
                    self.ask("GET", address.url, host=self.world.a.league.host)

    def addresses_at_hosts(self, route: Route) -> Iterator[Address]:
        """Of each path the address without parameters and the one with all; thoroughly, with each too."""
        for _path, same_path in groupby(addresses(route, self.world), key=_path_of):
            address, *with_query = same_path
            yield address
            yield from with_query if self.walk.thorough else with_query[-1:]

    def compare_with_nothing(self, address: Address, answer: Any) -> None:
        """What is another league's must be answered as what never was."""
        if self.is_trusted:
            return
        url = self.renamed(address.url)
        if url not in self.nothing:
            nothing = self.client.get(url)
            self.nothing[url] = nothing.status_code, _bare(nothing, url)
        status, page = self.nothing[url]
        if answer.status_code != status:
            self.leak("GET", address.url, f"{answer.status_code}, and {status} for what never was")
        elif _bare(answer, address.url) != page:
            self.leak("GET", address.url, f"{answer.status_code}, and another page for what never was")

    def renamed(self, url: str) -> str:
        """The address with names and ids that nobody has in place of those of B."""
        parts = url.replace(CANARY, "zk7nobody").split("/")
        return "/".join("999999999" if each.isdecimal() else each for each in parts)

    # --- one request

    def ask(
        self,
        method: str,
        url: str,
        data: dict[str, Any] | None = None,
        *,
        host: str = "testserver",
        headers: dict[str, str] | None = None,
        may_show: bool = False,
        may_act: bool = False,
    ) -> Any:
        """Send a request, undo what it did, and note what leaked.

        ``may_show`` is for pages of both leagues, ``may_act`` for forms that may make a row of either.
        """
        self.walk.asked[self.name] += 1
        caches["limits"].clear()  # people do not walk as fast
        with transaction.atomic(), watching() as writes:
            answer = self.send(method, url, data, host, headers)
            if writes:
                self.check_rows(method, url, may_act=may_act)
            transaction.set_rollback(True)
        if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self.leak(method, url, f"the answer is {answer.status_code}")
        if not may_show and not may_act:
            self.check_text(method, url, data, host, answer)
        return answer

    def send(
        self, method: str, url: str, data: dict[str, Any] | None, host: str, headers: dict[str, str] | None
    ) -> Any:
        act = getattr(self.client, method.lower())
        arguments: dict[str, Any] = {"data": data} if data is not None else {}
        if url.startswith("/api/") and method in ("POST", "PATCH"):
            arguments["content_type"] = "application/json"
        return act(url, HTTP_HOST=host, headers=headers, **arguments)

    def check_rows(self, method: str, url: str, *, may_act: bool) -> None:
        after = {} if may_act else rows_of(self.world.b.league)
        changed = [name for name, rows in after.items() if rows != self.before[name]]
        if changed:
            self.leak(method, url, f"rows of the other league changed: {', '.join(changed)}")
        for mixed in mixed_rows(self.world.a.league):
            self.leak(method, url, mixed)

    def check_text(self, method: str, url: str, data: dict[str, Any] | None, host: str, answer: Any) -> None:
        """The canary in the answer, but for what the visitor has sent."""
        told = _text(answer) + str(answer.headers) + answer.cookies.output()
        for sent in _sent(url, data, host):
            told = told.replace(sent, "")
        found = told.lower().find(CANARY)
        if found >= 0:
            self.leak(method, url, f"the answer has: …{told[max(0, found - 60) : found + 40]!r}…")

    def leak(self, method: str, url: str, what: str) -> None:
        self.walk.leaks.append(f"{self.name}: {method} {url}: {what}")


@contextmanager
def watching() -> Iterator[list[str]]:
    """The statements that write, sessions and times of signing in left out."""
    writes: list[str] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not READING.match(sql) and not OWN_TABLES.search(sql):
            writes.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield writes


def _path_of(address: Address) -> str:
    return address.url.partition("?")[0]


def _text(answer: Any) -> str:
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if answer.streaming:
        answer.streaming_content = [content]
    return "".join(unpacked(content))


def unpacked(content: bytes) -> Iterator[str]:
    """The text of an answer; of a workbook, or another archive, that of all that is in it."""
    if content.startswith(b"PK"):
        with ZipFile(BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name
                yield from unpacked(archive.read(name))
    else:
        yield content.decode(errors="replace")


def _bare(answer: Any, url: str) -> str:
    """An answer without the address that was asked for, and without what is drawn by lot."""
    told = _text(answer) + answer.get("Location", "")
    for form in _written(url):
        told = told.replace(form, "")
    return TOKEN.sub("", told)


def _written(text: str) -> set[str]:
    """How an answer may write a text that it repeats."""
    return {text, escape(text), quote(text), quote(text, safe=""), quote_plus(text)}


def _texts(value: Any) -> Iterator[str]:
    """The single values of what is sent."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
    else:
        yield str(value)


def _sent(url: str, data: dict[str, Any] | None, host: str) -> list[str]:
    """The texts with the canary that a request carries, as answers may repeat them; the longest first."""
    parts = urlsplit(url)
    texts = {url, parts.path, parts.query, host, *parts.path.split("/"), *parts.path.strip("/").split("/")}
    texts |= {unquote_plus(each.partition("=")[2]) for each in parts.query.split("&")}
    texts |= set(_texts(data or {}))
    with_canary = {text for text in texts if CANARY in text.lower()}
    written = {form for text in with_canary for form in _written(text)}
    return sorted(written, key=len, reverse=True)
