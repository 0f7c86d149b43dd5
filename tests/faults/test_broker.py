"""Redis refuses, is silent, or comes back empty, while games are saved."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, time
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from redis.exceptions import RedisError

from leagues.models import Game, Player, Season
from leagues.services import enter_player
from leagues.signals import season_changed
from ratings.models import Replay
from ratings.services.check import check_season
from tests.factories import make_game, make_season
from tests.faults.conftest import BEAT, SECONDS, WORKER
from tests.faults.servers import OwnRedis
from tests.faults.writer import acknowledged_games
from tests.processes import Process, Processes, wait_until
from wsd_site.cache import PageCache

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.redis, pytest.mark.django_db(transaction=True)]

PROMISE = 1.5  # seconds in which a save is answered, whatever the broker does


class Saves:
    """A process that saves games one after the other, and what it says of them."""

    def __init__(self, processes: Processes, season: Season, folder: Path) -> None:
        self.file = folder / "games"
        self.process = processes.start("-m", "tests.faults", "writer", str(season.pk), str(self.file), "1")

    def wait_for(self, games: int, *others: Process) -> None:
        """Waits for so many more answers."""
        wanted = len(acknowledged_games(self.file)) + games
        wait_until(
            lambda: len(acknowledged_games(self.file)) >= wanted, f"{games} games", self.process, *others
        )

    def wait_for_lost_message(self) -> None:
        """Waits for a save that could not have its replay queued: not each has a message of its own."""
        lost = self.lost_messages()
        wait_until(lambda: self.lost_messages() > lost, "a message that is not sent", self.process)

    def lost_messages(self) -> int:
        return self.process.output().count("the sweep will do it")

    def slowest(self) -> float:
        return max(seconds for _game, seconds in acknowledged_games(self.file))

    def missing(self) -> set[int]:
        """Acknowledged games that are not stored."""
        acknowledged = {game for game, _seconds in acknowledged_games(self.file)}
        return acknowledged - set(Game.objects.values_list("pk", flat=True))


def is_level(season: Season) -> bool:
    return Replay.objects.get(season=season).revision == Season.objects.get(pk=season.pk).revision


def says_being_recomputed(client: Any, season: Season) -> bool:
    page = client.get(reverse("ratings:standings", args=[season.league.slug, season.slug]))
    return "being recomputed" in page.content.decode()


def test_ft_01_games_are_saved_in_time_whatever_redis_does(
    season, queueing, own_redis, client, tmp_path: Path
):
    worker, beat = (queueing.start("-m", *command.split()) for command in (WORKER, BEAT))
    saves = Saves(queueing, season, tmp_path)
    worker.wait_for_text(" ready.")
    beat.wait_for_text("Sending due task")
    saves.wait_for(3, worker, beat)
    until = monotonic() + SECONDS
    while True:
        for hurt, heal in ((own_redis.kill, own_redis.start), (own_redis.pause, own_redis.resume)):
            hurt()
            saves.wait_for_lost_message()
            saves.wait_for(5)
            wait_until(lambda: says_being_recomputed(client, season), "the notice on the page")
            heal()
            saves.wait_for(5)
        if monotonic() > until:
            break
    saves.process.end()
    wait_until(lambda: is_level(season), "the sweep", worker, beat)
    assert saves.slowest() < PROMISE
    assert saves.missing() == set()
    assert check_season(season.pk) == []


def test_ft_07_the_sweep_needs_no_redis(season, queueing, own_redis, client, tmp_path: Path):
    own_redis.kill()
    saves = Saves(queueing, season, tmp_path)
    saves.wait_for(3)
    saves.process.end()
    assert says_being_recomputed(client, season), "without the sweep it stays so: this is the control"
    sweep = queueing.manage("sweep")
    assert sweep.process.wait(60) == 0, sweep.output()
    assert not says_being_recomputed(client, season)
    assert check_season(season.pk) == []


def test_control_without_limits_a_silent_redis_holds_up_the_save(season, queueing, own_redis, tmp_path: Path):
    queueing.environment["DJANGO_SETTINGS_MODULE"] = "tests.faults.unlimited"
    saves = Saves(queueing, season, tmp_path)
    saves.wait_for(1)
    own_redis.pause()
    held_up = PROMISE * 1.2
    wait_until(lambda: time() - saves.file.stat().st_mtime > held_up, "a save held up", saves.process)
    own_redis.resume()
    saves.wait_for(2)
    assert saves.slowest() > PROMISE


# --- Pages, which are kept in Redis


@pytest.fixture
def page(season: Season, settings: Any, own_redis: OwnRedis) -> Callable[..., Any]:
    """Gets the standings with a cache of this kind in the test's own Redis, which has lost all it kept."""

    def page(backend: str = "wsd_site.cache.PageCache") -> Any:
        limits = {"socket_connect_timeout": 0.2, "socket_timeout": 0.2}
        kept = {"BACKEND": backend, "LOCATION": own_redis.url, "OPTIONS": limits}
        settings.CACHES = settings.CACHES | {"default": kept}
        return Client().get(season.get_absolute_url())

    PageCache.not_before = 0.0
    yield page
    PageCache.not_before = 0.0


