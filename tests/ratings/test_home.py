"""A league's home: its current season at a glance."""

from datetime import date, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leagues.models import Challenge, League, Role, Season
from leagues.models.league import Visibility
from leagues.services import enter_player, update_season
from ratings.models import PrizeTier, Standing
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import (
    make_challenge,
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)
from tests.ladders import make_ladder, named

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def page(client: Client, league: League, **headers: str) -> str:
    return client.get(league.get_absolute_url(), headers=headers).content.decode()


def played_season(league: League | None = None, players: int = 2, **values) -> Season:
    """The first one beat everybody else once, and a place takes a game."""
    season = make_season(league or make_league(), **values)
    change_rules(season=season, by=None, values={"min_games": 1, "min_meetings": 0})
    first, *others = make_players(season.league, *(f"Player {n}" for n in range(players)))
    for number, other in enumerate(others):
        make_game(season, (first, 100), (other, 0), played_at=season.starts_at + timedelta(hours=number))
    return replayed(season)


def test_it_shows_who_leads_what_is_at_stake_and_what_just_happened(client: Client) -> None:
    season = played_season()
    cup = PrizeTier(name="Cup", first_place=1, last_place=1, amount=1000, per_participant=True, unit="km")
    change_prize_tiers(season=season, by=None, saved=[cup])
    season = replayed(season)
    response = client.get(season.league.get_absolute_url())
    (first, second) = response.context["podium"]
    assert (first["place"], first["name"]) == (1, "Player 0")
    assert first["detail"] == "Cup, 2,000\N{NO-BREAK SPACE}km"
    assert (second["place"], second["detail"]) == (2, "")
    (game,) = response.context["games"]
    assert [side.changes[0] > 0 for side in game.sides] == [True, False]
    text = response.content.decode()
    assert "At stake" in text
    assert "has the best score" not in text  # but leads


def test_it_says_why_the_best_score_is_not_on_the_podium(client: Client) -> None:
    season = make_season()
    change_rules(season=season, by=None, values={"min_games": 2, "min_meetings": 0})
    first, second, third = make_players(season.league, "First", "Second", "Third")
    make_game(season, (first, 100), (second, 0))
    assert "has the best score" not in page(client, replayed(season).league)  # there is no podium yet
    make_game(season, (second, 1), (third, 0))
    text = page(client, replayed(season).league)
    assert "First has the best score, but no place (1 more game)." in text
    update_season(season=season, by=None, state=Season.State.CLOSED)
    assert "but no place (no longer in reach: 1 more game)." in page(client, season.league)


def test_it_draws_the_race_of_the_first_and_nothing_before_the_first_game(client: Client) -> None:
    season = played_season(players=7)
    lines = client.get(season.league.get_absolute_url()).context["lines"]
    top = Standing.objects.filter(season=season, position__lte=5).order_by("position")
    assert [line["player"] for line in lines] == [row.player for row in top]
    assert [line["curve"].now.rating for line in lines] == [row.season_score for row in top]
    assert "The race at the top" not in page(client, make_season(make_league("idle")).league)


def test_the_top_is_ten_rows(client: Client) -> None:
    season = played_season(players=12)
    assert len(client.get(season.league.get_absolute_url()).context["table"].rows) == 10


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2025, 12, 30), ["2 days", "until the season begins"]),
        (date(2026, 12, 30), ["2 days", "until the season ends, today included"]),
        (date(2026, 12, 31), ["Last day"]),
        (date(2027, 1, 1), ["Over", "the season is not closed yet"]),
    ],
)
def test_the_time_left_is_counted_in_the_zone_of_the_league(
    client: Client, day: date, words: list[str]
) -> None:
    season = make_season(make_league(timezone="Pacific/Auckland"))  # 2026 in days of New Zealand
    with time_machine.travel(f"{day - timedelta(days=1)}T12:00:00+00:00", tick=False):  # its midnight is past
        text = page(client, season.league)
    assert all(each in text for each in words)


def test_the_running_season_comes_before_the_next_and_the_last(client: Client) -> None:
    league = make_league()
    last = played_season(league, name="Last", starts_on=date(2025, 1, 1), ends_on=date(2025, 12, 31))
    update_season(season=last, by=None, state=Season.State.CLOSED)
    replayed(last)
    now = make_season(league, name="Now")
    make_season(league, name="Next", starts_on=date(2027, 1, 1), ends_on=date(2027, 12, 31))
    with time_machine.travel("2026-06-01T12:00:00+00:00", tick=False):
        context = client.get(league.get_absolute_url()).context
    assert context["season"] == now
    assert [season.name for season in context["next_seasons"]] == ["Next"]
    ((archived, winners),) = context["archive"]
    assert archived == last
    assert [winner.player.name for winner in winners] == ["Player 0"]


