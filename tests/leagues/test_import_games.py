"""Importing game files: the service and the command."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leagues.games_csv import FileGame, FileSide, read_games, write_games
from leagues.models import AuditEntry, Game, Player, Season, SeasonClosedError
from leagues.progress import Stage, Step, Watcher, watched_by
from leagues.services import (
    ImportPlan,
    add_alias,
    correct_game,
    delete_games,
    delete_player,
    import_games,
    plan_import,
    update_player,
    update_season,
    void_game,
)
from leagues.services.games import played_sides
from ratings.models import Standing
from ratings.services.check import check_season
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = pytest.mark.django_db

HEADER = "played_at,side 1,points 1,side 2,points 2"
WIDE = f"""{HEADER},side 3,points 3,note
2026-05-02 18:30,Захари,12,Валя,7,,,
2026-05-01,Захари + Валя,3,Марина,5,Добри,5,final
2026-05-01T00:00+03:00,Марина,1,Добри,1,,,
"""


@pytest.fixture
def season() -> Season:
    return make_season(make_league("wsd", timezone="Europe/Sofia", language="bg"))


def plan(season: Season, text: str | bytes, *, create_players: bool = False) -> ImportPlan:
    return plan_import(season, read(season, text), create_players=create_players)


def run(season: Season, text: str | bytes, *, create_players: bool = True, **values: Any) -> ImportPlan:
    return import_games(
        season=season, file=read(season, text), create_players=create_players, **{"by": None} | values
    )


def read(season: Season, text: str | bytes) -> Any:
    data = text.encode() if isinstance(text, str) else text
    return read_games(data, timezone=season.league.zone, language=season.league.language)


def rows(*rows: str) -> str:
    return "\n".join([HEADER, *rows])


def stored(season: Season) -> list[tuple[Any, ...]]:
    """What the season's games say, in order of play."""
    games = Game.objects.filter(season=season).in_play_order().with_sides()
    return [
        (
            game.played_at,
            *[([p.name for p in side.members], side.points) for side in played_sides(game)],
            game.note,
        )
        for game in games
    ]


def test_a_file_becomes_games_in_order_of_play(season):
    user = make_user("mia")
    done = run(season, WIDE, by=user)
    assert (done.new, done.known, [p.name for p in done.players], done.error_count) == (
        3,
        0,
        ["Захари", "Валя", "Марина", "Добри"],
        0,
    )
    may = datetime(2026, 4, 30, 21, tzinfo=UTC)  # 1 May 00:00 in Sofia
    assert stored(season) == [
        (may, (["Захари", "Валя"], 3), (["Марина"], 5), (["Добри"], 5), "final"),
        (may, (["Марина"], 1), (["Добри"], 1), ""),
        (datetime(2026, 5, 2, 15, 30, tzinfo=UTC), (["Захари"], 12), (["Валя"], 7), ""),
    ]
    assert season.entries.count() == 4
    assert {game.entered_by for game in Game.objects.all()} == {user}
    assert list(Game.objects.in_play_order().values_list("order", flat=True)) == [1, 2, 1]
    assert AuditEntry.objects.get(action="import_games").after["games"] == 3


def test_an_import_is_one_change_of_the_season_and_rates_as_single_entries_do(season):
    season.refresh_from_db()
    before = season.revision
    run(season, WIDE)
    season = replayed(season)
    assert season.revision == before + 1
    assert check_season(season.pk) == []
    assert Standing.objects.filter(season=season, played__gt=0).count() == 4


def test_up_06_r107_the_same_file_twice_adds_nothing(season):
    run(season, WIDE)
    season.refresh_from_db()
    before = season.revision
    again = run(season, WIDE)
    assert (again.games, again.known, again.players) == ([], 3, [])
    assert Player.objects.count() == 4
    season.refresh_from_db()
    assert season.revision == before  # no replay for nothing


