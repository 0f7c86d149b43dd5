"""What every address of the API has in common: who may read, paging, and answers to bad questions."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from datetime import date, timedelta

import pytest
from django.test import override_settings

from leagues.models import Role, Season
from leagues.models.league import Visibility
from leagues.services import add_adjustment, create_api_token
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers
from tests.factories import (
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)
from tests.ratings.openapi import differences

pytestmark = pytest.mark.django_db

LISTS = ("seasons", "standings", "games", "players", "changes", "adjustments", "prizes")


def make_played_season(league, **values):
    """A season with two players, a game and a prize."""
    season = make_season(league, **values)
    ann, ben = make_players(league, "Ann", "Ben")
    make_game(season, (ann, 500), (ben, 100))
    for player in (ann, ben):
        add_adjustment(season=season, player=player, change=-50, reason="Late", at=season.starts_at, by=None)
    change_prize_tiers(season=season, by=None, saved=[PrizeTier(name="Cup", first_place=1, last_place=1)])
    return replayed(season)


@pytest.fixture
def season():
    return make_played_season(make_league("alpha", timezone="Europe/Sofia"), name="2026")


@pytest.fixture
def other():
    return make_played_season(make_league("beta"), name="2027")


def of_league(league, *parts):
    return "/".join(("/api/v1/leagues", league.slug, *map(str, parts)))


def of_season(season, *parts):
    return of_league(season.league, "seasons", season.slug, *parts)


def addresses(season):
    """Every address of a season, by its address in the description."""
    game = season.games.get()
    base = "/api/v1/leagues/{league}/seasons/{season}"
    return {
        "/api/v1/leagues": "/api/v1/leagues",
        "/api/v1/leagues/{league}": of_league(season.league),
        "/api/v1/leagues/{league}/seasons": of_league(season.league, "seasons"),
        base: of_season(season),
        f"{base}/standings": of_season(season, "standings"),
        f"{base}/games": of_season(season, "games"),
        f"{base}/games/{{game}}": of_season(season, "games", game.pk),
        f"{base}/players": of_season(season, "players"),
        f"{base}/players/{{player}}": of_season(season, "players", "ann"),
        f"{base}/changes": of_season(season, "changes"),
        f"{base}/adjustments": of_season(season, "adjustments"),
        f"{base}/prizes": of_season(season, "prizes"),
    }


def is_not_found(response):
    return (
        response.status_code == 404
        and response["Content-Type"].startswith("application/json")
        and list(response.json()) == ["detail"]
    )


def test_pv_04_every_answer_is_as_described(client, season):
    document = client.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    read = {path for path, methods in document["paths"].items() if "get" in methods}
    assert read == addresses(season).keys()
    for path, address in addresses(season).items():
        described = document["paths"][path]["get"]["responses"]["200"]
        schema = described["content"]["application/json"]["schema"]
        assert differences(client.get(address).json(), schema, document) == []


def test_the_description_would_notice_a_wrong_answer(client):
    document = client.get("/api/v1/openapi.json").json()
    item = {"$ref": "#/components/schemas/MissingOpponent"}
    good = {"player": "Ann", "games": 4, "slug": "ann"}
    assert differences(good, item, document) == []
    for wrong in ({"games": "4"}, {"games": True}, {"games": None}, {"more": 1}):
        assert differences(good | wrong, item, document)
    assert differences({"player": "Ann", "games": 4}, item, document)


def test_the_page_of_the_description_tells_every_address_and_every_object(client):
    document = client.get("/api/v1/openapi.json").json()
    page = client.get("/api/v1/docs", headers={"accept-language": "en"}).content.decode()
    told = re.findall(r'<span class="method \w+">(\w+)</span> <code>(.*?)</code>', page.replace("<wbr>", ""))
    assert Counter(told) == Counter(
        (method.upper(), path) for path, methods in document["paths"].items() for method in methods
    )
    linked, anchors = set(re.findall(r'href="#([^"]+)"', page)), set(re.findall(r'id="([^"]+)"', page))
    assert linked <= anchors
    assert {"GameDetail", "StandingItem", "MissingOpponent", "ReportedGame", "Refusal"} <= linked


def test_the_example_of_the_description_is_a_game_that_is_taken(client, season):
    """What stands after -d in the page, sent as it is, makes a game."""
    page = client.get("/api/v1/docs").content.decode()
    (sent,) = [body for body in re.findall(r"-d &#x27;(.*?)&#x27;", page) if "Bob" in body]
    owner = make_organizer(season.league, Role.OWNER)
    _token, secret = create_api_token(league=season.league, name="Bot", scope="write", by=owner)
    report = json.loads(html.unescape(sent)) | {
        "played_at": f"{season.starts_on}T12:00",
        "create_players": True,
    }
    answer = client.post(
        of_season(season, "games"),
        report,
        content_type="application/json",
        headers={"authorization": f"Bearer {secret}", "idempotency-key": "docs"},
    )
    assert answer.status_code == 201, answer.content


@pytest.mark.parametrize("part", LISTS)
def test_lists_are_counted_and_paged(client, season, part):
    address = of_league(season.league, part) if part == "seasons" else of_season(season, part)
    whole = client.get(address).json()
    assert list(whole) == ["count", "items"]
    assert whole["count"] == len(whole["items"]) > 0
    first = client.get(address, {"limit": 1}).json()
    assert first == {"count": whole["count"], "items": whole["items"][:1]}
    rest = client.get(address, {"limit": 200, "offset": 1}).json()
    assert rest == {"count": whole["count"], "items": whole["items"][1:]}
    assert client.get(address, {"offset": 1_000_000}).json()["items"] == []


@pytest.mark.parametrize(
    "asked",
    [
        {"limit": 0},
        {"limit": -1},
        {"limit": 201},
        {"limit": "abc"},
        {"limit": ""},
        {"limit": "1.5"},
        {"limit": "\x00"},
        {"limit": 10**30},
        {"offset": -1},
        {"offset": 10**30},
        {"offset": "nan"},
        {"offset": "9" * 5000},
    ],
)
def test_a_bad_page_is_refused_everywhere(client, season, asked):
    pages = [of_league(season.league, "seasons"), *(of_season(season, part) for part in LISTS[1:])]
    for address in ("/api/v1/leagues", *pages):
        response = client.get(address, asked)
        assert response.status_code == 422
        assert next(iter(asked)) in str(response.json()["detail"])


@pytest.mark.parametrize("debug", [True, False])
def test_what_does_not_exist_is_404_in_json(client, season, debug):
    with override_settings(DEBUG=debug):
        for address in (
            "/api/v1/",
            "/api/v1/nothing",
            "/api/",
            "/api/v2/leagues",
            "/api/v1/leagues/",
            "/api/v1/leagues/nobody",
            "/api/v1/leagues/nobody/seasons/2026/standings",
            "/api/v1/leagues/%00",
            "/api/v1/leagues/alpha/",
            of_league(season.league, "seasons", "1999"),
            of_league(season.league, "seasons", "%00", "standings"),
            of_season(season, "games", 10**9),
            of_season(season, "games", 10**30),
            of_season(season, "games", "9" * 5000),
            of_season(season, "games", "first"),
            of_season(season, "games", -1),
            of_season(season, "players", "nobody"),
            of_season(season, "players", "a" * 5000),
            of_season(season, "players", "%00"),
        ):
            assert is_not_found(client.get(address)), address


def test_xr_05_ids_of_another_league_are_404(client, season, other):
    foreign = other.games.get()
    make_players(other.league, "Only There")
    for address in (
        of_league(season.league, "seasons", other.slug),
        of_league(season.league, "seasons", other.slug, "standings"),
        of_season(season, "games", foreign.pk),
        of_season(season, "players", "only-there"),
        of_season(season, "games?player=only-there"),
        of_season(season, "changes?player=only-there"),
    ):
        assert is_not_found(client.get(address)), address
    assert client.get(of_season(other, "games", foreign.pk)).status_code == 200


def test_xr_05_ids_of_another_season_are_404(client, season):
    later = make_season(season.league, name="Later", starts_on=date(2027, 1, 1), ends_on=date(2027, 2, 1))
    assert is_not_found(client.get(of_season(later, "games", season.games.get().pk)))
    assert is_not_found(client.get(of_season(later, "players", "ann")))
    assert client.get(of_season(later, "games")).json() == {"count": 0, "items": []}


@pytest.mark.parametrize("debug", [True, False])
def test_xr_13_a_private_league_does_not_exist_for_strangers(client, season, debug):
    season.league.visibility = Visibility.PRIVATE
    season.league.save()
    carol, erin = make_organizer(season.league, Role.SCORER), make_user()
    inside = [address for address in addresses(season).values() if address != "/api/v1/leagues"]
    with override_settings(DEBUG=debug):
        for user in (None, erin):
            if user:
                client.force_login(user)
            for address in inside:
                response = client.get(address)
                assert is_not_found(response)
                never = address.replace("/alpha", "/never")
                assert response.content.replace(b"/alpha", b"/never") == client.get(never).content
        client.force_login(carol)
        assert [client.get(address).status_code for address in inside] == [200] * len(inside)
        assert client.get("/api/v1/leagues").json()["items"] == []


def test_a_draft_season_is_for_organizers_only(client, season):
    Season.objects.filter(pk=season.pk).update(state=Season.State.DRAFT)
    inside = [address for path, address in addresses(season).items() if "{season}" in path]
    assert all(is_not_found(client.get(address)) for address in inside)
    assert client.get(of_league(season.league, "seasons")).json() == {"count": 0, "items": []}
    assert client.get(of_league(season.league)).json()["current_season"] is None
    client.force_login(make_organizer(season.league))
    assert [client.get(address).status_code for address in inside] == [200] * len(inside)
    assert client.get(of_league(season.league, "seasons")).json()["count"] == 1


def test_an_unlisted_league_answers_at_its_address_only(client, season):
    season.league.visibility = Visibility.UNLISTED
    season.league.save()
    assert client.get("/api/v1/leagues").json() == {"count": 0, "items": []}
    assert client.get(of_season(season, "standings")).json()["count"] == 2


def test_xr_11_an_unchanged_answer_is_not_sent_again(client, season):
    address = of_season(season, "standings")
    first = client.get(address)
    again = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    ann, ben = season.league.players.order_by("slug")
    make_game(season, (ben, 300), (ann, 100), played_at=season.starts_at + timedelta(days=1))
    replayed(season)
    changed = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_xw_07_nothing_can_be_written_but_games_with_a_token(client, season):
    game = of_season(season, "games", season.games.get().pk)
    written = {(of_season(season, "games"), "post"), (game, "patch"), (game, "delete")}
    for address in addresses(season).values():
        for method in ("post", "put", "patch", "delete"):
            response = getattr(client, method)(address)
            assert response.status_code == (401 if (address, method) in written else 405)
            assert response["Content-Type"].startswith("application/json")
            assert "detail" in response.json()


def test_an_unexpected_error_is_json_too(client, season, monkeypatch):
    """What has no better answer is said without its text, which is for the log."""

    def fails(*_args):
        raise RuntimeError("a secret")

    monkeypatch.setattr("ratings.api.standings.shown_rules", fails)
    client.raise_request_exception = False
    with override_settings(DEBUG=False):
        response = client.get(of_season(season, "standings"))
    assert (response.status_code, response.json()) == (500, {"detail": "Internal Server Error."})


def test_names_are_sent_in_their_own_letters(client):
    season = make_season(make_league("gamma"))
    make_game(season, *zip(make_players(season.league, "Захари", "Şimşek"), (2, 1), strict=True))
    replayed(season)
    text = client.get(of_season(season, "standings")).content.decode()
    assert "Захари" in text
    assert "Şimşek" in text
