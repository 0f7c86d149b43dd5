"""Byes: one side without opponent and points, on record, and counted for nothing."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import translation

from leagues.games_csv import read_games
from leagues.models import AuditEntry, Game, Player, Role, Season
from leagues.services import (
    correct_game,
    create_api_token,
    delete_games,
    import_games,
    restore_game,
    submit_report,
    undo_change,
    undo_games,
    update_season,
    void_game,
)
from leagues.services.game_checks import PlayedSide
from leagues.services.games import played_sides
from ratings.engine.types import Rules
from ratings.services.box_export import export_league
from ratings.services.box_import import import_league
from ratings.services.check import check_season
from ratings.services.rate import rate_file
from tests.factories import (
    make_account,
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)
from tests.leagues.test_line_form import as_sent
from tests.ratings.test_kinds import results

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """Ann beat Bob at one o'clock."""
    season = make_season(make_league("apes", owner=make_user()))
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 500), (bob, 100))
    return replayed(season)


def named(name: str) -> Player:
    return Player.objects.get(name=name)


def bye(season: Season, *names: str, **values: Any) -> Game:
    """A bye of these players, two hours into the season."""
    values = {"played_at": season.starts_at + timedelta(hours=2), "kind": "bye"} | values
    made = make_game(season, ([named(name) for name in names or ("Bob",)], 0), **values)
    return Game.objects.with_sides().get(pk=made.pk)


def said(game: Game) -> Any:
    """What a game says."""
    sides = [([player.name for player in side.members], side.points) for side in played_sides(game)]
    return game.kind, game.rated, sides


def page(client: Client, address: str, season: Season, *args: Any) -> str:
    return client.get(reverse(address, args=["apes", season.slug, *args])).content.decode()


@pytest.fixture
def scorer(season: Season) -> Client:
    client = Client()
    client.force_login(make_organizer(season.league, Role.SCORER))
    return client


def test_a_bye_changes_no_result_whatever_is_done_with_it(season: Season) -> None:
    before = results(season)
    game = bye(season, "Ann", "Bob")

    def is_as_before() -> bool:
        return results(replayed(season)) == before and check_season(season.pk) == []

    assert said(game) == ("bye", False, [(["Ann", "Bob"], 0)])
    assert is_as_before()
    void_game(game=game, reason="Nobody was free.", by=None)
    assert is_as_before()
    restore_game(game=game, by=None)
    correct_game(game=game, played_at=game.played_at, sides=[PlayedSide((named("Bob"),), 0)], by=None)
    assert said(Game.objects.get(pk=game.pk)) == ("bye", False, [(["Bob"], 0)])
    assert is_as_before()
    delete_games(games=[game], by=None)
    assert is_as_before()
    undo_change(act=AuditEntry.objects.get(action="delete_game"), by=None)
    assert said(Game.objects.get(pk=game.pk)) == ("bye", False, [(["Bob"], 0)])
    update_season(season=season, by=None, forfeits_rated=True)
    assert not Game.objects.get(pk=game.pk).rated
    assert is_as_before()
    undo_games(act=AuditEntry.objects.get(action="record_game", object_id=str(bye(season).pk)), by=None)
    assert Game.objects.filter(kind="bye").count() == 1


def test_a_game_set_to_a_bye_counts_no_more_and_taken_back_counts_again(season: Season) -> None:
    game = Game.objects.get()
    before = results(season)
    correct_game(
        game=game, kind="bye", played_at=game.played_at, sides=[PlayedSide((named("Ann"),), 0)], by=None
    )
    assert results(replayed(season))[1:3] == ([], [])
    undo_change(act=AuditEntry.objects.get(action="correct_game"), by=None)
    assert results(replayed(season)) == before
    assert check_season(season.pk) == []


