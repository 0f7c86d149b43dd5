"""A slice of `make load`: visitors and organizers at a whole installation."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.processes import Process

pytestmark = [
    pytest.mark.faults,
    pytest.mark.pg,
    pytest.mark.redis,
    pytest.mark.timeout(600),
]

SIZES = {"LOAD_SECONDS": "5", "LOAD_READERS": "20", "LOAD_WRITERS": "5", "LOAD_BURST": "200"}
SWEEPS = {"SWEEP_SECONDS": "4"}  # a machine that does other things too takes its time for the games


def test_ld_01_ld_02_visitors_meet_no_error_and_a_burst_of_games_becomes_few_replays(tmp_path: Path):
    environment = os.environ | SIZES | SWEEPS | {"VAR_DIR": str(tmp_path)}
    load = Process([sys.executable, "-m", "bench.load"], environment, tmp_path / "log")
    try:
        load.process.wait(500)
    finally:
        load.end(seconds=60)
    assert (tmp_path / "load.json").exists(), load.output()
    found = json.loads((tmp_path / "load.json").read_text())
    assert found["errors"] == found["burst errors"] == 0, load.output()
    assert found["check"] == "clean"
    assert found["reads"] > 20
    assert found["burst games"] == 200
    assert 1 <= found["burst replays"] <= 20
