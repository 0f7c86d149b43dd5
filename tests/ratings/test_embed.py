"""The standings in a frame of another site."""

import re
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from leagues.models import League, Player, Season
from leagues.services import update_league, update_season
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = pytest.mark.django_db

ADDRESS = "/embed/apes/now/"


@pytest.fixture
def season() -> Season:
    """Cyd leads Bob and Ann, each after two games."""
    league = make_league("apes", name="Apes", owner=make_user("alice"), accent_hue=30)
    season = make_season(league, slug="now", name="Now")
    ann, bob, cyd = make_players(league, "Ann", "Bob", "Cyd")
    for hour in (1, 2):
        at = season.starts_at + timedelta(hours=hour)
        make_game(season, (cyd, 30), (bob, 20), (ann, 10), played_at=at)
    return replayed(season)


class Page(HTMLParser):
    """The texts of the head and the players of the table, and all elements."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.heads: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._in_head = False
        self.feed(answer.content.decode())

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_head = tag == "th"

    def handle_data(self, data: str) -> None:
        if self._in_head and data.strip():
            self.heads.append(data.strip())

    @property
    def players(self) -> list[str | None]:
        return [given["href"] for tag, given in self.tags if tag == "a" and given.get("class") == "name"]

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [given for name, given in self.tags if name == tag]


def test_it_shows_the_table_and_leads_out_of_the_frame(client, season):
    answer = client.get(ADDRESS)
    page = Page(answer)
    assert page.players == [f"/apes/now/players/{name}/" for name in ("cyd", "bob", "ann")]
    assert page.heads == ["Place", "Player", "Score", "Rating", "Games", "W–D–L"]
    assert page.all("base") == [{"target": "_top"}]
    assert {"rel": "icon", "href": "/apes/icon.svg", "type": "image/svg+xml"} in page.all("link")
    assert "/apes/now/" in {link["href"] for link in page.all("a")}
    assert not page.all("script") + page.all("form")


@pytest.fixture(autouse=True)
def _main_host(settings):
    settings.MAIN_HOST = "testserver"


def test_cj_01_r104_it_may_stand_in_any_frame_and_nothing_else_may(client, season):
    answer = client.get(ADDRESS)
    assert "frame-ancestors *;" in answer["Content-Security-Policy"] + ";"
    assert "X-Frame-Options" not in answer
    for address in (
        "/apes/now/",
        "/embed/apes/never/",
        "/embed/nobody/now/",
        "/apes/now/players/ann/badge.svg",
    ):
        other = client.get(address)
        assert "frame-ancestors 'none'" in other.headers.get(
            "Content-Security-Policy", "frame-ancestors 'none'"
        )
        assert other["X-Frame-Options"] == "DENY"


def test_it_is_the_same_for_everybody_and_has_no_cookie(client, season):
    stranger = client.get(ADDRESS)
    client.force_login(season.league.organizers.get().user)
    client.cookies["django_language"] = "tr"
    owner = client.get(ADDRESS, headers={"Accept-Language": "bg"})
    assert owner.content == stranger.content
    for answer in (stranger, owner):
        assert not answer.cookies
        assert not {"Cookie", "Accept-Language"} & {*answer.get("Vary", "").split(", ")}


def test_caches_keep_it_until_a_game_is_rated(client, season):
    answer = client.get(ADDRESS)
    assert answer["Cache-Control"] == "public, max-age=60"
    again = client.get(ADDRESS, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == "public, max-age=60"
    ann, bob = Player.objects.filter(name__in=["Ann", "Bob"])
    make_game(season, (ann, 3), (bob, 1), played_at=season.starts_at + timedelta(days=1))
    replayed(season)
    assert client.get(ADDRESS, headers={"If-None-Match": answer["ETag"]}).status_code == 200


@pytest.mark.parametrize(
    ("query", "language", "head"),
    [
        ("", "en", "Player"),
        ("lang=bg", "bg", "Играч"),
        ("lang=tr", "tr", "Oyuncu"),
        ("lang=xx", "en", "Player"),
    ],
)
def test_the_address_chooses_the_language(client, season, query, language, head):
    answer = client.get(f"{ADDRESS}?{query}")
    assert answer["Content-Language"] == language
    assert Page(answer).heads[1] == head


def test_the_address_chooses_theme_columns_and_rows(client, season):
    page = Page(client.get(f"{ADDRESS}?theme=dark&columns=rating,place,nothing&rows=2"))
    assert page.all("html")[0]["class"] == "hue-30 theme-dark"
    assert page.heads == ["Place", "Player", "Rating"]
    assert len(page.players) == 2
    assert "theme-light" in str(Page(client.get(f"{ADDRESS}?theme=light")).all("html")[0]["class"])


@pytest.mark.parametrize(
    "query", [
        "theme=<b>", "columns=", "columns=<b>", "rows=0", "rows=-1", "rows=x", "rows=1e9",
        "rows=" + "9" * 400,
        "columns=" + "x," * 5000, "sort=<b>", "page=9", "lang[]=tr", "theme=%00",
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_passed_over(client, season, query):
    answer = client.get(f"{ADDRESS}?{query}")
    assert answer.status_code == 200
    assert len(Page(answer).players) == 3
    assert "<b>" not in answer.content.decode()


def test_xr_13_r99_private_leagues_and_drafts_are_not_there(client, season):
    nothing = client.get("/embed/nobody/now/")
    update_season(season=season, by=None, state="draft")
    client.force_login(season.league.organizers.get().user)  # who sees the pages, but not here
    assert client.get("/apes/now/").status_code == 200
    assert client.get(ADDRESS).status_code == 404
    update_season(season=season, by=None, state="open")
    update_league(league=season.league, by=None, visibility="private")
    for address in (
        ADDRESS, "/apes/now/players/ann/badge.svg", "/apes/now/games.atom", "/apes/games.atom",
        "/apes/sitemap.xml",
    ):  # fmt: skip
        answer = client.get(address)
        assert answer.status_code == 404, address
        assert "Ann" not in answer.content.decode()
    answer = client.get(ADDRESS)
    assert answer.content == nothing.content
    assert {*answer.headers.items()} == {*nothing.headers.items()}


def test_a_league_that_is_not_listed_may_be_framed_but_not_indexed(client, season):
    update_league(league=season.league, by=None, visibility="unlisted")
    answer = client.get(ADDRESS)
    assert answer["X-Robots-Tag"] == "noindex"
    assert '<meta name="robots" content="noindex">' in answer.content.decode()


def test_a_former_address_leads_to_the_one_of_today(client, season):
    update_league(league=season.league, by=None, slug="monkeys")
    assert client.get(f"{ADDRESS}?rows=2")["Location"] == "/embed/monkeys/now/?rows=2"


def test_at_the_leagues_own_host_it_links_there(season):
    update_league(league=season.league, by=None, host="apes.example")
    page = Page(Client(SERVER_NAME="apes.example").get("/embed/now/"))
    assert page.players[0] == "/now/players/cyd/"
    assert "/now/" in {link["href"] for link in page.all("a")}
    main = Page(Client().get(ADDRESS))
    assert {"rel": "canonical", "href": "http://apes.example/now/"} in main.all("link")


def test_an_empty_season_says_so(client):
    make_season(make_league("apes"), slug="now")
    assert "Nobody is in this season yet." in client.get(ADDRESS).content.decode()


def test_organizers_find_what_to_copy_below_the_standings(client, season):
    assert "iframe" not in client.get("/apes/now/").content.decode()
    client.force_login(season.league.organizers.get().user)
    League.objects.update(name='"><b>')
    page = client.get("/apes/now/").content.decode()
    copied = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    assert copied
    assert 'src="http://testserver/embed/apes/now/?lang=en&amp;amp;theme=auto"' in copied[1]
    assert "&amp;quot;&amp;gt;&amp;lt;b&amp;gt;" in copied[1]
