"""Messages that come twice, late, in reverse, or never; and a season that cannot be rated."""

import math
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal

import pytest
from celery import current_app
from django.db import connection
from kombu import Connection

from leagues.models import Game, League, Season
from leagues.services import update_season
from ratings.models import Replay, RuleSet
from ratings.services.check import check_season
from ratings.services.replay import replay_season, replay_stale_seasons
from ratings.services.rules import change_rules
from ratings.tasks import nudge
from ratings.tasks import replay_season as replay_task
from tests.factories import make_game
from tests.faults.conftest import entered_season
from tests.faults.servers import OwnRedis
from tests.processes import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

QUEUE = "test"


@pytest.fixture(autouse=True)
def lost_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a save sends is lost; the tests send their own."""
    monkeypatch.setattr(nudge, "not_before", math.inf)


def add_game(season: Season, hour: int = 1, points: int = 100) -> Game:
    ann, bob = season.league.players.order_by("name")[:2]
    return make_game(season, (ann, points), (bob, 1), played_at=season.starts_at + timedelta(hours=hour))


def is_level(season: Season) -> bool:
    return Replay.objects.get(season=season).revision == Season.objects.get(pk=season.pk).revision


def write_of(season: Season) -> int:
    """The transaction that last wrote the season's Replay row."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT xmin::text::bigint FROM ratings_replay WHERE season_id = %s", [season.pk])
        return int(cursor.fetchone()[0])


# --- Messages


@pytest.fixture
def send(own_redis: OwnRedis) -> Iterator[Callable[..., None]]:
    """Queues messages to replay these seasons, in this order."""

    def send(*seasons: Season) -> None:
        with Connection(own_redis.url) as broker:
            for season in seasons:
                replay_task.apply_async([season.pk], connection=broker, queue=QUEUE)

    current_app.conf.task_always_eager = False
    yield send
    current_app.conf.task_always_eager = True


@pytest.mark.redis
def test_ft_03_ft_08_messages_that_come_twice_late_and_in_reverse_do_what_one_would(
    queueing, own_redis, send
):
    early, late, unheard, last = (entered_season("Ann", "Bob") for _ in range(4))
    for season in (early, late, unheard, last):
        add_game(season)
    replay_season(late.pk)
    done = write_of(late)
    send(early, late, last)
    waiting = own_redis.client().lrange(QUEUE, 0, -1)  # the newest first, which is taken last
    own_redis.client().delete(QUEUE)
    own_redis.client().rpush(QUEUE, waiting[0], *waiting[::-1], *waiting[::-1])
    worker = queueing.worker()
    wait_until(lambda: is_level(last) and not own_redis.client().llen(QUEUE), "the messages", worker)
    wait_until(lambda: is_level(early), "the replay", worker)
    assert write_of(late) == done, "a late message does nothing again"
    assert not is_level(unheard), "without the sweep a lost message leaves it so: this is the control"
    assert replay_stale_seasons() == 1
    for season in (early, late, unheard, last):
        assert check_season(season.pk) == []


def test_control_work_done_again_would_be_seen(season):
    add_game(season)
    replay_season(season.pk)
    done = write_of(season)
    assert (replay_season(season.pk), write_of(season) == done) == (False, True)
    assert (replay_season(season.pk, full=True), write_of(season) == done) == (True, False)


# --- A season that cannot be rated


@pytest.fixture
def poison() -> Season:
    """A season whose first game is beyond what its rules can rate: M(10000) is 4 x e to the power of 17.4."""
    season = entered_season("Ann", "Bob")
    update_season(season=season, by=None, largest_margin=10_000)
    add_game(season, points=10_000)
    return season


def test_ft_06_a_season_that_cannot_be_rated_holds_up_no_other_and_waits_for_new_facts(
    poison, season, processes
):
    sweep = processes.manage("sweep", "--every", "0.1")
    wait_until(lambda: Replay.objects.get(season=poison).error, "the attempt", sweep)
    attempt = write_of(poison)
    for hour in range(3):  # each needs another sweep
        add_game(season, hour)
        wait_until(lambda: is_level(season), "the sweep of the other season", sweep)
    assert write_of(poison) == attempt, "it was not tried again"
    assert check_season(season.pk) == []
    change_rules(season=poison, by=None, values={"curve_limit": Decimal(8)})
    wait_until(lambda: is_level(poison), "the sweep of the season with new rules", sweep)
    assert check_season(poison.pk) == []


def test_control_without_a_note_of_the_failure_it_is_tried_at_every_sweep(poison):
    replay_stale_seasons()
    Replay.objects.filter(season=poison).update(failed_revision=None)
    attempt = write_of(poison)
    replay_stale_seasons()
    assert write_of(poison) != attempt


def spoil(season: Season) -> None:
    """Leave a time zone that no service would store, and that no replay of juniors provides for."""
    add_game(season)
    RuleSet.objects.filter(season=season).update(system="ladder", k_rule="fide-junior")
    season.league.players.update(birth_year=2010)
    League.objects.filter(pk=season.league_id).update(timezone="Nowhere")


def test_a_fault_of_ours_in_one_season_holds_up_no_other(season):
    spoilt = entered_season("Ann", "Bob")
    spoil(spoilt)
    later = entered_season("Ann", "Bob")
    add_game(season)
    add_game(later)
    replay_stale_seasons()
    assert is_level(season)
    assert is_level(later)
    assert not is_level(spoilt)


def test_control_replayed_without_care_the_fault_would_end_the_sweep(season):
    spoil(season)
    with pytest.raises(KeyError, match="Nowhere"):
        replay_season(season.pk)
