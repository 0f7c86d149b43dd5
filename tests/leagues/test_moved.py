"""Addresses of before lead to those of today, and give nothing away."""

import pytest
from django.core.exceptions import ValidationError
from django.urls import get_resolver

from leagues.games_csv import read_games
from leagues.models import FormerAddress, League, Player, Role, Season
from leagues.names import slugify
from leagues.services import (
    create_league,
    create_player,
    create_season,
    delete_league,
    import_games,
    update_league,
    update_player,
    update_season,
)
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """A season “Now” of the league “club”, with Ann and Bob and a game."""
    season = make_season(make_league("club"), name="Now")
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5))
    return season


def rename(player: Player, name: str) -> Player:
    return update_player(player=player, name=name, by=None)


def where(client, address: str, **headers: str) -> str:
    """Where a permanent redirect leads."""
    answer = client.get(address, headers=headers)
    assert answer.status_code == 301, address
    return answer["Location"]


# --- Leagues


def test_a_leagues_old_address_leads_to_the_new_one(client, season):
    update_league(league=season.league, by=None, slug="society")
    assert where(client, "/club/") == "/society/"
    assert where(client, "/club/now/?show=classified&q=a%26b") == "/society/now/?show=classified&q=a%26b"
    assert where(client, "/club/now/games.csv") == "/society/now/games.csv"
    assert where(client, "/club/players/ann/") == "/society/players/ann/"
    assert where(client, "/club/now/", HX_Request="true") == "/society/now/"
    api = "/api/v1/leagues/{}/seasons/now/standings?limit=1"
    assert where(client, api.format("club")) == api.format("society")
    assert (
        client.get("/club/nowhere/").status_code == 301
    )  # the league is known, the season is asked for there


def test_a_form_sent_to_the_old_address_is_sent_on(client, season):
    client.force_login(make_organizer(season.league))
    update_league(league=season.league, by=None, slug="society")
    answer = client.post("/club/now/games/new/", {"add": "1"})
    assert (answer.status_code, answer["Location"]) == (308, "/society/now/games/new/")


def test_no_browser_remembers_a_redirect_for_good(client, season):
    update_league(league=season.league, by=None, slug="society")
    assert client.get("/club/")["Cache-Control"] == "private, no-cache"
    update_league(league=season.league, by=None, slug="club")
    assert client.get("/club/").status_code == 200
    assert where(client, "/society/") == "/club/"


def test_all_addresses_a_league_had_lead_to_it(client, season):
    for slug in ("second", "third"):
        update_league(league=season.league, by=None, slug=slug)
    assert where(client, "/club/") == where(client, "/second/") == "/third/"


def test_no_other_league_gets_the_visitors_of_an_old_address(season):
    update_league(league=season.league, by=None, slug="society")
    with pytest.raises(ValidationError, match="“club” is taken"):
        create_league(by=None, slug="club", name="Thief")
    with pytest.raises(ValidationError, match="“club” is taken"):
        update_league(league=make_league("other"), by=None, slug="club")
    delete_league(league=season.league, by=None)
    assert create_league(by=None, slug="club", name="Heir").pk


def test_xr_13_a_private_leagues_old_address_tells_nothing(client, season):
    update_league(league=season.league, by=None, slug="society", visibility="private")
    for visitor in (None, make_user("erin")):
        if visitor:
            client.force_login(visitor)
        unknown = client.get("/unknown/")
        for address in ("/club/", "/society/"):
            answer = client.get(address)
            assert (answer.status_code, answer.headers) == (404, unknown.headers)
            assert answer.content == unknown.content
        assert client.get("/api/v1/leagues/club").status_code == 404
    client.force_login(make_organizer(season.league))
    assert where(client, "/club/") == "/society/"


# --- Seasons


def test_a_seasons_old_address_leads_to_the_new_one(client, season):
    update_season(season=season, by=None, slug="2026")
    assert where(client, "/club/now/") == "/club/2026/"
    assert where(client, "/club/now/players/ann/") == "/club/2026/players/ann/"
    assert where(client, "/api/v1/leagues/club/seasons/now") == "/api/v1/leagues/club/seasons/2026"


def test_the_next_season_can_take_the_address_over(client, season):
    update_season(season=season, by=None, slug="2026")
    create_season(league=season.league, by=None, name="Now", starts_on="2027-01-01", ends_on="2027-12-31")
    assert client.get("/club/now/").status_code == 200
    assert client.get("/club/now/players/nobody/").status_code == 404


def test_a_draft_is_not_given_away(client, season):
    update_season(season=season, by=None, slug="secret", state="draft")
    assert client.get("/club/now/").status_code == 404
    client.force_login(make_organizer(season.league))
    assert where(client, "/club/now/") == "/club/secret/"


# --- Players


def test_a_renamed_players_old_address_leads_to_the_new_one(client, season):
    rename(season.league.players.get(slug="ann"), "Anna Maria")
    assert where(client, "/club/players/ann/") == "/club/players/anna-maria/"
    assert where(client, "/club/now/players/ann/?by=date") == "/club/now/players/anna-maria/?by=date"
    answer = client.get("/api/v1/leagues/club/seasons/now/players/ann")
    assert answer["Location"] == "/api/v1/leagues/club/seasons/now/players/anna-maria"


