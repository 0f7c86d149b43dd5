"""Battles of one fighter over two connections to one SQLite file.

Transactions take the write lock when they begin; what happens to those that take it late is the control of
tests/faults/test_sqlite_kills.py. On PostgreSQL: tests/faults/test_battles.py.
"""

from pathlib import Path

import pytest

from tests.faults.company import ask
from tests.faults.conftest import installation
from tests.faults.fighters import BATTLES

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]


def test_draws_of_one_key_are_one_battle_and_of_two_results_one_counts(tmp_path: Path):
    with installation(folder=tmp_path, database=f"sqlite:///{tmp_path / 'db.sqlite3'}") as processes:
        found = ask(processes, "fighters")
    first, second = found["answers"]
    assert [battle for battle, _said in first] == [battle for battle, _said in second]
    assert len({battle for battle, _said in first}) == BATTLES
    for (_one, said), (_same, also_said) in zip(first, second, strict=True):
        assert sorted([said, also_said]) == ["played", "recorded"]
    assert (found["games"], found["problems"]) == (BATTLES, [])
