"""What the database does for a page hardly grows with the season, in steps of SQLite's machine."""

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models import F
from django.test import Client
from django.urls import reverse

from leagues.models import Entry, Game, Player, Season
from ratings.models import Standing
from tests.factories import make_game, make_league, make_season, replayed

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.sqlite,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="allowed: PostgreSQL does not count its steps"),
]

SMALL, LARGE = 200, 4_000  # players
MIDDLE = "player-00150"
EVERY = 10  # steps
STEPS_OF_COUNTING = 10  # a row; reading one takes more than 50


def make_crowd(players: int) -> Season:
    """A ladder season of so many players, each a tenth of a rating point behind the one before."""
    season = make_season(make_league(f"of-{players}"), preset="ranked-battle")
    names = [f"player-{number:05}" for number in range(1, players + 1)]
    Player.objects.bulk_create(
        Player(league=season.league, name=name, slug=name, search=name, sort_key=name) for name in names
    )
    Entry.objects.bulk_create(Entry(season=season, player=player) for player in season.league.players.all())
    for other in season.league.players.exclude(slug=MIDDLE)[:2]:
        make_game(season, (season.league.players.get(slug=MIDDLE), 1), (other, 0))
    replayed(season)
    Game.objects.bulk_create(  # of others; no page here tells who played them
        Game(season=season, played_at=season.starts_at, order=number, key=str(number))
        for number in range(players)
    )
    rating = 20_000 - F("position")
    Standing.objects.filter(season=season).update(rating=rating, season_score=rating, place=F("position"))
    return season


def steps_of(act: Callable[[], object]) -> int:
    """How many hundreds of steps the database takes for an act."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    connection.ensure_connection()
    connection.connection.set_progress_handler(count, EVERY)
    try:
        act()
    finally:
        connection.connection.set_progress_handler(None, EVERY)
    return taken


@pytest.fixture
def seasons() -> list[Season]:
    return [make_crowd(SMALL), make_crowd(LARGE)]


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("ratings:standings", ""),
        ("ratings:standings", "?page=2"),
        ("ratings:ladder", f"?player={MIDDLE}"),
        ("ratings:player-season", ""),
    ],
)
def test_a_page_takes_hardly_more_of_the_database_in_a_large_season(
    client: Client, seasons: list[Season], route: str, query: str
) -> None:
    def steps(season: Season) -> int:
        values = {"league": season.league.slug, "season": season.slug}
        if route == "ratings:player-season":
            values["player"] = MIDDLE
        address = reverse(route, kwargs=values) + query
        cache.clear()
        return steps_of(lambda: client.get(address).content)

    small, large = map(steps, seasons)
    # Everybody may be counted, by an index, but not read: that takes ten times as much.
    assert large < small + (LARGE - SMALL) * STEPS_OF_COUNTING / EVERY
