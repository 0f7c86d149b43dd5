"""Ranked Battle at size: very many fighters and battles, imported, replayed, looked at and drawn from."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bench.pages import cpu, get, next_revision
from bench.seasons import END, analyze, bare_write, bench_season
from bench.timing import QUICK, Measure, ratio, seconds
from leagues.games_csv import FileGame, FileSide, GamesFile
from leagues.models import Player, Season
from leagues.services import import_games
from ratings.engine.matchmaking import draw_opponent
from ratings.models import Meeting, RatingChange, Standing
from ratings.services.facts import player_states, rules_of
from ratings.services.pool import find_pool
from ratings.services.replay import replay_season

SMALL = (200, 1_000)  # fighters, of two pages, and battles
LARGE = (400, 2_000) if QUICK else (100_000, 1_000_000)
FILES = 10  # in which the battles are imported, one after the other
WITHIN = timedelta(days=12)
DRAWS = 11 if QUICK else 101
ROUNDS = 3 if QUICK else 11
PAGES = {"standings": "standings", "fighter": "player-season", "leaderboard, jump to me": "ladder"}


def measures() -> Iterator[Measure]:
    fighters, battles = LARGE
    small, _imports = _arena(*SMALL)
    season, imports = _arena(fighters, battles)
    named = f"{fighters:,} fighters, {battles:,} battles"
    yield Measure(f"{named}: import of the last tenth, against the second", imports[-1] / imports[1])
    replay = _replay(season)
    written = bare_write(
        *(model.objects.filter(season=season) for model in (RatingChange, Standing, Meeting))
    )
    yield Measure(f"{named}: full replay, against a bare write of its rows", replay / written, "<= 2.0")
    analyze()
    site = WSGIHandler()
    plain = partial(cpu, partial(get, site, f"/bench/plain/{season.pk}"))
    for page, route in PAGES.items():
        at_small, at_large = (partial(_page, site, route, each, _middle(each)) for each in (small, season))
        yield _constant(f"{page} page, queries more than with {SMALL[0]} fighters", at_large, at_small)
        yield Measure(
            f"{named}: {page} page, time against {SMALL[0]} fighters",
            ratio(partial(_first_view, at_large), partial(_first_view, at_small), rounds=ROUNDS),
        )
        yield Measure(
            f"{named}: {page} page, CPU against a plain view of 100 rows",
            ratio(partial(_first_view, at_large), plain, rounds=ROUNDS),
            "<= 3",
        )
    draws = [partial(_draw, each, _middle(each), Random(1)) for each in (season, small)]
    yield _constant(f"draw, queries more than with {SMALL[0]} fighters", *draws)
    own = _middle(season)
    times = [_database_time(partial(_draw, season, own, Random(number))) for number in range(DRAWS)]
    # Whatever else the machine does only adds to it.
    yield Measure(f"draw from {fighters:,} fighters, database time", 1000 * min(times), "<= 5", unit="ms")


def _arena(fighters: int, battles: int) -> tuple[Season, list[float]]:
    """A season of these battles, and the seconds that the import of each file took."""
    season = bench_season(preset="ranked-battle")
    games = _battles(fighters, battles)
    took = []
    for _file in range(FILES):
        some = tuple(next(games) for _battle in range(battles // FILES))
        file = GamesFile(some, (), 0, "utf-8", "wide")
        took.append(seconds(partial(import_games, season=season, file=file, by=None, create_players=True)))
        analyze()
    replay_season(season.pk)
    season.refresh_from_db()
    return season, took


def _battles(fighters: int, battles: int) -> Iterator[FileGame]:
    """Battles one after the other, each against somebody of nearly the same strength, as a pool gives."""
    random = Random(fighters)
    near = max(fighters // 10, 1)  # how far apart two may stand in order of strength
    for number in range(battles):
        # Everybody fights once before anybody does twice.
        one = number % fighters
        other = (one + random.choice((-1, 1)) * random.randint(1, near)) % fighters
        lead = (one - other) / near + random.gauss(0, 1)
        sides = (FileSide((_name(one),), int(lead > 0)), FileSide((_name(other),), int(lead <= 0)))
        yield FileGame(number + 2, END - (battles - number) * WITHIN / battles, sides)


def _name(number: int) -> str:
    return f"Fighter {number:06}"


def _replay(season: Season) -> float:
    for model in (RatingChange, Standing, Meeting):
        model.objects.filter(season=season).delete()
    return seconds(partial(replay_season, season.pk, full=True))


def _page(site: WSGIHandler, route: str, season: Season, player: Player) -> None:
    values = {"league": season.league.slug, "season": season.slug}
    if route == "player-season":
        values["player"] = player.slug
    address = reverse(f"ratings:{route}", kwargs=values)
    get(site, address, query=f"player={player.slug}" if route == "ladder" else "")


def _first_view(page: Callable[[], object]) -> float:
    next_revision()
    return cpu(page)


def _middle(season: Season) -> Player:
    """Who stands in the middle, where the most are near."""
    return season.standings.order_by("position")[season.standings.count() // 2].player


def _draw(season: Season, challenger: Player, random: Random) -> object:
    """What a draw asks the database: the rules, where the challenger stands, and the pool."""
    rules = rules_of(season)
    (own,) = player_states(season, rules, [challenger])
    found = find_pool(season, rules, own.rating, random, without=[challenger.pk])
    return draw_opponent(found.pool, random)


def _constant(what: str, large: Callable[[], object], small: Callable[[], object]) -> Measure:
    numbers = []
    for act in (large, small):
        next_revision()
        with CaptureQueriesContext(connection) as queries:
            act()
        numbers.append(len(queries))
    return Measure(what, numbers[0] - numbers[1], "<= 0", unit="queries")


def _database_time(act: Callable[[], object]) -> float:
    """The seconds that the statements of an act take."""
    with _clock() as spent:
        act()
    return sum(spent)


@contextmanager
def _clock() -> Iterator[list[float]]:
    spent: list[float] = []

    def run(execute: Any, *arguments: Any) -> Any:
        start = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            spent.append(time.perf_counter() - start)

    with connection.execute_wrapper(run):
        yield spent
