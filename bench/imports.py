"""What the import of a large file takes: time, and memory of a process of its own."""

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.seasons import bench_season, file_of_duels
from bench.timing import QUICK, SAY_PEAK, Measure

GAMES = 1_000 if QUICK else 100_000

# Replays have measures of their own.
IMPORT = f"""
import sys, time
import django
django.setup()
from django.core.management import call_command
from leagues.signals import season_changed
season_changed.disconnect(dispatch_uid="replay after a change of facts")
start = time.perf_counter()
call_command("import_games", *sys.argv[1:], create_players=True)
print(time.perf_counter() - start)
{SAY_PEAK}
"""


def measures() -> Iterator[Measure]:
    season = bench_season()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "games.csv"
        _write(file)
        command = [sys.executable, "-c", IMPORT, f"{season.league.slug}/{season.slug}", str(file)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    said, taken, peak = done.stdout.splitlines()
    assert f" {GAMES} games imported" in said, said
    name = f"import of {GAMES:,} games"
    yield Measure(f"{name}: seconds", float(taken), "<= 60", unit="s")
    yield Measure(f"{name}: MiB", int(peak) / 1024, "<= 300", unit="MiB")


def _write(file: Path) -> None:
    """Duels in the wide form."""
    with file.open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["played_at", "side 1", "points 1", "side 2", "points 2"])
        for game in file_of_duels(GAMES).games:
            sides = (value for side in game.sides for value in (*side.members, side.points))
            rows.writerow([game.played_at.isoformat(), *sides])
