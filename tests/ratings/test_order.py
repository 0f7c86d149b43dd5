"""Games played at the same time have an order, seen and changed by organizers."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from leagues.models import AuditEntry, Game, Role, Season
from leagues.services import correct_game, reorder_games, shift_games, update_season, void_game
from leagues.services.games import played_sides
from leagues.services.order import places_of
from ratings.models import RatingChange, Replay
from ratings.services.check import check_season
from ratings.services.facts import load_basis, load_games
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


@pytest.fixture
def season() -> Season:
    """Three games at one time, recorded as Ann–Bob, Bob–Cyd, Ann–Cyd, and a later one."""
    season = make_season(make_league("league-a", owner=make_user("alice")))
    ann, bob, cyd = make_players(season.league, "Ann", "Bob", "Cyd")
    for one, two in ((ann, bob), (bob, cyd), (ann, cyd)):
        make_game(season, (one, 500), (two, 100))
    make_game(season, (ann, 1), (bob, 2), played_at=season.starts_at.replace(month=6))
    return replayed(season)


@pytest.fixture
def games(season: Season) -> list[Game]:
    """The three games of one time."""
    return list(season.games.in_play_order()[:3])


@pytest.fixture
def scorer(client: Client, season: Season) -> Client:
    client.force_login(make_organizer(season.league, Role.SCORER, "carol"))
    return client


def order_of(season: Season) -> list[int]:
    return list(season.games.in_play_order().values_list("pk", flat=True))


def rated(season: Season) -> list[int]:
    """The games in the order in which the engine gets them."""
    basis = load_basis(season)
    return [int(game.id) for batch in load_games(season, basis.outside) for game in batch.games]


def test_r1_r8_games_of_one_time_are_rated_in_the_order_given(season: Season, games: list[Game]) -> None:
    one, two, three = games
    revision = season.revision
    # Bob, at 1483.6, could expect 0.4764 of Cyd, damped 0.4929; 10 x 3.2786 x 0.5071 = 16.6
    before = dict(RatingChange.objects.filter(player__name="Cyd").values_list("game", "before"))
    assert before == {two.pk: 15000, three.pk: 14834}
    reorder_games(games=[three, one, two], by=None)
    season.refresh_from_db()
    assert (season.revision, season.stale_from) == (revision + 1, one.played_at)
    assert order_of(season)[:3] == rated(season)[:3] == [three.pk, one.pk, two.pk]
    assert check_season(season.pk) != []
    replayed(season)
    assert check_season(season.pk) == []
    assert RatingChange.objects.get(game=three, player__name="Cyd").before == 15000
    # Recorded next, a game of that time comes last.
    ann, bob = (season.league.players.get(name=name) for name in ("Ann", "Bob"))
    added = make_game(season, (ann, 1), (bob, 1))
    assert order_of(season)[3] == added.pk


def test_a_new_order_leaves_one_row_in_the_audit_log(season: Season, games: list[Game]) -> None:
    alice = make_user("zoe")
    reorder_games(games=games[::-1], by=alice)
    entry = AuditEntry.objects.get(action="reorder_games")
    assert (entry.by, entry.object_type, entry.object_id) == (alice, "season", str(season.pk))
    assert entry.before["games"] == [game.pk for game in games]
    assert entry.after["games"] == [game.pk for game in games[::-1]]


def test_the_order_there_is_changes_nothing(season: Season, games: list[Game]) -> None:
    reorder_games(games=games, by=None)
    reorder_games(games=[], by=None)
    shift_games(games=[games[0]], earlier=True, by=None)
    shift_games(games=[games[2]], earlier=False, by=None)
    season.refresh_from_db()
    assert season.revision == Replay.objects.get().revision
    assert not AuditEntry.objects.filter(action="reorder_games").exists()


def test_all_the_games_of_one_time_are_asked_for(season: Season, games: list[Game]) -> None:
    later = season.games.in_play_order()[3]
    foreign_season = make_season(make_league("league-b"))
    foreign = make_game(foreign_season, *((p, 1) for p in make_players(foreign_season.league, "X", "Y")))
    for wrong in (
        games[:2],
        [*games, later],
        [*games, games[0]],
        [*games, foreign],
        [*games[:2], foreign],
        [foreign, *games],
    ):
        with pytest.raises(ValidationError) as refused:
            reorder_games(games=wrong, by=None)
        assert refused.value.code == "conflict"
    assert order_of(season)[:3] == [game.pk for game in games]


def test_games_moved_meanwhile_are_left_alone(season: Season, games: list[Game]) -> None:
    stale = Game.objects.get(pk=games[1].pk)
    correct_game(game=games[1], played_at=season.starts_at, sides=played_sides(games[1]), by=None)
    before = order_of(season)
    shift_games(games=[stale], earlier=True, by=None)
    assert order_of(season) == before


@pytest.mark.parametrize(
    ("chosen", "earlier", "expected"),
    [
        ([1], True, [1, 0, 2]),
        ([2], True, [0, 2, 1]),
        ([0], False, [1, 0, 2]),
        ([1, 2], True, [1, 2, 0]),
        ([0, 1], True, [0, 1, 2]),
        ([0, 2], True, [0, 2, 1]),
        ([0, 1], False, [2, 0, 1]),
    ],
)
def test_games_come_one_place_earlier_or_later(
    season: Season, games: list[Game], chosen: list[int], earlier: bool, expected: list[int]
) -> None:
    void_game(game=games[0], reason="Twice", by=None)  # which keeps its place
    shift_games(games=[games[each] for each in chosen], earlier=earlier, by=None)
    assert order_of(season)[:3] == [games[each].pk for each in expected]


def test_only_games_that_share_their_time_have_a_place(season: Season, games: list[Game]) -> None:
    one, two, three = games
    assert places_of(season, season.games.all()) == {one.pk: (1, 3), two.pk: (2, 3), three.pk: (3, 3)}
    assert places_of(season, [two]) == {two.pk: (2, 3)}
    assert places_of(season, []) == {}


# --- Pages


def address(name: str, season: Season, *game: Game) -> str:
    args = [season.league.slug, season.slug, *(each.pk for each in game)]
    return reverse(name, args=args)


def text_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_organizers_see_the_order(client: Client, season: Season, games: list[Game]) -> None:
    pages = [
        (address("ratings:game-list", season), "no. 2 of 3"),
        (address("ratings:game-detail", season, games[1]), "Number 2 of 3 games played at this time"),
    ]
    for page, text in pages:
        assert text not in text_of(client.get(page))
    client.force_login(make_organizer(season.league, Role.SCORER, "carol"))
    for page, text in [*pages, (address("leagues:game-update", season, games[1]), pages[1][1])]:
        assert text in text_of(client.get(page))
    alone = season.games.in_play_order()[3]
    assert "played at this time" not in text_of(client.get(address("ratings:game-detail", season, alone)))


def test_a_button_lets_a_game_come_earlier_or_later(
    scorer: Client, season: Season, games: list[Game]
) -> None:
    one, two, three = games
    url = address("leagues:game-order", season, two)
    assert scorer.post(url, {"earlier": "1"}).url == two.get_absolute_url()
    assert order_of(season)[:3] == [two.pk, one.pk, three.pk]
    assert scorer.post(url, {"later": "1", "page": "edit"}).url == address("leagues:game-update", season, two)
    assert order_of(season)[:3] == [one.pk, two.pk, three.pk]
    page = scorer.get(one.get_absolute_url()).content.decode()
    assert 'name="earlier" value="1" disabled' in page
    assert 'name="later" value="1" >' in page


def test_a_request_without_a_direction_changes_nothing(
    scorer: Client, season: Season, games: list[Game]
) -> None:
    url = address("leagues:game-order", season, games[1])
    assert scorer.post(url, {"page": "\0"}).status_code == 302
    assert scorer.get(url).status_code == 405
    assert order_of(season)[:3] == [game.pk for game in games]


def test_nobody_else_changes_the_order(client: Client, season: Season, games: list[Game]) -> None:
    url = address("leagues:game-order", season, games[1])
    data = {"earlier": "1"}
    assert client.post(url, data).url.startswith("/accounts/login/")
    client.force_login(make_user("erin"))
    assert client.post(url, data).status_code == 404
    other = make_season(make_league("league-b"))
    client.force_login(make_organizer(other.league, Role.OWNER, "bob"))
    assert client.post(url, data).status_code == 404
    assert client.post(address("leagues:game-order", other, games[1]), data).status_code == 404
    assert order_of(season)[:3] == [game.pk for game in games]


def test_a_closed_season_keeps_its_order(scorer: Client, season: Season, games: list[Game]) -> None:
    update_season(season=season, by=None, state=Season.State.CLOSED)
    url = address("leagues:game-order", season, games[1])
    page = scorer.post(url, {"earlier": "1"}, follow=True).content.decode()
    assert "is closed and takes no changes" in page
    assert "Number 2 of 3 games" in page
    assert 'name="earlier"' not in page
    assert order_of(season)[:3] == [game.pk for game in games]


@pytest.mark.parametrize(("action", "expected"), [("earlier", [1, 2, 0]), ("later", [0, 1, 2])])
def test_the_admin_shifts_games(
    client: Client, season: Season, games: list[Game], action: str, expected: list[int]
) -> None:
    client.force_login(season.league.organizers.get().user)
    data = {"action": action, "_selected_action": [games[1].pk, games[2].pk]}
    assert client.post("/admin/leagues/game/", data).status_code == 302
    assert order_of(season)[:3] == [games[each].pk for each in expected]
    assert "order of games changed" in client.get("/admin/").content.decode() or action == "later"
