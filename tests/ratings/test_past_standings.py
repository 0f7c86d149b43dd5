"""The standings as they stood at the end of a day, and what moved in a week."""

import csv
import io
import random
import re
from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leagues.models import Season
from leagues.services import correct_game, enter_player, update_season, withdraw_player
from leagues.services.game_checks import PlayedSide
from ratings.models import RatingChange, Standing
from ratings.services.facts import rules_of
from ratings.services.past import COLUMNS, past_standings
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def page(client: Client, season: Season, day: date | str, **query: str) -> str:
    return client.get(season.get_absolute_url(), {"on": str(day), **query}).content.decode()


def noon(season: Season, day: int) -> datetime:
    """Noon of a day of the season, the first one being 0."""
    return season.starts_at + timedelta(days=day, hours=12)


def rows_of(standings: list[Standing]) -> list[tuple]:
    return [(row.player.name, *(getattr(row, name) for name in COLUMNS)) for row in standings]


def two_weeks() -> tuple[Season, list]:
    """Anna leads until Boris wins on the tenth day; a place takes two games."""
    season = make_season(make_league(timezone="Europe/Sofia"))
    change_rules(season=season, by=None, values={"min_games": 2, "min_meetings": 0})
    anna, boris = players = make_players(season.league, "Анна", "Борис")
    for day, points in ((1, (300, 0)), (2, (100, 50)), (10, (0, 900))):
        make_game(season, (anna, points[0]), (boris, points[1]), played_at=noon(season, day))
    return replayed(season), players


def test_each_days_standings_are_those_that_were_published_on_it() -> None:
    """Ten days with games, a late entry and a withdrawal: what was shown then is what is shown of then."""
    season = make_season(make_league(timezone="Pacific/Auckland"))
    rules = {"min_games": 3, "min_meetings": 1}
    change_rules(season=season, by=None, values=rules)
    players = make_players(season.league, *(f"Player {number}" for number in range(7)))
    late, chance, shown = players.pop(), random.Random(3), {}
    for day in range(10):
        with time_machine.travel(noon(season, day), tick=False):
            for hour in range(2):
                one, other, third = chance.sample(players[day > 6 :], 3)
                sides = [(one, chance.randint(0, 9)), (other, 5)] + [(third, 4)] * (day % 2)
                make_game(season, *sides, played_at=noon(season, day) - timedelta(hours=hour))
            if day == 4:
                enter_player(season=season, player=late, by=None)
            if day == 6:
                withdraw_player(entry=season.entries.get(player=players[0]), by=None)
        replayed(season)
        shown[day] = rows_of(list(Standing.objects.filter(season=season).select_related("player")))
    season = replayed(season)
    assert len(shown[4]) == len(shown[3]) + 1
    for day, rows in shown.items():
        past = past_standings(season, rules_of(season), season.starts_on + timedelta(days=day))
        assert rows_of(past.rows) == rows, day
        assert (past.games, past.last_played_at) == (2 * day + 2, noon(season, day))


def test_a_corrected_game_is_counted_as_it_is_now() -> None:
    season, (anna, boris) = two_weeks()
    first = season.games.earliest("played_at")
    sides = [PlayedSide((anna,), 0), PlayedSide((boris,), 300)]
    correct_game(game=first, played_at=first.played_at, sides=sides, note="", by=None)
    season = replayed(season)
    past = past_standings(season, rules_of(season), first.played_at.date())
    assert [row.player for row in past.rows] == [boris, anna]


def test_the_page_says_of_which_day_it_is_and_does_not_poll(client: Client) -> None:
    season, _players = two_weeks()
    text = page(client, season, season.starts_on + timedelta(days=2))
    assert "Standings as of 3 January 2026" in text
    assert "After game 2 of 3 January 2026, 12:00" in text
    assert "every " not in text
    assert 'value="2026-01-03"' in text, "the field keeps the day"
    assert text.index("Анна") < text.index("Борис")
    assert "1 more game" not in text
    assert "1 more game" in page(client, season, season.starts_on + timedelta(days=1))


def test_it_is_computed_once_for_all_who_ask(client: Client) -> None:
    """What is kept says the same; the control, another day, is computed from the ledger."""
    season, _players = two_weeks()
    day, other = season.starts_on + timedelta(days=2), season.starts_on + timedelta(days=5)
    shown = page(client, season, day).partition("<main")[2]
    with CaptureQueriesContext(connection) as queries:
        assert page(client, season, day).partition("<main")[2] == shown
    assert not any(RatingChange._meta.db_table in query["sql"] for query in queries)
    with CaptureQueriesContext(connection) as queries:
        page(client, season, other)
    assert any(RatingChange._meta.db_table in query["sql"] for query in queries)


def test_it_is_sorted_searched_filtered_and_downloaded_as_the_present_one(client: Client) -> None:
    season, _players = two_weeks()
    day = season.starts_on + timedelta(days=2)
    context = client.get(season.get_absolute_url(), {"on": day, "sort": "rating"}).context
    assert [row.player.name for row in context["view"].table.records] == ["Борис", "Анна"]
    assert "Борис</a>" not in page(client, season, day, q="ANNA")
    first_day = season.starts_on + timedelta(days=1)
    assert "Nobody is classified yet" in page(client, season, first_day, show="classified")
    assert "Анна</a>" in page(client, season, first_day, show="reach")
    response = client.get(
        reverse("ratings:standings-file", args=[season.league.slug, season.slug]), {"on": day}
    )
    assert "2026-01-03.csv" in response["Content-Disposition"]
    rows = csv.DictReader(io.StringIO(b"".join(response).decode().removeprefix("\ufeff")))
    assert [(row["player"], row["place"], row["games"]) for row in rows] == [
        ("Анна", "1", "2"),
        ("Борис", "2", "2"),
    ]


