"""A process that records games until it is killed: python -m tests.faults writer SEASON FILE SEED [KIND].

Appends a line to the file for each game once it is acknowledged: its id, and the seconds the answer took.
The kind "patient" goes on when the database is gone, as web servers do; "hasty" is a control and
acknowledges its first game before the commit, which takes its time.
"""

import os
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic

from django.db import InterfaceError, OperationalError, connection, transaction

from leagues.models import Game, Season
from ratings.tasks import nudge
from tests.factories import make_game

PAUSE = 0.02  # seconds between two games, which leaves some of the machine to the others


def main(season_id: str, file: str, seed: str, kind: str = "") -> None:
    # A writer that was killed and started again must not repeat itself.
    rng, pause = Random(f"{seed} {os.getpid()}"), Event()
    nudge.quiet = 0  # each game is announced, as those of organizers are, who need longer for one
    season = Season.objects.select_related("league").get(pk=season_id)
    while not pause.wait(PAUSE):
        before = monotonic()
        try:
            with transaction.atomic() if kind == "hasty" else nullcontext():
                game = record(season, rng)
                if kind == "hasty":
                    acknowledge(game, file)
                    pause.wait(60)
        except (OperationalError, InterfaceError):
            if kind != "patient":
                raise
            connection.close()
        else:
            acknowledge(game, file, monotonic() - before)


def record(season: Season, rng: Random) -> Game:
    """A game of two or three players of the league at some minute of the season."""
    players = rng.sample(list(season.league.players.all()), rng.choice((2, 2, 3)))
    played_at = season.starts_at + timedelta(minutes=rng.randrange(300 * 24 * 60))
    return make_game(season, *((player, rng.randrange(500)) for player in players), played_at=played_at)


def acknowledge(game: Game, file: str, seconds: float = 0) -> None:
    with Path(file).open("ab", buffering=0) as acknowledged:
        acknowledged.write(f"{game.pk} {seconds:.3f}\n".encode())
    print("recorded", game.pk)  # noqa: T201 - a sign of life


def acknowledged_games(file: Path) -> list[tuple[int, float]]:
    """What a writer wrote to its file: ids and seconds."""
    lines = file.read_text().split("\n")[:-1] if file.exists() else []
    return [(int(game), float(seconds)) for game, seconds in (line.split() for line in lines)]
