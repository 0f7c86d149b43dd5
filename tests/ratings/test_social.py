"""What sites that show links are told of a page."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from leagues.models import Game, League, Player, Season
from leagues.services import update_league
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def season(settings) -> Season:
    settings.MAIN_HOST = "example.org"
    league = make_league("apes", name="Apes", about="Games in trees.", owner=make_user("alice"))
    season = make_season(league, slug="now", name="Now")
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5))
    return replayed(season)


class Head(HTMLParser):
    """The title, the canonical address and the metadata of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.meta: dict[str, str] = {}
        self.canonical = self.title = ""
        self.found: list[str] = []
        self._in_title = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = dict(attrs)
        self.found.append(tag)
        self._in_title = tag == "title" and not self.title
        if tag == "meta" and "content" in given:
            self.meta[given.get("property") or given.get("name", "")] = given["content"]
        if tag == "link" and given.get("rel") == "canonical":
            self.canonical = given["href"]

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False

    def handle_data(self, data: str) -> None:
        self.title += data if self._in_title else ""


def head(client: Client, address: str) -> Head:
    answer = client.get(address)
    assert answer.status_code == 200
    return Head(answer.content.decode())


def pages(season: Season) -> dict[str, str]:
    """Pages, each with what its description must tell."""
    game = Game.objects.get()
    return {
        "/apes/": "Games in trees.",
        "/apes/now/": "Standings of Apes, Now: places, ratings, games and what is missing for a place.",
        "/apes/now/players/ann/": "Ann in Now, Apes: no place yet, ",
        f"/apes/now/games/{game.pk}/": ": Ann 10 – Bob 5",
        "/apes/now/prizes/": "Apes, Now: What the season is played for",
        "/apes/players/ann/": "",
    }


def test_pages_say_what_they_are(client, season):
    for address, description in pages(season).items():
        told = head(client, address)
        assert description in told.meta["og:description"], address
        assert told.meta["og:title"] == told.meta["twitter:title"] == told.title, address
        assert told.meta["og:description"] == told.meta["description"] == told.meta["twitter:description"]
        assert told.canonical == told.meta["og:url"] == f"http://example.org{address}"
        assert (told.meta["og:site_name"], told.meta["og:locale"]) == ("Apes", "en_GB")


def test_the_locale_is_that_of_the_page(client, season):
    client.cookies["django_language"] = "bg"
    assert head(client, "/apes/now/").meta["og:locale"] == "bg_BG"


def test_one_address_stands_for_all_orders_and_filters(client, season):
    assert head(client, "/apes/now/?sort=player&show=classified").canonical == "http://example.org/apes/now/"


def test_a_league_with_a_host_of_its_own_is_at_home_there(client, season):
    update_league(league=season.league, by=None, host="apes.example")
    assert head(client, "/apes/now/").canonical == "http://apes.example/now/"
    assert head(Client(SERVER_NAME="apes.example"), "/now/").canonical == "http://apes.example/now/"


def test_xs_01_what_people_typed_is_text_there(client, season):
    odd = "\"'></title><script>x</script>&lt;"
    plain = head(client, "/apes/").found
    League.objects.update(name=odd, about=odd)
    Player.objects.filter(name="Ann").update(name=odd)
    Season.objects.update(name=odd)
    for address in pages(season):
        told = head(client, address)
        assert odd in told.title, address
        assert odd in told.meta["og:title"], address
        assert "</script>" not in told.found
    assert head(client, "/apes/").found.count("script") == plain.count("script")


def test_xr_13_a_private_league_tells_strangers_nothing(client, season):
    update_league(league=season.league, by=None, visibility="private")
    for address in pages(season):
        answer = client.get(address)
        assert answer.status_code == 404
        assert "og:" not in answer.content.decode()
