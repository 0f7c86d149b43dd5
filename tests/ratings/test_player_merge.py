"""The page on which two players become one: suggestions, a preview, and undo."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leagues.models import Player, Role, Season
from leagues.services import merge_players, plan_merge, update_player, update_season
from ratings.models import Standing
from ratings.services.merging import preview_merge, standings_of_merge
from ratings.services.rules import change_rules
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

PAGE = "/league-a/merge/"


@pytest.fixture
def season() -> Season:
    """Мария beat Bob and lost to Cyd; Maria lost to Bob."""
    season = make_season(make_league("league-a", owner=make_user("alice")))
    mariya, maria, bob, cyd = make_players(season.league, "Мария", "Maria", "Bob", "Cyd")
    for hour, (winner, loser) in enumerate([(mariya, bob), (bob, maria), (cyd, mariya)], 1):
        at = season.starts_at + timedelta(hours=hour)
        make_game(season, (winner, 500), (loser, 100), played_at=at)
    return replayed(season)


@pytest.fixture
def alice(client: Client, season: Season) -> Client:
    client.force_login(season.league.organizers.get().user)
    return client


def pair(keep: str = "Мария", gone: str = "Maria") -> dict[str, Player]:
    return {"keep": Player.objects.get(name=keep), "gone": Player.objects.get(name=gone)}


def slugs(**players: Player) -> dict[str, str]:
    return {name: player.slug for name, player in players.items()}


def text(response: Any) -> str:
    assert response.status_code == 200
    return response.content.decode()


# --- The preview


@pytest.mark.parametrize(("keep", "gone"), [("Мария", "Maria"), ("Maria", "Мария"), ("Eve", "Maria")])
def test_the_preview_is_what_the_replay_finds(season: Season, keep: str, gone: str) -> None:
    make_players(season.league, "Eve")
    _before, after = standings_of_merge(season, plan_merge(**pair(keep, gone)))
    merge_players(by=None, **pair(keep, gone))
    rows = Standing.objects.filter(season=replayed(season)).order_by("position")
    names = [field for field in after[0].__slots__ if field != "player"]
    assert [(row.player, *(getattr(row, name) for name in names)) for row in after] == [
        (row.player_id, *(getattr(row, name) for name in names)) for row in rows
    ]


def test_the_preview_knows_a_year_of_birth_that_is_that_of_both() -> None:
    season = make_season(preset="ranked-battle")
    change_rules(season=season, by=None, values={"k_rule": "fide-junior"})
    ann, anna, bob = make_players(season.league, "Ann", "Anna", "Bob")
    for _number in range(31):  # with 30 games behind, only a junior still has a K of 40
        make_game(season, (ann, 1), (bob, 1))
    make_game(season, (ann, 2), (bob, 1))
    anna = update_player(player=anna, name="Anna", birth_year=2012, by=None)
    plan = plan_merge(keep=ann, gone=anna)
    before, after = standings_of_merge(plan.seasons[0].season, plan)
    merge_players(keep=ann, gone=anna, by=None)
    rating = Standing.objects.get(season=replayed(season), player=ann).rating
    assert rating == after[0].rating > before[0].rating


def test_the_preview_lists_whose_place_or_rating_changes(season: Season) -> None:
    (seen,) = preview_merge(plan_merge(**pair()))
    assert (seen.season, seen.games, seen.error) == (season, 1, "")
    assert {row.player.name for row in seen.moved} == {"Мария", "Maria", "Bob", "Cyd"}
    assert seen.moved[0].player.name == "Мария"
    (gone,) = [row for row in seen.moved if row.player.name == "Maria"]
    assert gone.before is not None
    assert gone.after is None


def test_the_preview_says_why_a_season_cannot_be_rated(alice: Client, season: Season) -> None:
    update_season(season=season, by=None, largest_margin=10_000)
    # M(10000) is 4 x e to the power of 17.4: 146 million.
    bob, cyd = Player.objects.filter(name__in=["Bob", "Cyd"])
    make_game(season, (bob, 10_000), (cyd, 0))
    assert "would leave the range" in text(alice.get(PAGE, slugs(**pair())))


def test_the_preview_writes_nothing(alice: Client, season: Season) -> None:
    with CaptureQueriesContext(connection) as queries:
        page = text(alice.get(PAGE, slugs(**pair())))
    assert "Maria becomes Мария" in page
    assert "1 game moves" in page
    assert {each["sql"].lstrip("(").split()[0] for each in queries} <= {"SELECT"}


# --- The page


def test_likely_duplicates_are_suggested(alice: Client) -> None:
    page = text(alice.get(PAGE))
    assert "?keep=mariya&amp;gone=maria" in page or "?keep=maria&amp;gone=maria-2" in page


def test_two_are_merged_and_the_old_address_leads_to_the_one_who_stays(alice: Client, season: Season) -> None:
    chosen = pair()
    old = [
        reverse("ratings:player-career", args=["league-a", chosen["gone"].slug]),
        reverse("ratings:player-season", args=["league-a", season.slug, chosen["gone"].slug]),
    ]
    response = alice.post(PAGE, slugs(**chosen), follow=True)
    assert "Maria is merged into Мария." in text(response)
    for address in old:
        moved = alice.get(address)
        assert moved.status_code == 301
        assert moved["Location"] == address.replace(chosen["gone"].slug, chosen["keep"].slug)
        assert alice.get(address, follow=True).status_code == 200
    assert alice.get("/league-a/players/nobody/").status_code == 404


def test_a_merge_is_taken_back_on_the_page(alice: Client, season: Season) -> None:
    chosen = pair()
    alice.post(PAGE, slugs(**chosen))
    assert "Maria into Мария" in text(alice.get(PAGE))
    response = alice.post(PAGE, {"undo": chosen["gone"].slug}, follow=True)
    assert "Maria is a player again." in text(response)
    assert set(Player.objects.values_list("name", flat=True)) == {"Мария", "Maria", "Bob", "Cyd"}
    assert alice.post(PAGE, {"undo": chosen["gone"].slug}).status_code == 404


def test_what_cannot_be_merged_is_refused_with_a_sentence(alice: Client, season: Season) -> None:
    for address, sentence in (
        ({"keep": "Мария", "gone": "Bob"}, "they are two people"),
        ({"keep": "Мария", "gone": "Мария"}, "Choose two different players."),
        ({"keep": "Мария", "gone": "Nobody"}, "“Nobody” is no player of this league."),
        ({"keep": "Мария"}, "This field is required."),
        ({"keep": "\0", "gone": "9" * 5000}, "at most 100 characters"),
    ):
        assert sentence in text(alice.get(PAGE, address))
        assert sentence in text(alice.post(PAGE, address))
    update_season(season=season, state=Season.State.CLOSED, by=None)
    assert "is closed and takes no changes" in text(alice.get(PAGE, slugs(**pair())))


def test_namesakes_are_told_apart_by_address(alice: Client, season: Season) -> None:
    (other,) = make_players(season.league, "Maria")
    assert "is the name of 2 players" in text(alice.get(PAGE, {"keep": "Мария", "gone": "MARIA"}))
    assert "Maria becomes Мария" in text(alice.get(PAGE, {"keep": "Мария", "gone": other.slug}))


def test_an_undo_that_is_refused_says_why(alice: Client, season: Season) -> None:
    chosen = pair()
    alice.post(PAGE, slugs(**chosen))
    update_season(season=season, state=Season.State.CLOSED, by=None)
    response = alice.post(PAGE, {"undo": chosen["gone"].slug}, follow=True)
    assert "is closed and takes no changes" in text(response)


def test_only_managers_merge(client: Client, season: Season) -> None:
    assert client.get(PAGE).status_code == 302
    client.force_login(make_user("erin"))
    assert client.get(PAGE).status_code == 404
    client.force_login(make_organizer(season.league, Role.SCORER))
    assert client.get(PAGE).status_code == 403
    assert client.post(PAGE, slugs(**pair())).status_code == 403
    client.force_login(make_organizer(season.league, Role.MANAGER))
    assert client.get(PAGE).status_code == 200


def test_players_of_another_league_are_unknown(alice: Client) -> None:
    league = make_league("league-b", owner=make_user("bob"))
    zoe, zoey = make_players(league, "Zoe", "Zoey")
    for address in (slugs(keep=zoe, gone=zoey), {"keep": str(zoe.pk), "gone": "Zoe"}):
        assert "is no player of this league" in text(alice.get(PAGE, address))
    merge_players(keep=zoe, gone=zoey, by=None)
    assert "Zoe" not in text(alice.get(PAGE))
    assert alice.post(PAGE, {"undo": zoey.slug}).status_code == 404


def test_an_empty_league_has_nobody_to_merge(client: Client) -> None:
    league = make_league("league-c", owner=make_user("cyd"))
    client.force_login(league.organizers.get().user)
    assert "No two players" in text(client.get("/league-c/merge/"))


def test_the_admin_sends_two_chosen_players_there(alice: Client, season: Season) -> None:
    chosen = pair()
    ids = [player.pk for player in chosen.values()]
    response = alice.post("/admin/leagues/player/", {"action": "merge", "_selected_action": ids})
    assert response["Location"] == f"{PAGE}?keep={chosen['keep'].slug}&gone={chosen['gone'].slug}"
    response = alice.post(
        "/admin/leagues/player/", {"action": "merge", "_selected_action": ids[:1]}, follow=True
    )
    assert "Choose exactly two players of one league." in text(response)