def test_two_equal_rows_are_two_games(season):
    row = "2026-05-01,A,1,B,0"
    assert run(season, rows(row, row)).new == 2
    again = run(season, rows(row, row, row))
    assert (again.new, again.known) == (1, 2)
    assert Game.objects.count() == 3


def test_r107_names_match_whatever_their_case_composition_and_spaces(season):
    make_players(season.league, "Жоро Šarić")
    text = rows("2026-05-01,жоро  s\u030caric\u0301 ,1,B,0", "2026-05-02,ЖОРО ŠARIĆ,1,B,0")
    assert [player.name for player in run(season, text).players] == ["B"]


def test_a_player_is_found_by_another_name_and_by_address(season):
    (player, _other) = make_players(season.league, "Zahari Zahariev", "B")
    add_alias(player=player, name="Zak", by=None)
    run(season, rows("2026-05-01,zak,1,B,0", "2026-05-02,zahari-zahariev,1,B,0"), create_players=False)
    assert player.seats.count() == 2


def test_a_name_somebody_bears_is_not_another_ones_former_name(season):
    old, _new, _other = make_players(season.league, "Ivan", "Ivo", "B")
    update_player(player=old, name="Vanyo", by=None)
    (ivan,) = make_players(season.league, "Ivan")
    run(season, rows("2026-05-01,Ivan,1,B,0"), create_players=False)
    assert ivan.seats.count() == 1


def test_namesakes_are_told_apart_by_address(season):
    one, two, _b = make_players(season.league, "Ivan", "Ivan", "B")
    refused = plan(season, rows("2026-05-01,Ivan,1,B,0"))
    assert [str(error) for error in refused.errors] == [
        "Line 2, side 1: “Ivan” is the name of 2 players; write the address of one: ivan, ivan-2."
    ]
    run(season, rows("2026-05-01,ivan,1,B,0", "2026-05-02,ivan-2,1,B,0"), create_players=False)
    assert (one.seats.count(), two.seats.count()) == (1, 1)


def test_unknown_names_are_errors_unless_players_are_created(season):
    make_players(season.league, "A")
    refused = run(season, rows("2026-05-01,A,1,Нели,0", "2026-05-02,нели,1,A,0"), create_players=False)
    assert refused.unknown == ["Нели"]
    assert refused.error_count == 2
    assert str(refused.errors[0]) == (
        "Line 2, side 2: “Нели” is no player of this league; correct the name or let new players be created."
    )
    assert (Player.objects.count(), Game.objects.count()) == (1, 0)


def test_a_plan_writes_nothing(season):
    plan(season, WIDE, create_players=True)
    assert (Player.objects.count(), Game.objects.count(), season.entries.count()) == (0, 0, 0)


def test_up_06_one_error_in_the_last_row_and_nothing_is_written(season):
    good = [f"2026-05-01,P{number},1,Q{number},0" for number in range(300)]
    refused = run(season, rows(*good, "2026-05-01,A,1,B,99999"))
    assert [str(error) for error in refused.errors] == [
        "Line 302, points 2: The sides are 99,998 points apart; this season accepts at most 5,000."
    ]
    assert (
        Player.objects.count(),
        Game.objects.count(),
        AuditEntry.objects.filter(action="import_games").count(),
    ) == (0, 0, 0)


def test_every_error_has_its_line_and_column(season):
    update_season(season=season, by=None, negative_points=False)
    season.refresh_from_db()
    text = rows(
        "2027-05-01,A,1,B,0",
        "2026-05-01,A,1,B,-1",
        "2026-05-01,A + B + C + D,1,E,0",
        "2026-05-01,A,x,B,0",
        "2026-05-01,A,1,B,9001",
    )
    found = plan(season, text, create_players=True)
    assert [(error.line, error.column) for error in found.errors] == [
        (2, "played_at"),
        (3, "points 2"),
        (4, "side 1"),
        (5, "points 1"),
        (6, "points 2"),
    ]
    assert found.error_count == 5