def test_league_season_and_player_moved_are_one_redirect(client, season):
    rename(season.league.players.get(slug="ann"), "Anna")
    update_season(season=season, by=None, slug="2026")
    update_league(league=season.league, by=None, slug="society")
    assert where(client, "/club/now/players/ann/") == "/society/2026/players/anna/"


def test_a_players_old_address_leads_on_at_the_leagues_own_host(client, season):
    update_league(league=season.league, by=None, host="chess.example")
    rename(season.league.players.get(slug="ann"), "Anna")
    assert where(client, "/players/ann/", Host="chess.example") == "/players/anna/"


def test_only_a_new_name_in_letters_makes_a_new_address(season):
    ann = rename(season.league.players.get(slug="ann"), "ÁNN")
    assert ann.slug == "ann"
    assert not FormerAddress.objects.exists()


def test_an_old_address_stays_taken_and_can_be_taken_back(season):
    league = season.league
    ann = rename(league.players.get(slug="ann"), "Anna")
    assert create_player(league=league, name="Ann", by=None).slug == "ann-2"
    assert rename(ann, "Ann").slug == "ann"
    assert [former.slug for former in FormerAddress.objects.all()] == ["anna"]


def test_another_leagues_player_does_not_matter(client, season):
    other = make_league("other")
    rename(make_players(other, "Cyd")[0], "Cydney")
    assert client.get("/club/players/cyd/").status_code == 404
    assert create_player(league=season.league, name="Cyd", by=None).slug == "cyd"


def test_a_file_of_before_still_tells_namesakes_apart(season):
    league = season.league
    _first, second = make_players(league, "Cyd", "Cyd")
    assert second.slug == "cyd-2"
    rename(second, "Cydney")
    file = read_games(
        b"played_at,side 1,points 1,side 2,points 2\n2026-02-01,cyd-2,5,Ann,3\n", timezone=league.zone
    )
    plan = import_games(season=season, file=file, by=None)
    assert plan.error_count == 0
    assert second.seats.count() == 1


# --- Words of the site


def first_words(patterns, start: str = "") -> set[str]:
    """What may stand behind ``start`` in an address, as far as it is a word; read from the URLconf."""
    words = set()

    def walk(patterns, prefix: str) -> None:
        for each in patterns:
            route = prefix + str(each.pattern).lstrip("^")
            if hasattr(each, "url_patterns"):
                walk(each.url_patterns, route)
            elif route.startswith(start):
                words.add(route[len(start) :].partition("/")[0])

    walk(patterns, "")
    return {word for word in words if word and "<" not in word and "(" not in word}


def test_sl_01_no_league_can_have_a_word_of_the_site():
    words = first_words(get_resolver().url_patterns)
    assert {"admin", "accounts", "api", "healthz", "i18n"} <= words
    for word in sorted(
        words | {"static", "media", "embed", "robots.txt", ".well-known", "ADMIN", "%2e", "аdmin"}
    ):
        with pytest.raises(ValidationError):
            create_league(by=None, slug=word, name="Shadow")
        with pytest.raises(ValidationError):
            update_league(league=League.objects.first() or make_league("club"), by=None, slug=word)
    assert League.objects.get().slug == "club"


def test_sl_01_no_season_can_have_a_word_of_the_site_or_of_a_leagues_pages(season):
    words = first_words(get_resolver().url_patterns) | first_words(
        get_resolver().url_patterns, "<slug:league>/"
    )
    assert "players" in words
    for word in sorted(words):
        with pytest.raises(ValidationError):
            update_season(season=season, by=None, slug=word)
        stem = word.partition(".")[0]
        made = create_season(
            league=season.league, by=None, name=word, starts_on="2027-01-01", ends_on="2027-12-31"
        )
        assert made.slug != stem


def test_sl_01_every_player_has_a_page_whatever_the_name(client, season):
    words = first_words(get_resolver().url_patterns, "<slug:league>/<slug:season>/")
    assert "import" in words
    for word in sorted(words | {"new", "add", "edit"}):
        player = create_player(league=season.league, name=word, by=None)
        page = client.get(f"/club/players/{player.slug}/")
        assert page.status_code == 200, word
        assert f"<h1>{word}</h1>" in page.content.decode()
        assert player.slug.startswith(slugify(word.partition(".")[0], fallback=""))


# --- Who may find a league


def test_pages_of_an_unlisted_league_ask_not_to_be_found(client, season):
    addresses = ("/club/", "/club/now/", "/club/now/games.csv", "/club/players/ann/", "/api/v1/leagues/club")
    for address in addresses:
        assert "X-Robots-Tag" not in client.get(address)
    update_league(league=season.league, by=None, visibility="unlisted")
    for address in addresses:
        answer = client.get(address)
        assert (answer.status_code, answer["X-Robots-Tag"]) == (200, "noindex"), address
    assert '<meta name="robots" content="noindex">' in client.get("/club/").content.decode()
    assert "club" not in str(client.get("/api/v1/leagues").json())


def test_xr_13_no_shared_cache_keeps_a_leagues_pages(client, season):
    client.force_login(make_organizer(season.league, Role.OWNER))
    update_league(league=season.league, by=None, visibility="private")
    for address in (
        "/club/",
        "/club/now/",
        "/club/now/games.csv",
        "/club/players/ann/",
        "/api/v1/leagues/club",
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        assert "private" in answer["Cache-Control"], address
