"""Forfeits and friendlies: recorded, shown, and rated by the season's rule, never by accident."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leagues.games_csv import read_games
from leagues.models import Game, GameReport, Player, Role, Season
from leagues.services import confirm_report, correct_game, import_games, update_season
from leagues.services.games import played_sides
from ratings.engine.types import Rules
from ratings.models import Meeting, RatingChange, Replay, Standing
from ratings.services.check import check_season
from ratings.services.rate import rate_file
from ratings.services.rules import change_rules
from tests.factories import (
    make_account,
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_report,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """Ann beat Bob at one o'clock."""
    season = make_season(make_league("apes", owner=make_user()))
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 500), (bob, 100))
    return replayed(season)


def one_more(season: Season, kind: str) -> Game:
    """Bob is given a win against Ann at two o'clock."""
    ann, bob = Player.objects.filter(name__in=["Ann", "Bob"]).order_by("name")
    game = make_game(season, (bob, 300), (ann, 0), played_at=season.starts_at + timedelta(hours=2), kind=kind)
    return Game.objects.with_sides().get(pk=game.pk)


def corrected(game: Game, kind: str) -> Game:
    values = {"played_at": game.played_at, "sides": played_sides(game), "note": game.note}
    return correct_game(game=game, kind=kind, by=None, **values)


def results(season: Season) -> Any:
    """Everything but ids: those of a game that came and went are others."""
    standings = Standing.objects.filter(season=season).order_by("position")
    numbers = ("player", "rating", "played", "games", "wins", "losses", "missing_games", "opponents_met")
    rows = RatingChange.objects.filter(season=season).order_by("player_id", "played")
    return (
        list(standings.values_list(*numbers)),
        list(rows.values_list("player", "before", "after")),
        sorted(Meeting.objects.filter(season=season).values_list("player", "opponent", "games")),
        Replay.objects.get(season=season).games,
    )


@pytest.mark.parametrize("kind", ["forfeit", "friendly"])
def test_r41_what_is_not_rated_counts_for_nothing(season: Season, kind: str) -> None:
    change_rules(season=season, by=None, values={"min_meetings": 2, "min_games": 2})
    before = results(replayed(season))
    one_more(season, kind)
    assert results(replayed(season)) == before
    assert set(Standing.objects.values_list("missing_games", "opponents_met")) == {(1, 0)}
    assert check_season(season.pk) == []


def test_r20_a_game_set_to_a_forfeit_and_back_leaves_the_standings_as_before(season: Season) -> None:
    game = one_more(season, "played")
    before = results(replayed(season))
    game = corrected(game, "forfeit")
    assert results(replayed(season)) != before
    corrected(game, "played")
    assert results(replayed(season)) == before
    assert check_season(season.pk) == []


def test_the_season_decides_whether_forfeits_are_rated(season: Season) -> None:
    one_more(season, "forfeit")
    friendly = one_more(season, "friendly")
    unrated = results(replayed(season))
    update_season(season=season, by=None, forfeits_rated=True)
    replayed(season)
    assert Replay.objects.get().games == 2
    assert set(Meeting.objects.values_list("games", flat=True)) == {2}
    assert not RatingChange.objects.filter(game=friendly).exists()
    assert check_season(season.pk) == []
    update_season(season=season, by=None, forfeits_rated=False)
    assert results(replayed(season)) == unrated
    assert check_season(season.pk) == []


def test_a_season_that_rates_forfeits_rates_new_ones(season: Season) -> None:
    update_season(season=season, by=None, forfeits_rated=True)
    assert one_more(season, "forfeit").rated
    assert not one_more(season, "friendly").rated


def test_an_unknown_kind_is_refused(season: Season) -> None:
    with pytest.raises(ValidationError):
        one_more(season, "walkover")


def test_a_file_knows_kinds_and_reads_back_what_it_was_written_with(season: Season, client: Client) -> None:
    header = "played_at,side 1,points 1,side 2,points 2,kind\n"
    rows = "2026-03-01,Ann,3,Bob,1, Forfeit \n2026-03-02,Ann,3,Bob,1,\n2026-03-03,Ann,2,Bob,1,friendly\n"
    file = read_games((header + rows).encode(), timezone=season.league.zone)
    assert import_games(season=season, file=file, by=None).new == 3
    stored = list(Game.objects.in_play_order().values_list("kind", "rated"))
    assert stored == [("played", True), ("forfeit", False), ("played", True), ("friendly", False)]
    address = reverse("ratings:games-file", args=["apes", season.slug])
    written = b"".join(client.get(address).streaming_content)
    again = read_games(written, timezone=season.league.zone)
    assert [game.kind for game in again.games] == ["played", "forfeit", "played", "friendly"]
    assert import_games(season=season, file=again, by=None).new == 0
    rated = rate_file(again, Rules(), season.league.zone)
    assert [(name, row.played) for name, row in rated.rows] == [("Ann", 2), ("Bob", 2)]
    wrong = read_games((header + "2026-03-01,Ann,3,Bob,1,walkover\n").encode(), timezone=season.league.zone)
    assert [(error.line, error.column) for error in wrong.errors] == [(2, "kind")]
    long = "game,played_at,side,player,points,kind\n1,2026-03-01,1,Ann,3,forfeit\n1,2026-03-01,2,Bob,1,\n"
    (game,) = read_games(long.encode(), timezone=season.league.zone).games
    assert game.kind == "forfeit"


