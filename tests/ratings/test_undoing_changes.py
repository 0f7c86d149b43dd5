"""Taking the last change of a game back: the game, and all that follows from it, is as it was before."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leagues.models import AuditEntry, Challenge, Game, Player, Role, Season
from leagues.services import (
    GameRefusedError,
    PlayedSide,
    correct_game,
    delete_games,
    merge_players,
    reorder_games,
    undo_change,
    undo_games,
    update_player,
    update_season,
    void_game,
)
from leagues.services.games import played_sides
from leagues.services.undoing_changes import undoable_changes
from leagues.views.undo import undoable
from ratings.services.check import check_season
from ratings.services.correction_log import corrections_of, told
from tests.factories import (
    make_challenge,
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    replayed,
)
from tests.ratings.test_undoing import address, log_of
from tests.ratings.test_undoing import everything as with_versions

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """Ann beat Bob twice in the same minute of February, and Cyd in May."""
    season = make_season(make_league("apes"))
    ann, bob, cyd = make_players(season.league, "Ann", "Bob", "Cyd")
    for month, loser in ((2, bob), (2, bob), (5, cyd)):
        make_game(season, (ann, 500), (loser, 100), played_at=season.starts_at.replace(month=month))
    return replayed(season)


@pytest.fixture
def game(season: Season) -> Game:
    """The first game of Ann and Bob."""
    return Game.objects.in_play_order().with_sides()[0]


def corrected(game: Game) -> None:
    """To another time, with a new player in Bob's place, as a friendly."""
    ann = played_sides(game)[0]
    dan = PlayedSide((Player(league=game.season.league, name="Dan"),), 7)
    later = game.played_at + timedelta(days=200)
    correct_game(game=game, played_at=later, sides=[ann, dan], note="Moved", kind="friendly", by=None)


CHANGES: dict[str, Any] = {
    "corrected": corrected,
    "voided": lambda game: void_game(game=game, reason="Twice", by=None),
    "deleted": lambda game: delete_games(games=[game], by=None),
}


def everything(season: Season) -> dict[str, Any]:
    """Facts and results, but for the versions of games, which rise with every change."""
    found = with_versions(season)
    return found | {"games": [values[:-1] for values in found["games"]]}


def act_of(game: Game) -> AuditEntry:
    return AuditEntry.objects.filter(object_type="game", object_id=game.pk)[0]


def row(game: Game) -> dict[str, Any]:
    """All that a game's row holds but its version."""
    (values,) = Game.objects.filter(pk=game.pk).values()
    return {name: value for name, value in values.items() if name != "version"}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_taken_back_leaves_what_was_before(season: Season, game: Game, change: str) -> None:
    before, stored = everything(season), row(game)
    CHANGES[change](game)
    act = act_of(game)
    assert everything(replayed(season)) != before
    assert undoable([act]) == {act.pk}
    undo_change(act=act, by=None)
    assert everything(replayed(season)) == before
    assert row(game) == stored
    assert check_season(season.pk) == []
    assert [each.action for each in AuditEntry.objects.all()[:2]] == ["undo_change", act.action]
    with timezone.override(season.league.zone):
        sentence = told(corrections_of(season)[0]).acts[0][0]
    assert sentence == "Game of 1 February 2026, Ann – Bob: 500 : 100 stands again, a change was taken back."
    # Once more there is nothing to take back.
    assert undoable([act]) == set()
    with pytest.raises(ValidationError, match=r"changed since|nothing left"):
        undo_change(act=act, by=None)


def test_a_voided_game_that_was_voided_anew_has_its_first_reason_again(season: Season, game: Game) -> None:
    void_game(game=game, reason="Twice", by=None)
    void_game(game=game, reason="Three times", by=None)
    undo_change(act=act_of(game), by=None)
    game.refresh_from_db()
    assert game.void_reason == "Twice"


def test_a_game_that_was_let_count_again_is_voided_again(season: Season, game: Game, client: Client) -> None:
    client.force_login(make_organizer(season.league, Role.SCORER))
    void_game(game=game, reason="Twice", by=None)
    before, stored = everything(replayed(season)), row(game)
    page = game.get_absolute_url()
    form = {"restore": "1", "version": "2"}
    answer = client.post(f"{page}void/", form, follow=True).content.decode()
    act = act_of(game)
    assert act.action == "restore_game"
    assert everything(replayed(season)) != before
    assert f'action="{address(act)}"' in answer
    assert f'action="{address(act)}"' in log_of(client)
    client.post(address(act))
    assert everything(replayed(season)) == before
    assert row(game) == stored
    with timezone.override(season.league.zone):
        sentence = told(corrections_of(season)[0]).acts[0][0]
    assert sentence.endswith("500 : 100 is voided again (Twice), a change was taken back.")
    assert undoable([act]) == set()
    with pytest.raises(ValidationError, match="changed since"):
        undo_change(act=act, by=None)


