"""Games in the admin: the form cleans, the services write."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leagues.models import AuditEntry, Game, League, Player, Role, Season
from leagues.services import correct_game, update_season
from leagues.services.games import played_sides
from ratings.models import Standing
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

LIST = "/admin/leagues/game/"
ADD = "/admin/leagues/game/add/"


@pytest.fixture
def league() -> League:
    return make_league("league-a", owner=make_user("alice"), timezone="Europe/Sofia")


@pytest.fixture
def season(league: League) -> Season:
    return make_season(league)


@pytest.fixture
def players(league: League) -> list[Player]:
    return make_players(league, "Ann", "Ben", "Cid", "Dan", "Eve", "Fay", "Gil", "Hal", "Ida", "Joe")


@pytest.fixture
def scorer(client: Client, league: League) -> User:
    """Carol, signed in."""
    user = make_organizer(league, Role.SCORER, "carol")
    client.force_login(user)
    return user


def rows(*sides: tuple[list[Player], Any], stored: Game | None = None) -> dict[str, Any]:
    """The form's rows of these sides; the first ones are those of the stored game."""
    ids = list(stored.sides.values_list("pk", flat=True)) if stored else []
    data: dict[str, Any] = {"sides-TOTAL_FORMS": len(sides), "sides-INITIAL_FORMS": len(ids)}
    for number, (members, points) in enumerate(sides):
        data[f"sides-{number}-members"] = [player.pk for player in members]
        data[f"sides-{number}-points"] = points
        if number < len(ids):
            data |= {f"sides-{number}-id": ids[number], f"sides-{number}-game": stored.pk if stored else ""}
            data[f"sides-{number}-position"] = number + 1
    return data


def head(season: Season, day: str = "2026-05-03", clock: str = "18:00:00", note: str = "") -> dict[str, Any]:
    return {"season": season.pk, "played_at_0": day, "played_at_1": clock, "kind": "played", "note": note}


def sides_of(game: Game) -> list[tuple[list[str], int]]:
    return [([player.name for player in side.members], side.points) for side in played_sides(game)]


def test_a_game_is_recorded_by_the_service(
    client: Client,
    season: Season,
    players: list[Player],
    scorer: User,
    django_capture_on_commit_callbacks: Any,
) -> None:
    season.refresh_from_db()
    revision = season.revision
    with django_capture_on_commit_callbacks(execute=True):
        data = head(season, note="final") | rows((players[:1], 300), (players[1:2], 100))
        response = client.post(ADD, data)
    assert response.status_code == 302
    game = Game.objects.get()
    assert sides_of(game) == [(["Ann"], 300), (["Ben"], 100)]
    assert game.note == "final"
    assert game.played_at == datetime(2026, 5, 3, 15, tzinfo=UTC)  # 18:00 in Sofia, which is at +3 in May
    assert game.entered_by == scorer
    season.refresh_from_db()
    assert season.revision == revision + 1
    entry = AuditEntry.objects.filter(action="record_game").get()
    assert (entry.by, entry.object_id) == (scorer, str(game.pk))
    # M = 4 x 200/100... by the printed formula: the winner stands first, both off 1500.
    ratings = list(
        Standing.objects.filter(season=season).order_by("position").values_list("rating", flat=True)
    )
    assert ratings[0] > 15_000 > ratings[1]
    assert sum(ratings) == 30_000


