"""Correcting a game: the service and the page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from leagues.models import AuditEntry, Game, Player, Season
from leagues.services import (
    GameChangedError,
    GameRefusedError,
    PlayedSide,
    correct_game,
    delete_games,
    update_season,
    void_game,
)
from leagues.services.games import played_sides
from ratings.models import Standing
from ratings.services.check import check_season
from tests.factories import make_game, make_league, make_players, make_season, replayed
from tests.leagues.test_record_game import errors, typed, visitors

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)  # 15:00 in Sofia


@pytest.fixture
def players(season: Season) -> list[Player]:
    return make_players(season.league, "Захари", "Валя", "Марина", "Добри")


@pytest.fixture
def game(season: Season, players: list[Player]) -> Game:
    return make_game(season, (players[0], 3), (players[1], 1), played_at=NOON, note="first")


def url(game: Game) -> str:
    return reverse("leagues:game-update", args=[game.season.league.slug, game.season.slug, game.pk])


def stored(game: Game) -> list[tuple[list[str], int]]:
    sides = played_sides(Game.objects.with_sides().get(pk=game.pk))
    return [([player.name for player in side.members], side.points) for side in sides]


# --- The service


def test_a_correction_replaces_what_the_game_says(season, players, game):
    a, _b, c, d = players
    key = game.key
    corrected = correct_game(
        game=game,
        played_at=NOON,
        sides=[PlayedSide((c,), 5), PlayedSide((a, d), 4)],
        by=None,
        note=" second ",
    )
    game.refresh_from_db()
    assert stored(game) == [(["Марина"], 5), (["Захари", "Добри"], 4)]
    assert [side.points for side in corrected.sides.all()] == [5, 4]
    assert (game.note, game.key, game.version, game.order) == ("second", key, 2, 1)
    assert season.entries.filter(player__in=[c, d]).count() == 2
    entry = AuditEntry.objects.get(action="correct_game")
    assert entry.before["sides"][0] == {"players": ["Захари"], "points": 3}
    assert entry.after["sides"][0] == {"players": ["Марина"], "points": 5}


def test_a_game_moved_in_time_makes_everything_after_both_times_stale(season, players, game):
    replayed(season)
    later, earlier = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
    correct_game(game=game, played_at=later, sides=played_sides(game), by=None)
    season.refresh_from_db()
    assert season.stale_from == NOON
    replayed(season)
    game.refresh_from_db()
    correct_game(game=game, played_at=earlier, sides=played_sides(game), by=None)
    season.refresh_from_db()
    assert season.stale_from == earlier


def test_a_moved_game_comes_last_at_its_new_time(season, players, game):
    other = make_game(season, (players[2], 1), (players[3], 0), played_at=datetime(2026, 6, 1, tzinfo=UTC))
    moved = correct_game(game=game, played_at=other.played_at, sides=played_sides(game), by=None)
    assert (other.order, moved.order) == (1, 2)


def test_a_correction_is_checked_like_a_new_game(season, players, game):
    with pytest.raises(GameRefusedError):
        correct_game(game=game, played_at=NOON, sides=[PlayedSide((players[0],), 1)], by=None)
    assert stored(game) == [(["Захари"], 3), (["Валя"], 1)]
    assert Game.objects.get().version == 1


def test_results_after_a_correction_equal_a_replay_from_scratch(season, players, game):
    make_game(season, (players[1], 1), (players[2], 0), played_at=datetime(2026, 6, 1, tzinfo=UTC))
    replayed(season)
    winner = Standing.objects.get(season=season, player=players[0]).rating
    correct_game(
        game=game, played_at=NOON, sides=[PlayedSide((players[0],), 1), PlayedSide((players[1],), 3)], by=None
    )
    replayed(season)
    assert check_season(season.pk) == []
    assert Standing.objects.get(season=season, player=players[0]).rating < 15000 < winner


def test_a_correction_of_an_older_version_is_refused(season, players, game):
    correct_game(game=game, played_at=NOON, sides=played_sides(game), by=None, version=1, note="mine")
    with pytest.raises(GameChangedError) as error:
        correct_game(game=game, played_at=NOON, sides=played_sides(game), by=None, version=1, note="yours")
    assert error.value.code == "conflict"
    assert error.value.game.note == "mine"
    assert Game.objects.get().version == 2


def test_a_deleted_game_cannot_be_corrected(players, game):
    sides = played_sides(game)
    delete_games(games=[Game.objects.get()], by=None)
    with pytest.raises(ValidationError, match="deleted meanwhile"):
        correct_game(game=game, played_at=NOON, sides=sides, by=None)


# --- The page


def sent(game: Game, *sides: tuple[Any, Any], **values: Any) -> dict[str, Any]:
    return typed(*sides, version=str(Game.objects.get(pk=game.pk).version), **values)


def test_the_form_is_filled_with_the_game(scorer, game):
    page = scorer.get(url(game)).content.decode()
    assert 'value="2026-05-01T15:00"' in page
    assert 'value="first"' in page
    assert "selected>Захари</option>" in page
    assert 'name="version" value="1"' in page
    assert "Correct a game" in page


def test_a_correction_is_saved_and_shown(scorer, game, players):
    response = scorer.post(url(game), sent(game, (players[1], 3), (players[0], 1), note="swapped"))
    assert response["Location"] == game.get_absolute_url()
    assert stored(game) == [(["Валя"], 3), (["Захари"], 1)]
    assert Game.objects.get().note == "swapped"


def test_r71_saving_without_a_change_moves_nothing_by_a_second(scorer, season, players):
    exact = datetime(2026, 10, 25, 1, 30, 12, 345000, tzinfo=UTC)  # the second 03:30 of that night in Sofia
    game = make_game(season, (players[0], 3), (players[1], 1), played_at=exact)
    data = sent(game, (players[0], 3), (players[1], 1), played_at="2026-10-25T03:30")
    assert scorer.post(url(game), data).status_code == 302
    assert Game.objects.get().played_at == exact


def test_r80_a_conflict_shows_both_versions_and_loses_nothing(scorer, game, players):
    loaded = scorer.get(url(game)).context["form"]["loaded"].value()
    data = sent(game, (players[0], 5), (players[1], 1), note="mine", loaded=loaded)
    theirs = [PlayedSide((players[0],), 3), PlayedSide((players[2],), 1)]
    correct_game(game=game, played_at=NOON, sides=theirs, by=None, note="theirs")
    response = scorer.post(url(game), data)
    page = response.content.decode()
    assert "Somebody else changed this game" in page
    assert response.context["form"].differences() == [
        ("Side 1", "Захари: 3", "Захари: 3", "Захари: 5"),
        ("Side 2", "Валя: 1", "Марина: 1", "Валя: 1"),
        ("Note", "first", "theirs", "mine"),
    ]
    assert f'href="{url(game)}"' in page
    assert 'value="mine"' in page
    assert Game.objects.get().note == "theirs"
    assert 'name="version" value="2"' in page  # saving again is meant
    assert scorer.post(url(game), data | {"version": "2"}).status_code == 302
    assert Game.objects.get().note == "mine"


def test_each_conflict_begins_from_what_the_last_one_showed(scorer, game, players):
    loaded = scorer.get(url(game)).context["form"]["loaded"].value()
    data = sent(game, (players[0], 3), (players[1], 1), note="mine", loaded=loaded)
    correct_game(game=game, played_at=NOON, sides=played_sides(game), by=None, note="theirs")
    form = scorer.post(url(game), data).context["form"]
    correct_game(game=game, played_at=NOON, sides=played_sides(game), by=None, note="once more")
    again = {name: form[name].value() for name in ("version", "loaded")}
    form = scorer.post(url(game), data | again).context["form"]
    assert form.differences() == [("Note", "theirs", "once more", "mine")]


def test_what_was_typed_of_a_game_that_is_deleted_becomes_a_new_one(scorer, season, game, players):
    data = sent(game, (players[0], 5), (players[1], 1), note="mine")
    delete_games(games=[game], by=None)
    response = scorer.post(url(game), data)
    page = response.content.decode()
    assert "Somebody else deleted this game meanwhile" in page
    create = reverse("leagues:game-create", args=[season.league.slug, season.slug])
    assert f'action="{create}"' in page
    token = response.context["form"]["token"].value()
    assert scorer.post(create, data | {"token": token}).status_code == 302
    assert Game.objects.get().note == "mine"
    other = url(game).replace(str(game.pk), str(game.pk + 1000))
    assert scorer.post(other, data).status_code == 404


@pytest.mark.parametrize("loaded", ["", "x", "x:y:z"])
def test_a_form_that_does_not_say_what_it_was_filled_with_shows_the_other_two(scorer, game, players, loaded):
    data = sent(game, (players[0], 3), (players[1], 1), note="mine", loaded=loaded)
    correct_game(game=game, played_at=NOON, sides=played_sides(game), by=None, note="theirs")
    assert scorer.post(url(game), data).context["form"].differences() == [("Note", None, "theirs", "mine")]


@pytest.mark.parametrize("version", ["", "0", "999", "-1", "9" * 40])
def test_a_correction_without_its_version_is_a_conflict(scorer, game, players, version):
    data = typed((players[0], 5), (players[1], 1), version=version)
    assert "Somebody else changed this game" in scorer.post(url(game), data).content.decode()
    assert Game.objects.get().version == 1


def test_errors_stay_in_the_form(scorer, game, players):
    response = scorer.post(url(game), sent(game, (players[0], "x"), (players[0], 1)))
    assert list(errors(response)) == ["points 1"]
    response = scorer.post(url(game), sent(game, (players[0], 1), (players[0], 1)))
    assert list(errors(response)) == ["members 2"]
    assert Game.objects.get().version == 1


def test_a_side_can_be_added_and_one_taken_away(scorer, game, players):
    response = scorer.post(url(game), sent(game, (players[0], 3), (players[1], 1), add="side"))
    assert len(response.context["form"].sides.forms) == 3
    scorer.post(url(game), sent(game, (players[0], 3), (players[1], 1), (players[2], 0)))
    assert len(stored(game)) == 3
    scorer.post(url(game), sent(game, (players[0], 3), (players[1], 1), ([], "")))
    assert len(stored(game)) == 2


def test_a_voided_game_can_be_corrected_and_stays_voided(scorer, season, game, players):
    void_game(game=game, reason="twice", by=None)
    assert scorer.post(url(game), sent(game, (players[0], 4), (players[1], 1))).status_code == 302
    assert Game.objects.get().is_voided
    assert not season.entries.exists()  # nobody plays in a game that does not count


def test_a_closed_season_says_so(scorer, season, game, players):
    update_season(season=season, by=None, state=Season.State.CLOSED)
    for response in (
        scorer.get(url(game)),
        scorer.post(url(game), sent(game, (players[0], 9), (players[1], 1))),
    ):
        assert "is closed and takes no changes" in response.content.decode()
    assert stored(game) == [(["Захари"], 3), (["Валя"], 1)]


@pytest.mark.parametrize("name", ["game-update", "game-void", "game-delete"])
def test_only_scorers_get_in(client, season, game, name):
    address = reverse(f"leagues:{name}", args=[season.league.slug, season.slug, game.pk])
    for user, status, _for_managers in visitors(season):
        client.logout()
        if user:
            client.force_login(user)
        assert client.get(address).status_code == status
        if status != 200:
            assert client.post(address, {"reason": "x"}).status_code == status
    assert not Game.objects.get().is_voided


@pytest.mark.parametrize("name", ["game-update", "game-void", "game-delete"])
def test_a_game_of_another_season_or_league_does_not_exist(scorer, season, name):
    cup = make_season(season.league, name="Cup")
    theirs = make_season(make_league())
    for other in (cup, theirs):
        foreign = make_game(other, *[(player, 1) for player in make_players(other.league, "A", "B")])
        for pk in (foreign.pk, 10**30):
            address = reverse(f"leagues:{name}", args=[season.league.slug, season.slug, pk])
            assert scorer.get(address).status_code == 404
            assert scorer.post(address, {"reason": "x"}).status_code == 404
    assert Game.objects.filter(voided_at=None).count() == 2


def test_the_page_asks_as_many_queries_for_many_sides(scorer, season, players, django_assert_max_num_queries):
    small = make_game(season, (players[0], 3), (players[1], 1))
    large = make_game(season, *[(p, 1) for p in make_players(season.league, *"ABCDEFGHIJ")])
    for game in (small, large):
        with django_assert_max_num_queries(12):
            scorer.get(url(game))
