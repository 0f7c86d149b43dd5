"""Voiding a game and letting it count again: the services and the page."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from leagues.models import AuditEntry, Game, Role, Season
from leagues.services import correct_game, delete_games, restore_game, update_season, void_game
from leagues.services.games import played_sides
from ratings.models import Standing
from ratings.services.check import check_season
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def game() -> Game:
    season = make_season(make_league("wsd"))
    a, b = make_players(season.league, "A", "B")
    return make_game(season, (a, 3), (b, 1))


@pytest.fixture
def scorer(game: Game, client: Client) -> Client:
    client.force_login(make_organizer(game.season.league, Role.SCORER))
    return client


def url(game: Game) -> str:
    return reverse("leagues:game-void", args=[game.season.league.slug, game.season.slug, game.pk])


def rating_of(name: str) -> int:
    return Standing.objects.get(player__name=name).rating


def test_r47_a_voided_game_is_not_rated_and_restored_it_is(game):
    replayed(game.season)
    rated = rating_of("A")
    assert rated > 15000
    void_game(game=game, reason=" played twice ", by=None)
    replayed(game.season)
    assert not Standing.objects.exists(), "only the game had entered them"
    game.refresh_from_db()
    assert (game.is_voided, game.void_reason, game.version) == (True, "played twice", 2)
    restore_game(game=game, by=None)
    replayed(game.season)
    assert rating_of("A") == rated
    game.refresh_from_db()
    assert (game.is_voided, game.void_reason, game.version) == (False, "", 3)
    assert check_season(game.season_id) == []
    actions = list(AuditEntry.objects.filter(object_type="game").values_list("action", flat=True))
    assert actions == ["restore_game", "void_game", "record_game"]


@pytest.mark.parametrize("reason", ["", "  ", "\u200b", "x" * 201])
def test_a_reason_is_needed(game, reason):
    with pytest.raises(ValidationError):
        void_game(game=game, reason=reason, by=None)
    assert not Game.objects.get().is_voided


def test_voiding_goes_on_from_the_stored_version(game):
    correct_game(
        game=Game.objects.get(), played_at=game.played_at, sides=played_sides(game), by=None, note="n"
    )
    void_game(game=game, reason="twice", by=None)  # an object read before the correction
    stored = Game.objects.get()
    assert (stored.version, stored.note) == (3, "n")


def test_restoring_a_game_that_counts_changes_nothing(game):
    game.season.refresh_from_db()
    revision = game.season.revision
    restore_game(game=game, by=None)
    game.season.refresh_from_db()
    assert game.season.revision == revision
    assert Game.objects.get().version == 1


def test_a_deleted_game_cannot_be_voided(game):
    delete_games(games=[Game.objects.get()], by=None)
    with pytest.raises(ValidationError, match="deleted meanwhile"):
        void_game(game=game, reason="x", by=None)
    with pytest.raises(ValidationError, match="deleted meanwhile"):
        restore_game(game=game, by=None)


def test_the_page_voids_for_a_reason(scorer, game):
    page = scorer.get(url(game)).content.decode()
    assert "Void the game" in page
    response = scorer.post(url(game), {"reason": ""})
    assert "Say why the game is voided; players will read it." in response.content.decode()
    assert not Game.objects.get().is_voided
    response = scorer.post(url(game), {"reason": "played twice"})
    assert response["Location"] == game.get_absolute_url()
    assert Game.objects.get().void_reason == "played twice"


def test_the_page_restores_a_voided_game(scorer, game):
    void_game(game=game, reason="played <twice>", by=None)
    page = scorer.get(url(game)).content.decode()
    assert "played &lt;twice&gt;" in page
    assert scorer.post(url(game), {"restore": "1"}).status_code == 302
    assert not Game.objects.get().is_voided


@pytest.mark.parametrize("reason", ["\0", "x" * 5000, "\u200b"])
def test_bad_reasons_are_refused_with_a_sentence(scorer, game, reason):
    response = scorer.post(url(game), {"reason": reason})
    assert response.status_code == 200
    assert response.context["form"].errors
    assert not Game.objects.get().is_voided


def test_a_closed_season_says_so(scorer, game):
    update_season(season=game.season, by=None, state=Season.State.CLOSED)
    for response in (
        scorer.get(url(game)),
        scorer.post(url(game), {"reason": "x"}),
        scorer.post(url(game), {"restore": "1"}),
    ):
        assert "is closed and takes no changes" in response.content.decode()
    assert not Game.objects.get().is_voided


@pytest.mark.parametrize("name", ["game-void", "game-delete"])
def test_a_game_that_somebody_corrected_meanwhile_is_looked_at_again(scorer, game, name):
    address = url(game).replace("void", name.removeprefix("game-"))
    assert 'name="version" value="1"' in scorer.get(address).content.decode()
    correct_game(game=game, played_at=game.played_at, sides=played_sides(game), note="New", by=None)
    page = scorer.post(address, {"reason": "Twice", "version": "1"}).content.decode()
    assert "Somebody else changed this game meanwhile" in page
    assert 'name="version" value="2"' in page
    assert "New" in page
    assert not Game.objects.get().is_voided
    assert scorer.post(address, {"reason": "Twice", "version": "2"}).status_code == 302
    assert not Game.objects.counted().exists()


def test_a_voided_game_that_somebody_corrected_meanwhile_is_looked_at_before_it_counts_again(scorer, game):
    void_game(game=game, reason="Twice", by=None)
    assert 'name="version" value="2"' in scorer.get(url(game)).content.decode()
    correct_game(game=game, played_at=game.played_at, sides=played_sides(game), note="New", by=None)
    page = scorer.post(url(game), {"restore": "1", "version": "2"}).content.decode()
    assert "Somebody else changed this game meanwhile" in page
    assert "New" in page
    assert Game.objects.get().is_voided
    assert scorer.post(url(game), {"restore": "1", "version": "3"}).status_code == 302
    assert Game.objects.counted().exists()
