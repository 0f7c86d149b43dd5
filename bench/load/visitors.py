"""Who comes: readers, whose pages poll, and organizers, who enter games through the form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import unescape
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from random import Random
from threading import Event
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlencode

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
GAMES = re.compile(r"After game ([\d,]+) of")
EVERY = re.compile(r'hx-trigger="every (\d+)s')
PATIENCE = 60  # seconds after which a visitor gives up


class Answer(NamedTuple):
    status: int
    body: str  # as the browser has it, also after a 304
    location: str


class Saved(NamedTuple):
    game: int
    at: float  # by time.monotonic(), when the answer had come


class Seen(NamedTuple):
    season: int
    games: int  # that the standings said they count
    at: float


@dataclass
class Log:
    """What visitors saw. They append from their threads."""

    errors: list[str] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)  # seconds
    unchanged: list[float] = field(default_factory=list)  # those of the reads that were a 304
    writes: list[float] = field(default_factory=list)
    saved: list[Saved] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    @contextmanager
    def watching(self, who: str) -> Iterator[None]:
        """Whatever goes wrong ends this visitor and is kept."""
        try:
            yield
        except (OSError, HTTPException, AssertionError, AttributeError, KeyError) as error:
            self.errors.append(f"{who}: {error!r}")


class Browser:
    """Keeps its connection where the server does, cookies, and what it may ask for conditionally."""

    def __init__(self, port: int, log: Log) -> None:
        self.connection, self.log = HTTPConnection("127.0.0.1", port, timeout=PATIENCE), log
        self.cookies: SimpleCookie = SimpleCookie()
        self.kept: dict[tuple[str, bool], tuple[str, str]] = {}  # by address: ETag and body

    def get(self, path: str, *, fragment: bool = False) -> Answer:
        etag, body = self.kept.get((path, fragment), ("", ""))
        headers = {"If-None-Match": etag} if etag else {}
        if fragment:
            headers["HX-Request"] = "true"
        start = monotonic()
        status, found, text = self._ask("GET", path, "", headers)
        seconds = monotonic() - start
        self.log.reads.append(seconds)
        if status == 304:
            self.log.unchanged.append(seconds)
            return Answer(status, body, "")
        if "ETag" in found:
            self.kept[path, fragment] = found["ETag"], text
        return Answer(status, text, found.get("Location", ""))

    def post(self, path: str, values: dict[str, Any]) -> Answer:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        start = monotonic()
        status, found, text = self._ask("POST", path, urlencode(values), headers)
        self.log.writes.append(monotonic() - start)
        return Answer(status, text, found.get("Location", ""))

    def _ask(self, method: str, path: str, body: str, headers: dict[str, str]) -> tuple[int, Any, str]:
        cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in self.cookies.items())
        self.connection.request(method, path, body, headers | {"Cookie": cookies, "Accept-Language": "en"})
        response = self.connection.getresponse()
        text = response.read().decode()
        for cookie in response.headers.get_all("Set-Cookie") or ():
            self.cookies.load(cookie)
        assert 200 <= response.status < 400, f"{method} {path} answered {response.status}"
        return response.status, response.headers, text


@dataclass
class Visitor:
    """One of the installation's seasons, and somebody who comes to it until ``stop`` is set."""

    port: int
    season: dict[str, Any]  # as bench/load/seeding.py prints it
    number: int
    log: Log
    stop: Event

    def __post_init__(self) -> None:
        self.rng = Random(self.number)
        self.browser = Browser(self.port, self.log)


class Reader(Visitor):
    """Looks at the standings and lets them poll for a while, goes elsewhere and comes back."""

    def run(self) -> None:
        with self.log.watching(f"reader {self.number}"):
            self.stop.wait(self.rng.uniform(0, 10))
            while not self.stop.is_set():
                self.stay(self.season["path"], self.rng.randint(2, 8))
                self.stay(self.rng.choice(self.season["pages"]), self.rng.randint(0, 2))

    def stay(self, path: str, polls: int) -> None:
        """Load a page and wait for that many polls of its live part."""
        self.look(path, fragment=False)
        for _ in range(polls):
            if self.stop.wait(self.every):
                return
            self.look(path, fragment=True)
        self.stop.wait(self.rng.uniform(1, 5))

    def look(self, path: str, *, fragment: bool) -> None:
        answer = self.browser.get(path, fragment=fragment)
        every = EVERY.search(answer.body)
        self.every = int(every[1]) if every else 20
        if path == self.season["path"] and (games := GAMES.search(answer.body)):
            self.log.seen.append(Seen(self.season["id"], int(games[1].replace(",", "")), monotonic()))


class Writer(Visitor):
    """An organizer, who enters duels through the form; some of them were played earlier than others."""

    games = 0

    def sign_in(self) -> None:
        path = f"/accounts/login/?next={self.form}"
        values = dict(HIDDEN.findall(self.browser.get(path).body))
        values |= {"username": self.season["organizers"][self.number], "password": self.season["password"]}
        assert self.browser.post(path, values).status == 302, "the sign-in was refused"
        self.open()

    @property
    def form(self) -> str:
        return f"{self.season['path']}games/new/"

    def open(self) -> None:
        self.hidden = {
            name: unescape(value) for name, value in HIDDEN.findall(self.browser.get(self.form).body)
        }

    def run(self) -> None:
        """A game every few seconds, and a look at what became of it."""
        with self.log.watching(f"writer {self.number}"):
            while not self.stop.wait(self.rng.uniform(2, 6)):
                self.browser.get(f"{self.season['path']}games/players/?q=Player+0{self.rng.randrange(10)}")
                answer = self.save()
                game = re.fullmatch(rf"{self.season['path']}games/(\d+)/", answer.location)
                assert game, f"no game at {answer.location}"
                self.log.saved.append(Saved(int(game[1]), monotonic()))
                self.browser.get(answer.location)
                self.open()

    def run_burst(self, next_game: Callable[[], int | None]) -> None:
        """Games without a pause, each time by "Save and enter another"."""
        with self.log.watching(f"writer {self.number}"):
            while not self.stop.is_set() and next_game() is not None:
                self.save(another="1")
                self.log.saved.append(Saved(0, monotonic()))
                self.open()

    def save(self, **button: str) -> Answer:
        """Send the filled-in form; no two games have the same time."""
        one, other = self.rng.sample(self.season["players"], 2)
        first, minutes = datetime.fromisoformat(self.season["after"]), 20 * self.games + self.number
        if not button and self.rng.random() < 0.2:
            minutes = -minutes - 1
        self.games += 1
        answer = self.browser.post(
            self.form,
            self.hidden
            | {
                "side-0-members": one,
                "side-0-points": self.rng.randrange(800),
                "side-1-members": other,
                "side-1-points": self.rng.randrange(800),
                "played_at": f"{first + timedelta(minutes=minutes):%Y-%m-%dT%H:%M}",
                "note": "",
            }
            | button,
        )
        assert answer.status == 302, f"the form came back: {answer.body[:2000]}"
        return answer