def test_columns_are_those_of_the_form_the_file_has(season):
    text = (
        "game,played_at,side,player,points\n1,2026-05-01,1,A,1\n1,2026-05-01,2,B,9001\n2,2026-05-01,1,A,1\n"
    )
    text += "2,2026-05-01,2,Nobody,0\n"
    make_players(season.league, "A", "B")
    found = plan(season, text)
    assert [(error.line, error.column) for error in found.errors] == [(2, "points"), (4, "player")]


def test_the_first_hundred_errors_are_said_and_all_are_counted(season):
    found = plan(season, rows(*["2027-05-01,A,1,B,0"] * 150), create_players=True)
    assert (len(found.errors), found.error_count) == (100, 150)


def test_a_game_entered_on_the_site_is_known_to_a_file(season):
    a, b = make_players(season.league, "A", "B")
    make_game(season, (a, 1), (b, 0), played_at=datetime(2026, 5, 1, 15, 30, tzinfo=UTC))
    assert run(season, rows("2026-05-01 18:30,A,1,B,0")).known == 1
    assert Game.objects.count() == 1


def test_corrected_and_voided_games_keep_the_identity_of_their_file(season):
    text = rows("2026-05-01,A,1,B,0", "2026-05-02,A,2,B,0")
    run(season, text)
    first, second = Game.objects.in_play_order()
    sides = played_sides(first)
    correct_game(game=first, played_at=second.played_at, sides=[sides[1], sides[0]], by=None)
    void_game(game=second, reason="twice", by=None)
    again = run(season, text)
    assert (again.games, again.known) == ([], 2)


def test_a_deleted_game_comes_back_with_its_file(season):
    text = rows("2026-05-01,A,1,B,0", "2026-05-02,A,2,B,0")
    run(season, text)
    delete_games(games=[Game.objects.first()], by=None)
    assert run(season, text).new == 1


def test_the_players_of_known_games_are_not_created_again(season):
    text = rows("2026-05-01,Ivann,1,B,0")
    run(season, text)
    game = Game.objects.get()
    (ivan,) = make_players(season.league, "Ivan")
    sides = played_sides(game)
    correct_game(
        game=game,
        played_at=game.played_at,
        by=None,
        sides=[type(sides[0])((ivan,), 1), sides[1]],
    )
    typo = Player.objects.get(name="Ivann")
    delete_player(player=typo, by=None)
    again = run(season, text + "\n2026-05-03,Ivan,1,B,0")
    assert (again.new, again.known, again.players) == (1, 1, [])
    assert run(season, text, create_players=False).error_count == 0


def exported(season: Season) -> str:
    games = Game.objects.filter(season=season).in_play_order().with_sides()
    return "".join(
        write_games(
            [
                FileGame(
                    0,
                    game.played_at,
                    tuple(FileSide(tuple(p.name for p in s.members), s.points) for s in played_sides(game)),
                    game.note,
                )
                for game in games
            ],
            timezone=season.league.zone,
        )
    )


def test_a_file_written_by_the_site_adds_nothing_although_names_and_games_changed(season):
    run(season, WIDE + "2026-05-02 18:30,Захари,12,Валя,7,,,\n")
    update_player(player=Player.objects.get(name="Валя"), name="Валентина", by=None)
    game = Game.objects.in_play_order().first()
    sides = played_sides(game)
    correct_game(game=game, played_at=game.played_at, sides=[sides[1], sides[0]], by=None, note="swapped")
    text = exported(season)
    assert "Валентина" in text
    again = run(season, text)
    assert (again.games, again.known) == ([], 4)


def test_a_file_written_by_the_site_makes_an_equal_season_elsewhere(season):
    run(season, WIDE)
    other = make_season(make_league(timezone="Europe/Sofia"))
    run(other, exported(season))
    assert stored(other) == stored(season)


