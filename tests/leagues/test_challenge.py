"""Challenges as rows: what the database refuses, and what belongs to whom until when."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from leagues.models import Challenge
from leagues.services import anonymise_player, delete_games, delete_player, delete_season
from ratings.services.personal import data_of
from tests.factories import make_challenge, make_game, make_players, make_season

pytestmark = pytest.mark.django_db

State = Challenge.State


@pytest.fixture
def ladder() -> SimpleNamespace:
    season = make_season(preset="ranked-battle")
    ann, bob, cyd = make_players(season.league, "Ann", "Bob", "Cyd")
    return SimpleNamespace(season=season, ann=ann, bob=bob, cyd=cyd, now=season.starts_at)


def refused(**values: Any) -> bool:
    try:
        with transaction.atomic():
            make_challenge(**values)
    except IntegrityError:
        return True
    return False


def test_the_database_keeps_challenges_possible(ladder):
    pair = {"season": ladder.season, "challenger": ladder.ann, "opponent": ladder.bob}
    made = make_challenge(**pair)
    game = make_game(ladder.season, (ladder.ann, 1), (ladder.bob, 0))
    assert refused(**pair | {"opponent": ladder.ann}), "nobody challenges oneself"
    assert refused(**pair, uuid=made.uuid), "a battle is one challenge"
    assert refused(**pair, state=State.DECLINED, game=game), "who declined did not play"
    assert refused(**pair, state=State.ACCEPTED, decided_at=None), "an answer has a time"
    assert not refused(**pair, state=State.PLAYED, game=game)
    assert refused(**pair, state=State.PLAYED, game=game), "a game is of one challenge"
    other = make_season(ladder.season.league, preset="ranked-battle", name="Other")
    assert not refused(**pair | {"season": other}, uuid=made.uuid), "as a box brings it along"


def test_what_is_open_and_whose(ladder):
    open_one = make_challenge(ladder.season, ladder.ann, ladder.bob, state=State.ISSUED, decided_at=None)
    accepted = make_challenge(ladder.season, ladder.bob, ladder.cyd, state=State.ACCEPTED)
    make_challenge(ladder.season, ladder.ann, ladder.cyd, state=State.EXPIRED)
    assert set(Challenge.objects.open()) == {open_one, accepted}
    assert set(Challenge.objects.open().of_player(ladder.bob)) == {open_one, accepted}
    assert Challenge.objects.of_player(ladder.cyd.pk).count() == 2


def test_a_deadline_is_over_at_its_moment(ladder):
    deadlines = {"respond_by": ladder.now, "play_by": ladder.now + timedelta(days=1)}
    issued = make_challenge(
        ladder.season, ladder.ann, ladder.bob, state=State.ISSUED, decided_at=None, **deadlines
    )
    accepted = make_challenge(ladder.season, ladder.ann, ladder.bob, state=State.ACCEPTED, **deadlines)
    make_challenge(ladder.season, ladder.ann, ladder.bob, **deadlines)
    assert (issued.deadline, accepted.deadline) == (deadlines["respond_by"], deadlines["play_by"])
    just_before = ladder.now - timedelta(microseconds=1)
    assert [*Challenge.objects.to_answer(just_before)] == []
    assert [*Challenge.objects.to_answer(ladder.now)] == [issued]
    assert [*Challenge.objects.to_play(ladder.now)] == []
    assert [*Challenge.objects.to_play(deadlines["play_by"])] == [accepted]


def test_a_played_challenge_outlives_its_game(ladder):
    game = make_game(ladder.season, (ladder.ann, 1), (ladder.bob, 0))
    played = make_challenge(ladder.season, ladder.ann, ladder.bob, state=State.PLAYED, game=game)
    delete_games(games=[game], by=None)
    played.refresh_from_db()
    assert (played.state, played.game) == (State.PLAYED, None)


def test_who_has_challenges_is_not_deleted_and_a_season_goes_with_its_own(ladder):
    make_challenge(ladder.season, ladder.ann, ladder.bob)
    with pytest.raises(ValidationError, match="Bob has 1 challenge and cannot be deleted; withdraw"):
        delete_player(player=ladder.bob, by=None)
    delete_season(season=ladder.season, by=None)
    assert not Challenge.objects.exists()
    delete_player(player=ladder.bob, by=None)


def test_an_anonymous_player_is_named_in_no_reason_and_is_told_the_challenges(ladder):
    challenge = make_challenge(ladder.season, ladder.ann, ladder.bob, reason="Bob is ill")
    (told,) = data_of(ladder.bob)["challenges"]
    assert (told["challenger"], told["state"], told["reason"]) == ("Ann", "declined", "Bob is ill")
    bob = anonymise_player(player=ladder.bob, by=None)
    challenge.refresh_from_db()
    assert challenge.reason == f"{bob.name} is ill"
