"""A replay that publishes while organizers delete what its results speak of."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction

from leagues.models import Game, League, Season
from leagues.services import delete_games, delete_league
from leagues.services.audit import lock_season
from ratings.models import RatingChange, RuleSet
from ratings.services.check import check_season
from ratings.services.replay import replay_season, replay_stale_seasons
from tests.factories import make_game, make_players, make_season, replayed
from tests.processes import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

# Not pg_stat_activity: a transaction sees that as it first was.
WAITING = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted)"


@pytest.fixture
def season() -> Season:
    """A season of which every result is about to change."""
    season = make_season()
    ann, bob = make_players(season.league, "Ann", "Bob")
    for hour in range(3):
        make_game(season, (ann, 100), (bob, hour), played_at=season.starts_at + timedelta(hours=hour))
    replayed(season)
    RuleSet.objects.filter(season=season).update(k=20)
    season.touch(season.starts_at)
    return season


@pytest.fixture
def waiting_replay(season: Season) -> Iterator[Callable[[], "Future[bool]"]]:
    """Starts a replay of the season on another connection, and comes back when it waits for this one."""

    def replay() -> bool:
        try:
            return replay_season(season.pk)
        finally:
            connection.close()

    def start() -> "Future[bool]":
        future = pool.submit(replay)
        wait_until(lambda: future.done() or is_waiting(), "the replay to wait")
        return future

    with ThreadPoolExecutor(1) as pool:
        yield start


def is_waiting() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return bool(cursor.fetchone()[0])


def test_a_game_is_deleted_while_a_replay_wants_to_write_its_changes(season, waiting_replay):
    game = Game.objects.in_play_order().first()
    with transaction.atomic():
        lock_season(season)
        replay = waiting_replay()
        delete_games(games=[game], by=None)
    replay.result(60)
    replay_stale_seasons()
    assert check_season(season.pk) == []
    assert RatingChange.objects.count() == 4


def test_a_league_is_deleted_while_a_replay_wants_to_write_in_it(season, waiting_replay):
    with transaction.atomic():
        lock_season(season)
        replay = waiting_replay()
        delete_league(league=season.league, by=None)
    assert replay.result(60) is False
    assert not League.objects.exists()
