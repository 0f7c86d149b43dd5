"""Two acts at once on a game that a player reported; each with its control.

On SQLite one transaction writes at a time, so that of two acts one comes after the other, as in
tests/leagues/test_game_reports.py.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from leagues.models import Game, GameReport, Season
from leagues.services import confirm_report, dispute_report, update_season
from leagues.services.game_reports import settle_due_reports
from tests.factories import make_account, make_league, make_players, make_report, make_season, make_user
from tests.faults.interleaving import Stopped
from tests.faults.test_organizers import at_once

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

WRITES_GAME = 'INSERT INTO "leagues_game" '


@pytest.fixture
def season() -> Season:
    season = make_season(make_league("club", owner=make_user("alice")), games_from="both")
    for player in make_players(season.league, "Ann", "Bob"):
        make_account(player, player.name.lower())
    return season


@pytest.fixture
def report(season: Season) -> GameReport:
    return reported(season)


def reported(season: Season) -> GameReport:
    ann, bob = season.league.players.order_by("name").select_related("user")
    return make_report(season, (ann, 3), (bob, 1))


def said(act: Callable[[], Any]) -> Callable[[], str]:
    """The act in a thread of its own: how it ended, in a word."""

    def call() -> str:
        try:
            act()
        except ValidationError as refused:
            return str(getattr(refused, "code", None) or "refused")
        finally:
            connection.close()
        return "done"

    return call


def answers(report: GameReport) -> tuple[Callable[[], str], Callable[[], str]]:
    bob = report.season.league.players.get(name="Bob").user
    return (
        said(lambda: confirm_report(report=report, by=bob)),
        said(lambda: dispute_report(report=report, reason="No", by=bob)),
    )


def test_rc_01_of_a_confirmation_and_a_dispute_at_once_one_is_the_answer(report):
    confirm, dispute = answers(report)
    assert at_once(Stopped(confirm, before=WRITES_GAME), dispute) == ["done", "decided"]
    assert GameReport.objects.get().state == GameReport.State.CONFIRMED
    assert Game.objects.count() == 1


def test_control_without_the_seasons_lock_both_are_taken(report):
    confirm, dispute = answers(report)
    assert at_once(Stopped(confirm, before=WRITES_GAME).take_no_locks(), dispute) == ["done", "done"]


def test_rc_01_two_sweeps_and_a_confirmation_at_the_deadline_make_one_game(report):
    GameReport.objects.update(answer_by=timezone.now() - timedelta(hours=1))
    confirm, _dispute = answers(GameReport.objects.select_related("season__league").get())
    sweep = said(settle_due_reports)
    assert at_once(Stopped(sweep, before=WRITES_GAME), sweep) == ["done", "done"]
    assert confirm() == "decided"
    assert Game.objects.count() == 1


def test_a_report_and_the_closing_of_its_season_at_once(season):
    report = said(lambda: reported(season))
    close = said(lambda: update_season(season=season, by=None, state="closed"))
    stopped = Stopped(report, before='INSERT INTO "leagues_gamereport"')
    assert at_once(stopped, close) == ["done", "refused"]
    GameReport.objects.all().delete()
    assert at_once(Stopped(close, before='UPDATE "leagues_season"'), report) == ["done", "closed"]
    assert not GameReport.objects.exists()
