"""A league at its own host name."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import get_resolver

from leagues.hosts import clean_host
from leagues.models import AuditEntry, League, Role
from leagues.pictures import Pictures
from leagues.services import create_league, create_team, update_league
from leagues.tenancy.hosts import LeagueAddresses
from tests.factories import (
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db

HOST = "chess.example"
CANARY = "Canary"


@pytest.fixture(autouse=True)
def hosts(settings):
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.MAIN_HOST = "testserver"


@pytest.fixture
def league() -> League:
    """A league at HOST with a season of two players and a game, beside a league full of canaries."""
    for slug, host, names in (("chess", HOST, ["Ann", "Bob"]), ("go", "go.example", [CANARY, "Canary Two"])):
        league = make_league(slug, name=names[0], owner=make_user(f"owner-of-{slug}"))
        update_league(league=league, by=None, host=host, pictures=Pictures(b"icon", b"picture"))
        season = make_season(league, name="Now")
        one, other = make_players(league, *names)
        create_team(league=league, name=f"Team {one}", members=[one, other], by=None)
        make_game(season, (one, 10), (other, 5))
        replayed(season)
    return League.objects.get(slug="chess")


@pytest.fixture
def visitor() -> Client:
    return Client(SERVER_NAME=HOST)


# --- How a host name is written


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("chess.example", "chess.example"),
        (" Chess.EXAMPLE. ", "chess.example"),
        ("chess.example:8443", "chess.example"),
        ("Пример.example", "xn--e1afmkfd.example"),
        ("XN--E1AFMKFD.example", "xn--e1afmkfd.example"),
        ("münchen.example", "xn--mnchen-3ya.example"),
    ],
)
def test_a_host_name_is_kept_as_requests_bring_it(written, host):
    assert clean_host(written) == host
    assert clean_host(host) == host


@pytest.mark.parametrize(
    "written",
    [
        "chess", "https://chess.example", "chess.example/path", "a b.example", "-a.example", "127.0.0.1",
        "[::1]", "*.example", ".example.org", "a..example", "chess.example\0", "a" * 64 + ".example",
        "a." * 130 + "org", "user@chess.example", "chess.example:x",
    ],
)  # fmt: skip
def test_what_is_no_host_name_is_refused(written):
    with pytest.raises(ValidationError, match="is no host name; write one like"):
        clean_host(written)


def test_two_leagues_cannot_have_one_host_however_it_is_written():
    make_league("chess", host=HOST)
    with pytest.raises(ValidationError, match="Another league has this host name"):
        update_league(league=make_league("go"), by=None, host="CHESS.example.:443")


@pytest.mark.parametrize("host", ["standings.example", "STANDINGS.example.", "example.org", "www.example"])
def test_the_main_host_is_no_leagues(settings, host):
    settings.ALLOWED_HOSTS = ["standings.example", ".example.org", "*"]
    settings.MAIN_HOST = "www.example:8443"
    with pytest.raises(ValidationError, match="is the site's own host name"):
        update_league(league=make_league("chess"), by=None, host=host)


def test_a_host_below_the_main_host_can_be_a_leagues(settings):
    settings.ALLOWED_HOSTS = ["example.org", ".example.org"]
    update_league(league=make_league("chess"), by=None, host="chess.example.org")
    assert Client(SERVER_NAME="chess.example.org").get("/").status_code == 200


# --- Who sets it


def test_an_owner_cannot_set_the_host_name(client):
    alice = make_user("alice")
    league = make_league("chess", owner=alice)
    for write in (lambda: update_league(league=league, by=alice, host=HOST),
                  lambda: create_league(by=alice, slug="go", name="Go", host=HOST)):  # fmt: skip
        with pytest.raises(ValidationError, match="Only the operator"):
            write()
    client.force_login(alice)
    address = f"/admin/leagues/league/{league.pk}/change/"
    assert 'name="host"' not in client.get(address).content.decode()
    data = {"name": "New", "slug": "chess", "language": "en", "timezone": "UTC", "accent_hue": 165}
    assert client.post(address, data | {"visibility": "public", "host": HOST}).status_code == 302
    league.refresh_from_db()
    assert (league.name, league.host) == ("New", "")


def test_the_operator_sets_it_in_the_admin_and_the_owner_keeps_it(client):
    alice = make_user("alice")
    league = make_league("chess", owner=alice)
    address = f"/admin/leagues/league/{league.pk}/change/"
    data = {"name": "Chess", "slug": "chess", "language": "en", "timezone": "UTC", "accent_hue": 165}
    data["visibility"] = "public"
    client.force_login(make_user("root", is_superuser=True))
    assert "is no host name" in client.post(address, data | {"host": "https://x"}).content.decode()
    assert client.post(address, data | {"host": "Chess.Example:443"}).status_code == 302
    client.force_login(alice)
    assert client.post(address, data | {"name": "Renamed"}).status_code == 302
    league.refresh_from_db()
    assert (league.name, league.host) == ("Renamed", HOST)
    assert AuditEntry.objects.filter(after__host=HOST, before__host="").get().by.username == "root"


# --- What is there


def test_its_home_is_the_leagues(league, visitor):
    page = visitor.get("/").content.decode()
    assert "<h1>Ann</h1>" in page
    assert 'href="/now/"' in page


def addresses(league: League) -> list[str]:
    """Every page and file of the league that is read without an account, at its own host.

    But for the ladder, which only a season of the other system has.
    """
    values = {"season": "now", "player": "ann", "game": league.seasons.get().games.get().pk}
    values["team"] = league.teams.get().slug
    routes = [
        re.sub(r"<\w+:(\w+)>", lambda name: str(values[name[1]]), str(pattern.pattern))
        for pattern in get_resolver(LeagueAddresses("chess")).url_patterns[-1].url_patterns
        if pattern.callback.view_class.role_required is None
        and not re.search(r"/ladder/|/leaderboard\.", str(pattern.pattern))
    ]
    assert {"", "now/", "now/games.csv", "players/ann/", "now/players/ann/"} <= {*routes}
    return ["/" + route for route in routes]


def test_every_page_links_to_pages_that_are_there(league, visitor):
    for address in addresses(league):
        answer = visitor.get(address)
        assert answer.status_code == 200, address
        content = (answer.getvalue() if answer.streaming else answer.content).decode(errors="replace")
        assert CANARY not in content, address
        links = re.findall(r'(?:href|action|hx-get)="([^"#?]*)', content)
        assert not [link for link in links if link.startswith(("/chess", "/admin", "/accounts"))], address


def test_pages_of_both_hosts_are_kept_apart(league, client, visitor):
    for _time in range(2):  # the second is answered from what was kept
        assert 'href="/now/players/ann/"' in visitor.get("/now/").content.decode()
        assert 'href="/chess/now/players/ann/"' in client.get("/chess/now/").content.decode()


def test_a_tag_of_the_main_host_is_no_tag_here(league, client, visitor):
    tag = client.get("/chess/now/")["ETag"]
    assert visitor.get("/now/", headers={"If-None-Match": tag}).status_code == 200


def test_the_language_can_be_chosen_there(league, visitor):
    answer = visitor.post("/i18n/setlang/", {"language": "tr", "next": "/now/"})
    assert answer["Location"] == "/now/"
    assert 'lang="tr"' in visitor.get("/now/").content.decode()


ELSEWHERE = [
    "/go/", "/go/now/", "/go/players/", "/go/now/standings.csv", "/chess/", "/chess/now/", "/nowhere/",
    "/players/canary/", "/now/players/canary/", "/admin/", "/admin/leagues/league/", "/accounts/login/",
    "/healthz/", "/api/v1/leagues", "/api/v1/leagues/go", "/api/v1/leagues/chess",
]  # fmt: skip


def test_xr_14_nothing_else_of_the_site_is_there(league, visitor):
    for address in ELSEWHERE:
        answer = visitor.get(address)
        assert answer.status_code == 404, address
        assert CANARY not in answer.content.decode(), address


# --- Which host a request is for


def test_xr_14_spellings_of_the_host_are_the_same_league(league, client):
    for host in ("Chess.EXAMPLE", "chess.example.", "chess.example:8443"):
        assert "<h1>Ann</h1>" in client.get("/", headers={"Host": host}).content.decode()
        assert client.get("/go/now/", headers={"Host": host}).status_code == 404


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "www.chess.example", "chess.example.evil", "chess.example,testserver", "шах.example",
        "chess.example:x", "chess.example@evil", "", "chess_example", "chess.example\0",
    ],
)  # fmt: skip
def test_xr_14_an_unknown_host_is_400(client, host):
    make_league("chess", host=HOST, name=CANARY)
    for address in ("/", "/chess/", "/now/", "/api/v1/leagues", "/accounts/login/"):
        answer = client.get(address, headers={"Host": host})
        assert answer.status_code == 400
        assert CANARY not in answer.content.decode()


def test_xr_14_what_a_proxy_is_said_to_have_forwarded_is_not_believed(league, client, visitor):
    forwarded = {"X-Forwarded-Host": "go.example"}
    assert "<h1>Ann</h1>" in visitor.get("/", headers=forwarded).content.decode()
    assert 'href="/chess/"' in client.get("/", headers=forwarded).content.decode()


def test_a_host_taken_from_a_league_is_unknown_at_the_next_request(league, visitor):
    assert visitor.get("/now/").status_code == 200
    update_league(league=league, by=None, host="")
    assert visitor.get("/now/").status_code == 400


def test_the_main_host_costs_no_query(league, client, django_assert_num_queries):
    with django_assert_num_queries(0):
        client.get("/healthz/none/of/this")


def test_it_speaks_for_no_other_name_of_its_domain(league, client, visitor, settings):
    settings.SECURE_HSTS_SECONDS = 60
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    header = "Strict-Transport-Security"
    assert client.get("/", secure=True)[header] == "max-age=60; includeSubDomains"
    assert visitor.get("/", secure=True)[header] == "max-age=60"


# --- Nobody is signed in there


def test_links_to_sign_in_lead_to_the_same_page_of_the_main_host(league, visitor):
    page = visitor.get("/now/?show=classified").content.decode()
    assert 'href="http://testserver/accounts/login/?next=/chess/now/%3Fshow%3Dclassified"' in page
    assert 'href="http://testserver/"' in page


def test_pages_for_organizers_lead_to_the_main_host(league, visitor):
    for answer in (visitor.get("/now/games/new/"), visitor.post("/now/games/new/", {"any": "thing"})):
        assert answer["Location"] == "http://testserver/accounts/login/?next=/chess/now/games/new/"


def test_a_session_of_the_main_host_is_none_there(league, client):
    client.force_login(make_organizer(league, Role.OWNER, "alice"))
    assert "alice" in client.get("/chess/").content.decode()
    page = client.get("/", headers={"Host": HOST}).content.decode()
    assert "alice" not in page
    assert "Sign in" in page


def test_xr_13_the_host_of_a_private_league_shows_nothing(league, visitor):
    update_league(league=league, by=None, visibility="private")
    for address in addresses(league):
        answer = visitor.get(address)
        # Organizers go on to the main host, which asks who they are before it says anything.
        assert answer.status_code == 404, address
        assert "Ann" not in answer.content.decode()
