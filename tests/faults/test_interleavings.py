"""A replay and a writer, or two replays, at chosen points; each with its control."""

import math
from datetime import timedelta

import pytest

from leagues.models import Game, Season
from ratings.models import Replay
from ratings.services.replay import check_season, replay_season, replay_stale_seasons
from ratings.tasks import nudge
from tests.factories import make_game, replayed
from tests.faults.interleaving import Stopped
from tests.faults.reader import look

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

READS_GAMES = 'FROM "leagues_game"'
REPLACES_STANDINGS = 'DELETE FROM "ratings_standing"'
PUBLISHES = "FOR UPDATE"
SAME_FACTS = '"leagues_season"."revision" = %s'
SAME_RESULTS = '"ratings_replay"."revision" = %s'


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


# --- What is folded is one revision


def test_a_game_recorded_while_games_are_read_is_published_with_its_revision(season, base):
    with stopped_replay(season, before=READS_GAMES) as replay:
        add_game(season, 4)
    assert replay.result() is True
    assert look(season.pk, base) == (base + 4, [])


def test_control_without_the_second_look_a_revision_counts_a_game_of_the_next(season, base):
    with stopped_replay(season, before=READS_GAMES) as replay:
        add_game(season, 4)
        replay.disable(SAME_FACTS)
    assert replay.result() is True
    revision, problems = look(season.pk, base)
    assert revision == base + 3
    assert f"the ledger is not of revision {revision}" in problems


# --- The published revision never falls


def test_a_replay_that_was_overtaken_publishes_nothing(season, base):
    with stopped_replay(season, before=PUBLISHES, full=True) as slow:
        add_game(season, 4)
        assert replay_season(season.pk) is True
    assert slow.result() is False
    assert look(season.pk, base) == (base + 4, [])


def test_control_without_comparing_revisions_the_published_one_falls(season, base):
    with stopped_replay(season, before=PUBLISHES, full=True) as slow:
        add_game(season, 4)
        assert replay_season(season.pk) is True
        slow.disable(SAME_RESULTS)
    assert slow.result() is True
    assert published(season) == base + 3


def test_of_two_replays_for_one_message_that_came_twice_one_publishes(season, base):
    with stopped_replay(season, before=PUBLISHES) as first:
        assert replay_season(season.pk) is True
    assert first.result() is False
    assert look(season.pk, base) == (base + 3, [])


# --- No change is lost


@pytest.mark.parametrize("hour", [0, 4])
def test_a_game_recorded_while_a_replay_is_under_way_is_found_by_the_sweep(season, base, hour):
    with stopped_replay(season, before=PUBLISHES) as replay:
        add_game(season, hour)
    assert replay.result() is True
    assert look(season.pk, base) == (base + 3, [])
    assert replay_stale_seasons() == 1
    assert look(season.pk, base) == (base + 4, [])
    assert check_season(season.pk) == []


def test_control_with_a_flag_that_is_cleared_the_game_is_lost(season, base):
    with stopped_replay(season, before=PUBLISHES):
        add_game(season, 4)
    Replay.objects.filter(season=season).update(revision=Season.objects.get(pk=season.pk).revision)
    assert replay_stale_seasons() == 0
    assert check_season(season.pk) != []


def test_control_with_the_stale_moment_always_forgotten_a_game_dated_back_is_lost(season, base):
    with stopped_replay(season, before=PUBLISHES) as replay:
        add_game(season, 0)
        replay.disable(SAME_FACTS)
    assert replay_stale_seasons() == 1
    assert check_season(season.pk) != []
