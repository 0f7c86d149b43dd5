"""A session that ended while a page stood open: the way back to that page, and no sign-in form inside it."""

import pytest
from django.test import Client
from django.urls import reverse

from leagues.models import Game, Season
from tests.factories import make_game, make_league, make_players, make_season, make_user

pytestmark = pytest.mark.django_db

PAGE = "http://testserver/club/now/games/?player=anna"


@pytest.fixture
def season() -> Season:
    return make_season(make_league("club", language="en", owner=make_user("alice")), slug="now")


@pytest.fixture
def game(season: Season) -> Game:
    anna, ben = make_players(season.league, "Anna", "Ben")
    return make_game(season, (anna, 5), (ben, 3))


def address(name: str, game: Game) -> str:
    return reverse(name, kwargs={"league": "club", "season": "now", "game": game.pk})


def test_who_sends_a_form_comes_back_to_the_page_that_it_stands_on(game: Game):
    client = Client()
    answer = client.post(address("leagues:game-order", game), {"later": ""}, headers={"Referer": PAGE})
    assert answer["Location"] == "/accounts/login/?next=/club/now/games/%3Fplayer%3Danna"
    page = client.get(answer["Location"]).content.decode()
    assert "You are signed out, so nothing was saved. Sign in and do it again." in page
    signed_in = client.post(answer["Location"], {"username": "alice", "password": "secret"})
    assert client.get(signed_in["Location"]).status_code == 200


@pytest.mark.parametrize(
    "page", ["", "https://elsewhere.example/club/", "http://testserver.example/", "http://["]
)
def test_a_page_of_another_site_is_none_to_come_back_to(game: Game, page: str):
    void = address("leagues:game-void", game)
    answer = Client().post(void, {"reason": "x"}, headers={"Referer": page})
    assert answer["Location"] == f"/accounts/login/?next={void}"


def test_a_fragment_leads_the_whole_page_to_the_sign_in(game: Game):
    form = "http://testserver/club/now/games/new/"
    headers = {"Referer": form, "HX-Request": "true", "HX-Current-URL": form}
    for answer in (
        Client().post("/club/now/games/preview/", headers=headers),
        Client().get("/club/now/games/players/?q=a", headers=headers),
    ):
        assert answer.status_code == 200
        assert answer["HX-Redirect"] == "/accounts/login/?next=/club/now/games/new/"
        assert answer.content == b""


def test_whoever_only_reads_is_told_nothing_of_saving(game: Game):
    client = Client()
    answer = client.get(address("leagues:game-update", game), headers={"Referer": PAGE})
    assert answer["Location"] == f"/accounts/login/?next={address('leagues:game-update', game)}"
    assert "nothing was saved" not in client.get(answer["Location"]).content.decode()