def test_a_league_without_a_season_leads_its_managers_to_the_form_of_one(client: Client) -> None:
    league = make_league()
    client.force_login(make_organizer(league, role=Role.SCORER))
    assert "New season" not in page(client, league)
    client.force_login(make_organizer(league, role=Role.MANAGER))
    assert f'href="{league.get_absolute_url()}add-season/"' in page(client, league)


def test_a_draft_is_for_organizers(client: Client) -> None:
    league = make_league()
    make_season(league, name="Secret plans", state=Season.State.DRAFT)
    assert "Secret plans" not in page(client, league)
    assert "This league has no season yet." in page(client, league)
    client.force_login(make_user())
    assert "Secret plans" not in page(client, league)
    client.force_login(make_organizer(league))
    assert "Secret plans" in page(client, league)


def test_nobody_leads_or_holds_a_prize_before_the_first_rated_game(client: Client) -> None:
    season = make_season()
    change_rules(season=season, by=None, values={"min_games": 0, "min_meetings": 0})
    cup = PrizeTier(name="Cup", first_place=1, last_place=1, amount=1000, unit="km")
    change_prize_tiers(season=season, by=None, saved=[cup])
    for player in make_players(season.league, "Ann", "Bob"):
        enter_player(season=season, player=player, by=None)
    text = page(client, replayed(season).league)
    assert "Who leads" not in text
    assert text.count("Ann") == 1  # in the standings


def test_a_season_without_games_says_so(client: Client) -> None:
    season = make_season()
    text = page(client, season.league)
    assert "No game has been played in this season yet." in text
    assert "Nobody is in this season yet." in text
    assert "No game has been rated yet." not in text
    assert "The whole table" not in text


def test_the_foot_of_a_page_does_not_link_to_the_page(client: Client) -> None:
    season = make_season()
    home = season.league.get_absolute_url()
    for address, is_linked in ((home, False), (season.get_absolute_url(), True)):
        _, foot = client.get(address).content.decode().split("<footer")
        assert (f'href="{home}"' in foot) is is_linked
        assert "All leagues" in foot
    assert "<footer" not in client.get("/").content.decode()


def test_a_private_league_does_not_exist_for_strangers(client: Client) -> None:
    league = make_league(visibility=Visibility.PRIVATE)
    assert client.get(league.get_absolute_url()).status_code == 404
    client.force_login(make_organizer(make_league()))
    assert client.get(league.get_absolute_url()).status_code == 404
    client.force_login(make_organizer(league))
    assert client.get(league.get_absolute_url()).status_code == 200


def test_a_poll_gets_the_live_part_alone_and_only_when_it_changed(client: Client) -> None:
    season = played_season()
    fragment = client.get(season.league.get_absolute_url(), headers=HTMX)
    assert fragment.content.decode().strip().startswith('<div id="home"')
    headers = HTMX | {"If-None-Match": fragment["ETag"]}
    assert client.get(season.league.get_absolute_url(), headers=headers).status_code == 304
    make_season(season.league, name="Next", starts_on=date(2027, 1, 1), ends_on=date(2027, 12, 31))
    assert client.get(season.league.get_absolute_url(), headers=headers).status_code == 200


def test_queries_do_not_grow_with_the_league(client: Client, django_assert_num_queries) -> None:
    small = played_season()
    large = played_season(players=12)
    for number in range(3):
        make_season(large.league, name=f"Next {number}", starts_on=date(2027, 1, 1), ends_on=date(2027, 2, 1))
    for season in (small, large):
        home = season.league.get_absolute_url()
        with django_assert_num_queries(18):
            client.get(home)


def test_a_ladders_home_shows_its_open_challenges_until_they_are_over(client):
    season = make_ladder({"Ann": 1500, "Bob": 1550})
    until = timezone.now() + timedelta(hours=5)
    challenge = make_challenge(
        season, named(season, "Ann"), named(season, "Bob"), state="issued", respond_by=until
    )
    address = reverse("ratings:league-home", args=[season.league.slug])
    shown = client.get(address, headers=HTMX)
    assert "Open challenges" in shown.content.decode()
    assert challenge.get_absolute_url() in shown.content.decode()
    known = HTMX | {"If-None-Match": shown["ETag"]}
    assert client.get(address, headers=known).status_code == 304
    Challenge.objects.update(state=Challenge.State.DECLINED)  # which raises no number of the season
    again = client.get(address, headers=known)
    assert "Open challenges" not in again.content.decode()
    assert again.status_code == 200
