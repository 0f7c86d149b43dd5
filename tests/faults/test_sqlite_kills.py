"""Writers, sweeps and readers of one SQLite file, killed at any moment and started again; with controls."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import copy

import pytest

from tests.faults.company import Company, ask, assert_nothing_lost_and_nothing_mixed
from tests.faults.conftest import SECONDS, SWEEP, installation, kill
from tests.processes import Processes, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

WRITERS, SWEEPS, READERS = (4, 3, 2) if SECONDS >= 30 else (2, 1, 1)


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[int, int]]:
    """The file of a database with a season: the season's id, and its revision without a game."""
    folder = tmp_path_factory.mktemp("seeded")
    file = folder / "db.sqlite3"
    with installation(folder=folder, database=f"sqlite:///{file}") as processes:
        season_id, revision = ask(processes, "seed")
    return file, (season_id, revision)


@pytest.fixture
def season(seeded: tuple[Path, tuple[int, int]]) -> tuple[int, int]:
    return seeded[1]


@pytest.fixture
def processes(seeded: tuple[Path, tuple[int, int]], tmp_path: Path) -> Iterator[Processes]:
    """Processes of an installation on SQLite, without Redis: who writes replays, and the sweep helps."""
    file = Path(copy(seeded[0], tmp_path))
    with Processes(folder=tmp_path, database=f"sqlite:///{file}") as processes:
        yield processes
        kill(processes)


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