def test_names_and_order_that_changed_meanwhile_stay(season: Season, game: Game) -> None:
    ann = played_sides(game)[0].members[0]
    void_game(game=game, reason="Twice", by=None)
    act = act_of(game)
    reorder_games(games=list(Game.objects.at_time_of(game))[::-1], by=None)
    update_player(player=ann, name="Anna", by=None)
    undo_change(act=act, by=None)
    assert [side.members[0].name for side in played_sides(Game.objects.get(pk=game.pk))] == ["Anna", "Bob"]
    assert list(Game.objects.at_time_of(game))[1].pk == game.pk


def test_a_battle_has_its_game_again(season: Season, game: Game) -> None:
    ann, bob = (side.members[0] for side in played_sides(game))
    challenge = make_challenge(season, ann, bob)
    played = {"state": Challenge.State.PLAYED, "decided_at": timezone.now(), "game": game}
    Challenge.objects.filter(pk=challenge.pk).update(**played)
    delete_games(games=[game], by=None)
    undo_change(act=act_of(game), by=None)
    challenge.refresh_from_db()
    assert challenge.game == game


LATER: dict[str, Any] = {
    "changed since": lambda season, game: void_game(game=game, reason="Late", by=None),
    "changed since, or a player": lambda season, game: merge_players(
        keep=make_players(season.league, "Annie")[0], gone=played_sides(game)[0].members[0], by=None
    ),
    "nothing left": lambda season, game: delete_games(games=[game], by=None),
    "is closed": lambda season, game: update_season(
        season=replayed(season), by=None, state=Season.State.CLOSED
    ),
}


@pytest.mark.parametrize("said", LATER)
def test_what_was_built_on_is_not_taken_back(season: Season, game: Game, said: str) -> None:
    void_game(game=game, reason="Twice", by=None)
    act = act_of(game)
    LATER[said](season, game)
    replayed(season)
    before = everything(season)
    assert undoable([act]) == set()
    with pytest.raises(ValidationError, match=said):
        undo_change(act=act, by=None)
    assert everything(season) == before


def test_a_deleted_game_comes_back_only_where_it_can_be_played(season: Season, game: Game) -> None:
    ann, bob = (side.members[0] for side in played_sides(game))
    delete_games(games=[game], by=None)
    act = act_of(game)
    again = make_game(season, (ann, 500), (bob, 100), played_at=game.played_at)  # under the key that was free
    with pytest.raises(ValidationError, match="entered again since"):
        undo_change(act=act, by=None)
    undo_games(act=act_of(again), by=None)
    update_season(season=season, by=None, largest_margin=300)
    with pytest.raises(GameRefusedError, match="at most 300"):
        undo_change(act=act, by=None)
    update_season(season=season, by=None, largest_margin=500)
    merge_players(keep=make_players(season.league, "Robert")[0], gone=bob, by=None)
    with pytest.raises(ValidationError, match="“Bob” is no player of this league any more"):
        undo_change(act=act, by=None)
    assert not Game.objects.filter(pk=game.pk).exists()


def test_as_many_queries_for_many_changes_as_for_one(season: Season, django_assert_num_queries: Any) -> None:
    for game in Game.objects.all():
        void_game(game=game, reason="Twice", by=None)
        delete_games(games=[game], by=None)
    acts = list(AuditEntry.objects.order_by("-pk"))
    deletions = {act.pk for act in acts if act.action == "delete_game"}
    assert len(deletions) == 3
    with django_assert_num_queries(3):  # versions of what was changed; which are gone; when last
        assert undoable_changes(acts) == deletions


def test_one_tap_after_each_change_takes_it_back(season: Season, game: Game, client: Client) -> None:
    client.force_login(make_organizer(season.league, Role.SCORER))
    before = everything(season)
    page = game.get_absolute_url()
    for path, data in (("void", {"reason": "Twice"}), ("delete", {})):
        answer = client.post(f"{page}{path}/", data, follow=True).content.decode()
        act = act_of(game)
        assert f'action="{address(act)}"' in answer
        assert f'action="{address(act)}"' in log_of(client)
        answer = client.post(address(act), follow=True)
        assert "The game is as it was before." in answer.content.decode()
        assert answer.redirect_chain[-1][0] == page
        assert everything(replayed(season)) == before
    client.force_login(make_organizer(make_league("bees"), Role.OWNER))
    assert client.post(address(act_of(game))).status_code == 404


def test_a_correction_is_taken_back_right_after_it(season: Season, game: Game, client: Client) -> None:
    client.force_login(make_organizer(season.league, Role.SCORER))
    page = reverse("leagues:game-update", args=["apes", season.slug, game.pk])
    form = client.get(page).context["form"]
    typed = {name: form[name].value() for name in ("played_at", "version", "loaded", "kind")} | {
        "note": "Corrected", "side-TOTAL_FORMS": "2", "side-INITIAL_FORMS": "2",
    }  # fmt: skip
    for number, side in enumerate(played_sides(game)):
        typed |= {f"side-{number}-members": side.members[0].pk, f"side-{number}-points": side.points}
    answer = client.post(page, typed, follow=True).content.decode()
    assert f'action="{address(act_of(game))}"' in answer
    client.post(address(act_of(game)))
    assert row(game)["note"] == ""
