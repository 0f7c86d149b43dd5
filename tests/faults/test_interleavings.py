"""A replay and a writer, or two replays, at chosen points; each with its control."""

import math
from datetime import timedelta

import pytest

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

LOCKS = "FOR UPDATE"
READS_ENTRIES = 'FROM "leagues_entry"'
READS_GAMES = 'FROM "leagues_game"'
REPLACES_STANDINGS = 'DELETE FROM "ratings_standing"'
FORGETS_WHAT_IS_STALE = 'SET "stale_from" = NULL'


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


# --- What is rated is one revision, and no change is lost


@pytest.mark.parametrize("hour", [0, 4])
def test_a_writer_waits_for_a_replay_and_its_game_is_found_by_the_sweep(season, base, hour):
    writer = Stopped(lambda: add_game(season, hour), before=LOCKS)
    with writer, stopped_replay(season, before=READS_GAMES) as replay:
        writer.go_on_until_held_up()
    assert (replay.result(), writer.result().season_id) == (True, season.pk)
    assert look(season.pk, base) == (base + 3, [])
    assert replay_stale_seasons() == 1
    assert look(season.pk, base) == (base + 4, [])
    assert check_season(season.pk) == []


def test_control_without_the_lock_a_revision_counts_a_game_of_the_next(season, base):
    with stopped_replay(season, before=READS_GAMES).take_no_locks() as replay:
        add_game(season, 4)
    assert replay.result() is True
    revision, problems = look(season.pk, base)
    assert revision == base + 3
    assert f"the ledger is not of revision {revision}" in problems


def test_control_without_the_lock_a_game_dated_back_is_lost(season, base):
    with stopped_replay(season, before=FORGETS_WHAT_IS_STALE).take_no_locks():
        add_game(season, 0)
    assert replay_stale_seasons() == 1
    assert check_season(season.pk) != []


def test_control_with_a_flag_that_is_cleared_the_game_is_lost(season, base):
    writer = Stopped(lambda: add_game(season, 4), before=LOCKS)
    with writer, stopped_replay(season, before=READS_GAMES):
        writer.go_on_until_held_up()
    Replay.objects.filter(season=season).update(revision=Season.objects.get(pk=season.pk).revision)
    assert replay_stale_seasons() == 0
    assert check_season(season.pk) != []


# --- The published revision never falls


def test_a_replay_that_was_overtaken_publishes_nothing(season, base):
    with stopped_replay(season, before=LOCKS) as slow:
        add_game(season, 4)
        assert replay_season(season.pk) is True
    assert slow.result() is False
    assert look(season.pk, base) == (base + 4, [])


def test_control_without_the_lock_the_published_revision_falls(season, base):
    with stopped_replay(season, before=READS_ENTRIES, full=True).take_no_locks() as slow:
        add_game(season, 4)
        assert replay_season(season.pk) is True
    assert slow.result() is True
    assert published(season) == base + 3


def test_of_two_replays_for_one_message_that_came_twice_one_publishes(season, base):
    with stopped_replay(season, before=LOCKS) as first:
        assert replay_season(season.pk) is True
    assert first.result() is False
    assert look(season.pk, base) == (base + 3, [])


def test_a_replay_that_waited_goes_on_from_what_was_published_meanwhile(season, base):
    waited_for_replay_and_writer(season)
    assert look(season.pk, base) == (base + 4, [])


def test_control_with_the_results_read_in_the_statement_that_waits_they_are_those_of_before(
    season, base, monkeypatch
):
    joined = Season.objects.locked().select_related("rule_set", "replay")
    monkeypatch.setattr(replay_module, "_held", lambda season_id: joined.filter(pk=season_id).first())
    waited_for_replay_and_writer(season)
    revision, problems = look(season.pk, base)
    assert f"the replay is not of revision {revision}" in problems


def waited_for_replay_and_writer(season: Season) -> None:
    """A replay gets the lock after another, which publishes, and a writer, who adds a game."""
    last, writer = stopped_replay(season, before=LOCKS), Stopped(lambda: add_game(season, 4), before=LOCKS)
    with last, writer, stopped_replay(season, before=READS_GAMES):
        writer.go_on_until_held_up()
        last.go_on_until_held_up()
    assert last.result() is True
