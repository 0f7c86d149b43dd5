"""Taking back what was entered: what is left is as if it had never been."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leagues.games_csv import read_games
from leagues.models import AuditEntry, Challenge, Game, Player, Role, Season
from leagues.services import (
    PlayedSide,
    correct_game,
    create_team,
    delete_games,
    enter_player,
    import_games,
    merge_players,
    record_game,
    restore_game,
    undo_games,
    undo_merge,
    update_player,
    update_season,
    void_game,
)
from leagues.services.games import played_sides
from leagues.views.undo import undoable
from ratings.models import Meeting, RatingChange, Standing
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
from tests.leagues.test_record_game import typed

pytestmark = pytest.mark.django_db

FILE = b"""played_at,side 1,points 1,side 2,points 2
2026-01-01,Ann,3,New,1
2026-02-02,Bob,1,Newer,2
2026-02-03,Bob,500,Ann,2
"""


@pytest.fixture
def season() -> Season:
    """Ann beat Bob in February and in May."""
    season = make_season(make_league("apes"))
    ann, bob = make_players(season.league, "Ann", "Bob")
    for month in (2, 5):
        make_game(season, (ann, 500), (bob, 100), played_at=season.starts_at.replace(month=month))
    return replayed(season)


def player(season: Season, name: str) -> Player:
    return season.league.players.get(name=name)


def everything(season: Season) -> dict[str, Any]:
    """Facts and results, but for the numbers of rows and revisions."""
    names = ("player__name", "position", "place", "season_score", "rating", "played", "opponents_met")
    return {
        "players": sorted(season.league.players.values_list("name", flat=True)),
        "entries": sorted(season.entries.values_list("player__name", flat=True)),
        "games": list(
            Game.objects.filter(season=season).order_by("pk").values_list("pk", "order", "version")
        ),
        "standings": list(Standing.objects.filter(season=season).values_list(*names)),
        "ledger": list(
            RatingChange.objects.order_by("game", "player").values_list("game", "player", "after")
        ),
        "meetings": list(
            Meeting.objects.order_by("player", "opponent").values_list("player", "opponent", "games")
        ),
    }


def entered(season: Season, *names: str, **values: Any) -> AuditEntry:
    """A game of these players at the end of March, whether known or new; its act."""
    known = {each.name: each for each in season.league.players.all()}
    sides = [
        PlayedSide((known.get(name) or Player(league=season.league, name=name),), number)
        for number, name in enumerate(names)
    ]
    game = record_game(
        season=season, played_at=season.starts_at + timedelta(days=89), sides=sides, by=None, **values
    )
    return AuditEntry.objects.get(season=season, revision=game.revision)


def imported(season: Season) -> AuditEntry:
    file = read_games(FILE, timezone=season.league.zone)
    plan = import_games(season=season, file=file, by=None, create_players=True)
    assert plan.new == 3
    return AuditEntry.objects.get(season=season, revision=plan.revision)


def game_of(act: AuditEntry) -> Game:
    return Game.objects.with_sides().get(season=act.season, revision=act.revision)


@pytest.mark.parametrize("enter", [lambda season: entered(season, "Ann", "Dan"), imported])
def test_r21_an_entry_taken_back_leaves_what_was_before(season: Season, enter: Any) -> None:
    before = everything(season)
    act = enter(season)
    replayed(season)
    assert everything(season)["ledger"] != before["ledger"]
    assert undo_games(act=act, by=None) == (3 if act.action == "import_games" else 1)
    replayed(season)
    assert everything(season) == before
    assert check_season(season.pk) == []
    last = AuditEntry.objects.all()[:2]
    assert [each.action for each in last] == ["undo_games", act.action]  # history shows both steps
    # What was taken back can be entered again.
    assert enter(season).after["new_players"] == act.after["new_players"]


def test_what_was_taken_back_is_told_to_everybody(season: Season) -> None:
    for enter in (partial(entered, season, "Ann", "Dan"), partial(imported, season)):
        act = enter()
        replayed(season)
        undo_games(act=act, by=None)
        replayed(season)
    with timezone.override(season.league.zone):
        sentences = [told(each).acts[0][0] for each in corrections_of(season)]
    assert sentences == [
        "3 imported games were taken back, the first of them played on 1 January 2026.",
        "3 games were imported, the first of them played on 1 January 2026.",
        "Game of 31 March 2026, Ann – Dan: 0 : 1 was taken back.",
        "Game of 31 March 2026, Ann – Dan: 0 : 1 was entered late.",
    ]


def later_changes(season: Season, game: Game) -> dict[str, Any]:
    def restored() -> None:
        restore_game(game=void_game(game=game, reason="Twice", by=None), by=None)

    return {
        "corrected": lambda: correct_game(
            game=game, played_at=game.played_at, sides=played_sides(game), note="New", by=None
        ),
        "voided": lambda: void_game(game=game, reason="Twice", by=None),
        "voided and restored": restored,
        "of merged players": lambda: merge_players(
            keep=player(season, "Cyd"), gone=player(season, "Dan"), by=None
        ),
    }


@pytest.mark.parametrize("name", ["corrected", "voided", "voided and restored", "of merged players"])
def test_what_was_changed_since_is_not_taken_back(season: Season, name: str) -> None:
    make_players(season.league, "Cyd")
    act = entered(season, "Ann", "Dan")
    assert undoable([act]) == {act.pk}
    later_changes(season, game_of(act))[name]()
    before = everything(season)
    with pytest.raises(ValidationError, match="since it was entered") as refused:
        undo_games(act=act, by=None)
    assert refused.value.code == "conflict"
    assert everything(season) == before
    assert undoable([act]) == set()


def test_a_file_is_not_taken_back_in_part(season: Season) -> None:
    act = imported(season)
    first, second, _third = Game.objects.filter(revision=act.revision).order_by("pk")
    void_game(game=first, reason="Twice", by=None)
    with pytest.raises(ValidationError, match="1 game was corrected or voided"):
        undo_games(act=act, by=None)
    delete_games(games=[first], by=None)  # what is gone already is in nobody's way
    assert undo_games(act=act, by=None) == 2
    assert not Game.objects.filter(pk=second.pk).exists()


def test_what_is_gone_is_not_taken_back_once_more(season: Season) -> None:
    acts = [entered(season, "Ann", "Bob"), entered(season, "Ann", "Cyd")]
    undo_games(act=acts[0], by=None)
    delete_games(games=[game_of(acts[1])], by=None)
    before = everything(season)
    for act in acts:
        with pytest.raises(ValidationError, match="nothing left") as refused:
            undo_games(act=act, by=None)
        assert refused.value.code == "gone"
    assert everything(season) == before
    assert undoable(acts) == set()


def test_a_closed_season_takes_nothing_back(season: Season) -> None:
    act = entered(season, "Ann", "Dan")
    update_season(season=season, by=None, state=Season.State.CLOSED)
    with pytest.raises(ValidationError, match="closed") as refused:
        undo_games(act=act, by=None)
    assert refused.value.code == "closed"
    assert undoable([act]) == set()


USES: dict[str, Any] = {
    "another game": lambda season, dan: make_game(season, (dan, 1), (player(season, "Ann"), 2)),
    "another season": lambda season, dan: enter_player(
        season=make_season(season.league, name="Cup"), player=dan, by=None
    ),
    "a team": lambda season, dan: create_team(
        league=season.league, name="Two", members=[dan, player(season, "Ann")], by=None
    ),
    "an organizer": lambda _season, dan: update_player(player=dan, name="Daniel", by=None),
}


@pytest.mark.parametrize("use", USES)
def test_a_new_player_who_was_given_something_else_to_do_stays(season: Season, use: str) -> None:
    act = entered(season, "Eve", "Dan")
    dan = player(season, "Dan")
    USES[use](season, dan)
    undo_games(act=act, by=None)
    assert Player.objects.filter(pk=dan.pk).exists()
    assert not season.league.players.filter(name="Eve").exists()
    replayed(season)
    assert check_season(season.pk) == []


def test_a_challenge_whose_game_is_taken_back_is_to_be_played_again(season: Season) -> None:
    challenge = make_challenge(season, player(season, "Ann"), player(season, "Bob"))
    act = entered(season, "Ann", "Bob")
    Challenge.objects.filter(pk=challenge.pk).update(
        state=Challenge.State.PLAYED, decided_at=act.at, game=game_of(act)
    )
    undo_games(act=act, by=None)
    challenge.refresh_from_db()
    assert (challenge.state, challenge.game) == (Challenge.State.ACCEPTED, None)


# --- Pages


@pytest.fixture
def manager(season: Season, client: Client) -> Client:
    client.force_login(make_organizer(season.league, Role.MANAGER, "mia"))
    return client


def address(act: AuditEntry) -> str:
    return reverse("leagues:undo", kwargs={"league": "apes", "auditentry": act.pk})


def log_of(client: Client) -> str:
    return client.get(reverse("leagues:log", args=["apes"])).content.decode()


def test_one_tap_after_saving_takes_the_game_back(manager: Client, season: Season) -> None:
    sides = [(player(season, name), points) for name, points in (("Ann", 1), ("Bob", 2))]
    create = reverse("leagues:game-create", args=["apes", season.slug])
    page = manager.post(create, typed(*sides), follow=True).content.decode()
    act = AuditEntry.objects.latest("pk")
    assert f'action="{address(act)}"' in page
    assert f'action="{address(act)}"' in log_of(manager)
    page = manager.post(address(act), follow=True).content.decode()
    assert "1 game is taken back." in page
    assert Game.objects.count() == 2
    page = manager.post(address(act), follow=True).content.decode()
    assert "nothing left to take back" in page
    assert f'action="{address(act)}"' not in log_of(manager)


def test_an_import_and_a_merge_are_taken_back_from_the_log(manager: Client, season: Season) -> None:
    act = imported(season)
    merge_players(keep=player(season, "Newer"), gone=player(season, "New"), by=None)
    merge = AuditEntry.objects.latest("pk")
    page = log_of(manager)
    assert f'action="{address(merge)}"' in page
    assert f'action="{address(act)}"' not in page  # of its games one is another player's now
    assert "New is a player again." in manager.post(address(merge), follow=True).content.decode()
    assert "nothing left" in manager.post(address(merge), follow=True).content.decode()
    assert "merged" in manager.post(address(act), follow=True).content.decode()


def test_an_import_is_taken_back_where_it_was_made(manager: Client, season: Season) -> None:
    act = imported(season)
    assert f'action="{address(act)}"' in log_of(manager)
    assert "3 games are taken back." in manager.post(address(act), follow=True).content.decode()
    assert not season.league.players.filter(name__startswith="New").exists()


def test_who_may_not_do_it_may_not_take_it_back(client: Client, season: Season) -> None:
    acts = [entered(season, "Ann", "Bob"), imported(season)]
    assert client.post(address(acts[0])).status_code == 302
    client.force_login(make_organizer(make_league("bees"), Role.OWNER))
    assert client.post(address(acts[0])).status_code == 404
    client.force_login(make_organizer(season.league, Role.SCORER))
    assert client.post(address(acts[1])).status_code == 403
    assert f'action="{address(acts[1])}"' not in log_of(client)
    assert client.get(address(acts[0])).status_code == 405
    assert Game.objects.count() == 6
    client.post(address(acts[0]))
    assert Game.objects.count() == 5


def test_only_what_can_be_taken_back_has_an_address(manager: Client, season: Season) -> None:
    made = AuditEntry.objects.filter(action="create_player")[0]
    assert manager.post(address(made)).status_code == 404
    other = make_season(make_league("bees"))
    game = make_game(other, *[(each, 1) for each in make_players(other.league, "A", "B")])
    act = AuditEntry.objects.get(season=other, revision=game.revision)
    assert manager.post(address(act)).status_code == 404


def test_a_merge_undone_by_itself_has_no_button(manager: Client, season: Season) -> None:
    keep, gone = make_players(season.league, "One", "Uno")
    merge_players(keep=keep, gone=gone, by=None)
    act = AuditEntry.objects.latest("pk")
    assert undoable([act]) == {act.pk}
    undo_merge(gone=gone, by=None)
    assert undoable([act]) == set()
