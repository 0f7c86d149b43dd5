"""The games as an Atom feed."""

from datetime import timedelta
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from leagues.models import Game, League, Player, Season
from leagues.services import correct_game, update_league, update_season, void_game
from leagues.services.games import played_sides
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = pytest.mark.django_db

ADDRESS = "/apes/now/games.atom"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def season(settings) -> Season:
    """Two duels of equals: Ann beat Bob, then lost."""
    settings.MAIN_HOST = "testserver"
    season = make_season(make_league("apes", name="Apes", owner=make_user("alice")), slug="now", name="Now")
    ann, bob = make_players(season.league, "Ann", "Bob")
    for hour, points in enumerate((30, 10)):
        make_game(season, (ann, points), (bob, 20), played_at=season.starts_at + timedelta(hours=hour))
    return replayed(season)


def entries(answer: Any) -> list[dict[str, str]]:
    """Each entry's texts by the names of their elements, and the address it links to."""
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    found = []
    for entry in ElementTree.fromstring(answer.content).iter(f"{ATOM}entry"):
        texts = {part.tag.removeprefix(ATOM): part.text or part.get("href", "") for part in entry}
        found.append(texts)
    return found


def test_the_newest_game_comes_first_with_what_it_changed(client, season):
    newest, oldest = entries(client.get(ADDRESS))
    assert (newest["title"], oldest["title"]) == ("Ann 10 – Bob 20", "Ann 30 – Bob 20")
    change = season.changes.filter(game=Game.objects.earliest("pk"), player__name="Ann").get().change  # type: ignore[attr-defined]
    assert oldest["summary"] == f"Ann +{change / 10:.1f}, Bob −{change / 10:.1f}"
    assert newest["link"] == f"http://testserver/apes/now/games/{Game.objects.latest('pk').pk}/"


def test_the_feed_says_whose_it_is(client, season):
    feed = ElementTree.fromstring(client.get(f"{ADDRESS}?lang=bg").content)
    assert feed.get("{http://www.w3.org/XML/1998/namespace}lang") == "bg"
    assert feed.findtext(f"{ATOM}title") == "Apes · Now"
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Apes"
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert links == {
        "alternate": "http://testserver/apes/now/games/",
        "self": "http://testserver/apes/now/games.atom?lang=bg",
    }


def test_a_corrected_game_is_the_same_entry_with_a_later_date(client, season):
    before = entries(client.get(ADDRESS))
    game = Game.objects.with_sides().earliest("pk")
    one, other = played_sides(game)
    correct_game(game=game, played_at=game.played_at, sides=[other, one], note="Turned", by=None)
    replayed(season)
    after = entries(client.get(ADDRESS))
    assert [entry["id"] for entry in after] == [entry["id"] for entry in before]
    assert after[1]["title"] == "Bob 20 – Ann 30"
    assert after[1]["summary"].endswith(". Turned")
    assert after[1]["published"] == before[1]["published"]
    assert after[1]["updated"] >= before[1]["updated"]
    update_league(league=season.league, by=None, slug="monkeys")
    assert [entry["id"] for entry in entries(client.get(ADDRESS, follow=True))] == [e["id"] for e in after]


def test_a_voided_game_says_why_it_does_not_count(client, season):
    void_game(game=Game.objects.latest("pk"), reason="Twice", by=None)
    assert entries(client.get(ADDRESS))[0]["summary"] == "This game does not count: Twice"
    replayed(season)
    assert entries(client.get(ADDRESS))[0]["summary"] == "This game does not count: Twice"


def test_a_game_that_is_not_rated_yet_says_so(client, season):
    ann, bob = Player.objects.order_by("pk")
    make_game(season, (ann, 1), (bob, 0), played_at=season.starts_at + timedelta(days=1), note="Late")
    assert entries(client.get(ADDRESS))[0]["summary"] == "This game is not rated yet. Late"


def test_the_feed_of_the_league_has_all_its_seasons_but_drafts(client, season):
    later = make_season(season.league, name="Later", slug="later")
    draft = make_season(season.league, name="Draft", slug="draft")
    ann, bob = Player.objects.order_by("pk")
    make_game(later, (ann, 7), (bob, 7), played_at=later.starts_at + timedelta(days=9))
    make_game(draft, (ann, 8), (bob, 8), played_at=later.starts_at + timedelta(days=9))
    update_season(season=draft, by=None, state="draft")
    found = entries(client.get("/apes/games.atom"))
    assert [entry["title"] for entry in found] == ["Ann 7 – Bob 7", "Ann 10 – Bob 20", "Ann 30 – Bob 20"]
    assert "/apes/later/games/" in found[0]["link"]


def test_nothing_new_is_not_sent_again(client, season):
    for address in (ADDRESS, "/apes/games.atom"):
        tag = client.get(address)["ETag"]
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
        void_game(game=Game.objects.counted().latest("pk"), reason="Twice", by=None)
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 200


def test_xs_01_texts_are_text_in_it_and_it_stays_xml(client, season):
    odd = "<b>\x00\x0b\ufffe&amp;\ud7ff😀"
    Player.objects.filter(name="Ann").update(name="<b>&amp;")
    Game.objects.update(note=odd.replace("\x00", ""))
    newest = entries(client.get(ADDRESS))[0]
    assert newest["title"] == "<b>&amp; 10 – Bob 20"  # plain text by the format
    assert "<" not in newest["summary"]  # HTML by the format
    assert unescape(newest["summary"]).startswith("<b>&amp; ")
    assert "😀" in newest["summary"]


def test_pages_lead_to_it(client, season):
    for address in ("/apes/", "/apes/now/", "/apes/now/games/", "/apes/now/players/ann/"):
        page = client.get(address).content.decode()
        assert 'type="application/atom+xml" title="Now: Games" href="/apes/now/games.atom"' in page, address
        assert 'href="/apes/games.atom"' in page, address
    League.objects.update(visibility="private")
    client.force_login(season.league.organizers.get().user)
    assert "games.atom" not in client.get("/apes/now/").content.decode()  # it is not there for anybody


def test_at_the_leagues_own_host_it_links_there(season):
    update_league(league=season.league, by=None, host="apes.example")
    at_home, elsewhere = (
        entries(Client(SERVER_NAME="apes.example").get("/now/games.atom")),
        entries(Client().get(ADDRESS)),
    )
    assert at_home == elsewhere
    assert at_home[0]["link"].startswith("http://apes.example/now/games/")
