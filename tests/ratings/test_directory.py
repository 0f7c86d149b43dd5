"""The leagues of this site."""

from datetime import date, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from leagues.models import Season
from leagues.models.league import Visibility
from leagues.services import void_game
from leagues.services.directory import current_season, days_left, listed_leagues
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user

pytestmark = pytest.mark.django_db
DIRECTORY = reverse("leagues:directory")


def names(client: Client) -> list[str]:
    return [each.league.slug for each in client.get(DIRECTORY).context["leagues"]]


def season(state: str, starts_on: date) -> Season:
    return Season(
        state=state, starts_on=starts_on, ends_on=starts_on + timedelta(days=99), slug=f"{starts_on}"
    )


def test_only_public_leagues_are_listed(client: Client) -> None:
    make_league("open")
    make_league("unlisted", visibility=Visibility.UNLISTED)
    private = make_league("private", visibility=Visibility.PRIVATE)
    assert names(client) == ["open"]
    client.force_login(make_organizer(private))
    assert names(client) == ["open", "private"]
    client.force_login(make_user(is_superuser=True))
    assert names(client) == ["open", "private", "unlisted"]


def test_a_league_comes_with_its_season_its_players_and_games(client: Client) -> None:
    current = make_season(make_league("open"), name="Now")
    one, other = make_players(current.league, "One", "Other")
    make_game(current, (one, 1), (other, 0))
    void_game(game=make_game(current, (one, 1), (other, 0)), reason="Typed twice", by=None)
    with time_machine.travel("2026-12-30T12:00:00+00:00", tick=False):
        (listed,) = client.get(DIRECTORY).context["leagues"]
    assert (listed.season, listed.players, listed.games, listed.days_left) == (current, 2, 1, 2)


def test_leagues_that_play_come_before_those_without_a_game(client: Client) -> None:
    make_league("a-empty", name="A")
    for name in ("b-idle", "d-plays", "c-plays"):
        season = make_season(make_league(name, name=name))
        if "plays" in name:
            one, other = make_players(season.league, "One", "Other")
            make_game(season, (one, 1), (other, 0))
    assert names(client) == ["c-plays", "d-plays", "a-empty", "b-idle"]


def test_a_draft_is_not_told(client: Client) -> None:
    make_season(make_league("open"), name="Secret plans", state=Season.State.DRAFT)
    page = client.get(DIRECTORY).content.decode()
    assert "Secret plans" not in page
    assert "No season yet" in page


def test_the_season_of_a_league_is_the_one_that_runs_else_the_next_else_the_last() -> None:
    today = date(2026, 6, 1)
    running = season("open", date(2026, 5, 1))
    soon, later = season("open", date(2026, 7, 1)), season("open", date(2027, 7, 1))
    last, before = season("closed", date(2025, 5, 1)), season("closed", date(2024, 5, 1))
    assert current_season([before, last, later, soon, running], today) is running
    assert current_season([before, last, later, soon], today) is soon
    assert current_season([before, last], today) is last
    assert current_season([], today) is None


def test_days_left_count_today_and_only_while_the_season_runs() -> None:
    running = season("open", date(2026, 5, 1))
    assert days_left(running, running.ends_on) == 1
    assert days_left(running, running.starts_on) == 100
    assert days_left(running, running.ends_on + timedelta(days=1)) is None
    assert days_left(running, running.starts_on - timedelta(days=1)) is None
    assert days_left(season("closed", date(2026, 5, 1)), date(2026, 6, 1)) is None


def test_an_empty_site_says_how_to_begin(client: Client) -> None:
    assert "manage.py create_league" in client.get(DIRECTORY).content.decode()


def test_organizers_find_the_administration(client: Client) -> None:
    league = make_league()
    admin = reverse("admin:index")
    client.force_login(make_user())
    assert admin not in client.get(DIRECTORY).content.decode()
    client.force_login(make_organizer(league))
    assert admin in client.get(DIRECTORY).content.decode()


def test_queries_do_not_grow_with_the_leagues(django_assert_num_queries) -> None:
    user = make_user()
    make_season()
    with django_assert_num_queries(4):
        listed_leagues(user)
    for _number in range(3):
        make_season()
    with django_assert_num_queries(4):
        listed_leagues(user)


def test_r90_search_forgives_case_accents_and_script(client: Client) -> None:
    make_league("wsd", name="Световни серии")
    make_league("isik", name="Işık Ligi")
    for text in ("svetovni", "СВЕТОВНИ", "серии"):
        assert [each.league.slug for each in client.get(DIRECTORY, {"q": text}).context["leagues"]] == ["wsd"]
    for text in ("ışık", "ISIK", "İşik", "isik"):
        assert [each.league.slug for each in client.get(DIRECTORY, {"q": text}).context["leagues"]] == [
            "isik"
        ]
    page = client.get(DIRECTORY, {"q": "nowhere"}).content.decode()
    assert "No league here is called “nowhere”." in page
    assert client.get(DIRECTORY, {"q": "\x00"}).status_code == 200
    fragment = client.get(DIRECTORY, {"q": "isik"}, headers={"HX-Request": "true"})
    assert "<html" not in fragment.content.decode()
    assert "HX-Request" in fragment["Vary"]


def test_r91_leagues_are_in_the_order_of_the_readers_language(client: Client) -> None:
    for name in ("Zoo", "Çam", "Cup", "Ядро"):
        make_league(name=name)
    client.cookies["django_language"] = "tr"
    assert [each.league.name for each in client.get(DIRECTORY).context["leagues"]] == [
        "Cup",
        "Çam",
        "Zoo",
        "Ядро",
    ]
    client.cookies["django_language"] = "bg"
    assert [each.league.name for each in client.get(DIRECTORY).context["leagues"]] == [
        "Ядро",
        "Çam",
        "Cup",
        "Zoo",
    ]
