"""A company of processes at one season, any of which may be killed and started again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from signal import SIGKILL
from threading import Event
from time import monotonic
from typing import Any

from tests.faults.reader import looks
from tests.faults.writer import acknowledged_games
from tests.processes import Process, Processes, wait_until


@dataclass
class Part:
    """One process of the company: its command, and the text by which it shows that it is at work."""

    processes: Processes
    arguments: list[str]
    sign: str = ""

    def start(self) -> None:
        self.process: Process = self.processes.start(*self.arguments)

    def wait_for_sign(self) -> None:
        self.process.wait_for_text(self.sign)

    def kill(self) -> None:
        self.process.send(SIGKILL)
        self.process.process.wait()


class Company:
    """Writers, readers, and the others, which level; and the files in which the former tell what they saw.

    ``base`` is the season's revision before the first game; ``writer`` and ``reader`` are the modules'
    names and may have a word of their controls behind them.
    """

    def __init__(
        self,
        processes: Processes,
        season: tuple[int, int],
        others: Iterable[tuple[str, str]],
        *,
        writers: int,
        readers: int,
        kinds: tuple[str, str] = ("", ""),
    ) -> None:
        (pk, base), folder = season, processes.folder
        self.processes, self.season = processes, pk
        self.games = [folder / f"games-{number}" for number in range(writers)]
        self.seen = [folder / f"seen-{number}" for number in range(readers)]
        module = ["-m", "tests.faults"]
        self.writers = [
            Part(processes, [*module, "writer", str(pk), str(file), file.name, kinds[0]], "recorded")
            for file in self.games
        ]
        self.readers = [
            Part(processes, [*module, "reader", str(pk), str(base), str(file), kinds[1]], "looked")
            for file in self.seen
        ]
        self.others = [Part(processes, command.split(), sign) for command, sign in others]
        self.all = [*self.writers, *self.readers, *self.others]

    def start(self) -> None:
        for part in self.all:
            part.start()
        self.wait_for_signs()

    def wait_for_signs(self) -> None:
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
        self.wait_for_signs()
        return kills

    def wait_for_games(self, games: int) -> None:
        """Waits until so many have been acknowledged in all."""
        writers = [part.process for part in self.writers]
        wait_until(lambda: len(self.acknowledged()) >= games, f"{games} games", *writers, seconds=120)

    def end_writers(self) -> None:
        for writer in self.writers:
            writer.kill()

    def level(self) -> dict[str, Any]:
        """Waits until the others have brought the season level, ends the readers, and returns the verdict."""
        watched = [part.process for part in self.others]
        wait_until(lambda: self.verdict()["level"], "the results to be level", *watched, seconds=120)
        for reader in self.readers:
            reader.kill()
        return self.verdict()

    def verdict(self) -> dict[str, Any]:
        """What tests/faults/verdict.py says of the season."""
        return ask(self.processes, "verdict", str(self.season))

    def acknowledged(self) -> set[int]:
        return {game for file in self.games for game, _seconds in acknowledged_games(file)}

    def looks(self) -> list[list[tuple[int, str]]]:
        """What each reader saw: published revisions and what was wrong."""
        return [looks(file) for file in self.seen if file.exists()]

    def problems(self) -> list[str]:
        return [problems for seen in self.looks() for _revision, problems in seen if problems]


def ask(processes: Processes, *arguments: str) -> Any:
    """What a module of this folder prints, as JSON in its last line."""
    process = processes.start("-m", "tests.faults", *arguments)
    assert process.process.wait(120) == 0, process.output()
    return json.loads(process.output().splitlines()[-1])


def assert_nothing_lost_and_nothing_mixed(company: Company, verdict: dict[str, Any], unheard: int) -> None:
    """``unheard`` answers at most may have been on their way when something was killed."""
    stored, acknowledged = set(verdict["games"]), company.acknowledged()
    assert acknowledged - stored == set()
    assert len(stored) - len(acknowledged) <= unheard
    assert verdict["problems"] == []
    assert company.problems() == []
    for seen in company.looks():
        revisions = [revision for revision, _problems in seen]
        assert revisions == sorted(revisions)
        # A season that changes all the time is replayed by the sweep alone, every few seconds.
        assert len(set(revisions)) > 1, "the readers saw it change"