@pytest.mark.parametrize(
    ("day", "sentence"),
    [
        ("yesterday", "Enter a valid date."),
        ("2026-02-30", "Enter a valid date."),
        ("2025-12-31", "The season began on 1 January 2026"),
        ("0001-01-01", "The season began on 1 January 2026"),
        ("9999-12-31", "That day has not come yet"),
        ("\x00", "Enter a valid date."),
    ],
)
def test_a_day_without_standings_is_told(client: Client, day: str, sentence: str) -> None:
    season, _players = two_weeks()
    text = page(client, season, day)
    assert sentence in text
    assert "Standings as of 3" not in text
    assert text.index("Борис") < text.index("Анна"), "the present standings"


def test_nobody_entered_by_then_is_a_sentence(client: Client) -> None:
    season, _players = two_weeks()
    assert "Nobody had been entered by then." in page(client, season, season.starts_on)


def test_a_correction_leads_to_the_standings_of_its_day(client: Client) -> None:
    season, (anna, boris) = two_weeks()
    first = season.games.earliest("played_at")
    sides = [PlayedSide((anna,), 1), PlayedSide((boris,), 0)]
    correct_game(game=first, played_at=first.played_at, sides=sides, note="", by=None)
    replayed(season)
    text = client.get(reverse("ratings:corrections", args=[season.league.slug, season.slug])).content.decode()
    assert f'href="{season.get_absolute_url()}?on=2026-01-02"' in text


def test_the_past_of_a_closed_season_can_be_read(client: Client) -> None:
    season, _players = two_weeks()
    update_season(season=season, by=None, state=Season.State.CLOSED)
    season = replayed(season)
    assert "Анна</a>" in page(client, season, season.starts_on + timedelta(days=2))


def test_queries_of_a_past_day_do_not_grow(client: Client, django_assert_num_queries) -> None:
    small = two_weeks()[0]
    large = make_season()
    change_rules(season=large, by=None, values={"min_games": 1, "min_meetings": 1})
    change_rules(season=small, by=None, values={"min_meetings": 1})
    players = make_players(large.league, *(f"Player {number}" for number in range(12)))
    for number, player in enumerate(players[1:]):
        make_game(large, (players[0], number), (player, 5), played_at=noon(large, number))
    for season in (replayed(small), replayed(large)):
        with django_assert_num_queries(11):  # the adjustments too
            page(client, season, season.starts_on + timedelta(days=20))


class TestMovement:
    def test_positions_gained_and_lost_in_a_week_are_told(self, client: Client) -> None:
        season, _players = two_weeks()
        with time_machine.travel(noon(season, 11), tick=False):
            text = client.get(season.get_absolute_url()).content.decode()
        assert '<span class="gained change up" title="1 position up in 7 days">1</span>' in text
        assert '<span class="gained change down" title="1 position down in 7 days">1</span>' in text
        with time_machine.travel(noon(season, 30), tick=False):
            assert 'in 7 days">' not in client.get(season.get_absolute_url()).content.decode()

    def test_of_a_past_day_it_is_that_of_the_week_before_it(self, client: Client) -> None:
        season, _players = two_weeks()
        assert "1 position up" in page(client, season, season.starts_on + timedelta(days=12))
        assert "1 position up" not in page(client, season, season.starts_on + timedelta(days=5))

    def test_who_had_not_played_then_has_moved_from_nowhere(self, client: Client) -> None:
        season = make_season()
        a, b, c = make_players(season.league, "A", "B", "C")
        make_game(season, (a, 5), (b, 1), played_at=noon(season, 0))
        make_game(season, (c, 900), (b, 0), played_at=noon(season, 10))
        with time_machine.travel(noon(replayed(season), 11), tick=False):
            text = client.get(season.get_absolute_url()).content.decode()
        assert "position up" not in text
        assert text.count("position down in 7 days") == 2  # C came in above A, and B is last of three

    def test_it_is_computed_once_for_all_the_games_of_these_days(self, client: Client) -> None:
        """And anew where something older changes: a correction, the rules, who is entered."""
        season, (anna, boris) = two_weeks()

        def movement() -> tuple[list[str], int]:
            with CaptureQueriesContext(connection) as queries:
                text = client.get(season.get_absolute_url()).content.decode()
            return re.findall(r"\d positions? (?:up|down) in 7 days", text), len(queries)

        with time_machine.travel(noon(season, 11), tick=False):
            replayed(season)
            moved, computed = movement()
            assert moved == ["1 position up in 7 days", "1 position down in 7 days"]
            make_game(season, (anna, 0), (boris, 10), played_at=noon(season, 10) + timedelta(hours=1))
            replayed(season)
            again, kept = movement()
            assert again == moved
            assert computed - kept >= 3
            first = season.games.earliest("played_at")
            seats = [PlayedSide([anna], 0), PlayedSide([boris], 900)]
            correct_game(game=first, played_at=first.played_at, sides=seats, by=None)
            replayed(season)
            assert movement()[0] == []
            enter_player(season=season, player=make_players(season.league, "Вера")[0], by=None)
            replayed(season)
            assert movement()[1] >= computed
