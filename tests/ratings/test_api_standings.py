"""Standings and prizes as JSON."""

from __future__ import annotations

from decimal import Decimal

import pytest

from leagues.services.seasons import enter_player
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db

RATE_KEYS = [
    "place", "player", "season_score", "rating", "games", "wins", "draws", "losses", "first_places",
    "classified",
]  # fmt: skip


@pytest.fixture
def season():
    """Full weight, the minimum of games and of meetings after one game each."""
    season = make_season(make_league("apes"))
    values = {"full_weight_games": 0, "bonus": 0, "min_games": 1, "min_meetings": 1}
    change_rules(season=season, by=None, values=values)
    return season


def standings(client, season, **asked):
    return client.get(f"/api/v1/leagues/apes/seasons/{season.slug}/standings", asked).json()


def prizes(client, season):
    return client.get(f"/api/v1/leagues/apes/seasons/{season.slug}/prizes").json()


def test_rows_have_the_keys_of_rate_and_what_is_missing(client, season):
    """500:100 between equals: M = 0.4 + 3.6 * 399 / 499 = 3.2786, so 10 * M / 2 = 16.4."""
    ann, ben, cem = make_players(season.league, "Ann", "Ben", "Cem")
    make_game(season, (ann, 500), (ben, 100))
    enter_player(season=season, player=cem, by=None)
    replayed(season)
    found = standings(client, season)
    assert found["count"] == 3
    first, _cem, last = found["items"]
    assert list(first)[:12] == [*RATE_KEYS, "missing_games", "missing_opponents"]
    assert [first[key] for key in RATE_KEYS] == [None, "Ann", 1516.4, 1516.4, 1, 1, 0, 0, 1, False]
    assert (first["missing_games"], first["slug"], first["position"]) == (0, "ann", 1)
    assert first["missing_opponents"] == [{"player": "Cem", "games": 1, "slug": "cem"}]
    assert (last["player"], last["rating"], last["losses"], last["peak"]) == ("Ben", 1483.6, 1, 1500.0)
    (waiting,) = (row for row in found["items"] if row["player"] == "Cem")
    assert (waiting["missing_games"], waiting["played"]) == (1, 0)
    assert [opponent["player"] for opponent in waiting["missing_opponents"]] == ["Ann", "Ben"]


def test_ratings_are_numbers_with_one_decimal(client, season):
    make_game(season, *zip(make_players(season.league, "Ann", "Ben"), (3, 3), strict=True))
    replayed(season)
    address = f"/api/v1/leagues/apes/seasons/{season.slug}/standings"
    assert '"season_score": 1500.0, "rating": 1500.0' in client.get(address).content.decode()


def test_equal_players_share_a_place_and_classified_ones_can_be_asked_for(client, season):
    ann, ben, cem = make_players(season.league, "Ann", "Ben", "Cem")
    make_game(season, (ann, 1), (ben, 1), (cem, 1))
    (dan,) = make_players(season.league, "Dan")
    enter_player(season=season, player=dan, by=None)
    change_rules(season=season, by=None, values={"min_meetings": 0})
    replayed(season)
    assert [row["place"] for row in standings(client, season)["items"]] == [1, 1, 1, None]
    assert standings(client, season, classified="true")["count"] == 3
    unplaced = standings(client, season, classified="false")
    assert [row["player"] for row in unplaced["items"]] == ["Dan"]
    response = client.get(f"/api/v1/leagues/apes/seasons/{season.slug}/standings?classified=perhaps")
    assert response.status_code == 422


def test_before_the_first_replay_the_standings_are_empty(client, season):
    assert standings(client, season) == {"count": 0, "items": []}
    assert prizes(client, season) == {"count": 0, "items": []}


def test_prizes_tell_their_holders_and_who_comes_next(client, season):
    """After 500:100 Ann has 1516.4 and Ben 1483.6; 1000 km for each of two participants."""
    ann, ben = make_players(season.league, "Ann", "Ben")
    make_game(season, (ann, 500), (ben, 100))
    flight = PrizeTier(
        name="Flight", text="There and back", first_place=1, last_place=1, amount=Decimal(1000),
        per_participant=True, unit="km",
    )  # fmt: skip
    change_prize_tiers(season=season, by=None, saved=[flight])
    replayed(season)
    holder = {"player": "Ann", "slug": "ann", "place": 1, "season_score": 1516.4, "amount": 2000.0}
    next_one = {"player": "Ben", "slug": "ben", "place": 2, "season_score": 1483.6, "amount": None}
    assert prizes(client, season)["items"] == [
        {
            "name": "Flight",
            "text": "There and back",
            "first_place": 1,
            "last_place": 1,
            "amount": 2000.0,
            "unit": "km",
            "per_participant": True,
            "tie_rule": "share",
            "participants": 2,
            "holders": [holder],
            "runner_up": next_one,
            "distance": 32.8,
        }
    ]


def test_the_number_of_queries_does_not_grow(client, season, django_assert_num_queries):
    players = make_players(season.league, *(f"Player {number}" for number in range(12)))
    change_prize_tiers(season=season, by=None, saved=[PrizeTier(name="Cup", first_place=1, last_place=1)])
    for many in (2, 12):
        make_game(season, *((player, number) for number, player in enumerate(players[:many])))
        enter_player(season=season, player=make_players(season.league, f"Late {many}")[0], by=None)
        replayed(season)
        with django_assert_num_queries(6):
            standings(client, season)
        with django_assert_num_queries(5):
            prizes(client, season)
