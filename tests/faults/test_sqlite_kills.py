"""Writers, sweeps and readers of one SQLite file, killed at any moment and started again; with controls."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.faults.company import Company, ask, assert_nothing_lost_and_nothing_mixed
from tests.faults.conftest import SECONDS, SWEEP, installation
from tests.processes import Processes, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

WRITERS, SWEEPS, READERS = (4, 3, 2) if SECONDS >= 30 else (2, 1, 1)


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """Processes of an installation on SQLite, without Redis: who writes replays, and the sweep helps."""
    with installation(folder=tmp_path, database=f"sqlite:///{tmp_path / 'db.sqlite3'}") as processes:
        yield processes


@pytest.fixture
def season(processes: Processes) -> tuple[int, int]:
    """Its id, and its revision without a game."""
    season_id, revision = ask(processes, "seed")
    return season_id, revision


def test_rc_02_ft_10_nothing_is_lost_and_nothing_is_mixed(processes: Processes, season: tuple[int, int]):
    company = Company(
        processes, season, [(SWEEP, "Looking every")] * SWEEPS, writers=WRITERS, readers=READERS
    )
    company.start()
    kills = company.suffer(SECONDS, Random(4))
    company.end_writers()
    assert_nothing_lost_and_nothing_mixed(company, company.level(), kills + WRITERS)


def test_control_a_writer_that_acknowledges_before_the_commit_loses_games(
    processes: Processes, season: tuple[int, int]
):
    company = Company(processes, season, [], writers=1, readers=0, kinds=("hasty", ""))
    company.start()
    company.end_writers()
    assert company.acknowledged() - set(company.verdict()["games"]) != set()


def test_control_a_reader_of_no_single_moment_sees_a_mixture(processes: Processes, season: tuple[int, int]):
    company = Company(processes, season, [], writers=1, readers=1, kinds=("", "piecemeal"))
    company.start()
    wait_until(company.problems, "a mixture", *(part.process for part in company.all), seconds=120)


def test_control_transactions_that_take_the_lock_late_refuse_saves(
    processes: Processes, season: tuple[int, int]
):
    processes.environment["DJANGO_SETTINGS_MODULE"] = "tests.faults.deferred"
    company = Company(processes, season, [], writers=3, readers=0)
    for part in company.all:
        part.start()
    wait_until(
        lambda: any("database is locked" in part.process.output() for part in company.all),
        "a refused save",
        seconds=120,
    )
