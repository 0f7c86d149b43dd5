"""Two people save a form of the same row at the same moment; each with its control."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from leagues.models import Game, Organizer, Player, Role, Season
from leagues.services import anonymise_player, correct_game, create_team
from leagues.services.games import played_sides
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user
from tests.faults.company import ask
from tests.faults.conftest import installation
from tests.faults.interleaving import Stopped
from tests.faults.tabs import ROUNDS
from tests.faults.test_organizers import at_once
from tests.tabs import filled

on_postgresql = [pytest.mark.pg, pytest.mark.django_db(transaction=True)]
pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]


@pytest.fixture
def season() -> Season:
    league = make_league("club", owner=make_user("alice"))
    make_organizer(league, Role.OWNER, "bob")
    return make_season(league)


def tab(username: str, address: str, **typed: Any) -> Callable[[], str]:
    """A form that somebody has opened; sending it returns what became of it."""
    client = Client()
    client.force_login(User.objects.get(username=username))
    form = filled(client, address, **typed)

    def send() -> str:
        try:
            answer = client.post(address, form)
        finally:
            connection.close()
        is_refused = "Somebody else changed this" in answer.content.decode()
        return "refused" if is_refused else "saved" if answer.status_code == 302 else answer.content.decode()

    return send


def a_player(season: Season) -> Any:
    (player,) = make_players(season.league, "Ann")
    return f"/admin/leagues/player/{player.pk}/change/", {"birth_year": "1990"}, {"name": "Anna"}


def a_season(season: Season) -> Any:
    address = f"/admin/leagues/season/{season.pk}/change/"
    return address, {"rules_text": "Be kind"}, {"rule_set-0-k": "20"}


def a_team(season: Season) -> Any:
    members = make_players(season.league, "Ann", "Bob")
    team = create_team(league=season.league, name="Apes", members=members, by=None)
    ids = {"members": [each.pk for each in members]}
    return f"/admin/leagues/team/{team.pk}/change/", {"name": "Bears"} | ids, {"name": "Cats"} | ids


def an_organizer(season: Season) -> Any:
    bob = Organizer.objects.get(league=season.league, user__username="bob")
    return f"/admin/leagues/organizer/{bob.pk}/change/", {"role": "manager"}, {"role": "scorer"}


def a_league(season: Season) -> Any:
    address = f"/admin/leagues/league/{season.league.pk}/change/"
    return address, {"about": "Apes"}, {"language": "bg"}


def the_look(_season: Season) -> Any:
    return "/club/settings/", {"about": "Apes", "accent_hue": "165"}, {"start_text": "Hi", "accent_hue": "30"}


def a_game(season: Season) -> Any:
    return f"/club/season-2026/games/{a_duel(season)}/edit/", {"note": "One"}, {"note": "Two"}


def a_game_of_the_admin(season: Season) -> Any:
    return f"/admin/leagues/game/{a_duel(season)}/change/", {"note": "One"}, {"note": "Two"}


def a_duel(season: Season) -> int:
    ann, bob = make_players(season.league, "Ann", "Bob")
    return make_game(season, (ann, 3), (bob, 1)).pk


ROWS = [
    (a_game, 'UPDATE "leagues_game"'),
    (a_game_of_the_admin, 'UPDATE "leagues_game"'),
    (a_player, 'UPDATE "leagues_player"'),
    (a_season, 'UPDATE "leagues_season"'),
    (a_team, 'UPDATE "leagues_team"'),
    (an_organizer, 'UPDATE "leagues_organizer"'),
    (a_league, 'UPDATE "leagues_league"'),
    (the_look, 'UPDATE "leagues_league"'),
]


class TestOnPostgreSQL:
    pytestmark = on_postgresql

    @pytest.mark.parametrize(("row", "write"), ROWS)
    def test_the_second_is_refused(self, season, row, write):
        address, one, other = row(season)
        first, second = tab("alice", address, **one), tab("alice", address, **other)
        assert at_once(Stopped(first, before=write), second) == ["saved", "refused"]

    @pytest.mark.parametrize(("row", "write"), [ROWS[3], ROWS[-1]])
    def test_control_without_locks_both_are_taken(self, season, row, write):
        address, one, other = row(season)
        first, second = tab("alice", address, **one), tab("alice", address, **other)
        assert at_once(Stopped(first, before=write).take_no_locks(), second) == ["saved", "saved"]

    def test_pv_01_a_name_taken_out_meanwhile_is_not_brought_back(self, season):
        (player,) = make_players(season.league, "Gosho Kanarkov")
        form = tab("alice", f"/admin/leagues/player/{player.pk}/change/", birth_year="1990")
        anonymise = Stopped(lambda: anonymised(player), before='UPDATE "leagues_player"')
        assert at_once(anonymise, form)[1] == "refused"
        assert Player.objects.get().name == f"Anonymous player {player.pk}"

    @pytest.mark.parametrize("locks", [True, False], ids=["", "control: without locks"])
    def test_pv_01_nor_by_a_game_of_a_season_without_the_player(self, season, locks):
        ann, bob, gosho = make_players(season.league, "Ann", "Bob", "Gosho Kanarkov")
        game = make_game(season, (ann, 3), (bob, 1))
        correct = Stopped(lambda: noted(game, "Seen by Gosho Kanarkov"), before='UPDATE "leagues_game"')
        at_once(correct if locks else correct.take_no_locks(), lambda: anonymised(gosho))
        name = f"Anonymous player {gosho.pk}" if locks else "Gosho Kanarkov"
        assert Game.objects.get().note == f"Seen by {name}"


def anonymised(player: Player) -> None:
    try:
        anonymise_player(player=player, by=None)
    finally:
        connection.close()


def noted(game: Game, note: str) -> None:
    try:
        correct_game(game=game, played_at=game.played_at, sides=played_sides(game), note=note, by=None)
    finally:
        connection.close()


def test_on_sqlite_of_two_forms_at_once_one_is_taken(tmp_path: Path):
    with installation(folder=tmp_path, database=f"sqlite:///{tmp_path / 'db.sqlite3'}") as processes:
        told, untold = ask(processes, "tabs")
    assert told == [[200, 302]] * ROUNDS
    assert untold == [[302, 302]] * ROUNDS, "control: forms that do not say what they were filled with"