@pytest.mark.parametrize(
    ("kind", "sides", "message"),
    [
        (
            "bye",
            [("Ann", 0), ("Bob", 0)],
            "A bye has exactly one side, with nobody against it; this one has 2.",
        ),
        ("bye", [], "A bye has exactly one side, with nobody against it; this one has 0."),
        ("bye", [("Ann", 3)], "A bye has no points: leave them out."),
        ("bye", [("Ann+Bob+Cyd+Dan", 0)], "Side 1 has 4 players; a team has 1 to 3."),
        ("played", [("Ann", 0)], "A game has at least 2 and at most 200 sides; this one has 1."),
        ("forfeit", [("Ann", 1)], "A game has at least 2 and at most 200 sides; this one has 1."),
    ],
)
def test_one_side_without_points_is_a_bye_and_nothing_else(
    season: Season, kind: str, sides: list[tuple[str, int]], message: str
) -> None:
    make_players(season.league, "Cyd", "Dan")
    of = [([named(each) for each in names.split("+")], points) for names, points in sides]
    with pytest.raises(ValidationError) as refused:
        make_game(season, *of, kind=kind)
    assert refused.value.messages == [message]
    assert Game.objects.count() == 1


def test_a_ladder_has_no_byes(scorer: Client, season: Season) -> None:
    ladder = make_season(season.league, preset="ranked-battle", name="Ladder")
    with pytest.raises(ValidationError, match="A ladder has no byes"):
        bye(ladder, "Ann")
    assert 'value="bye"' not in page(scorer, "leagues:game-create", ladder)
    line = scorer.get(reverse("leagues:game-create", args=["apes", ladder.slug]), {"line": "ann #bye"})
    sent = scorer.post(line.request["PATH_INFO"], as_sent(line) | {"kind": "bye"})
    assert "A ladder has no byes" in sent.content.decode()


def test_byes_are_not_for_players_to_report(season: Season) -> None:
    update_season(season=season, by=None, games_from="both")
    annie = Client()
    annie.force_login(user := make_account(named("Ann"), "annie"))
    assert 'value="bye"' not in page(annie, "leagues:game-create", season)
    sides = [PlayedSide((named("Ann"),), 0)]
    with pytest.raises(ValidationError, match="A bye is entered by an organizer"):
        submit_report(season=season, played_at=season.starts_at, sides=sides, kind="bye", by=user)
    update_season(season=season, by=None, games_from="players")
    with pytest.raises(ValidationError, match="reported by their players"):
        make_game(season, (named("Ann"), 3), (named("Bob"), 1))
    assert bye(season).kind == "bye", "which is for organizers to enter there too"


@pytest.mark.parametrize("line", ["ann #bye", "АНН #почива", "ann #почивка", "ann #бай", "ann # Bay"])
def test_a_line_of_one_name_is_saved_as_a_bye(scorer: Client, season: Season, line: str) -> None:
    form = reverse("leagues:game-create", args=["apes", season.slug])
    filled = scorer.get(form, {"line": line})
    assert filled.context["line"].problems == []
    assert filled.context["form"]["kind"].value() == "bye"
    data = as_sent(filled) | {"kind": "bye", "played_at": "2026-02-01T10:00"}
    preview = reverse("ratings:game-preview", args=["apes", season.slug])
    told = scorer.post(preview, data, headers={"HX-Request": "true"}).content.decode()
    assert "A game of this kind changes no rating" in told
    assert scorer.post(form, data).status_code == 302
    assert said(Game.objects.latest("pk")) == ("bye", False, [(["Ann"], 0)])
    # Sent once more it is the same one, and as a game that was played it is none.
    assert scorer.post(form, data).status_code == 302
    assert Game.objects.count() == 2
    refused = scorer.post(form, data | {"kind": "played", "token": ""}).content.decode()
    assert "Write the points." in refused
    assert Game.objects.count() == 2


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("ann, bob #bye", "A bye has exactly one side: write"),
        ("#bye", "A bye has exactly one side: write"),
        ("ann", "needs a name and points"),
    ],
)
def test_a_line_that_is_no_bye_says_so(scorer: Client, season: Season, line: str, problem: str) -> None:
    filled = scorer.get(reverse("leagues:game-create", args=["apes", season.slug]), {"line": line})
    assert any(problem in each for each in filled.context["line"].problems)


