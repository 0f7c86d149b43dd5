"""A real Redis, worker and beat: a message leads to a replay, and so does no message at all."""

from datetime import timedelta
from pathlib import Path

import pytest

from leagues.models import Season
from ratings.models import Replay
from ratings.services.check import check_season
from tests.factories import make_game, make_league, make_players, make_season
from tests.processes import Processes, wait_until

pytestmark = [pytest.mark.pg, pytest.mark.redis, pytest.mark.django_db(transaction=True)]

GAMES = """played_at,side 1,points 1,side 2,points 2
2026-05-01 20:00,Ann,500,Bob,100
2026-05-01 21:00,Bob,30,Cyd,20
"""


def is_level(season: Season) -> bool:
    return Replay.objects.filter(season=season, revision=Season.objects.get(pk=season.pk).revision).exists()


@pytest.fixture
def season() -> Season:
    return make_season(make_league("chess"))


def test_a_message_sent_after_the_commit_has_a_worker_replay_the_season(season, redis_url, tmp_path: Path):
    (tmp_path / "games.csv").write_text(GAMES)
    with Processes(folder=tmp_path, redis_url=redis_url) as processes:
        importing = processes.manage("import_games", "chess", str(tmp_path / "games.csv"), "--create-players")
        assert importing.process.wait(60) == 0, importing.output()
        assert not Replay.objects.filter(games=2).exists(), "the command itself leaves the replay to a worker"
        worker = processes.worker()
        wait_until(
            lambda: Replay.objects.filter(season=season, games=2).exists(), "the worker's replay", worker
        )
    assert is_level(season)
    assert check_season(season.pk) == []


def test_beat_finds_a_season_whose_message_was_lost(season, redis_url, tmp_path: Path):
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5), played_at=season.starts_at + timedelta(hours=1))
    Season.objects.get(pk=season.pk).touch(season.starts_at)  # a change that nobody heard of
    assert not is_level(season)
    with Processes(folder=tmp_path, redis_url=redis_url) as processes:
        processes.environment["SWEEP_SECONDS"] = "0.5"
        worker, beat = processes.worker(), processes.beat()
        wait_until(lambda: is_level(season), "the sweep", worker, beat)
    assert check_season(season.pk) == []


def test_the_sweep_does_the_same_without_any_broker(season, tmp_path: Path):
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5))
    Season.objects.get(pk=season.pk).touch(season.starts_at)
    with Processes(folder=tmp_path) as processes:
        sweep = processes.manage("sweep", "--every", "0.2")
        wait_until(lambda: is_level(season), "the sweep", sweep)
    assert check_season(season.pk) == []
