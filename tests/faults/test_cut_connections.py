"""The database connection is cut, or the process killed, before and after the commit; with controls."""

import math
import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import InterfaceError, OperationalError
from django.urls import reverse

from leagues.models import AuditEntry, Game, Season
from ratings.models import Replay
from ratings.services.check import check_season
from ratings.services.replay import replay_season, replay_stale_seasons
from ratings.tasks import nudge
from tests.factories import make_game
from tests.faults.interleaving import Stopped
from tests.faults.writer import acknowledged_games

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

STORES_GAME = 'INSERT INTO "leagues_game"'
STORES_AUDIT = 'INSERT INTO "leagues_auditentry"'
RAISES_REVISION = 'UPDATE "leagues_season"'  # the last statement before the commit
REPLAYS = '"ratings_replay"'  # the first statement after it


def saving(season: Season, **values: Any) -> Callable[[], Game]:
    ann, bob = season.league.players.order_by("name")[:2]
    at = season.starts_at + timedelta(hours=1)
    return lambda: make_game(season, (ann, 100), (bob, 1), played_at=at, **values)


def revisions(season: Season) -> tuple[int, int]:
    """Of the facts and of the results."""
    return Season.objects.get(pk=season.pk).revision, Replay.objects.get(season=season).revision


# --- The connection


@pytest.mark.parametrize("moment", [STORES_GAME, STORES_AUDIT, RAISES_REVISION])
def test_cut_before_the_commit_nothing_of_the_game_is_there(season, moment):
    before, audits = revisions(season), AuditEntry.objects.count()
    with Stopped(saving(season), after=moment) as save:
        save.cut()
    with pytest.raises((OperationalError, InterfaceError)):
        save.result()
    assert (Game.objects.count(), AuditEntry.objects.count(), revisions(season)) == (0, audits, before)
    saving(season)()
    assert check_season(season.pk) == []


def test_control_outside_one_transaction_a_game_is_there_that_no_sweep_finds(season):
    with Stopped(saving(season), after=STORES_AUDIT).commit_early() as save:
        save.cut()
    with pytest.raises((OperationalError, InterfaceError)):
        save.result()
    assert Game.objects.count() == 1
    assert replay_stale_seasons() == 0
    assert check_season(season.pk) != []


def test_rc_01_cut_while_committing_the_form_may_be_sent_again(season):
    """The database has committed and nobody knows; the form's token does."""
    token = uuid4()
    with Stopped(saving(season, token=token), after=RAISES_REVISION).commit_early() as save:
        save.cut()
    with pytest.raises((OperationalError, InterfaceError)):
        save.result()
    assert saving(season, token=token)() == Game.objects.get()
    replay_stale_seasons()
    assert check_season(season.pk) == []


def test_control_without_the_token_the_game_is_there_twice(season):
    with Stopped(saving(season), after=RAISES_REVISION).commit_early() as save:
        save.cut()
    saving(season)()
    assert Game.objects.count() == 2


def test_cut_after_the_commit_the_game_is_acknowledged_and_the_sweep_rates_it(season):
    with Stopped(saving(season), before=REPLAYS) as save:
        save.cut()
    assert save.result() == Game.objects.get()
    facts, results = revisions(season)
    assert facts == results + 1, "without the sweep it stays so: this is the control"
    assert replay_stale_seasons() == 1
    assert check_season(season.pk) == []


@pytest.mark.parametrize(
    "moment", ["FOR UPDATE", 'DELETE FROM "ratings_standing"', 'UPDATE "ratings_replay"']
)
def test_ft_02_cut_while_a_replay_publishes_the_sweep_does_it_again(season, monkeypatch, moment):
    monkeypatch.setattr(nudge, "not_before", math.inf)
    saving(season)()
    with Stopped(lambda: replay_season(season.pk), after=moment) as replay:
        replay.cut()
    with pytest.raises((OperationalError, InterfaceError)):
        replay.result()
    assert replay_stale_seasons() == 1
    assert check_season(season.pk) == []


# --- The process


def test_killed_between_commit_and_replay_the_page_says_so_and_the_sweep_rates_the_game(
    season, processes, client, tmp_path: Path
):
    dying = processes.start(
        "-m", "tests.faults", "dying", str(season.pk), str(tmp_path / "games"), "between commit and replay"
    )
    assert dying.process.wait(60) == -signal.SIGKILL, dying.output()
    assert Game.objects.count() == 1
    facts, results = revisions(season)
    assert facts == results + 1, "without the sweep it stays so: this is the control"
    page = reverse("ratings:standings", args=[season.league.slug, season.slug])
    assert "being recomputed" in client.get(page).content.decode()
    sweep = processes.manage("sweep")
    assert sweep.process.wait(60) == 0, sweep.output()
    assert "being recomputed" not in client.get(page).content.decode()
    assert check_season(season.pk) == []


def test_control_of_a_game_acknowledged_before_its_commit_nothing_is_left(season, processes, tmp_path: Path):
    games = tmp_path / "games"
    dying = processes.start(
        "-m", "tests.faults", "dying", str(season.pk), str(games), "between acknowledgement and commit"
    )
    assert dying.process.wait(60) == -signal.SIGKILL, dying.output()
    acknowledged = {game for game, _seconds in acknowledged_games(games)}
    assert acknowledged - set(Game.objects.values_list("pk", flat=True)) == acknowledged != set()
