"""Games, the ledger and players as JSON."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from leagues.models import Game
from leagues.services import create_team, void_game
from leagues.services.seasons import withdraw_player
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


@pytest.fixture
def season():
    return make_season(make_league("apes", timezone="Europe/Sofia"))


@pytest.fixture
def players(season):
    return make_players(season.league, "Ann", "Ben", "Cem", "Dan")


def get(client, season, part, **asked):
    response = client.get(f"/api/v1/leagues/apes/seasons/{season.slug}/{part}", asked)
    assert response.status_code == 200, response.content
    return response.json()


def status_of(client, season, part, **asked):
    return client.get(f"/api/v1/leagues/apes/seasons/{season.slug}/{part}", asked).status_code


def test_a_game_has_its_sides_with_members_and_changes(client, season, players):
    """Means 1500 and 1500, margin 350: M = 0.4 + 3.6 * 349 / 499 = 2.9178, so 10 * M / 2 = 14.6 for all."""
    ann, ben, cem, dan = players
    create_team(league=season.league, name="Lions", members=[ann, ben], by=None)
    played_at = datetime(2026, 7, 1, 18, 30, tzinfo=UTC)
    game = make_game(season, ((ann, ben), 650), ((cem, dan), 300), played_at=played_at, note="Final")
    replayed(season)
    won, lost = (
        {"before": 1500.0, "after": 1514.6, "change": 14.6},
        {
            "before": 1500.0,
            "after": 1485.4,
            "change": -14.6,
        },
    )
    assert get(client, season, "games") == {
        "count": 1,
        "items": [
            {
                "id": game.pk,
                "played_at": "2026-07-01T21:30:00+03:00",
                "note": "Final",
                "kind": "played",
                "rated": True,
                "voided": False,
                "version": 1,
                "sides": [
                    {
                        "position": 1,
                        "points": 650,
                        "team": "Lions",
                        "members": [
                            {"slug": "ann", "name": "Ann", **won},
                            {"slug": "ben", "name": "Ben", **won},
                        ],
                    },
                    {
                        "position": 2,
                        "points": 300,
                        "team": None,
                        "members": [
                            {"slug": "cem", "name": "Cem", **lost},
                            {"slug": "dan", "name": "Dan", **lost},
                        ],
                    },
                ],
            }
        ],
    }


def test_games_come_latest_first_and_can_be_narrowed(client, season, players):
    """Days are those of the league's zone: 22:30 UTC on 1 March is 2 March in Sofia."""
    ann, ben, cem, _dan = players
    first = make_game(season, (ann, 1), (ben, 0), played_at=datetime(2026, 3, 1, 12, tzinfo=UTC))
    late = make_game(season, (ann, 1), (cem, 0), played_at=datetime(2026, 3, 1, 22, 30, tzinfo=UTC))
    last = make_game(season, (cem, 1), (ben, 0), played_at=datetime(2026, 3, 5, 12, tzinfo=UTC))

    def found(**asked):
        answer = get(client, season, "games", **asked)
        assert answer["count"] == len(answer["items"])
        return [game["id"] for game in answer["items"]]

    assert found() == [last.pk, late.pk, first.pk]
    assert found(player="cem") == [last.pk, late.pk]
    assert found(player="dan") == []
    assert found(**{"from": "2026-03-02"}) == [last.pk, late.pk]
    assert found(to="2026-03-01") == [first.pk]
    assert found(**{"from": "2026-03-02", "to": "2026-03-02"}, player="ann") == [late.pk]
    assert found(**{"from": "0001-01-01", "to": "9999-12-31"}) == [last.pk, late.pk, first.pk]
    assert found(**{"from": "9999-12-31"}) == []
    assert found(to="0001-01-01") == []


@pytest.mark.parametrize(
    "asked",
    [
        {"from": "yesterday"},
        {"from": "2026-02-30"},
        {"to": "10000-01-01"},
        {"to": "\x00"},
        {"from": "2026-03-02", "to": "2026-03-01"},
        {"player": "\x00"},
        {"player": ""},
        {"player": "Ann Smith"},
        {"player": "a" * 81},
        {"player": "а"},  # a Cyrillic letter
    ],
)
def test_bad_filters_are_refused(client, season, asked):
    assert status_of(client, season, "games", **asked) == 422


def test_an_unknown_player_of_a_filter_is_404(client, season):
    for part in ("games", "changes"):
        assert status_of(client, season, part, player="nobody") == 404


def test_a_voided_game_says_so_and_has_no_changes(client, season, players):
    game = make_game(season, (players[0], 2), (players[1], 1))
    void_game(game=game, by=None, reason="Played without a referee")
    replayed(season)
    found = get(client, season, f"games/{game.pk}")
    assert (found["voided"], found["void_reason"]) == (True, "Played without a referee")
    assert found["explanation"] is None
    assert {member["change"] for side in found["sides"] for member in side["members"]} == {None}
    assert get(client, season, "changes") == {"count": 0, "items": []}


