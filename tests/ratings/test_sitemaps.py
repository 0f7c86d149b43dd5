"""What search engines are told: sitemaps and robots.txt."""

from xml.etree import ElementTree

import pytest
from django.test import Client

from leagues.models import Season
from leagues.services import update_league, update_season
from tests.factories import make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


@pytest.fixture
def season() -> Season:
    season = make_season(make_league("apes"), slug="now")
    make_players(season.league, "Ann")
    make_season(season.league, name="Next", slug="next")
    update_season(season=Season.objects.get(slug="next"), by=None, state="draft")
    return replayed(season)


def addresses(answer) -> list[str]:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/xml"
    assert not answer.cookies
    return [element.text or "" for element in ElementTree.fromstring(answer.content).iter(LOC)]


HIDDEN = [{"visibility": "private"}, {"visibility": "unlisted"}, {"in_search_engines": False}]


def test_the_sites_sitemap_names_that_of_each_league_to_be_found(client, season):
    assert addresses(client.get("/sitemap.xml")) == ["http://testserver/apes/sitemap.xml"]


@pytest.mark.parametrize("values", HIDDEN)
def test_xr_13_pv_02_no_other_league_is_in_one(client, season, values):
    update_league(league=season.league, by=None, **values)
    assert addresses(client.get("/sitemap.xml")) == []
    assert client.get("/apes/sitemap.xml").status_code == 404
    assert "apes" not in client.get("/robots.txt").content.decode()


def test_a_leagues_sitemap_has_its_pages_but_no_drafts(client, season):
    paths = [
        address.removeprefix("http://testserver") for address in addresses(client.get("/apes/sitemap.xml"))
    ]
    assert paths == [
        "/apes/", "/apes/players/", "/apes/now/", "/apes/now/games/", "/apes/now/prizes/",
        "/apes/players/ann/",
    ]  # fmt: skip
    for path in paths:
        assert client.get(path).status_code == 200


def test_robots_txt_names_the_sitemap(client, season):
    answer = client.get("/robots.txt")
    assert answer["Content-Type"].startswith("text/plain")
    lines = answer.content.decode().splitlines()
    assert "Sitemap: http://testserver/sitemap.xml" in lines
    assert "Disallow: /admin/" in lines


def test_a_leagues_own_host_has_its_own(client, season):
    update_league(league=season.league, by=None, host="apes.example")
    visitor = Client(SERVER_NAME="apes.example")
    assert addresses(visitor.get("/sitemap.xml"))[2] == "http://apes.example/now/"
    assert "Sitemap: http://apes.example/sitemap.xml" in visitor.get("/robots.txt").content.decode()
    assert addresses(client.get("/sitemap.xml")) == []  # it is at home elsewhere
    update_league(league=season.league, by=None, in_search_engines=False)
    assert visitor.get("/sitemap.xml").status_code == 404
    robots = visitor.get("/robots.txt")
    assert "Sitemap" not in robots.content.decode()
    assert (
        "Disallow: /\n" not in robots.content.decode()
    )  # or nobody would read that pages are not to be listed
    update_league(league=season.league, by=None, visibility="private")
    assert visitor.get("/robots.txt").status_code == 404


@pytest.mark.parametrize("query", ["p=0", "p=2", "p=x", "p=" + "9" * 40])
def test_a_page_of_a_sitemap_that_is_not_there_is_404(client, season, query):
    assert client.get(f"/apes/sitemap.xml?{query}").status_code == 404
