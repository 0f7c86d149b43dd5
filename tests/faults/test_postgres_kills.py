"""PostgreSQL itself is killed, or told to end at once, and started again, while games are saved and read."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic

import pytest

from tests.faults.company import Company, ask, assert_nothing_lost_and_nothing_mixed
from tests.faults.conftest import BEAT, SECONDS, WORKER, installation
from tests.faults.servers import OwnPostgres, OwnRedis
from tests.processes import Processes

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.redis, pytest.mark.timeout(600)]

WRITERS, WORKERS, READERS = (4, 3, 2) if SECONDS >= 30 else (2, 1, 1)


@pytest.fixture
def own_postgres() -> Iterator[OwnPostgres]:
    server = OwnPostgres()
    yield server
    server.kill()


@pytest.fixture
def processes(tmp_path: Path, own_postgres: OwnPostgres, own_redis: OwnRedis) -> Iterator[Processes]:
    """Processes of an installation with a PostgreSQL and a Redis of the test's own."""
    with installation(folder=tmp_path, database=own_postgres.url, redis_url=own_redis.url) as processes:
        yield processes


@pytest.fixture
def season(processes: Processes) -> tuple[int, int]:
    """Its id, and its revision without a game."""
    # Not with a worker's help, as none is there yet.
    redis, processes.environment["REDIS_URL"] = processes.environment["REDIS_URL"], ""
    season_id, revision = ask(processes, "seed")
    processes.environment["REDIS_URL"] = redis
    return season_id, revision


def test_ft_14_nothing_is_lost_and_nothing_is_mixed(
    processes: Processes, own_postgres: OwnPostgres, season: tuple[int, int]
):
    others = [(f"-m {WORKER}", " ready.")] * WORKERS + [(f"-m {BEAT}", "Sending due task")]
    company = Company(
        processes, season, others, writers=WRITERS, readers=READERS, kinds=("patient", "patient")
    )
    company.start()
    until, ends, rng = monotonic() + SECONDS, 0, Random(5)
    while ends < 2 or monotonic() < until:
        before = len(company.acknowledged())
        (own_postgres.kill, own_postgres.end_at_once)[ends % 2]()
        ends += 1
        Event().wait(rng.uniform(0, 1))
        own_postgres.start()
        company.wait_for_games(before + 3 * WRITERS)
    company.end_writers()
    assert_nothing_lost_and_nothing_mixed(company, company.level(), (ends + 1) * WRITERS)


def test_control_commits_that_wait_for_no_write_are_lost(
    processes: Processes, own_postgres: OwnPostgres, season: tuple[int, int]
):
    own_postgres.end_at_once()
    own_postgres.start(synchronous_commit="off", wal_writer_delay="10s", wal_writer_flush_after="64MB")
    company = Company(processes, season, [], writers=1, readers=0, kinds=("patient", ""))
    company.start()
    own_postgres.kill()
    company.end_writers()
    own_postgres.start()
    assert company.acknowledged() - set(company.verdict()["games"]) != set()
