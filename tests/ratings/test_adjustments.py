"""Penalties and bonuses: in the ledger at their moment, through every replay, until they are cancelled."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leagues.models import Adjustment, Entry, Game, Player, Role, Season
from leagues.services import (
    add_adjustment,
    cancel_adjustment,
    delete_games,
    delete_player,
    enter_player,
    merge_players,
    remove_entry,
    undo_merge,
    update_season,
    void_game,
)
from leagues.services.merging import plan_merge
from ratings.engine.replay import adjust
from ratings.engine.types import Adjusted, PlayerState, Rules, State
from ratings.engine.types import Adjustment as EngineAdjustment
from ratings.models import AppliedAdjustment, RatingChange, Standing
from ratings.services.check import check_season
from ratings.services.explain import explain_game
from ratings.services.facts import rules_of
from ratings.services.merging import standings_of_merge
from ratings.services.past import past_standings
from ratings.services.replay import replay_season
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """Ann beat Bob at one o'clock, and Bob beat Cyd at three."""
    season = make_season(make_league("apes"))
    ann, bob, cyd = make_players(season.league, "Ann", "Bob", "Cyd")
    make_game(season, (ann, 500), (bob, 100), played_at=at(season, 1))
    make_game(season, (bob, 500), (cyd, 100), played_at=at(season, 3))
    return replayed(season)


def at(season: Season, hour: int) -> datetime:
    return season.starts_at + timedelta(hours=hour)


def player(name: str) -> Player:
    return Player.objects.get(name=name)


def adjust_rating(season: Season, name: str, change: int, hour: int, reason: str = "Late") -> Adjustment:
    moment = at(season, hour)
    return add_adjustment(
        season=season, player=player(name), change=change, reason=reason, at=moment, by=None
    )


def rating_of(season: Season, name: str) -> int:
    return Standing.objects.get(season=season, player__name=name).rating


def results(season: Season) -> Any:
    rows = RatingChange.objects.filter(season=season).order_by("game_id", "player_id")
    standings = Standing.objects.filter(season=season).order_by("position")
    return list(rows.values_list("game", "player", "before", "after")), list(
        standings.values_list("player", "rating", "peak", "season_score")
    )


# --- What it does to ratings


def test_an_adjustment_changes_a_rating_and_the_highest_one_and_nothing_else() -> None:
    state = State({"ann": PlayerState(rating=15000, peak=15000, played=3, games=3, wins=2, losses=1)})
    rows = adjust(Rules(), state, [EngineAdjustment(1, "ann", 100), EngineAdjustment(2, "ann", -300)])
    assert rows == [Adjusted(1, "ann", 15000, 15100, 15100), Adjusted(2, "ann", 15100, 14800, 15100)]
    assert state.players["ann"] == PlayerState(14800, 15100, played=3, games=3, wins=2, losses=1)
    with pytest.raises(ValueError, match="ten million"):
        adjust(Rules(), state, [EngineAdjustment(3, "ann", 10**9)])


def test_later_games_are_rated_with_it_and_earlier_ones_are_not(season: Season) -> None:
    before = results(season)[0]
    adjust_rating(season, "Bob", -500, 2)
    replayed(season)
    after = results(season)[0]
    assert after[:2] == before[:2]
    row = AppliedAdjustment.objects.get()
    # Bob lost 16.4 of 1500 to Ann: see test_replay. The penalty takes 50 more, and he plays Cyd from there.
    assert (row.before, row.after, row.peak) == (14836, 14336, 15000)
    assert RatingChange.objects.get(game__played_at=at(season, 3), player__name="Bob").before == 14336
    assert check_season(season.pk) == []


def test_games_of_its_moment_are_rated_after_it(season: Season) -> None:
    adjust_rating(season, "Bob", -500, 3)
    replayed(season)
    assert RatingChange.objects.get(game__played_at=at(season, 3), player__name="Bob").before == 14336
    assert check_season(season.pk) == []


def test_r18_a_penalty_survives_every_replay_until_it_is_cancelled(season: Season) -> None:
    unadjusted = results(season)
    penalty = adjust_rating(season, "Ann", -100, 2)
    assert rating_of(replayed(season), "Ann") == 15164 - 100
    replay_season(season.pk, full=True)
    assert rating_of(season, "Ann") == 15164 - 100
    change_rules(season=season, by=None, values={"draw_margin": "zero"})
    assert rating_of(replayed(season), "Ann") == 15164 - 100
    cancel_adjustment(adjustment=penalty, reason="Appeal", by=None)
    assert results(replayed(season)) == unadjusted
    assert not AppliedAdjustment.objects.exists()
    penalty.refresh_from_db()
    assert (penalty.reason, penalty.cancel_reason, penalty.is_cancelled) == ("Late", "Appeal", True)
    assert check_season(season.pk) == []