@pytest.mark.parametrize("hurt", [OwnRedis.kill, OwnRedis.pause])
def test_pages_are_shown_without_redis(page, own_redis, hurt: Callable[[OwnRedis], None]):
    assert page().status_code == 200
    assert own_redis.client().dbsize() == 2, "the table is kept, and the warning above it"
    hurt(own_redis)
    assert page().status_code == 200
    assert page().status_code == 200


def test_control_with_a_cache_that_must_answer_there_is_no_page(page, own_redis):
    own_redis.kill()
    with pytest.raises(RedisError):
        page("django.core.cache.backends.redis.RedisCache")


# --- One change of many seasons


@pytest.fixture
def player_of_five_seasons(season: Season) -> Player:
    player = season.league.players.get(name="Ann")
    for number in range(4):
        later = make_season(season.league, name=f"Season {number}")
        enter_player(season=later, player=player, by=None)
    return player


def seconds_of_change(processes: Processes, player: Player, folder: Path) -> float:
    file = folder / "seconds"
    mover = processes.start("-m", "tests.faults", "mover", str(player.pk), str(file))
    assert mover.process.wait(60) == 0, mover.output()
    return float(file.read_text())


def test_a_change_of_many_seasons_waits_for_a_silent_redis_once(
    player_of_five_seasons, queueing, own_redis, tmp_path: Path
):
    """The control, beside it: who tries again for each of the five waits five times."""
    own_redis.pause()
    took = {}
    for sweep_seconds in ("5", "0.001"):
        queueing.environment["SWEEP_SECONDS"] = sweep_seconds
        took[sweep_seconds] = seconds_of_change(queueing, player_of_five_seasons, tmp_path)
    assert took["5"] * 1.5 < took["0.001"]


# --- Whatever else the nudge does


@pytest.fixture
def faulty_receiver() -> Iterator[None]:
    def fail(**_signal: Any) -> None:
        raise RuntimeError("A fault of the nudge.")

    season_changed.connect(fail)
    yield
    season_changed.disconnect(fail)


def save(season: Season) -> Game:
    ann, bob = season.league.players.order_by("name")[:2]
    return make_game(season, (ann, 2), (bob, 1))


def test_ft_04_a_faulty_nudge_is_no_fault_of_the_save(season, faulty_receiver):
    assert save(season) == Game.objects.get()


def test_control_sent_without_care_the_organizer_gets_an_error_for_a_saved_game(
    season, faulty_receiver, monkeypatch
):
    monkeypatch.setattr(season_changed, "send_robust", season_changed.send)
    with pytest.raises(RuntimeError):
        save(season)
    assert Game.objects.count() == 1