def test_position_decides_the_order_of_sides(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    data = head(season) | rows((players[:1], 1), (players[1:2], 2), (players[2:3], 3))
    data |= {"sides-0-position": 2, "sides-2-position": 1}  # the one without comes last
    client.post(ADD, data)
    assert sides_of(Game.objects.get()) == [(["Cid"], 3), (["Ann"], 1), (["Ben"], 2)]


def test_a_game_is_corrected_by_the_service(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    game = make_game(season, (players[0], 300), (players[1], 100))
    season.refresh_from_db()
    revision = season.revision
    data = head(season) | rows((players[:1], 100), (players[1:3], 500), stored=game)
    assert client.post(f"{LIST}{game.pk}/change/", data).status_code == 302
    game.refresh_from_db()
    assert sides_of(Game.objects.get(pk=game.pk)) == [(["Ann"], 100), (["Ben", "Cid"], 500)]
    assert game.version == 2
    season.refresh_from_db()
    assert season.revision == revision + 1
    entry: Any = AuditEntry.objects.get(action="correct_game")
    assert entry.before["sides"][0] == {"players": ["Ann"], "points": 300}
    assert entry.after["sides"][1] == {"players": ["Ben", "Cid"], "points": 500}
    history = client.get(f"{LIST}{game.pk}/history/").content.decode()
    assert "Ann 300 · Ben 100 → Ann 100 · Ben, Cid 500" in history


def test_saving_without_a_change_writes_nothing(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    moment = datetime(2026, 5, 3, 15, 0, 7, 250_000, tzinfo=UTC)
    game = make_game(season, (players[0], 300), (players[1], 100), played_at=moment)
    data = head(season, clock="18:00:07") | rows((players[:1], 300), (players[1:2], 100), stored=game)
    assert client.post(f"{LIST}{game.pk}/change/", data).status_code == 302
    game.refresh_from_db()
    assert (game.version, game.played_at) == (1, moment)


def test_a_side_added_and_one_taken_away(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    game = make_game(season, (players[0], 300), (players[1], 100))
    data = head(season) | rows((players[:1], 300), (players[1:2], 100), (players[2:3], 50), stored=game)
    client.post(f"{LIST}{game.pk}/change/", data | {"sides-1-DELETE": "on"})
    assert sides_of(Game.objects.get()) == [(["Ann"], 300), (["Cid"], 50)]


def test_r80_two_who_correct_at_once_do_not_undo_each_other(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    game = make_game(season, (players[0], 300), (players[1], 100))
    data = head(season) | rows((players[:1], 301), (players[1:2], 100), stored=game)
    sides = played_sides(Game.objects.get())
    correct_game(game=game, played_at=game.played_at, sides=sides[::-1], by=None)
    response = client.post(f"{LIST}{game.pk}/change/", data)
    assert "Somebody else changed this game meanwhile" in response.content.decode()
    assert sides_of(Game.objects.get()) == [(["Ben"], 100), (["Ann"], 300)]


BAD: dict[str, Any] = {
    "twice": ((([0], 1), ([0], 2)), {}, "Ann is on side 1 and on side 2; a player has one seat in a game."),
    "one side": ((([0], 1),), {}, "A game has at least 2 and at most 200 sides; this one has 1."),
    "five teams": (
        (([0, 1], 1), ([2, 3], 2), ([4, 5], 3), ([6, 7], 4), ([8, 9], 5)),
        {},
        "A team game has at most 4 teams; this one has 5.",
    ),
    "a team of four": ((([0, 1, 2, 3], 1), ([4], 2)), {}, "Side 1 has 4 players; a team has 1 to 3."),
    "margin": (
        (([0], 6000), ([1], 0)),
        {},
        "The sides are 6,000 points apart; this season accepts at most 5,000.",
    ),
    "before": ((([0], 1), ([1], 2)), {"played_at_0": "2025-12-31"}, "is outside the season, which runs from"),
    "year 1": ((([0], 1), ([1], 2)), {"played_at_0": "0001-01-01"}, "Enter a valid date."),
    "no date": ((([0], 1), ([1], 2)), {"played_at_0": "x"}, "Enter a valid date."),
    "no time": ((([0], 1), ([1], 2)), {"played_at_1": ""}, "This field is required."),
    "half points": ((([0], "1.5"), ([1], 2)), {}, "“1.5” is no whole number: write only digits"),
    "not a number": ((([0], "NaN"), ([1], 2)), {}, "“NaN” is no whole number"),
    "NUL in points": ((([0], "\0"), ([1], 2)), {}, "is no whole number"),
    "huge points": ((([0], 10**30), ([1], 2)), {}, "is too large: points lie between"),
    "no points": ((([0], ""), ([1], 2)), {}, "This field is required."),
    "no player": ((([], 1), ([1], 2)), {}, "This field is required."),
    "huge id": ((([0], 1), ([1], 2)), {"sides-0-members": ["9" * 30]}, "is not a valid value."),
    "no id": ((([0], 1), ([1], 2)), {"sides-0-members": ["x"]}, "is not a valid value."),
    "no season": ((([0], 1), ([1], 2)), {"season": ""}, "This field is required."),
    "NUL in note": ((([0], 1), ([1], 2)), {"note": "\0"}, "Null characters are not allowed."),
    "no rows": (
        (([0], 1), ([1], 2)),
        {"sides-TOTAL_FORMS": "x"},
        "A game has at least 2 and at most 200 sides; this one has 0.",
    ),
    "too many rows": (
        (([0], 1), ([1], 2)),
        {"sides-TOTAL_FORMS": "5000"},
        "Please submit at most 200 forms.",
    ),
    "position": ((([0], 1), ([1], 2)), {"sides-0-position": "0"}, "greater than or equal to 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_sentence_in_the_form(
    client: Client, season: Season, players: list[Player], scorer: User, case: str
) -> None:
    sides, other, sentence = BAD[case]
    data = head(season) | rows(*(([players[i] for i in who], points) for who, points in sides))
    audit = AuditEntry.objects.count()
    response = client.post(ADD, data | other)
    assert response.status_code == 200
    assert sentence in response.content.decode()
    assert not Game.objects.exists()
    assert AuditEntry.objects.count() == audit


def test_a_closed_season_refuses_with_a_sentence(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    game = make_game(season, (players[0], 300), (players[1], 100))
    client.force_login(User.objects.get(username="alice"))
    update_season(season=season, by=None, state=Season.State.CLOSED)
    sentence = "is closed and takes no changes"
    data = rows((players[:1], 1), (players[1:2], 2))
    assert sentence in client.post(ADD, head(season) | data).content.decode()
    data = rows((players[:1], 1), (players[1:2], 2), stored=game)
    assert sentence in client.post(f"{LIST}{game.pk}/change/", head(season) | data).content.decode()
    for response in (
        client.post(f"{LIST}{game.pk}/delete/", {"post": "yes"}, follow=True),
        client.post(LIST, chosen("delete_selected", game, post="yes"), follow=True),
        client.post(LIST, chosen("void", game, reason="why"), follow=True),
    ):
        assert response.status_code == 200
        assert sentence in response.content.decode()
    assert sides_of(Game.objects.counted().get()) == [(["Ann"], 300), (["Ben"], 100)]


def chosen(action: str, *rows: Game | Player, **values: Any) -> dict[str, Any]:
    return {"action": action, "_selected_action": [row.pk for row in rows]} | values


def test_r12_deleting_selected_is_one_change_of_each_season(
    client: Client, season: Season, players: list[Player], league: League
) -> None:
    other = make_season(league, name="Cup", starts_on=date(2026, 1, 1), ends_on=date(2026, 12, 31))
    games = [make_game(each, (players[0], n), (players[1], 9)) for each in (season, other) for n in range(3)]
    client.force_login(User.objects.get(username="alice"))
    before = {each.pk: each.revision for each in Season.objects.all()}
    page = client.post(LIST, chosen("delete_selected", *games)).content.decode()
    assert "Are you sure" in page
    assert client.post(LIST, chosen("delete_selected", *games, post="yes")).status_code == 302
    assert not Game.objects.exists()
    assert {each.pk: each.revision for each in Season.objects.all()} == {
        pk: revision + 1 for pk, revision in before.items()
    }
    assert AuditEntry.objects.filter(action="delete_game").count() == 6


def test_a_scorer_deletes_games_and_touches_no_player(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    game = make_game(season, (players[0], 300), (players[1], 100))
    client.post(f"{LIST}{game.pk}/delete/", {"post": "yes"})
    assert not Game.objects.exists()
    page = f"/admin/leagues/player/{players[0].pk}/"
    assert client.post(f"{page}change/", {"name": "X"}).status_code == 403
    assert client.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/leagues/player/add/").status_code == 403


def test_a_role_in_one_league_is_none_in_another(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    """Carol scores here and owns league C: deleting players is hers there only."""
    make_league("league-c", owner=scorer)
    answer = client.post("/admin/leagues/player/", chosen("delete_selected", players[0], post="yes"))
    assert answer.status_code == 403
    assert client.post(f"/admin/leagues/player/{players[0].pk}/delete/", {"post": "yes"}).status_code == 403
    assert Player.objects.filter(pk=players[0].pk).exists()


def test_voiding_asks_for_a_reason_and_can_be_taken_back(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    game = make_game(season, (players[0], 300), (players[1], 100))
    page = client.post(LIST, chosen("void", game), follow=True).content.decode()
    assert "Say why the game is voided" in page
    assert not Game.objects.get().is_voided
    client.post(LIST, chosen("void", game, reason="wrong table"))
    assert Game.objects.get().void_reason == "wrong table"
    assert "wrong table" in client.get(f"{LIST}{game.pk}/change/").content.decode()
    client.post(LIST, chosen("restore", game))
    assert not Game.objects.get().is_voided


def test_times_are_those_of_the_league(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    game = make_game(season, (players[0], 1), (players[1], 2), played_at=datetime(2026, 5, 3, 15, tzinfo=UTC))
    page = client.get(f"{LIST}{game.pk}/change/").content.decode()
    assert 'value="18:00:00"' in page
    assert "time zone of the league: Europe/Sofia" in page
    assert "3 May 2026, 18:00" in client.get(LIST).content.decode()


def test_an_organizer_of_two_leagues_enters_the_time_of_the_season_chosen(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    make_season(make_league("league-c", owner=scorer, timezone="America/New_York"))
    assert "in the time zone of the season’s league" in client.get(ADD).content.decode()
    client.post(ADD, head(season) | rows((players[:1], 1), (players[1:2], 2)))
    assert Game.objects.get().played_at == datetime(2026, 5, 3, 15, tzinfo=UTC)


def test_games_are_found_by_a_players_name_in_any_script(
    client: Client, season: Season, players: list[Player], scorer: User, league: League
) -> None:
    (zahari,) = make_players(league, "Захари")
    make_game(season, (zahari, 1), (players[1], 2))
    make_game(season, (players[0], 1), (players[1], 2))
    page = client.get(f"{LIST}?q=zahari").content.decode()
    assert "Захари <b>1</b> – Ben <b>2</b>" in page
    assert "Ann" not in page


def test_the_list_takes_as_many_queries_for_many_games_as_for_one(
    client: Client, season: Season, players: list[Player], scorer: User
) -> None:
    counts = []
    for games in (1, 20):
        for number in range(games):
            moment = season.starts_at + timedelta(hours=number)
            make_game(season, (players[:2], 1), (players[2], number), played_at=moment)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(LIST).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 17


def test_adding_offers_the_only_open_season(client: Client, season: Season, scorer: User) -> None:
    assert f'<option value="{season.pk}" selected>' in client.get(ADD).content.decode()
    assert reverse("admin:leagues_game_add") == ADD
