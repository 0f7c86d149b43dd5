"""Two connections at chosen points: a call in a thread of its own, which stops at a statement.

with Stopped(lambda: replay_season(1), before='FROM "leagues_game"') as replay:
    make_game(...)  # while the replay has read the season and not yet the games
assert replay.result() is True

Of two stopped calls the one named last goes on first: a call that is to wait for it is named before.

The switches of the controls, which take a protection away, are methods of the stopped call.
"""

import re
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from threading import Event
from types import TracebackType
from typing import Any, Self

from django.db import connection

from tests.processes import wait_until

WAIT = 60  # seconds


class Stopped(AbstractContextManager["Stopped"]):
    """Runs the call up to its first statement with this text; goes on when the block is left."""

    def __init__(self, call: Callable[[], Any], *, before: str = "", after: str = "") -> None:
        self.call, self.text, self.is_after = call, before or after, bool(after)
        self.stopped, self.go_on = Event(), Event()
        self.commits_early = False
        self.locks = True
        self.disabled: list[str] = []
        self.backend = 0  # the process of PostgreSQL that serves the call
        self.pool = ThreadPoolExecutor(1)

    def commit_early(self) -> Self:
        """Control: what was written so far is committed at the stop, as if each statement were by itself."""
        self.commits_early = True
        return self

    def go_on_until_held_up(self) -> None:
        """Lets the call go on, and waits until it waits for a lock that another transaction holds."""
        self.go_on.set()
        wait_until(self._waits, "the call to be held up")

    def _waits(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'",
                [self.backend],
            )
            return bool(cursor.fetchone()[0])

    def disable(self, condition: str) -> Self:
        """Control: this condition of a statement always holds."""
        self.disabled.append(condition)
        return self

    def take_no_locks(self) -> Self:
        """Control: the call's look-ups hold no rows."""
        self.locks = False
        return self

    def cut(self) -> None:
        """Cuts the call's connection to the database, and waits until its transaction is gone."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [self.backend])
        wait_until(lambda: not self._is_served(), "the end of the backend")

    def _is_served(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", [self.backend])
            return bool(cursor.fetchone()[0])

    def result(self) -> Any:
        """What the call returned or raised."""
        return self.future.result(WAIT)

    def __enter__(self) -> Self:
        self.future: Future[Any] = self.pool.submit(self._run)
        wait_until(lambda: self.stopped.is_set() or self.future.done(), f"the statement {self.text}")
        if not self.stopped.is_set():
            self.result()
            raise AssertionError(f"The call ended without the statement {self.text}.")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.go_on.set()
        self.pool.shutdown()

    def _run(self) -> Any:
        try:
            with connection.execute_wrapper(self._execute):
                return self.call()
        finally:
            connection.close()

    def _execute(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not self.locks:
            sql = re.sub(r" FOR (NO KEY )?UPDATE( OF \"\w+\")?( SKIP LOCKED)?", "", sql)
        for condition in self.disabled:
            sql = sql.replace(condition, f"({condition} OR TRUE)")
        if self.stopped.is_set() or self.text not in sql:
            return execute(sql, params, many, context)
        if not self.is_after:
            self._stop()
            return execute(sql, params, many, context)
        result = execute(sql, params, many, context)
        self._stop()
        return result

    def _stop(self) -> None:
        if self.commits_early:
            connection.connection.commit()
        self.backend = connection.connection.info.backend_pid
        self.stopped.set()
        self.go_on.wait(WAIT)
        if self.commits_early:
            with connection.wrap_database_errors:
                connection.connection.execute("SELECT 1")  # a new transaction, if still connected
