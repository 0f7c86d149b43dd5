"""A season is closed while facts of it are written past the services: by no path does one slip in after."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections, models

from leagues.models import Game, Season, SeasonClosedError
from leagues.services import update_season
from tests.factories import make_game
from tests.faults.conftest import entered_season
from tests.faults.interleaving import WAIT, Stopped
from tests.processes import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

CLOSES = 'UPDATE "leagues_season"'


@pytest.fixture
def season() -> Season:
    season = entered_season("Ann", "Bob")
    ann, bob = season.league.players.order_by("name")
    make_game(season, (ann, 500), (bob, 100))
    return season


def new_game(season: Season, key: str = "1") -> Game:
    return Game(season=season, played_at=season.starts_at, order=9, key=key * 32)


def changed(game: Game) -> Game:
    game.note = "Changed"
    return game


def close(season: Season) -> None:
    update_season(season=season, by=None, state=Season.State.CLOSED)


WRITES: dict[str, Callable[[Season], Any]] = {
    "save a new one": lambda season: new_game(season).save(),
    "save": lambda season: changed(season.games.get()).save(),
    "update": lambda season: season.games.update(note="Changed"),
    "bulk_create": lambda season: Game.objects.bulk_create([new_game(season)]),
    "bulk_update": lambda season: Game.objects.bulk_update([changed(season.games.get())], ["note"]),
    "delete": lambda season: season.entries.get(player__name="Ann").delete(),
    "delete rows": lambda season: season.games.all().delete(),
    "save the season": lambda season: Season(**vars_of(season) | {"name": "Other"}).save(
        update_fields=["name"]
    ),
}


def vars_of(row: models.Model) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def facts(season: Season) -> list[Any]:
    stored = Season.objects.get(pk=season.pk)
    return [stored.name, *(list(rows.order_by("pk").values()) for rows in (stored.games, stored.entries))]


def written_during_the_closing(season: Season, write: Callable[[Season], Any]) -> Future[Any]:
    """The write, begun while a transaction that has closed the season has yet to commit."""

    def written() -> None:
        try:
            write(season)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, Stopped(lambda: close(season), after=CLOSES):
        future = pool.submit(written)
        wait_until(lambda: future.done() or waits_for_a_lock(), "the write, or its wait for the closing")
    return future


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


@pytest.mark.parametrize("name", WRITES)
def test_rc_04_a_write_waits_for_a_closing_and_is_refused(season: Season, name: str) -> None:
    before = facts(season)
    with pytest.raises(SeasonClosedError):
        written_during_the_closing(season, WRITES[name]).result(WAIT)
    assert facts(season) == before


@pytest.mark.parametrize("name", ["save a new one", "update", "delete rows"])
def test_control_without_holding_the_season_it_slips_in(
    season: Season, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = facts(season)
    hold = models.QuerySet.select_for_update
    monkeypatch.setattr(
        models.QuerySet,
        "select_for_update",
        lambda rows, **options: hold(rows, **options) if options.get("of") else rows,
    )
    written_during_the_closing(season, WRITES[name]).result(WAIT)
    assert Season.objects.get(pk=season.pk).is_closed
    assert facts(season) != before


def test_asynchronous_writes_are_refused(season: Season) -> None:
    """They are made of the others by Django; here each is called once."""
    close(season)
    before = facts(season)
    game = season.games.get()
    games = Game.objects.filter(pk=game.pk)
    writes: dict[str, Callable[[], Any]] = {
        "asave": lambda: changed(game).asave(),
        "adelete": game.adelete,
        "aupdate": lambda: games.aupdate(note="Changed"),
        "adelete rows": games.adelete,
        "acreate": lambda: Game.objects.acreate(**vars_of(new_game(season))),
        "abulk_create": lambda: Game.objects.abulk_create([new_game(season)]),
        "abulk_update": lambda: Game.objects.abulk_update([changed(game)], ["note"]),
        "aupdate_or_create": lambda: Game.objects.aupdate_or_create(pk=game.pk, defaults={"note": "Changed"}),
        "aget_or_create": lambda: season.games.aget_or_create(
            key="1" * 32, defaults=vars_of(new_game(season))
        ),
        "aadd": lambda: season.games.aadd(new_game(season), bulk=False),
    }

    async def attempt() -> dict[str, BaseException | None]:
        found = await asyncio.gather(*(write() for write in writes.values()), return_exceptions=True)
        await sync_to_async(connections.close_all)()  # of the thread that served them
        return dict(zip(writes, found, strict=True))

    with ThreadPoolExecutor(1) as pool:  # a loop of its own: the browser's may run in this thread
        found = pool.submit(lambda: asyncio.run(attempt())).result(WAIT)
    assert {name for name, error in found.items() if not isinstance(error, SeasonClosedError)} == set()
    assert facts(season) == before
