"""Leagues and seasons as JSON."""

from __future__ import annotations

from datetime import date

import pytest

from leagues.models import Season
from leagues.services import enter_player, update_season, void_game
from leagues.services.seasons import withdraw_player
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def test_leagues_are_listed_by_name(client):
    league = make_league("zebra", name="Apes", about="About apes", language="bg", timezone="Europe/Sofia")
    make_league("ant", name="Bees")
    season = make_season(league, name="First")
    assert client.get("/api/v1/leagues").json() == {
        "count": 2,
        "items": [
            {
                "slug": "zebra",
                "name": "Apes",
                "about": "About apes",
                "language": "bg",
                "timezone": "Europe/Sofia",
                "current_season": season.slug,
            },
            {
                "slug": "ant",
                "name": "Bees",
                "about": "",
                "language": "en",
                "timezone": "UTC",
                "current_season": None,
            },
        ],
    }
    assert client.get("/api/v1/leagues/ant").json()["name"] == "Bees"


def test_open_seasons_come_before_later_closed_ones(client):
    league = make_league("apes")
    for name, year, state in (
        ("old", 2024, Season.State.CLOSED),
        ("new", 2026, Season.State.CLOSED),
        ("now", 2025, Season.State.OPEN),
    ):
        season = make_season(league, name=name, starts_on=date(year, 1, 1), ends_on=date(year, 12, 31))
        update_season(season=season, state=state, by=None)
    seasons = client.get("/api/v1/leagues/apes/seasons").json()
    assert [season["slug"] for season in seasons["items"]] == ["now", "new", "old"]
    assert client.get("/api/v1/leagues/apes").json()["current_season"] == "now"


def test_a_season_tells_its_rules_and_how_far_its_results_are(client):
    season = make_season(make_league("apes", timezone="Europe/Sofia"), preset="ranked-battle")
    ann, ben, cem = make_players(season.league, "Ann", "Ben", "Cem")
    make_game(season, (ann, 1), (ben, 0))
    void_game(game=make_game(season, (ann, 1), (cem, 0)), by=None, reason="Never played")
    withdraw_player(entry=enter_player(season=season, player=cem, by=None), by=None)
    replayed(season)
    change_rules(season=season, by=None, values={"k": 32})
    season.refresh_from_db()
    found = client.get(f"/api/v1/leagues/apes/seasons/{season.slug}").json()
    assert (found["league"], found["system"], found["preset"]) == ("apes", "ladder", "ranked-battle")
    assert (found["starts_on"], found["ends_on"], found["state"]) == ("2026-01-01", "2026-12-31", "open")
    assert (found["players"], found["games"]) == (2, 1)
    assert found["last_played_at"] == "2026-01-01T01:00:00+02:00"
    assert (found["revision"], found["replayed_revision"]) == (season.revision, season.revision - 1)
    rules = found["rules"]
    assert (rules["initial_rating"], rules["k"], rules["k_rule"]) == (1500.0, 32.0, "fide")
    assert (rules["pool_deviation"], rules["tie_breaks"]) == (100.0, ["rating", "duels_won"])
    assert (rules["team_max"], rules["negative_points"], rules["curve_limit"]) == (1, True, None)


def test_a_season_without_a_rule_set_has_the_default_rules(client):
    season = make_season(make_league("apes"))
    season.rule_set.delete()
    found = client.get(f"/api/v1/leagues/apes/seasons/{season.slug}").json()
    assert (found["system"], found["preset"], found["rules"]["keep"]) == ("wsd", "wsd-2.0", 0.3)
    assert (found["replayed_revision"], found["last_played_at"], found["replayed_at"]) == (0, None, None)


def test_the_number_of_queries_does_not_grow(client, django_assert_num_queries):
    def make_another():
        season = make_season(make_league())
        make_season(season.league, name="Other", starts_on=date(2027, 1, 1), ends_on=date(2027, 2, 2))
        return season

    for many in (1, 4):
        season = [make_another() for _number in range(many)][-1]
        with django_assert_num_queries(2):
            client.get("/api/v1/leagues")
        with django_assert_num_queries(3):
            client.get(f"/api/v1/leagues/{season.league.slug}/seasons")
        with django_assert_num_queries(6):
            client.get(f"/api/v1/leagues/{season.league.slug}/seasons/{season.slug}")
