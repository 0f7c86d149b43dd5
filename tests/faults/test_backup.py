"""BK-01: a copy made by the database's own tools while games are saved, restored beside the site."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.faults.company import Company, ask
from tests.faults.conftest import installation
from tests.processes import Processes

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]


def restored(folder: Path, file: Path, season: int) -> dict[str, Any]:
    """What is stored of the season in an installation on this file, once it is level."""
    folder.mkdir()
    with Processes(folder=folder, database=f"sqlite:///{file}") as processes:
        replay = processes.manage("replay")
        assert replay.process.wait(120) == 0, replay.output()
        verdict: dict[str, Any] = ask(processes, "verdict", str(season))
        return verdict


def test_bk_01_a_copy_made_under_writers_has_every_game_acknowledged_before(tmp_path: Path):
    live = tmp_path / "db.sqlite3"
    with installation(folder=tmp_path, database=f"sqlite:///{live}") as processes:
        season, revision = ask(processes, "seed")
        # Whoever still reads keeps what is written meanwhile out of the file, in the log beside it.
        with closing(sqlite3.connect(live, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM leagues_game").fetchone()
            company = Company(processes, (season, revision), [], writers=2, readers=0)
            company.start()
            company.wait_for_games(10)
            acknowledged = company.acknowledged()
            with closing(sqlite3.connect(live)) as site, closing(sqlite3.connect(tmp_path / "copy")) as copy:
                site.backup(copy)
            shutil.copy(live, tmp_path / "control")
        company.end_writers()
    kept = restored(tmp_path / "restored", tmp_path / "copy", season)
    assert acknowledged - set(kept["games"]) == set()
    assert (kept["level"], kept["problems"]) == (True, [])
    with closing(sqlite3.connect(tmp_path / "control")) as control:
        games = {pk for (pk,) in control.execute("SELECT id FROM leagues_game")}
    assert acknowledged - games, "control: the file of a running site, copied, lacks games"
