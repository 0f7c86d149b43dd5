"""A replay and a writer, or two replays, at chosen points; each with its control."""

import math
from datetime import timedelta

import pytest
from django.db import transaction

from leagues.models import Game, Season
from ratings.models import Replay
from ratings.services import replay as replay_module
from ratings.services.check import check_season
from ratings.services.replay import replay_season, replay_stale_seasons
from ratings.tasks import nudge
from tests.factories import make_game, replayed
from tests.faults.interleaving import Stopped
from tests.faults.reader import look

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

HOLDS = "FOR NO KEY UPDATE"  # a writer or a replay the season
TAKES_TURN = "FOR UPDATE"  # a replay its season's results
READS_ENTRIES = 'FROM "leagues_entry"'
READS_GAMES = 'FROM "leagues_game"'
REPLACES_STANDINGS = 'DELETE FROM "ratings_standing"'
FORGETS_WHAT_IS_STALE = 'SET "stale_from" = NULL'
SAME_FACTS = '"leagues_season"."revision" = %s'


@pytest.fixture(autouse=True)
def lost_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nudge, "not_before", math.inf)


@pytest.fixture
def base(season: Season) -> int:
    """The revision before the first game; the results are two games further, the facts three."""
    base = season.revision
    add_game(season, 1)
    add_game(season, 2)
    replayed(season)
    add_game(season, 3)
    return base


def add_game(season: Season, hour: int) -> Game:
    ann, bob = season.league.players.order_by("name")[:2]
    return make_game(season, (ann, 100), (bob, hour), played_at=season.starts_at + timedelta(hours=hour))


def published(season: Season) -> int:
    return Replay.objects.get(season=season).revision


def stopped_replay(season: Season, *, before: str = "", after: str = "", full: bool = False) -> Stopped:
    return Stopped(lambda: replay_season(season.pk, full=full), before=before, after=after)


# --- Everything of one revision is published at once


def test_a_reader_sees_nothing_of_what_is_half_written(season, base):
    with stopped_replay(season, after=REPLACES_STANDINGS):
        assert look(season.pk, base) == (base + 2, [])
    assert look(season.pk, base) == (base + 3, [])


def test_control_written_outside_one_transaction_a_mixture_is_seen(season, base):
    with stopped_replay(season, after=REPLACES_STANDINGS).commit_early():
        assert look(season.pk, base)[1] != []


# --- What is rated is one revision


def test_rc_03_a_writer_does_not_wait_for_a_replay_which_begins_anew(season, base):
    with stopped_replay(season, before=READS_GAMES) as replay:
        add_game(season, 4)
    assert replay.result() is True
    assert look(season.pk, base) == (base + 4, [])


def test_control_without_a_second_look_a_revision_counts_a_game_of_the_next(season, base):
    with stopped_replay(season, before=READS_GAMES).disable(SAME_FACTS) as replay:
        add_game(season, 4)
    assert replay.result() is True
    revision, problems = look(season.pk, base)
    assert revision == base + 3
    assert f"the ledger is not of revision {revision}" in problems


def test_a_replay_that_was_overtaken_too_often_holds_the_season(season, base, monkeypatch):
    monkeypatch.setattr(replay_module, "ATTEMPTS_BESIDE_WRITERS", 0)
    writer = Stopped(lambda: add_game(season, 4), before=HOLDS)
    with writer, stopped_replay(season, before=READS_GAMES) as replay:
        writer.go_on_until_held_up()
    assert replay.result() is True
    assert look(season.pk, base) == (base + 3, [])
    assert replay_stale_seasons() == 1
    assert look(season.pk, base) == (base + 4, [])


def test_a_replay_waits_for_nobody_who_holds_the_season(season, base):
    """Else it could wait for a deletion that waits for the rows it wrote."""
    with (
        Stopped(lambda: add_game(season, 4), before='INSERT INTO "leagues_game"'),
        pytest.raises(replay_module._OvertakenError),
        transaction.atomic(),
    ):
        replay_module._replay_once(season.pk, full=False, holds=False)
    assert replay_season(season.pk) is True
    assert look(season.pk, base) == (base + 4, [])


# --- No change is lost


@pytest.mark.parametrize("hour", [0, 4])
def test_a_game_recorded_before_what_is_stale_is_forgotten_is_not_lost(season, base, hour):
    with stopped_replay(season, before=REPLACES_STANDINGS) as replay:
        add_game(season, hour)
    assert replay.result() is True
    assert look(season.pk, base) == (base + 4, [])
    assert check_season(season.pk) == []


def test_control_without_the_lock_a_game_dated_back_is_lost(season, base):
    with stopped_replay(season, before=FORGETS_WHAT_IS_STALE).take_no_locks():
        add_game(season, 0)
    assert replay_stale_seasons() == 1
    assert check_season(season.pk) != []


def test_control_with_a_flag_that_is_cleared_the_game_is_lost(season, base):
    with stopped_replay(season, before=REPLACES_STANDINGS).disable(SAME_FACTS):
        add_game(season, 4)
    Replay.objects.filter(season=season).update(revision=Season.objects.get(pk=season.pk).revision)
    assert replay_stale_seasons() == 0
    assert check_season(season.pk) != []


# --- The published revision never falls


def test_rc_09_r9_of_two_replays_the_second_waits_for_its_turn_and_finds_nothing_to_do(season, base):
    second = stopped_replay(season, before=TAKES_TURN)
    with second, stopped_replay(season, before=READS_GAMES) as first:
        second.go_on_until_held_up()
    assert (first.result(), second.result()) == (True, False)
    assert look(season.pk, base) == (base + 3, [])


def test_control_without_turns_and_a_second_look_the_published_revision_falls(season, base):
    slow = stopped_replay(season, before=READS_ENTRIES, full=True).take_no_locks().disable(SAME_FACTS)
    with slow:
        add_game(season, 4)
        assert replay_season(season.pk) is True
    assert slow.result() is True
    assert published(season) == base + 3
