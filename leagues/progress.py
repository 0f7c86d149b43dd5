"""How far a long piece of work has come, told while it goes on to whoever watches.

Work says what it goes through: ``for game in over(Stage.CHECKING, games, len(games))``. Who wants to know
watches it from outside: ``with watched_by(Shown(key)):``. Unwatched work costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import monotonic
from typing import NamedTuple, TypeVar

from django.core.cache import caches
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from redis import RedisError

T = TypeVar("T")

LOOK_EVERY = 100  # items between two looks at the clock
WAIT_SECONDS = 10 * 60  # for a worker; later nothing comes of what waits for one
SHOWN_SECONDS = 60  # work that has told nothing for so long is taken for dead


class Stage(TextChoices):
    """What long work is doing."""

    WAITING = "waiting", _("Waiting to begin")
    READING = "reading", _("Reading the file")
    CHECKING = "checking", _("Checking the games")
    STORING = "storing", _("Storing the games")
    RATING = "rating", _("Rating the games")
    PACKING = "packing", _("Packing the league")
    UNPACKING = "unpacking", _("Unpacking the league")


class Step(NamedTuple):
    """How much of a stage is done, of how much; 0 of 0 where nobody can tell."""

    stage: Stage
    done: int = 0
    total: int = 0

    @property
    def percent(self) -> int:
        return min(100, 100 * self.done // self.total) if self.total else 0


class Watcher:
    """Is told every ``seconds``, and when a stage begins; not at all of work that takes less."""

    seconds = 0.5

    def __init__(self) -> None:
        self.due = monotonic() + self.seconds
        self.stage: Stage | None = None

    def tell(self, step: Step) -> None:
        now = monotonic()
        if now >= self.due or self.stage not in (None, step.stage):
            self.due, self.stage = now + self.seconds, step.stage
            self.show(step)

    def show(self, step: Step) -> None:
        raise NotImplementedError


_watchers: ContextVar[tuple[Watcher, ...]] = ContextVar("watchers", default=())


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Have the work of this block told to a watcher, besides those that watch it already."""
    token = _watchers.set((*_watchers.get(), watcher))
    try:
        yield
    finally:
        _watchers.reset(token)


def over(stage: Stage, items: Iterable[T], total: int, *, before: int = 0) -> Iterable[T]:
    """The items, with each of them counted as done; ``before`` are those of the stage done already."""
    watchers = _watchers.get()
    return _counted(watchers, stage, items, total, before) if watchers else items


def _counted(
    watchers: tuple[Watcher, ...], stage: Stage, items: Iterable[T], total: int, before: int
) -> Iterator[T]:
    for done, item in enumerate(items, before):
        if not done % LOOK_EVERY:
            for watcher in watchers:
                watcher.tell(Step(stage, done, total))
        yield item


class Shown(Watcher):
    """Keeps the step where every process of the installation can look.

    Only a hint, and so in the cache and never in the database: what an open transaction writes nobody else
    sees, and on SQLite nobody else can write meanwhile. Where the cache does not answer the work goes on
    and nothing more is told.
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self.is_lost = False

    def show(self, step: Step) -> None:
        if not self.is_lost:
            try:
                caches["progress"].set(self.key, tuple(step), SHOWN_SECONDS)
            except (OSError, RedisError):
                self.is_lost = True

    def forget(self) -> None:
        """Say that the work is over."""
        if self.stage is not None and not self.is_lost:
            try:
                caches["progress"].delete(self.key)
            except (OSError, RedisError):
                self.is_lost = True


def claim(key: str) -> bool:
    """Show work as waiting to begin; False where it is shown already. Raises what the cache raises."""
    return caches["progress"].add(key, tuple(Step(Stage.WAITING)), WAIT_SECONDS)


def release(key: str) -> None:
    """Take a claim back; it ends by itself where the cache does not answer."""
    with suppress(OSError, RedisError):
        caches["progress"].delete(key)


@contextmanager
def shown_at(key: str) -> Iterator[None]:
    """Show how far the work of this block has come to whoever asks ``shown(key)``."""
    watcher = Shown(key)
    with watched_by(watcher):
        try:
            yield
        finally:
            watcher.forget()


def shown(key: str) -> Step | None:
    """The step of the work shown at this key; None where none is going on, or nobody can tell."""
    try:
        stage, done, total = caches["progress"].get(key) or ("", 0, 0)
        return Step(Stage(stage), done, total)
    except (OSError, RedisError, ValueError):  # the last: nothing is kept, or what another release kept
        return None
