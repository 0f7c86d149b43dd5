"""The preview of a correction: what it says beforehand is what is stored afterwards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leagues.models import Game, Player, Role, Season
from leagues.services import PlayedSide, correct_game, delete_games, restore_game, update_season, void_game
from leagues.services.games import played_sides
from ratings.models import PrizeTier, Standing
from ratings.services import edit_preview
from ratings.services.check import check_season
from ratings.services.edit_preview import Edit, Preview, ResultsBehindError, preview_edit
from ratings.services.prizes import prize_tiers
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, replayed
from tests.leagues.test_record_game import typed

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """Six games of four players; a place takes two games and one against each opponent; two have prizes."""
    season = make_season(make_league("apes"))
    change_rules(season=season, values={"min_games": 2, "min_meetings": 1, "opponents": "ranked"}, by=None)
    tiers = [
        PrizeTier(name=name, first_place=n, last_place=n) for n, name in enumerate(("Gold", "Silver"), 1)
    ]
    change_prize_tiers(season=season, saved=tiers, by=None)
    ann, bob, cyd, dan = make_players(season.league, "Ann", "Bob", "Cyd", "Dan")
    make_game(season, (ann, 500), (bob, 100), played_at=at(season, 1))
    make_game(season, (ann, 30), (cyd, 20), played_at=at(season, 2))
    make_game(season, (bob, 30), (cyd, 900), played_at=at(season, 2))
    make_game(season, (cyd, 40), (dan, 10), played_at=at(season, 3))
    make_game(season, (ann, 5), (bob, 6), (cyd, 7), played_at=at(season, 4))
    make_game(season, (bob, 400), (ann, 1), played_at=at(season, 5))
    return replayed(season)


def at(season: Season, hour: int) -> datetime:
    return season.starts_at + timedelta(hours=hour)


def game_of(season: Season, number: int) -> Game:
    return Game.objects.filter(season=season).in_play_order().with_sides()[number - 1]


def side(*players: Player | str, points: int, season: Season) -> PlayedSide:
    known = {player.name: player for player in season.league.players.all()}
    named = (known.get(str(each)) or Player(league=season.league, name=str(each)) for each in players)
    return PlayedSide(tuple(named), points)


def results(season: Season) -> dict[str, Any]:
    """Ratings and places by player, and who holds each prize."""
    rows = Standing.objects.filter(season=season).select_related("player")
    return {
        "ratings": {row.player.name: row.rating for row in rows},
        "places": {row.player.name: row.place for row in rows},
        "prizes": {
            held.tier.name: {holder.standing.player.name for holder in held.holders}
            for held in prize_tiers(season)
        },
    }


def came_true(season: Season, seen: Preview, before: dict[str, Any]) -> None:
    """Compare what a preview said with what has become of the results."""
    after = results(season)
    start = 15_000
    names = before["ratings"].keys() | after["ratings"].keys()
    changes = {name: after["ratings"].get(name, start) - before["ratings"].get(name, start) for name in names}
    assert seen.effect is not None
    assert seen.effect.players == sum(change != 0 for change in changes.values())
    largest = seen.effect.largest
    assert abs(largest.change if largest else 0) == max(map(abs, changes.values()))
    assert largest is None or changes[largest.player.name] == largest.change
    places = {name: (before["places"].get(name), after["places"].get(name)) for name in names}
    assert {each.player.name: each.places for each in seen.effect.places} == {
        name: pair for name, pair in places.items() if pair[0] != pair[1]
    }
    assert {
        move.tier.name: ({p.name for p in move.before}, {p.name for p in move.after})
        for move in seen.effect.prizes
    } == {
        name: (before["prizes"][name], after["prizes"][name])
        for name in before["prizes"]
        if before["prizes"][name] != after["prizes"][name]
    }
    assert check_season(season.pk) == []


def corrected(season: Season, number: int, **values: Any) -> tuple[Preview, dict[str, Any]]:
    """Correct a game after looking at the preview; what that said, and the results of before."""
    game = game_of(season, number)
    values = {"played_at": game.played_at, "sides": played_sides(game)} | values
    seen, before = preview_edit(season, Edit.corrected(game, **values)), results(season)
    correct_game(game=game, by=None, **values)
    replayed(season)
    return seen, before


CORRECTIONS: dict[str, tuple[int, int, Callable[[Season], dict[str, Any]]]] = {
    # The game, how many are later, and what becomes of it.
    "the winner": (
        1, 5, lambda s: {"sides": [side("Ann", points=100, season=s), side("Bob", points=500, season=s)]},
    ),
    "the points": (
        3, 3, lambda s: {"sides": [side("Bob", points=30, season=s), side("Cyd", points=31, season=s)]},
    ),
    "moved later": (1, 5, lambda s: {"played_at": at(s, 6)}),
    "moved earlier": (6, 5, lambda s: {"played_at": at(s, 0)}),
    "moved to the time of others": (1, 5, lambda s: {"played_at": at(s, 2)}),
    "behind another of its time": (2, 4, lambda s: {"played_at": at(s, 3)}),
    "somebody unheard of": (
        4, 2, lambda s: {"sides": [side("Cyd", points=40, season=s), side("Aaron", points=10, season=s)]},
    ),
    "nobody left with only this game": (
        4, 2, lambda s: {"sides": [side("Cyd", points=40, season=s), side("Ann", points=10, season=s)]},
    ),
    "a team": (
        5, 1, lambda s: {
            "sides": [side("Ann", "New", points=9, season=s), side("Dan", "Bob", points=8, season=s)]
        },
    ),
    "nothing": (2, 4, lambda _s: {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CORRECTIONS)
def test_r5_a_preview_of_a_correction_comes_true(season: Season, name: str) -> None:
    number, later, values = CORRECTIONS[name]
    seen, before = corrected(season, number, **values(season))
    assert seen.games == later
    came_true(season, seen, before)


@pytest.mark.parametrize("number", [1, 3, 4, 6])
@pytest.mark.parametrize("act", ["void", "delete", "restore"])
def test_a_preview_of_voiding_deleting_and_restoring_comes_true(
    season: Season, number: int, act: str
) -> None:
    game = game_of(season, number)
    if act == "restore":
        void_game(game=game, reason="Twice", by=None)
        replayed(season)
        game = game_of(season, number)
    edit = Edit.restored(game) if act == "restore" else Edit.unrated(game)
    seen, before = preview_edit(season, edit), results(season)
    if act == "restore":
        restore_game(game=game, by=None)
    elif act == "void":
        void_game(game=game, reason="Twice", by=None)
    else:
        delete_games(games=[game], by=None)
    replayed(season)
    assert seen.games == 6 - number
    came_true(season, seen, before)


def test_previews_of_random_corrections_come_true(season: Season) -> None:
    random = Random(7)
    names = ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"]
    for _round in range(12):
        players = random.sample(names, random.choice([2, 2, 3, 4]))
        sides = [side(name, points=random.randrange(600), season=season) for name in players]
        hour = random.randrange(8)
        seen, before = corrected(season, random.randrange(1, 7), played_at=at(season, hour), sides=sides)
        came_true(season, seen, before)


def test_a_game_that_is_not_rated_changes_nothing(season: Season) -> None:
    void_game(game=game_of(season, 1), reason="Twice", by=None)
    replayed(season)
    seen, before = corrected(
        season, 1, sides=[side("Dan", points=1, season=season), side("New", points=9, season=season)]
    )
    assert (seen.games, seen.effect and seen.effect.players) == (0, 0)
    came_true(season, seen, before)


def test_a_preview_writes_nothing(season: Season) -> None:
    before = [list(model.objects.order_by("pk").values()) for model in (Season, Game, Player, Standing)]
    sides = [side("Unheard of", points=1, season=season), side("Ann", points=2, season=season)]
    preview_edit(season, Edit.corrected(game_of(season, 1), played_at=at(season, 9), sides=sides))
    assert before == [
        list(model.objects.order_by("pk").values()) for model in (Season, Game, Player, Standing)
    ]


def test_results_that_lag_give_no_preview(season: Season) -> None:
    stale = Season.objects.get(pk=season.pk)
    make_game(season, *[(player, 1) for player in season.league.players.all()[:2]], played_at=at(season, 7))
    for each in (stale, Season.objects.get(pk=season.pk)):
        with pytest.raises(ResultsBehindError):
            preview_edit(each, Edit.unrated(game_of(season, 1)))


# --- The page


def address(name: str, game: Game) -> str:
    return reverse(name, args=[game.season.league.slug, game.season.slug, game.pk])


def sent(game: Game, *points: int) -> dict[str, Any]:
    players = [each.members[0] for each in played_sides(game)]
    return typed(*zip(players, points, strict=True), version="1")


def test_the_pages_of_a_correction_ask_for_the_preview(scorer: Client, season: Season) -> None:
    game = game_of(season, 1)
    url = address("ratings:edit-preview", game)
    assert f'formaction="{url}"' in scorer.get(address("leagues:game-update", game)).content.decode()
    for act in ("void", "delete"):
        page = scorer.get(address(f"leagues:game-{act}", game)).content.decode()
        assert f'hx-get="{url}?act={act}"' in page
        assert f'href="{url}?act={act}"' in page


def test_a_preview_is_a_part_of_a_page_or_without_scripts_a_page(scorer: Client, season: Season) -> None:
    url = address("ratings:edit-preview", game_of(season, 1)) + "?act=delete"
    part = scorer.get(url, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<section id="preview"')
    assert "<dd>5</dd>" in part
    page = scorer.get(url).content.decode()
    assert "<dd>5</dd>" in page
    assert address("leagues:game-delete", game_of(season, 1)) in page


def test_without_scripts_a_correction_is_saved_from_its_preview_or_typed_on(
    scorer: Client, season: Season
) -> None:
    game = game_of(season, 1)
    data = sent(game, 100, 500)
    response = scorer.post(address("ratings:edit-preview", game), data)
    typed_on = dict(response.context["typed"])
    assert typed_on.keys() == data.keys()
    again = scorer.post(address("leagues:game-update", game), typed_on | {"again": "1"})
    assert 'value="500"' in again.content.decode()
    assert Game.objects.get(pk=game.pk).version == 1
    assert scorer.post(address("leagues:game-update", game), typed_on).status_code == 302
    assert [side.points for side in played_sides(Game.objects.get(pk=game.pk))] == [100, 500]


@pytest.mark.parametrize("points", [("x", 1), (9000, 1), ("", "")])
def test_what_could_not_be_saved_is_told_instead(scorer: Client, season: Season, points: Any) -> None:
    response = scorer.post(
        address("ratings:edit-preview", game_of(season, 1)), sent(game_of(season, 1), *points)
    )
    assert response.status_code == 200
    assert response.context["problems"]
    assert "preview" not in response.context


def test_of_too_many_games_only_their_number_is_told(
    scorer: Client, season: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_preview, "LATER_GAMES_MOST", 4)
    page = scorer.get(address("ratings:edit-preview", game_of(season, 1))).content.decode()
    assert "too many to rate beforehand" in page
    assert "<dd>5</dd>" in page
    assert "too many" not in scorer.get(address("ratings:edit-preview", game_of(season, 2))).content.decode()


def test_while_results_lag_the_part_asks_again(scorer: Client, season: Season) -> None:
    make_game(season, *[(player, 1) for player in season.league.players.all()[:2]], played_at=at(season, 7))
    url = address("ratings:edit-preview", game_of(season, 1))
    part = scorer.get(url, headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="every 2s"' in part
    replayed(season)
    assert "every 2s" not in scorer.get(url, headers={"HX-Request": "true"}).content.decode()


def test_a_closed_season_has_no_preview(scorer: Client, season: Season) -> None:
    update_season(season=season, by=None, state=Season.State.CLOSED)
    page = scorer.get(address("ratings:edit-preview", game_of(season, 1))).content.decode()
    assert "is closed and takes no changes" in page


def test_a_preview_is_for_those_who_may_correct(client: Client, season: Season) -> None:
    url = address("ratings:edit-preview", game_of(season, 1))
    assert client.get(url).status_code == 302
    other = make_league()
    client.force_login(make_organizer(other, Role.OWNER))
    assert client.get(url).status_code == 404