def test_a_game_is_explained_duel_by_duel(client, season, players):
    """500:300:100 from 1500 each: K is 10 / 2 = 5, M(200) = 1.835671, M(400) = 3.278557, E 0.5.

    The first gains 5 * 0.5 * (1.835671 + 3.278557) = 12.785571, the second nothing.
    """
    ann, ben, cem, _dan = players
    game = make_game(season, (ann, 500), (ben, 300), (cem, 100))
    replayed(season)
    explanation = get(client, season, f"games/{game.pk}")["explanation"]
    assert (explanation["k"], explanation["k_reason"]) == (10.0, "fixed")
    first, second, third = explanation["sides"]
    assert [side["change"] for side in (first, second, third)] == pytest.approx(
        [12.785571, 0, -12.785571], abs=1e-5
    )
    near, far = first["duels"]
    assert [near["opponent"], near["margin"], far["opponent"], far["margin"]] == [2, 200, 3, 400]
    assert [far[key] for key in ("difference", "expected", "damped", "k", "result")] == [0, 0.5, 0.5, 5, 1]
    assert [near["multiplier"], far["multiplier"]] == pytest.approx([1.835671, 3.278557], abs=1e-6)


def test_a_game_not_rated_yet_has_no_changes(client, season, players):
    replayed(season)
    game = make_game(season, (players[0], 2), (players[1], 1))
    found = get(client, season, f"games/{game.pk}")
    assert found["explanation"] is None
    assert found["sides"][0]["members"][0]["change"] is None


def test_the_ledger_is_in_order_of_play(client, season, players):
    """A draw of equals changes nothing; 500:100 between equals is worth 16.4."""
    ann, ben, cem, _dan = players
    late = make_game(season, (ann, 500), (ben, 100), played_at=season.starts_at + timedelta(days=2))
    early = make_game(season, (ann, 1), (cem, 1), played_at=season.starts_at + timedelta(days=1))
    replayed(season)
    ledger = get(client, season, "changes")
    assert [(row["game"], row["player"], row["change"]) for row in ledger["items"]] == [
        (early.pk, "Ann", 0.0),
        (early.pk, "Cem", 0.0),
        (late.pk, "Ann", 16.4),
        (late.pk, "Ben", -16.4),
    ]
    assert ledger["items"][2] == {
        "game": late.pk,
        "played_at": "2026-01-03T00:00:00+02:00",
        "player": "Ann",
        "slug": "ann",
        "before": 1500.0,
        "after": 1516.4,
        "change": 16.4,
        "peak": 1516.4,
        "played": 2,
        "games": 2,
        "wins": 1,
        "draws": 1,
        "losses": 0,
        "first_places": 2,
        "k": 10.0,
        "k_reason": "fixed",
    }
    assert get(client, season, "changes", player="ben")["count"] == 1


def test_players_are_those_entered_by_name(client, season, players):
    make_game(season, (players[2], 1), (players[0], 0))
    withdraw_player(entry=season.entries.get(player=players[2]), by=None)
    found = get(client, season, "players")
    assert [(row["slug"], row["name"], row["withdrawn"]) for row in found["items"]] == [
        ("ann", "Ann", False),
        ("cem", "Cem", True),
    ]
    assert found["items"][0]["entered_at"].endswith(("+02:00", "+03:00"))
    assert status_of(client, season, "players/ben") == 404


def test_a_player_has_the_standing_and_the_history(client, season, players):
    ann, ben, _cem, _dan = players
    game = make_game(season, (ann, 500), (ben, 100))
    assert get(client, season, "players/ann")["standing"] is None
    replayed(season)
    found = get(client, season, "players/ann")
    assert (found["slug"], found["name"]) == ("ann", "Ann")
    assert found["standing"] == get(client, season, "standings")["items"][0]
    assert found["history"] == [
        {
            "game": game.pk,
            "played_at": "2026-01-01T01:00:00+02:00",
            "number": 1,
            "before": 1500.0,
            "after": 1516.4,
            "change": 16.4,
            "wins": 1,
            "draws": 0,
            "losses": 0,
        }
    ]


def test_the_number_of_queries_does_not_grow(client, season, players, django_assert_num_queries):
    ann, ben, cem, dan = players
    make_game(season, ((ann, ben), 1), ((cem, dan), 0))
    for _round in range(2):
        replayed(season)
        game = Game.objects.filter(season=season).latest("pk")
        with django_assert_num_queries(8):
            get(client, season, "games")
        with django_assert_num_queries(9):
            get(client, season, "games", player="ann", to="2026-12-01")
        with django_assert_num_queries(11):
            get(client, season, f"games/{game.pk}")
        with django_assert_num_queries(4):
            get(client, season, "changes")
        with django_assert_num_queries(3):
            get(client, season, "players")
        with django_assert_num_queries(7):
            get(client, season, "players/ann")
        for number in range(5):
            sides = ((ann, ben), number), ((cem, dan), 3)
            make_game(season, *sides, played_at=season.starts_at + timedelta(days=number + 1))