def test_a_corrected_game_does_not_hide_a_game_of_the_file(season):
    run(season, rows("2026-05-01,A,1,B,0"))
    game = Game.objects.get()
    a, b = played_sides(game)
    correct_game(game=game, played_at=game.played_at, sides=[type(a)(a.members, 2), b], by=None)
    again = run(season, rows("2026-05-01,A,1,B,0", "2026-05-01,A,2,B,0"))
    assert (again.new, again.known) == (1, 1)


def test_imported_games_follow_those_of_the_same_moment(season):
    a, b = make_players(season.league, "A", "B")
    make_game(season, (a, 9), (b, 0), played_at=datetime(2026, 4, 30, 21, tzinfo=UTC))
    run(season, rows("2026-05-01,A,1,B,0", "2026-05-01,A,2,B,0"))
    assert [game[1][1] for game in stored(season)] == [9, 1, 2]


def test_xw_04_leagues_do_not_share_players(season):
    make_players(make_league(), "A", "B")
    assert plan(season, rows("2026-05-01,A,1,B,0")).unknown == ["A", "B"]


def test_names_of_any_script_fit_the_database(season):
    long = "龘" * 100
    assert run(season, rows(f"2026-05-01,{long},1,{'🫰' * 100},0")).error_count == 0
    assert Player.objects.count() == 2


def test_a_file_before_unicode_is_read_in_the_leagues_language(season):
    run(season, WIDE.encode("cp1251"))
    assert Player.objects.filter(name="Захари").exists()


def test_an_import_writes_in_batches(season, django_assert_max_num_queries):
    text = rows(*[f"2026-05-01,P{number % 20},1,Q{number % 30},0" for number in range(500)])
    with django_assert_max_num_queries(31):
        run(season, text)
    with django_assert_max_num_queries(8):
        run(season, text)


# --- The command


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("import_games", *arguments, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.csv"
    path.write_text(WIDE)
    return path


def test_the_command_imports_into_the_only_open_season(season, file):
    make_season(season.league, name="Next", state=Season.State.DRAFT)
    assert command("wsd", str(file), "--create-players") == (
        f"wsd/{season.slug}: 3 games imported, 0 known already, 4 new players (read as utf-8)\n"
    )
    assert season.games.count() == 3
    assert ": 0 games imported, 3 known already, 0 new players" in command("wsd", str(file))


def test_the_command_names_the_choices(season, file):
    other = make_season(season.league, name="Cup")
    with pytest.raises(CommandError) as error:
        command("wsd", str(file))
    assert error.value.returncode == 1
    assert f"choose one of: wsd/{season.slug}, wsd/cup." in str(error.value) or (
        f"choose one of: wsd/cup, wsd/{season.slug}." in str(error.value)
    )
    command("wsd/cup", str(file), "--create-players")
    assert other.games.count() == 3


def test_the_command_does_not_choose_a_season_that_is_not_open(season, file):
    update_season(season=season, by=None, state=Season.State.CLOSED)
    with pytest.raises(CommandError, match="no open season"):
        command("wsd", str(file))
    with pytest.raises(CommandError, match="is closed and takes no changes"):
        command(f"wsd/{season.slug}", str(file), "--create-players")


def test_a_dry_run_writes_nothing(season, file):
    assert "3 games would be imported" in command("wsd", str(file), "--dry-run", "--create-players")
    assert not Game.objects.exists()


def test_the_command_lists_the_errors(season, file):
    out = StringIO()
    with pytest.raises(CommandError, match="Nothing was imported") as error:
        call_command("import_games", "wsd", str(file), stderr=out)
    assert error.value.returncode == 1
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("Line 2, side 1: “Захари” is no player of this league")
    assert lines[-1] == "Unknown players: Захари, Валя, Марина, Добри."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope", "x.csv"], "no league at “nope”"),
        (["wsd/nope", "x.csv"], "no season at “nope”"),
        (["wsd", "/nonexistent/x.csv"], "“/nonexistent/x.csv” cannot be read: No such file"),
        (["wsd", "/"], "“/” cannot be read: Is a directory"),
        (["wsd", "a\0b"], "cannot be read"),
    ],
)
def test_the_command_says_what_it_cannot_find(season, arguments, message):
    with pytest.raises(CommandError, match=message) as error:
        command(*arguments)
    assert error.value.returncode == 1


