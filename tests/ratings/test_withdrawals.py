"""A player who withdraws: the games stay or are voided, as the season says, and nobody else is held up."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from leagues.models import AuditEntry, Entry, Game, Season
from leagues.services import reinstate_player, restore_game, update_season, void_game, withdraw_player
from ratings.models import RatingChange, Standing
from ratings.services.check import check_season
from ratings.services.correction_log import corrections_of, told
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """Ann, Bob and Cyd each met each other once; a place takes one game with everybody."""
    season = make_season(make_league("apes"))
    change_rules(season=season, by=None, values={"min_meetings": 1, "min_games": 1})
    ann, bob, cyd = make_players(season.league, "Ann", "Bob", "Cyd")
    for hour, (one, other) in enumerate([(ann, bob), (bob, cyd), (cyd, ann)], 1):
        played_at = season.starts_at + timedelta(hours=hour)
        make_game(season, (one, 500), (other, 100), played_at=played_at)
    return replayed(season)


def entry(name: str) -> Entry:
    return Entry.objects.get(player__name=name)


def results(season: Season) -> Any:
    rows = RatingChange.objects.filter(season=season).order_by("game_id", "player_id")
    standings = Standing.objects.filter(season=season).order_by("position")
    return (
        list(rows.values_list("game", "player", "before", "after")),
        list(standings.values_list("player", "rating", "place", "games", "withdrawn")),
    )


def voided() -> list[int]:
    games = Game.objects.exclude(voided_at=None).in_play_order()
    return [game.played_at.hour for game in games]


def test_r61_who_withdraws_with_too_few_games_holds_nobody_up(season: Season) -> None:
    (dan,) = make_players(season.league, "Dan")
    make_game(season, (entry("Ann").player, 1), (dan, 0), played_at=season.starts_at + timedelta(hours=9))
    placed = Standing.objects.filter(classified=True).order_by("player__name")
    replayed(season)
    assert list(placed.values_list("player__name", flat=True)) == ["Ann"]  # the others never met Dan
    withdraw_player(entry=entry("Dan"), by=None)
    replayed(season)
    assert list(placed.values_list("player__name", flat=True)) == ["Ann", "Bob", "Cyd"]
    assert RatingChange.objects.filter(player=dan).count() == 1, "his games are kept"
    assert check_season(season.pk) == []


def test_r62_games_stay_unless_the_season_voids_them(season: Season) -> None:
    before = results(season)[0]
    withdraw_player(entry=entry("Bob"), by=None)
    assert results(replayed(season))[0] == before
    assert voided() == []


def test_r62_a_withdrawal_voids_games_and_taking_it_back_restores_them(season: Season) -> None:
    update_season(season=season, by=None, withdrawal_voids=True)
    before = results(replayed(season))
    withdraw_player(entry=entry("Bob"), by=None)
    replayed(season)
    assert voided() == [1, 2]
    # Only Cyd against Ann is left: 16.4 of 1500, as the first game of a season.
    assert dict(Standing.objects.values_list("player__name", "rating")) == {
        "Ann": 14836,
        "Bob": 15000,
        "Cyd": 15164,
    }
    assert check_season(season.pk) == []
    reinstate_player(entry=entry("Bob"), by=None)
    assert results(replayed(season)) == before
    assert voided() == []
    assert check_season(season.pk) == []
    log = [sentence for each in corrections_of(season) for sentence, _game in told(each).acts]
    assert log == ["Bob plays on, and 2 games count again.", "Bob withdrew, and 2 games were voided."]
    act = AuditEntry.objects.filter(action="withdraw_player").get()
    assert (act.after["player"], act.after["games"]) == ("Bob", 2)


def test_a_game_of_two_who_withdrew_waits_for_both(season: Season) -> None:
    update_season(season=season, by=None, withdrawal_voids=True)
    for name in ("Ann", "Bob"):
        withdraw_player(entry=entry(name), by=None)
    assert voided() == [1, 2, 3]
    reinstate_player(entry=entry("Ann"), by=None)
    assert voided() == [1, 2]
    reinstate_player(entry=entry("Bob"), by=None)
    assert voided() == []


def test_what_an_organizer_voided_or_restored_by_hand_stays_so(season: Season) -> None:
    first, second, _third = Game.objects.in_play_order()
    void_game(game=first, reason="Wrong table", by=None)
    update_season(season=season, by=None, withdrawal_voids=True)
    withdraw_player(entry=entry("Bob"), by=None)
    assert voided() == [1, 2]
    restore_game(game=second, by=None)
    void_game(game=second, reason="After all", by=None)
    reinstate_player(entry=entry("Bob"), by=None)
    assert voided() == [1, 2]
    first.refresh_from_db()
    assert first.void_reason == "Wrong table"


def test_who_was_entered_by_voided_games_alone_is_entered_again_with_them(season: Season) -> None:
    (dan,) = make_players(season.league, "Dan")
    make_game(season, (entry("Bob").player, 1), (dan, 0), played_at=season.starts_at + timedelta(hours=9))
    update_season(season=season, by=None, withdrawal_voids=True)
    withdraw_player(entry=entry("Bob"), by=None)
    assert not Entry.objects.filter(player=dan).exists()
    reinstate_player(entry=entry("Bob"), by=None)
    assert Entry.objects.filter(player=dan).exists()
    assert check_season(replayed(season).pk) == []