def test_appending_goes_on_from_adjusted_standings_without_reading_old_games(season: Season) -> None:
    adjust_rating(season, "Ann", -100, 4)
    replayed(season)
    ann, bob = player("Ann"), player("Bob")
    make_game(season, (ann, 1), (bob, 1), played_at=at(season, 5))
    with CaptureQueriesContext(connection) as queries:
        replayed(season)
    assert not [query for query in queries if '"ratings_ratingchange"' in query["sql"].partition("FROM")[2]]
    assert check_season(season.pk) == []
    # A game before the adjustment, though after all games, is none that goes on from the standings.
    delete_games(games=season.games.filter(played_at=at(season, 5)), by=None)
    replayed(season)
    adjust_rating(season, "Bob", 70, 9)
    replayed(season)
    make_game(season, (ann, 3), (bob, 1), played_at=at(season, 8))
    replayed(season)
    assert check_season(season.pk) == []


def test_a_season_without_games_has_adjustments_too() -> None:
    season = make_season()
    (ann,) = make_players(season.league, "Ann")
    enter_player(season=season, player=ann, by=None)
    adjust_rating(season, "Ann", 250, 1)
    assert rating_of(replayed(season), "Ann") == 15250
    assert check_season(season.pk) == []


def test_check_finds_a_wrong_missing_or_needless_row(season: Season) -> None:
    penalty = adjust_rating(season, "Ann", -100, 2)
    replayed(season)
    AppliedAdjustment.objects.update(after=1)
    assert check_season(season.pk) == [f"adjustment {penalty.pk}: after is 1, should be 15064"]
    AppliedAdjustment.objects.all().delete()
    assert check_season(season.pk) == [f"adjustment {penalty.pk}: missing"]


def test_the_explanation_of_a_game_knows_the_highest_rating_an_adjustment_made() -> None:
    """At 2400 once, K is 10: for good."""
    season = make_season(preset="ranked-battle")
    change_rules(season=season, by=None, values={"k_rule": "fide"})
    ann, bob = make_players(season.league, "Ann", "Bob")
    enter_player(season=season, player=ann, by=None)
    adjust_rating(season, "Ann", 9000, 1)
    adjust_rating(season, "Ann", -9000, 2)
    game = make_game(season, (ann, 1), (bob, 0), played_at=at(season, 3))
    replayed(season)
    # Equal at 1500 each: half of K.
    assert RatingChange.objects.get(player=ann).after == 15050
    explanation = explain_game(Game.objects.with_sides().get(pk=game.pk))
    assert explanation is not None
    assert (explanation.k_base, explanation.k_reason) == (10, "fide-2400")
    assert explanation.sides[0].after == (15050,)


def test_past_standings_are_as_adjusted_by_then(season: Season) -> None:
    adjust_rating(season, "Ann", -100, 30)
    replayed(season)
    days = [
        {row.player.name: row.rating for row in past_standings(season, rules_of(season), day).rows}["Ann"]
        for day in (season.starts_on, season.starts_on + timedelta(days=1))
    ]
    assert days == [15164, 15064]


# --- Who and when


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"change": 0}, "change"),
        ({"change": 100_001}, "change"),
        ({"reason": " "}, "reason"),
        ({"reason": "x" * 201}, "reason"),
        ({"at": "before"}, "at"),
        ({"player": "Eve"}, "player"),
    ],
)
def test_what_is_no_adjustment_is_refused_at_its_field(season: Season, values: Any, field: str) -> None:
    make_players(season.league, "Eve")
    given = {"change": -10, "reason": "Late", "at": at(season, 2), "player": "Bob"} | values
    given["player"] = player(given["player"])
    if given["at"] == "before":
        given["at"] = season.starts_at - timedelta(seconds=1)
    with pytest.raises(ValidationError) as refused:
        add_adjustment(season=season, by=None, **given)
    assert list(refused.value.message_dict) == [field]
    assert not Adjustment.objects.exists()


def test_who_was_adjusted_stays_in_the_season_and_the_league(season: Season) -> None:
    adjust_rating(season, "Cyd", -100, 2)
    void_game(game=season.games.get(played_at=at(season, 3)), reason="Twice", by=None)
    entry = Entry.objects.get(player__name="Cyd")  # though only the game had entered her
    assert rating_of(replayed(season), "Cyd") == 14900
    delete_games(games=season.games.filter(played_at=at(season, 3)), by=None)
    with pytest.raises(ValidationError, match="adjustment in this season"):
        remove_entry(entry=entry, by=None)
    with pytest.raises(ValidationError, match="adjustment on record"):
        delete_player(player=entry.player, by=None)


def test_a_season_keeps_its_adjustments_inside_its_days(season: Season) -> None:
    adjust_rating(season, "Bob", 10, 24 * 200)
    with pytest.raises(ValidationError, match="1 adjustment takes effect outside"):
        update_season(season=season, ends_on=season.starts_on + timedelta(days=30), by=None)