def test_the_form_corrects_a_bye_and_refuses_points_and_a_second_side(scorer: Client, season: Season) -> None:
    game = bye(season)
    form = reverse("leagues:game-update", args=["apes", season.slug, game.pk])
    shown = scorer.get(form).context["form"]
    assert shown.sides.forms[0]["points"].value() is None
    data = {
        "side-TOTAL_FORMS": "2",
        "side-INITIAL_FORMS": "0",
        "side-0-members": [str(named("Ann").pk)],
        "side-0-points": "",
        "kind": "bye",
        "played_at": "2026-02-01T10:00",
        "version": "1",
        "loaded": shown["loaded"].value() or shown.initial["loaded"],
    }
    edit = reverse("ratings:edit-preview", args=["apes", season.slug, game.pk])
    assert "A bye has no points" in scorer.post(edit, data | {"side-0-points": "2"}).content.decode()
    assert "A bye has no points" in scorer.post(form, data | {"side-0-points": "2"}).content.decode()
    two = data | {"side-1-members": [str(named("Bob").pk)]}
    assert "A bye has exactly one side" in scorer.post(form, two).content.decode()
    assert scorer.post(form, data).status_code == 302
    assert said(Game.objects.get(pk=game.pk)) == ("bye", False, [(["Ann"], 0)])


def test_everybody_sees_a_bye_by_its_own_word(client: Client, season: Season) -> None:
    game = bye(season)
    badge = '<span class="badge open">'
    pages = {
        "list": page(client, "ratings:game-list", season),
        "game": page(client, "ratings:game-detail", season, game.pk),
        "player": page(client, "ratings:player-season", season, "bob"),
        "home": client.get("/apes/").content.decode(),
    }
    assert {name for name, text in pages.items() if "bye" not in text or badge not in text} == set()
    assert "A bye has no opponent and no points" in pages["game"]
    assert "<h1>Bob: bye</h1>" in " ".join(pages["game"].split())
    assert "A bye, without opponent and points, is on record only" in page(client, "ratings:rules", season)
    assert "Bob: bye" in page(client, "ratings:games-feed", season)
    assert 'id="unrated"' not in page(client, "ratings:player-season", season, "ann")
    for language, word in (("bg", "Bob: почивка"), ("tr", "Bob: bay")):
        with translation.override(language):
            client.cookies["django_language"] = language
            assert word in page(client, "ratings:game-detail", season, game.pk)


def test_a_file_holds_byes_and_reads_back_what_it_was_written_with(client: Client, season: Season) -> None:
    zone = season.league.zone
    header = "played_at,side 1,points 1,side 2,points 2,note,kind\n"
    rows = "2026-03-01,Ann,,,,nobody was free,Bye\n2026-03-02,Ann + Bob,0,,,,bye\n"
    file = read_games((header + rows).encode(), timezone=zone)
    assert import_games(season=season, file=file, by=None).new == 2
    assert [said(game)[2] for game in Game.objects.filter(kind="bye").in_play_order()] == [
        [(["Ann"], 0)], [(["Ann", "Bob"], 0)],
    ]  # fmt: skip
    address = reverse("ratings:games-file", args=["apes", season.slug])
    written = b"".join(client.get(address).streaming_content)
    assert b",Ann,,,,nobody was free,bye" in written
    again = read_games(written, timezone=zone)
    assert (again.errors, [game.kind for game in again.games]) == ((), ["played", "bye", "bye"])
    assert import_games(season=season, file=again, by=None).new == 0
    rated = rate_file(again, Rules(), zone)
    assert [(name, row.played) for name, row in rated.rows] == [("Ann", 1), ("Bob", 1)]
    long = "game,played_at,side,player,points,kind\n1,2026-03-01,1,Ann,,bye\n2,2026-03-02,1,Bob,0,bye\n"
    assert [(len(g.sides), g.kind) for g in read_games(long.encode(), timezone=zone).games] == [
        (1, "bye")
    ] * 2


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        ("2026-03-01,,,,,bye", "side 1", "A bye needs the one who has it."),
        ("2026-03-01,Ann,,Bob,,bye", "side 1", "A bye has exactly one side"),
        ("2026-03-01,Ann,3,,,bye", "points 1", "A bye has no points"),
        ("2026-03-01,Ann,3,,,", "side 2", "A game needs two sides or more."),
        ("2026-03-01,Ann,,Bob,1,", "points 1", "Write the points."),
    ],
)
def test_a_file_that_mixes_games_and_byes_is_refused(
    season: Season, row: str, column: str, message: str
) -> None:
    header = "played_at,side 1,points 1,side 2,points 2,kind\n"
    file = read_games(f"{header}{row}\n".encode(), timezone=season.league.zone)
    plan = import_games(season=season, file=file, by=None)
    assert [error.column for error in plan.errors] == [column]
    assert message in str(plan.errors[0])
    assert Game.objects.count() == 1