def test_the_command_reads_another_encoding(season, tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(rows("2026-05-01,Şenol,1,Ayşe,0").encode("cp1254"))
    command("wsd", str(path), "--create-players", "--encoding", "cp1254")
    assert Player.objects.filter(name="Şenol").exists()
    path.write_bytes(rows("2026-05-01,Şenol,1,Gül,0").encode("cp1254"))
    with pytest.raises(CommandError):
        command("wsd", str(path), "--create-players", "--encoding", "klingon")


class Meddler(Watcher):
    """Somebody who changes the season while a file is checked for it."""

    seconds = 0

    def __init__(self, change: Callable[[], object]) -> None:
        super().__init__()
        self.changes = [change]

    def show(self, step: Step) -> None:
        if step.stage == Stage.CHECKING and self.changes:
            self.changes.pop()()


def test_a_game_recorded_while_the_file_is_checked_is_not_imported_again(season):
    zahari, valya = make_players(season.league, "Захари", "Валя")
    text = rows("2026-05-01 18:30,Захари,12,Валя,7", "2026-05-02 18:30,Захари,1,Валя,2")
    played_at = datetime(2026, 5, 1, 18, 30, tzinfo=season.league.zone)
    with watched_by(Meddler(lambda: make_game(season, (zahari, 12), (valya, 7), played_at=played_at))):
        done = run(season, text)
    assert (done.new, done.known, Game.objects.count()) == (1, 1, 2)


def test_a_player_named_while_the_file_is_checked_is_not_created_again(season):
    (zahari,) = make_players(season.league, "Захари")
    with watched_by(Meddler(lambda: add_alias(player=zahari, name="Валя", by=None))):
        done = run(season, rows("2026-05-01,Марина,12,Валя,7"))
    assert [player.name for player in done.players] == ["Марина"]
    assert Player.objects.count() == 2


def test_rc_04_a_season_closed_while_the_file_is_checked_takes_none_of_it(season):
    with (
        watched_by(Meddler(lambda: update_season(season=season, by=None, state=Season.State.CLOSED))),
        pytest.raises(SeasonClosedError),
    ):
        run(season, WIDE)
    assert (Game.objects.count(), Player.objects.count()) == (0, 0)


def test_work_that_fails_while_it_stores_leaves_nothing(season):
    class Fault(Watcher):
        seconds = 0

        def show(self, step: Step) -> None:
            if step.stage == Stage.STORING and step.done > step.total / 2:
                raise OSError("disk full")

    text = rows(*(f"2026-05-01,P{number},1,Q,0" for number in range(200)))
    with watched_by(Fault()), pytest.raises(OSError, match="disk full"):
        run(season, text)
    assert (Game.objects.count(), Player.objects.count(), season.entries.count()) == (0, 0, 0)
    assert run(season, text).new == 200


def test_a_game_entered_after_an_import_has_an_id_of_its_own(season):
    zahari, valya = make_players(season.league, "Захари", "Валя")
    run(season, rows("2026-05-01 18:30,Захари,12,Валя,7"))
    first = Game.objects.get()
    delete_games(games=[first], by=None)
    second = make_game(season, (zahari, 1), (valya, 2))
    run(season, rows("2026-05-01 18:30,Захари,12,Валя,7"))
    assert first.pk < second.pk < Game.objects.latest("pk").pk
    assert [len(played_sides(game)) for game in Game.objects.with_sides()] == [2, 2]