def test_a_merge_moves_adjustments_and_gives_them_back(season: Season) -> None:
    (anna,) = make_players(season.league, "Anna")
    enter_player(season=season, player=anna, by=None)
    adjust_rating(season, "Anna", -100, 0)
    apart = results(replayed(season))
    pair = {"keep": player("Ann"), "gone": anna}
    _before, previewed = standings_of_merge(season, plan_merge(**pair))
    merge_players(**pair, by=None)
    replayed(season)
    assert RatingChange.objects.get(player__name="Ann").before == 14900
    assert {row.player: row.rating for row in previewed} == dict(
        Standing.objects.values_list("player", "rating")
    )
    assert check_season(season.pk) == []
    undo_merge(gone=anna, by=None)
    assert results(replayed(season)) == apart
    assert check_season(season.pk) == []


def test_who_was_adjusted_since_a_merge_stays_in_the_season_without_it(season: Season) -> None:
    """The entry was that of the other one, who gets it back."""
    ann, (anna,) = player("Ann"), make_players(season.league, "Anna")
    merge_players(keep=anna, gone=ann, by=None)
    adjust_rating(season, "Anna", -100, 0)
    undo_merge(gone=ann, by=None)
    replayed(season)
    assert Standing.objects.get(season=season, player=anna).rating == 14900
    assert check_season(season.pk) == []


# --- Pages


def address(season: Season, name: str, **values: Any) -> str:
    kwargs = {"league": season.league.slug, "season": season.slug, **values}
    return reverse(f"ratings:{name}", kwargs=kwargs)


def test_a_manager_adjusts_a_rating_and_cancels_it_and_everybody_reads_why(
    client: Client, season: Season
) -> None:
    manager = Client()
    manager.force_login(make_organizer(season.league, Role.MANAGER))
    form = address(season, "adjustment-create")
    typed = {"player": "bob", "change": "-10,5", "at": "2026-01-01T02:00", "reason": "No-show"}
    wrong = manager.post(form, typed | {"change": "much", "player": "Nobody"}).content.decode()
    assert "is no player of this league" in wrong
    assert manager.post(form, typed | {"change": "-10.5"}).status_code == 302
    (made,) = Adjustment.objects.all()
    assert (made.player.name, made.change, made.at, made.reason) == ("Bob", -105, at(season, 2), "No-show")
    replayed(season)
    listed = client.get(address(season, "adjustments")).content.decode()
    assert "No-show" in listed
    assert "−10.5" in listed
    assert "1483.6 → 1473.1" in listed
    told = client.get(address(season, "player-season", player="bob")).content.decode()
    gained = rating_of(season, "Bob") - 15000 + 105
    assert f"1500.0 at the start, {'+' if gained > 0 else '−'}{abs(gained) / 10} by games" in told
    assert f"and −10.5 by adjustments make {rating_of(season, 'Bob') / 10}" in told
    cancel = address(season, "adjustment-cancel", adjustment=made.pk)
    assert "Say why it is cancelled" in manager.post(cancel, {"reason": ""}).content.decode()
    assert manager.post(cancel, {"reason": "Was there"}).status_code == 302
    replayed(season)
    listed = client.get(address(season, "adjustments")).content.decode()
    assert "Was there" in listed
    assert "No-show" in listed
    file = b"".join(client.get(address(season, "adjustments-file")).streaming_content).decode("utf-8-sig")
    assert ",Bob,bob,-10.5,No-show,,," in file
    item = client.get(f"/api/v1/leagues/apes/seasons/{season.slug}/adjustments?player=bob").json()["items"][0]
    assert (item["change"], item["cancelled"], item["before"]) == (-10.5, True, None)


def test_scorers_and_strangers_adjust_nothing(client: Client, season: Season) -> None:
    penalty = adjust_rating(season, "Bob", -10, 2)
    pages = [
        address(season, "adjustment-create"),
        address(season, "adjustment-cancel", adjustment=penalty.pk),
    ]
    scorer = Client()
    scorer.force_login(make_organizer(season.league, Role.SCORER))
    for page in pages:
        assert scorer.get(page).status_code == scorer.post(page, {"reason": "x"}).status_code == 403
        assert client.post(page, {"reason": "x"}).status_code in (302, 403)
    assert list(Adjustment.objects.values_list("cancelled_at")) == [(None,)]


def test_the_log_of_corrections_tells_an_adjustment_that_changed_games(
    season: Season, client: Client
) -> None:
    adjust_rating(season, "Bob", -500, 2)
    replayed(season)
    adjust_rating(season, "Bob", -500, 4)  # nothing was played since: no game is rated anew
    replayed(season)
    page = client.get(address(season, "corrections")).content.decode()
    assert page.count("Bob: an adjustment of −50.0") == 1