def test_a_program_reports_and_corrects_a_bye(client: Client, season: Season) -> None:
    owner = season.league.organizers.earliest("pk").user
    token = create_api_token(league=season.league, name="Board", scope="write", by=owner)[1]
    program = Client(headers={"Authorization": f"Bearer {token}"})
    games = f"/api/v1/leagues/apes/seasons/{season.slug}/games"

    def sent(key: str, **body: Any) -> Any:
        body = {"played_at": "2026-05-03T21:30", "kind": "bye"} | body
        headers = {"Idempotency-Key": key}
        return program.post(games, json.dumps(body), content_type="application/json", headers=headers)

    made = sent("one", sides=[{"players": ["Ann"]}])
    assert made.status_code == 201
    item = client.get(made["Location"]).json()
    told = [item[name] for name in ("kind", "rated", "explanation")]
    assert told == ["bye", False, None]
    assert [(side["points"], side["members"][0]["change"]) for side in item["sides"]] == [(0, None)]
    assert sent("one", sides=[{"players": ["Ann"]}]).status_code == 200
    refused = {
        "two sides": sent("a", sides=[{"players": ["Ann"]}, {"players": ["Bob"]}]),
        "points": sent("b", sides=[{"players": ["Ann"], "points": 3}]),
        "one side": sent("c", kind="played", sides=[{"players": ["Ann"], "points": 3}]),
        "no points": sent(
            "d", kind="played", sides=[{"players": ["Ann"], "points": 3}, {"players": ["Bob"]}]
        ),
    }
    assert {
        name: (each.status_code, each.json()["detail"][0]["field"]) for name, each in refused.items()
    } == {
        "two sides": (422, "sides"),
        "points": (422, "sides[0].points"),
        "one side": (422, "sides"),
        "no points": (422, "sides[1].points"),
    }

    def corrected(**body: Any) -> Any:
        headers = {"If-Match": "*"}
        return program.patch(
            made["Location"], json.dumps(body), content_type="application/json", headers=headers
        )

    assert corrected(sides=[{"players": ["Bob"]}]).status_code == 200
    assert corrected(kind="played").status_code == 422
    assert said(Game.objects.latest("pk")) == ("bye", False, [(["Bob"], 0)])
    assert Game.objects.count() == 2


def test_a_bye_goes_with_its_league_in_a_box(season: Season) -> None:
    bye(season, "Ann", "Bob", note="nobody was free")
    replayed(season)
    file = io.BytesIO()
    export_league(season.league, file)
    file.seek(0)
    other = import_league(file=file, by=None, slug="bees")
    (game,) = Game.objects.in_league(other).filter(kind="bye").with_sides()
    assert (said(game), game.note) == (("bye", False, [(["Ann", "Bob"], 0)]), "nobody was free")
    assert check_season(other.seasons.get().pk) == []
    Game.objects.filter(season=season, kind="bye").get().sides.update(points=3)
    file = io.BytesIO()
    export_league(season.league, file)
    file.seek(0)
    with pytest.raises(ValidationError, match="A bye has more or less than one side, or has points"):
        import_league(file=file, by=None, slug="cats")


def test_the_admin_enters_a_bye_without_points(season: Season) -> None:
    admin = Client()
    admin.force_login(season.league.organizers.earliest("pk").user)
    data = {
        "season": season.pk,
        "played_at_0": "2026-05-03",
        "played_at_1": "18:00:00",
        "kind": "bye",
        "sides-TOTAL_FORMS": "1",
        "sides-INITIAL_FORMS": "0",
        "sides-0-members": [named("Ann").pk],
        "sides-0-points": "",
    }
    add = reverse("admin:leagues_game_add")
    assert "A bye has no points" in admin.post(add, data | {"sides-0-points": "3"}).content.decode()
    assert admin.post(add, data).status_code == 302
    assert said(Game.objects.latest("pk")) == ("bye", False, [(["Ann"], 0)])
    listed = admin.get(reverse("admin:leagues_game_changelist")).content.decode()
    assert "Ann <b>bye</b>" in listed
