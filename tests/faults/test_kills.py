"""Writers, workers, beat and readers that are killed at any moment, and started again."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from signal import SIGKILL
from threading import Event
from time import monotonic

import pytest

from leagues.models import Game, Season
from ratings.models import Replay
from ratings.services.replay import check_season
from tests.faults.conftest import BEAT, SECONDS, WORKER
from tests.faults.reader import looks
from tests.faults.writer import acknowledged_games
from tests.processes import Process, Processes, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.redis, pytest.mark.django_db(transaction=True)]

# What make test can afford is a smaller company for a shorter time.
WRITERS, WORKERS, READERS = (4, 3, 2) if SECONDS >= 30 else (2, 2, 1)


@dataclass
class Part:
    """One process of the company: its command, and the text by which it shows that it is at work."""

    processes: Processes
    arguments: list[str]
    sign: str

    def start(self) -> None:
        self.process: Process = self.processes.start("-m", *self.arguments)

    def wait_for_sign(self) -> None:
        self.process.wait_for_text(self.sign)

    def kill(self) -> None:
        self.process.send(SIGKILL)
        self.process.process.wait()


class Company:
    """All the processes, and the files in which writers and readers tell what they saw."""

    def __init__(self, processes: Processes, season: Season, folder: Path) -> None:
        pk, base = str(season.pk), str(season.revision)
        self.games = [folder / f"games-{number}" for number in range(WRITERS)]
        self.seen = [folder / f"seen-{number}" for number in range(READERS)]
        module = ["tests.faults"]
        self.writers = [
            Part(processes, [*module, "writer", pk, str(file), file.name], "recorded") for file in self.games
        ]
        self.readers = [
            Part(processes, [*module, "reader", pk, base, str(file)], "looked") for file in self.seen
        ]
        self.workers = [Part(processes, WORKER.split(), " ready.") for _ in range(WORKERS)]
        self.beat = Part(processes, BEAT.split(), "Sending due task")
        self.all = [*self.writers, *self.readers, *self.workers, self.beat]
        for part in self.all:
            part.start()
        for part in self.all:
            part.wait_for_sign()

    def suffer(self, seconds: float, rng: Random) -> int:
        """Kills one after the other, each once it is at work again; how many were killed."""
        until, kills = monotonic() + seconds, 0
        while monotonic() < until:
            victim = rng.choice(self.all)
            victim.wait_for_sign()
            Event().wait(rng.uniform(0, 0.2))  # anywhere in what it does
            victim.kill()
            victim.start()
            kills += 1
        for part in self.all:
            part.wait_for_sign()
        return kills

    def acknowledged(self) -> set[int]:
        return {game for file in self.games for game, _seconds in acknowledged_games(file)}


def is_level(season: Season) -> bool:
    return Replay.objects.get(season=season).revision == Season.objects.get(pk=season.pk).revision


def test_nothing_is_lost_and_nothing_is_mixed(season, queueing, tmp_path: Path):
    company = Company(queueing, season, tmp_path)
    kills = company.suffer(SECONDS, Random(3))
    for writer in company.writers:
        writer.kill()
    levelling = [company.beat.process, *(worker.process for worker in company.workers)]
    wait_until(lambda: is_level(season), "the results to be level", *levelling)
    for reader in company.readers:
        reader.kill()

    stored = set(Game.objects.values_list("pk", flat=True))
    assert company.acknowledged() - stored == set()
    assert len(stored) - len(company.acknowledged()) <= kills + WRITERS, "each kill hides one answer at most"
    assert check_season(season.pk) == []
    for file in company.seen:
        revisions = [revision for revision, _problems in looks(file)]
        assert [problems for _revision, problems in looks(file) if problems] == []
        assert revisions == sorted(revisions)
        assert len(set(revisions)) > 3, "the readers saw it change"
