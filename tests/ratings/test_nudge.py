"""Which changes of a season are announced; the clock stands still."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import current_app
from celery.signals import before_task_publish
from django.db import transaction

from leagues.signals import season_changed
from ratings import tasks
from ratings.models import Replay
from ratings.tasks import Nudge
from tests.factories import make_game, make_players, make_season

SEASON, OTHER = 1, 2


@pytest.fixture
def sent() -> Iterator[list[int]]:
    """The seasons of the messages that go to a broker in this process."""
    seasons: list[int] = []

    def note(body: tuple[list[int], object, object], **_signal: object) -> None:
        seasons.append(body[0][0])

    before_task_publish.connect(note)
    current_app.conf.task_always_eager = False
    yield seasons
    current_app.conf.task_always_eager = True
    before_task_publish.disconnect(note)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock."""

    def at(seconds: float) -> None:
        monkeypatch.setattr(tasks, "monotonic", lambda: 1000 + seconds)

    return at


def burst(nudge: Nudge, at: Callable[[float], None]) -> None:
    """1,000 changes of a season within 20 seconds."""
    for number in range(1000):
        at(number / 50)
        nudge(season_id=SEASON)


def test_a_change_is_announced_at_once(sent: list[int], at: Callable[[float], None]) -> None:
    nudge = Nudge(quiet=2)
    for seconds in (0, 2, 60):
        at(seconds)
        nudge(season_id=SEASON)
    at(60.1)
    nudge(season_id=OTHER)
    assert sent == [SEASON, SEASON, SEASON, OTHER]


def test_of_changes_that_keep_coming_only_the_first_is_announced(
    sent: list[int], at: Callable[[float], None]
) -> None:
    nudge = Nudge(quiet=2)
    burst(nudge, at)
    assert sent == [SEASON]
    at(22)
    nudge(season_id=SEASON)
    assert sent == [SEASON, SEASON]


def test_control_with_no_time_of_quiet_each_change_is_a_message(
    sent: list[int], at: Callable[[float], None]
) -> None:
    burst(Nudge(quiet=0), at)
    assert len(sent) == 1000


def test_r11_nothing_is_announced_before_the_commit_and_nothing_of_what_is_rolled_back(
    db: None, django_capture_on_commit_callbacks: Any
) -> None:
    season, heard = make_season(), []
    ann, bob = make_players(season.league, "Ann", "Bob")

    def hear(season_id: int, **_signal: object) -> None:
        heard.append(season_id)

    season_changed.connect(hear)
    try:
        with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
            make_game(season, (ann, 2), (bob, 1))
            transaction.set_rollback(True)
        assert heard == []
        with django_capture_on_commit_callbacks(execute=True):
            make_game(season, (ann, 2), (bob, 1))
            assert heard == []
        assert heard == [season.pk]
    finally:
        season_changed.disconnect(hear)


def test_without_a_broker_each_change_is_replayed_at_once(at: Callable[[float], None], db: None) -> None:
    season, nudge = make_season(), Nudge(quiet=2)
    ann, bob = make_players(season.league, "Ann", "Bob")
    at(0)
    for games in (1, 2):
        make_game(season, (ann, 2), (bob, 1))
        nudge(season_id=season.pk)
        assert Replay.objects.get(season=season).games == games
