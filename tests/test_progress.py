"""How far long work has come: what is told to whom, and the bar of commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import caches

from leagues.progress import Shown, Stage, Step, Watcher, over, shown, shown_at, watched_by


class Recorder(Watcher):
    seconds = 0

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[Step] = []

    def show(self, step: Step) -> None:
        self.steps.append(step)


class Slow(Recorder):
    seconds = 3600


@pytest.fixture(autouse=True)
def own_cache(settings: Any, tmp_path: Path) -> None:
    """The files of a small installation, and of this test alone."""
    settings.CACHES = settings.CACHES | {
        "progress": settings.CACHES["progress"] | {"LOCATION": tmp_path / "progress"}
    }


def test_a_watcher_is_told_what_is_done_of_each_stage():
    recorder = Recorder()
    with watched_by(recorder):
        assert list(over(Stage.READING, range(150), 150)) == list(range(150))
        assert list(over(Stage.STORING, "ab", 250, before=200)) == ["a", "b"]
    assert recorder.steps == [
        Step(Stage.READING, 0, 150),
        Step(Stage.READING, 100, 150),
        Step(Stage.STORING, 200, 250),
    ]
    assert [step.percent for step in recorder.steps] == [0, 66, 80]


def test_work_that_nobody_watches_is_left_alone():
    items = [1, 2]
    assert over(Stage.READING, items, 2) is items


def test_of_short_work_nothing_is_told():
    slow = Slow()
    with watched_by(slow), shown_at("short"):
        list(over(Stage.READING, range(1000), 1000))
        list(over(Stage.CHECKING, range(1000), 1000))
        assert shown("short") is None
    assert slow.steps == []


def test_what_is_shown_is_there_until_the_work_ends():
    shows = Shown("import")
    shows.show(Step(Stage.CHECKING, 5, 20))
    assert shown("import") == Step(Stage.CHECKING, 5, 20)
    assert shown("replay") is None
    shows.stage = Stage.CHECKING
    shows.forget()
    assert shown("import") is None


@pytest.mark.parametrize("kept", ["nonsense", ("gone", 1, 2), None])
def test_what_another_release_kept_is_no_step(kept):
    caches["progress"].set("key", kept)
    assert shown("key") is None


@pytest.mark.parametrize(
    "cache",
    [
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"},
        {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": "/proc/nowhere"},
    ],
    ids=["redis", "files"],
)
def test_a_cache_that_does_not_answer_stops_no_work(settings, cache):
    settings.CACHES = settings.CACHES | {"progress": cache}
    shows = Shown("key")
    shows.seconds, shows.due = 0, 0
    with watched_by(shows):
        assert list(over(Stage.READING, range(300), 300)) == list(range(300))
    shows.forget()
    assert shows.is_lost
    assert shown("key") is None


def rate(path: Path, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "manage.py", "rate", str(path), "--format", "json"]
    return subprocess.Popen(command, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, **options)


@pytest.fixture
def large_file(tmp_path: Path) -> Path:
    path = tmp_path / "games.csv"
    rows = (f"2026-05-01,P{number % 40},{number % 7},Q{number % 50},0\n" for number in range(20_000))
    path.write_text("played_at,side 1,points 1,side 2,points 2\n" + "".join(rows))
    return path


def test_at_a_terminal_a_bar_is_shown_and_standard_output_stays_clean(large_file):
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with rate(large_file, stderr=theirs) as command:
        os.close(theirs)
        answer, _nothing = command.communicate()
    seen = os.read(ours, 1_000_000).decode()
    os.close(ours)
    assert len(json.loads(answer)) == 90
    assert "Reading the file:" in seen
    assert "Rating the games:" in seen
    assert seen.endswith("\r"), "the bar is gone when the work is done"


def test_elsewhere_there_is_no_bar(large_file):
    with rate(large_file, stderr=subprocess.PIPE) as command:
        answer, errors = command.communicate()
    assert len(json.loads(answer)) == 90
    assert errors == b""
