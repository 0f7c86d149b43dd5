"""Entering a game: the service, the form, the page and the player picker."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from leagues.models import AuditEntry, Game, Player, Role, Season
from leagues.services import (
    FormUsedError,
    GameRefusedError,
    SimilarGameError,
    add_alias,
    update_season,
)
from ratings.models import Standing
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
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def players(season: Season) -> list[Player]:
    return make_players(season.league, "Захари", "Валя", "Марина", "Добри", "Иво")


def url(season: Season) -> str:
    return reverse("leagues:game-create", args=[season.league.slug, season.slug])


def typed(*sides: tuple[Any, Any], played_at: str = "2026-05-01T15:00", **values: Any) -> dict[str, Any]:
    """What a browser sends; a side is the player, several of them or a written text, and the points."""
    data = {
        "played_at": played_at,
        "note": "",
        "kind": "played",
        "side-TOTAL_FORMS": str(len(sides)),
        "side-INITIAL_FORMS": "0",
    }
    for number, (who, points) in enumerate(sides):
        data[f"side-{number}-points"] = str(points)
        if isinstance(who, str):
            data[f"side-{number}-members_names"] = who
        else:
            chosen = who if isinstance(who, list) else [who]
            data[f"side-{number}-members"] = [
                each.pk if isinstance(each, Player) else each for each in chosen
            ]
    return data | values


def errors(response: Any) -> dict[str, list[str]]:
    """The errors of a page by field, those of sides by number from 1."""
    form = response.context["form"]
    found = {name: list(messages) for name, messages in form.errors.items()}
    for number, side in enumerate(form.sides.forms, 1):
        found |= {f"{name} {number}": list(messages) for name, messages in side.errors.items()}
    if form.sides.non_form_errors():
        found["sides"] = list(form.sides.non_form_errors())
    return found


# --- The service


def record(season: Season, *sides: tuple[Any, int], played_at: datetime = NOON, **values: Any) -> Game:
    return make_game(season, *sides, played_at=played_at, **values)


def refused(
    season: Season, *sides: tuple[Any, int], played_at: datetime = NOON
) -> list[tuple[str, int | None, str]]:
    with pytest.raises(GameRefusedError) as error:
        record(season, *sides, played_at=played_at)
    assert not Game.objects.exists()
    return [(problem.field, problem.side, problem.message) for problem in error.value.problems]


def test_a_game_is_recorded_with_its_sides_and_enters_its_players(season, players):
    a, b, c, *_others = players
    user = make_user("carol")
    game = record(season, ([a, b], 12), (c, -3), note="  final  ", by=user)
    game = Game.objects.with_sides().get(pk=game.pk)
    assert [(s.position, s.points, [m.player for m in s.members.all()]) for s in game.sides.all()] == [
        (1, 12, [a, b]),
        (2, -3, [c]),
    ]
    assert (game.note, game.order, game.version, game.entered_by) == ("final", 1, 1, user)
    assert {entry.player for entry in season.entries.all()} == {a, b, c}
    entry = AuditEntry.objects.get(action="record_game")
    assert (entry.league, entry.by, entry.object_id) == (season.league, user, str(game.pk))
    assert entry.after["sides"][0] == {"players": ["Захари", "Валя"], "points": 12}


def test_recording_raises_the_revision_and_marks_from_when_ratings_are_stale(season, players):
    a, b, *_others = players
    season.refresh_from_db()
    before = season.revision
    record(season, (a, 1), (b, 0), played_at=NOON)
    record(season, (a, 1), (b, 0), played_at=NOON - timedelta(days=1))
    season.refresh_from_db()
    assert season.revision == before + 2
    assert season.stale_from <= NOON - timedelta(days=1)


def test_games_of_one_moment_are_in_order_of_entry(season, players):
    a, b, c, *_others = players
    games = [record(season, (a, 1), (other, 0)) for other in (b, c, b)]
    assert [game.order for game in games] == [1, 2, 3]
    assert len({game.key for game in games}) == 3


def test_r38_a_player_cannot_have_two_seats(season, players):
    a, b, *_others = players
    assert refused(season, (a, 5), ([b, a], 3)) == [
        ("side", 2, "Захари is on side 1 and on side 2; a player has one seat in a game.")
    ]
    assert refused(season, ([a, a], 5), (b, 3))[0][:2] == ("side", 1)


def test_one_side_is_no_game(season, players):
    assert refused(season, (players[0], 5)) == [
        ("sides", None, "A game has at least 2 and at most 200 sides; this one has 1.")
    ]
    assert refused(season)[0][2].endswith("this one has 0.")


def test_teams_have_up_to_three_players_and_up_to_four_of_them_play(season, players):
    assert refused(season, (players[:4], 1), (players[4], 0)) == [
        ("side", 1, "Side 1 has 4 players; a team has 1 to 3.")
    ]
    six = [*players, *make_players(season.league, "Ели")]
    message = "A team game has at most 4 teams; this one has 5."
    assert refused(season, (six[:2], 1), *[(player, 0) for player in six[2:]]) == [("sides", None, message)]


def test_a_free_for_all_of_five_is_no_team_game(season, players):
    game = record(season, *[(player, number) for number, player in enumerate(players)])
    assert game.sides.count() == 5


def test_r39_a_side_needs_a_player(season, players):
    assert refused(season, (players[0], 1), ([], 0)) == [("side", 2, "Side 2 has no player.")]


def test_the_margin_has_a_limit(season, players):
    a, b, *_others = players
    limit = season.largest_margin
    message = f"The sides are {limit + 1:,} points apart; this season accepts at most {limit:,}."
    assert refused(season, (a, 0), (b, limit + 1)) == [("points", 2, message)]
    assert record(season, (a, 0), (b, limit)).pk


def test_points_below_zero_only_where_the_season_has_them(season, players):
    a, b, *_others = players
    update_season(season=season, by=None, negative_points=False)
    season.refresh_from_db()
    message = "Side 2 has −1 points; this season has no points below 0."
    assert refused(season, (a, 0), (b, -1)) == [("points", 2, message)]


def test_up_02_points_no_database_can_hold_are_refused(season, players):
    a, b, *_others = players
    found = refused(season, (a, 10**30), (b, 10**30))
    assert [(field, side) for field, side, _message in found] == [("points", 1), ("points", 2)]
    assert found[0][2] == ("Side 1 has too many points: they lie between −1,000,000,000 and 1,000,000,000.")


def test_r72_the_last_day_of_a_season_counts_in_the_leagues_zone(season, players):
    a, b, *_others = players
    last = datetime(2026, 12, 31, 21, 59, 59, tzinfo=UTC)  # 23:59:59 in Sofia
    assert record(season, (a, 1), (b, 0), played_at=last).pk
    Game.objects.all().delete()
    ((field, _side, message),) = refused(
        season, (a, 1), (b, 0), played_at=datetime(2026, 12, 31, 22, tzinfo=UTC)
    )
    assert field == "played_at"
    assert message == (
        "1 January 2027, 00:00 is outside the season, which runs from 1 January 2026 to 31 December 2026."
    )
    assert refused(season, (a, 1), (b, 0), played_at=datetime(2025, 12, 31, 21, 59, tzinfo=UTC))


def test_xw_01_a_player_of_another_league_is_unknown(season, players):
    (stranger,) = make_players(make_league(), "Bob")
    assert refused(season, (players[0], 1), (stranger, 0)) == [
        ("side", 2, "Side 2 has a player who is unknown in this league.")
    ]


def test_a_closed_season_takes_no_game(season, players):
    update_season(season=season, by=None, state=Season.State.CLOSED)
    with pytest.raises(ValidationError) as error:
        record(season, (players[0], 1), (players[1], 0))
    assert error.value.code == "closed"
    assert not Game.objects.exists()


def test_a_ladder_game_is_one_against_one():
    season = make_season(preset="ranked-battle")
    players = make_players(season.league, "A", "B", "C")
    message = "A game of this season is one player against one: exactly 2 sides of 1 player."
    assert refused(season, *[(player, 1) for player in players]) == [("sides", None, message)]
    assert refused(season, (players[:2], 1), (players[2], 0)) == [("sides", None, message)]


def test_all_problems_are_said_at_once(season, players):
    a, b, *_others = players
    found = refused(season, (a, 0), ([a, b], 9999), played_at=NOON - timedelta(days=999))
    assert [field for field, _side, _message in found] == ["played_at", "side", "points"]


def test_a_note_too_long_is_refused(season, players):
    with pytest.raises(ValidationError):
        record(season, (players[0], 1), (players[1], 0), note="x" * 201)
    assert not Game.objects.exists()


def test_rc_01_the_same_token_makes_one_game(season, players):
    a, b, *_others = players
    token = uuid4()
    first, second = (record(season, (a, 1), (b, 0), token=token) for _time in range(2))
    assert first == second
    assert Game.objects.count() == 1
    assert AuditEntry.objects.filter(action="record_game").count() == 1


def test_rc_01_a_token_is_of_one_season(players, season):
    other = make_season(make_league())
    token = uuid4()
    record(season, (players[0], 1), (players[1], 0), token=token)
    record(other, *[(player, 1) for player in make_players(other.league, "A", "B")], token=token)
    assert Game.objects.count() == 2


def test_r77_a_form_that_says_something_else_than_the_game_it_made_is_refused(season, players):
    a, b, *_others = players
    token = uuid4()
    made = record(season, (a, 1), ([b, Player(league=season.league, name="Ели")], 0), token=token, note=" x ")
    (eli,) = Player.objects.filter(name="Ели")
    assert record(season, (a, 1), ([eli, b], 0), token=token, note="x") == made
    changed: list[dict[str, Any]] = [{"note": "y"}, {"played_at": NOON + timedelta(minutes=1)}]
    for values in changed:
        with pytest.raises(FormUsedError) as error:
            record(season, (a, 1), ([b, eli], 0), token=token, **{"note": "x"} | values)
        assert error.value.game == made
    with pytest.raises(FormUsedError):
        record(season, (a, 2), ([b, eli], 0), token=token, note="x")
    assert Game.objects.count() == 1


@pytest.mark.parametrize(("minutes", "is_similar"), [(0, True), (2, True), (-2, True), (3, False)])
def test_r77_a_likely_duplicate_is_of_the_same_sides_within_two_minutes(season, players, minutes, is_similar):
    a, b, *_others = players
    first = record(season, (a, 3), (b, 1))
    again = {"played_at": NOON + timedelta(minutes=minutes), "even_if_similar": False}
    if is_similar:
        with pytest.raises(SimilarGameError) as error:
            record(season, (b, 1), (a, 3), **again)
        assert error.value.game == first
    else:
        assert record(season, (b, 1), (a, 3), **again).pk
    assert record(season, (a, 3), (b, 2), **again).pk  # other points


def test_new_players_are_created_with_the_game_or_not_at_all(season, players):
    new = Player(league=season.league, name="Ели")
    assert refused(season, ((new,), 0), (players[0], 99999))
    assert not Player.objects.filter(name="Ели").exists()
    record(season, ((new,), 0), (players[0], 1))
    assert season.entries.get(player__slug="eli").player.name == "Ели"


# --- The page


def test_the_form_shows_two_sides_and_now(scorer, season, players):
    response = scorer.get(url(season))
    assert response.status_code == 200
    assert len(response.context["form"].sides.forms) == 2
    assert 'name="side-1-points"' in response.content.decode()
    assert "Vary" in response.headers
    assert "HX-Request" in response.headers["Vary"]


def test_entering_a_game_saves_it_and_shows_it(scorer, season, players):
    a, b, *_others = players
    response = scorer.post(url(season), typed((a, 3), (b, 1), note="at Валя's"))
    game = Game.objects.get()
    assert response.status_code == 302
    assert response["Location"] == game.get_absolute_url()
    assert game.played_at == NOON  # 15:00 in Sofia
    assert game.note == "at Валя's"
    assert [side.points for side in game.sides.all()] == [3, 1]
    replayed(season)
    assert Standing.objects.get(season=season, player=a).rating > 15000


def test_save_and_enter_another_comes_back_to_an_empty_form(scorer, season, players):
    response = scorer.post(url(season), typed((players[0], 3), (players[1], 1), another="1"), follow=True)
    assert response.redirect_chain[0][0] == url(season)
    assert "The game is saved." in response.content.decode()
    assert not response.context["form"].is_bound


def test_teams_and_more_sides_can_be_entered(scorer, season, players):
    a, b, c, d, e = players
    assert scorer.post(url(season), typed(([a, b], 3), (c, 1), ([d, e], 0))).status_code == 302
    assert [side.members.count() for side in Game.objects.get().sides.all()] == [2, 1, 2]


def test_empty_sides_at_the_end_are_absent(scorer, season, players):
    a, b, c, *_others = players
    assert scorer.post(url(season), typed((a, 3), (b, 1), ([], ""), ([], ""))).status_code == 302
    assert Game.objects.get().sides.count() == 2
    response = scorer.post(url(season), typed((a, 3), (b, 2), ([], ""), (c, 1)))
    assert errors(response) == {"members 3": ["The side is empty but a later one is not: leave no side out."]}


def test_players_can_be_written_where_there_are_no_scripts(scorer, season, players):
    make_players(season.league, "Иван")
    assert scorer.post(url(season), typed(("захари + VALYA", 3), ("ivan", 1))).status_code == 302
    sides = Game.objects.with_sides().get().sides.all()
    assert [[seat.player.name for seat in side.members.all()] for side in sides] == [
        ["Захари", "Валя"],
        ["Иван"],
    ]


def test_a_written_name_of_two_players_asks_for_the_address(scorer, season, players):
    make_players(season.league, "Ivan", "Ivan")
    response = scorer.post(url(season), typed(("Ivan", 3), (players[0], 1)))
    assert errors(response) == {
        "members 1": ["“Ivan” is the name of 2 players; write the address of one: ivan, ivan-2."]
    }
    for address in ("ivan", "ivan-2"):
        assert scorer.post(url(season), typed((address, 3), (players[0], 1), anyway="1")).status_code == 302
    assert {game.seats.first().player.slug for game in Game.objects.all()} == {"ivan", "ivan-2"}


def test_a_written_name_that_is_nobodys_is_created_only_when_told(scorer, season, players):
    data = typed(("Нели", 3), ("Валя", 1))
    response = scorer.post(url(season), data)
    assert errors(response) == {
        "members 1": ["“Нели” is no player of this league; correct the name or tick “Add new players”."]
    }
    assert 'value="Нели"' in response.content.decode()
    assert not Player.objects.filter(name="Нели").exists()
    assert scorer.post(url(season), data | {"add_players": "on"}).status_code == 302
    assert Player.objects.get(name="Нели").entries.get().season == season


def test_the_picker_adds_a_new_player_once(scorer, season, players):
    for points in (1, 2):
        scorer.post(url(season), typed((["new:Нели"], points), (players[0], 0)))
    assert Player.objects.filter(name="Нели").count() == 1
    assert Game.objects.count() == 2


def test_a_new_player_on_both_sides_is_one_player(scorer, season, players):
    response = scorer.post(url(season), typed((["new:Нели"], 1), (["new:нели"], 0)))
    assert errors(response)["members 2"] == [
        "Нели is on side 1 and on side 2; a player has one seat in a game."
    ]
    assert not Player.objects.filter(name="Нели").exists()


@pytest.mark.parametrize("name", ["new:", "new:a + b", "new:\u200b", "new:" + "x" * 101])
def test_nobody_gets_an_impossible_name(scorer, season, players, name):
    response = scorer.post(url(season), typed(([name], 1), (players[0], 0)))
    assert errors(response)["members 1"]
    assert Player.objects.count() == 5


@pytest.mark.parametrize(
    "points", ["", "1.5", "1e3", "NaN", "inf", "1/2", "ten", "１２", "1_000", "0x1", "9" * 5000, 10**30]
)
def test_up_02_points_that_are_no_whole_number_are_refused_and_stay(scorer, season, players, points):
    response = scorer.post(url(season), typed((players[0], points), (players[1], 0)))
    assert response.status_code == 200
    assert list(errors(response)) == ["points 1"]
    assert response.context["form"].sides.forms[0]["points"].value() == str(points)
    assert "selected>Захари</option>" in response.content.decode()
    assert not Game.objects.exists()


@pytest.mark.parametrize("points", ["-3", "+3", "−3", "007", " 5 "])
def test_whole_numbers_may_have_a_sign(scorer, season, players, points):
    assert scorer.post(url(season), typed((players[0], points), (players[1], 0))).status_code == 302


@pytest.mark.parametrize(
    ("played_at", "message"),
    [
        ("", "Say when the game was played."),
        ("yesterday", "“yesterday” is no date or time: write it like 2026-11-29 or 2026-11-29 18:05."),
        (
            "2026-02-30T10:00",
            "“2026-02-30T10:00” is no date or time: write it like 2026-11-29 or 2026-11-29 18:05.",
        ),
        ("0001-01-01T00:00", "“0001-01-01T00:00” is too far away: the year lies between 2 and 9998."),
        ("9999-12-31T23:59", "“9999-12-31T23:59” is too far away: the year lies between 2 and 9998."),
        (
            "2026-03-29T03:30",
            "“2026-03-29T03:30” does not exist in Europe/Sofia: the clocks skipped that time.",
        ),
        (
            "2027-01-01T00:00",
            (
                "1 January 2027, 00:00 is outside the season, "
                "which runs from 1 January 2026 to 31 December 2026."
            ),
        ),
    ],
)
def test_a_time_that_is_none_is_refused(scorer, season, players, played_at, message):
    response = scorer.post(url(season), typed((players[0], 1), (players[1], 0), played_at=played_at))
    assert errors(response) == {"played_at": [message]}
    assert not Game.objects.exists()


def test_a_local_time_that_happens_twice_is_its_first_one(scorer, season, players):
    scorer.post(url(season), typed((players[0], 1), (players[1], 0), played_at="2026-10-25T03:30"))
    assert Game.objects.get().played_at == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_problems_of_the_season_stand_at_their_fields(scorer, season, players):
    a, b, *_others = players
    response = scorer.post(url(season), typed((a, 0), ([b, a], 9999)))
    assert set(errors(response)) == {"members 2", "points 2"}
    page = response.content.decode()
    assert "The game is not saved yet." in page
    assert 'href="#id_side-1-points"' in page
    response = scorer.post(url(season), typed(([], ""), ([], "")))
    assert set(errors(response)) == {"members 1", "points 1", "members 2", "points 2"}


def test_xw_01_a_posted_player_of_another_league_is_unknown(scorer, season, players):
    (stranger,) = make_players(make_league(), "Canary")
    for value in (stranger.pk, 10**30, "x", "-1", "\0", "٣"):
        response = scorer.post(url(season), typed((players[0], 1), ([value], 0)))
        assert errors(response) == {"members 2": ["This player is unknown in this league."]}
        assert "Canary" not in response.content.decode()
    assert not Game.objects.exists()


@pytest.mark.parametrize("count", [201, 500, 10**30, -1])
def test_too_many_sides_are_refused(scorer, season, players, count):
    data = typed((players[0], 1), (players[1], 0))
    data["side-TOTAL_FORMS"] = str(count)
    response = scorer.post(url(season), data)
    assert response.status_code in (200, 302)
    assert Game.objects.count() == (response.status_code == 302)
    if count > 200:
        assert errors(response)["sides"] == ["A game has at most 200 sides."]


def test_a_form_without_its_hidden_fields_is_refused(scorer, season, players):
    response = scorer.post(url(season), {"played_at": "2026-05-01T15:00"})
    assert response.status_code == 200
    assert errors(response)["sides"]
    response = scorer.post(url(season), typed((players[0], 1), (players[1], 0), token="\0", version="x"))
    assert response.status_code == 200
    assert not Game.objects.exists()


def test_rc_01_r77_a_double_click_makes_one_game_and_shows_it_twice(scorer, season, players):
    data = typed((players[0], 1), (players[1], 0), token=str(uuid4()))
    places = [scorer.post(url(season), data)["Location"] for _click in range(2)]
    assert places == [Game.objects.get().get_absolute_url()] * 2


def test_r77_back_and_resubmitted_with_other_points_asks_and_loses_nothing(scorer, season, players):
    data = typed((players[0], 1), (players[1], 0), token=str(uuid4()))
    scorer.post(url(season), data)
    made = Game.objects.get()
    response = scorer.post(url(season), data | {"side-0-points": "5"})
    page = response.content.decode()
    assert "This form is saved already." in page
    assert reverse("leagues:game-update", args=[season.league.slug, season.slug, made.pk]) in page
    form = response.context["form"]
    assert [side["points"].value() for side in form.sides.forms] == ["5", "0"]
    assert Game.objects.count() == 1
    # Sent again as it is now, it is another game.
    again = data | {"side-0-points": "5", "token": form["token"].value()}
    assert scorer.post(url(season), again).status_code == 302
    assert Game.objects.count() == 2


def test_a_likely_duplicate_asks_and_can_be_saved_anyway(scorer, season, players):
    a, b, *_others = players
    first = make_game(season, (a, 3), (b, 1), played_at=NOON)
    data = typed((a, 3), (b, 1), played_at="2026-05-01T15:01", token=str(uuid4()))
    response = scorer.post(url(season), data)
    page = response.content.decode()
    assert "Is this the same game?" in page
    assert first.get_absolute_url() in page
    assert 'name="anyway"' in page
    assert Game.objects.count() == 1
    assert scorer.post(url(season), data | {"anyway": "1"}).status_code == 302
    assert Game.objects.count() == 2


def test_add_a_side_keeps_what_was_typed_and_judges_nothing(scorer, season, players):
    data = typed((players[0], "x"), ("Нели", ""), played_at="", note="hm", add="side")
    response = scorer.post(url(season), data)
    page = response.content.decode()
    assert len(response.context["form"].sides.forms) == 3
    assert response.context["form"].problems() == []
    assert 'value="x"' in page
    assert 'value="Нели"' in page
    assert 'value="hm"' in page
    assert f'<option value="{players[0].pk}" selected>Захари</option>' in page
    assert not Game.objects.exists()


def test_a_side_can_be_removed_and_the_others_keep_what_was_typed(scorer, season, players):
    a, b, c, *_others = players
    response = scorer.post(url(season), typed((a, "1"), ([b, "new:Нели"], "x"), (c, "3"), remove="1"))
    forms = response.context["form"].sides.forms
    assert [(form["members"].value(), form["points"].value()) for form in forms] == [
        ([str(b.pk), "new:Нели"], "x"), ([str(c.pk)], "3"),
    ]  # fmt: skip
    page = response.content.decode()
    assert "selected>Нели</option>" in page
    assert 'name="remove"' not in page  # two sides are the least
    response = scorer.post(url(season), typed((a, "1"), (b, "2"), remove="1"))
    assert [form["members"].value() for form in response.context["form"].sides.forms] == [[str(b.pk)], None]
    for number in ("0", "9", "x", "\0"):
        response = scorer.post(url(season), typed((a, "1"), (b, "2"), (c, "3"), remove=number))
        assert len(response.context["form"].sides.forms) == 3


def test_htmx_gets_the_form_alone(scorer, season, players):
    data = typed((players[0], 1), (players[1], 0), add="side")
    fragment = scorer.post(url(season), data, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert fragment.lstrip().startswith('<div id="game-form"')
    assert "<noscript>" not in fragment  # htmx would make its fields part of the form
    boosted = {"HX-Request": "true", "HX-Boosted": "true"}
    assert "<html" in scorer.get(url(season), headers=boosted).content.decode()


def test_a_closed_season_says_so_and_offers_nothing(scorer, season, players):
    update_season(season=season, by=None, state=Season.State.CLOSED)
    for response in (
        scorer.get(url(season)),
        scorer.post(url(season), typed((players[0], 1), (players[1], 0))),
    ):
        page = response.content.decode()
        assert response.status_code == 200
        assert "is closed and takes no changes" in page
        assert "side-0-points" not in page
    assert not Game.objects.exists()


def test_a_draft_season_takes_games_of_its_organizers(scorer, season, players):
    update_season(season=season, by=None, state=Season.State.DRAFT)
    assert scorer.post(url(season), typed((players[0], 1), (players[1], 0))).status_code == 302


def test_a_name_with_markup_stays_text(scorer, season):
    make_players(season.league, "<script>alert(1)</script>")
    page = scorer.get(url(season)).content.decode()
    assert "<script>alert" not in page
    page = scorer.get(search_url(season), {"q": "<script>"}).content.decode()
    assert "<script>" not in page


def test_the_page_asks_as_many_queries_for_many_players(
    scorer, season, players, django_assert_max_num_queries
):
    scorer.get(url(season))
    with django_assert_max_num_queries(8):
        scorer.get(url(season))
    make_players(season.league, *[f"P{number}" for number in range(30)])
    with django_assert_max_num_queries(8):
        scorer.get(url(season))


def visitors(season: Season) -> list[tuple[Any, int, int]]:
    """Who asks, and the status for pages of scorers and of managers."""
    other = make_organizer(make_league(), Role.OWNER, "bob")
    return [
        (None, 302, 302),
        (make_user("erin"), 404, 404),
        (other, 404, 404),
        (make_organizer(season.league, Role.SCORER, "carol"), 200, 403),
        (make_organizer(season.league, Role.MANAGER, "mia"), 200, 200),
    ]


@pytest.mark.parametrize("name", ["game-create", "player-search"])
def test_only_scorers_get_in(client, season, name):
    for user, status, _for_managers in visitors(season):
        client.logout()
        if user:
            client.force_login(user)
        response = client.get(reverse(f"leagues:{name}", args=[season.league.slug, season.slug]))
        assert response.status_code == status
        if status == 302:
            assert "/login/" in response["Location"]


def test_a_season_of_another_league_does_not_exist(scorer, season):
    other = make_season(make_league(), name="Theirs")
    assert (
        scorer.get(reverse("leagues:game-create", args=[season.league.slug, other.slug])).status_code == 404
    )


def test_cs_01_nothing_is_posted_without_a_csrf_token(season, players):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_organizer(season.league))
    assert client.post(url(season), typed((players[0], 1), (players[1], 0))).status_code == 403
    assert not Game.objects.exists()


# --- The player picker


def search_url(season: Season) -> str:
    return reverse("leagues:player-search", args=[season.league.slug, season.slug])


def options(client: Client, season: Season, q: str) -> list[str]:
    response = client.get(search_url(season), {"q": q})
    assert response.status_code == 200
    return [player.name for player, _hint in response.context["options"]]


def test_the_picker_forgives_script_accents_and_case(scorer, season, players):
    assert options(scorer, season, "zahari") == ["Захари"]
    assert options(scorer, season, "ЗАХ") == ["Захари"]
    assert options(scorer, season, "zzz") == []
    make_players(season.league, "Ćiro", "Ёлкин")
    assert options(scorer, season, "ciro") == ["Ćiro"]
    assert options(scorer, season, "елкин") == ["Ёлкин"]


def test_the_picker_shows_eight_and_first_those_that_begin_so(scorer, season):
    make_players(season.league, *[f"Anna Bo{number}" for number in range(9)], "Bo")
    found = options(scorer, season, "bo")
    assert found[0] == "Bo"
    assert len(found) == 8


def test_the_picker_tells_namesakes_apart(scorer, season):
    one, _two = make_players(season.league, "Ivan", "Ivan")
    add_alias(player=one, name="Vanyo", by=None)
    page = scorer.get(search_url(season), {"q": "ivan"}).content.decode()
    assert "ivan, Vanyo" in page
    assert "ivan-2" in page
    assert options(scorer, season, "vanyo") == ["Ivan"]


def test_the_picker_offers_to_add_a_name_that_is_nobodys(scorer, season, players):
    page = scorer.get(search_url(season), {"q": "Нели"}).content.decode()
    assert 'data-value="new:Нели"' in page
    assert 'data-value="new:' not in scorer.get(search_url(season), {"q": "захари"}).content.decode()
    page = scorer.get(search_url(season), {"q": "a + b"}).content.decode()
    assert "Nobody is called that." in page


@pytest.mark.parametrize("q", ["", " ", "\0", "x" * 500, "%", "_"])
def test_the_picker_survives_anything(scorer, season, players, q):
    assert options(scorer, season, q) == []


def test_the_picker_knows_its_own_league_only(scorer, season, players):
    make_players(make_league(), "Canary")
    assert options(scorer, season, "canary") == []


def test_the_picker_asks_as_many_queries_for_many_players(
    scorer, season, players, django_assert_max_num_queries
):
    make_players(season.league, *[f"Zahari {number}" for number in range(20)])
    with django_assert_max_num_queries(7):
        options(scorer, season, "zahari")