def test_a_file_of_games_that_were_all_played_has_no_column_of_kinds(season: Season, client: Client) -> None:
    address = reverse("ratings:games-file", args=["apes", season.slug])
    written = b"".join(client.get(address).streaming_content).decode("utf-8-sig")
    assert written.splitlines()[0] == "played_at,side 1,points 1,side 2,points 2,note"


def typed_forfeit(winner: Player, loser: Player) -> dict[str, str]:
    return {
        "side-TOTAL_FORMS": "2",
        "side-INITIAL_FORMS": "2",
        "played_at": "2026-01-02T10:00",
        "kind": "forfeit",
        "side-0-members": str(winner.pk),
        "side-0-points": "1",
        "side-1-members": str(loser.pk),
        "side-1-points": "0",
    }


def test_a_scorer_enters_a_forfeit_which_everybody_sees_marked(season: Season, client: Client) -> None:
    scorer = Client()
    scorer.force_login(make_organizer(season.league, Role.SCORER))
    ann, bob = Player.objects.filter(name__in=["Ann", "Bob"]).order_by("name")
    typed = typed_forfeit(ann, bob)
    form = reverse("leagues:game-create", args=["apes", season.slug])
    assert "Neither forfeits nor friendlies are rated" in scorer.get(form).content.decode()
    assert scorer.post(form, typed).status_code == 302
    game = Game.objects.latest("pk")
    assert (game.kind, game.rated) == ("forfeit", False)
    replayed(season)
    assert (
        "forfeit, not rated"
        in client.get(reverse("ratings:game-list", args=["apes", season.slug])).content.decode()
    )
    page = client.get(game.get_absolute_url()).content.decode()
    assert "A forfeit changes no rating in this season" in page
    item = client.get(f"/api/v1/leagues/apes/seasons/{season.slug}/games/{game.pk}").json()
    assert (item["kind"], item["rated"], item["explanation"]) == ("forfeit", False, None)


def test_a_player_reports_a_forfeit_which_is_none_to_be_rated(season: Season) -> None:
    update_season(season=season, by=None, games_from="both")
    ann, bob = Player.objects.filter(name__in=["Ann", "Bob"]).order_by("name")
    annie, bobby = Client(), Client()
    annie.force_login(make_account(ann, "annie"))
    bobby.force_login(make_account(bob, "bobby"))
    form = reverse("leagues:game-create", args=["apes", season.slug])
    assert annie.post(form, typed_forfeit(ann, bob)).status_code == 302
    report = GameReport.objects.get()
    assert report.kind == "forfeit"
    reports = reverse("leagues:report-list", args=["apes", season.slug])
    assert "forfeit, not rated" in bobby.get(reports).content.decode()
    confirm_report(report=report, by=bob.user)
    game = Game.objects.latest("pk")
    assert (game.kind, game.rated) == ("forfeit", False)


@pytest.mark.parametrize("enter", [make_game, make_report])
def test_a_form_that_says_another_kind_says_something_else(season: Season, enter: Any) -> None:
    update_season(season=season, by=None, games_from="both")
    ann, bob = Player.objects.filter(name__in=["Ann", "Bob"]).order_by("name")
    make_account(ann, "annie")
    token = uuid4()
    first = enter(season, (ann, 3), (bob, 1), token=token, kind="friendly")
    assert enter(season, (ann, 3), (bob, 1), token=token, kind="friendly") == first
    with pytest.raises(ValidationError, match="says something else now"):
        enter(season, (ann, 3), (bob, 1), token=token)


def test_the_preview_of_a_file_says_which_games_will_not_be_rated(season: Season, client: Client) -> None:
    client.force_login(make_organizer(season.league, Role.MANAGER))
    rows = b"2026-03-01,Ann,3,Bob,1,forfeit\n2026-03-02,Ann,3,Bob,1,\n2026-03-03,Ann,2,Bob,1,friendly\n"
    header = b"played_at,side 1,points 1,side 2,points 2,kind\n"
    page = previewed(client, season, header + rows)
    assert "<dt>Not rated among them</dt><dd>2</dd>" in page
    assert page.count("forfeit, not rated") == page.count("friendly, not rated") == 1
    update_season(season=season, by=None, forfeits_rated=True)
    assert "<dt>Not rated among them</dt><dd>1</dd>" in previewed(client, season, header + rows)
    assert "Not rated among them" not in previewed(client, season, header + rows[31:62])


def test_a_column_can_be_said_to_hold_the_kind(season: Season, client: Client) -> None:
    client.force_login(make_organizer(season.league, Role.MANAGER))
    page = previewed(client, season, b"When,A,PA,B,PB,What\n2026-03-01,Ann,3,Bob,1,forfeit\n")
    assert '<option value="kind"' in page


def previewed(client: Client, season: Season, data: bytes) -> str:
    address = reverse("leagues:import", args=["apes", season.slug])
    return client.post(address, {"file": SimpleUploadedFile("games.csv", data)}).content.decode()
