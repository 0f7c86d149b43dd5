"""The games of a season: the list, and the files."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils.html import escape

from leagues.games_csv import read_games
from leagues.models import Game, Role, Season
from leagues.models.league import Visibility
from leagues.services import create_team, import_games, void_game
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


def address(season, name="game-list"):
    return reverse(f"ratings:{name}", args=[season.league.slug, season.slug])


def text_of(response):
    content = b"".join(response.streaming_content) if response.streaming else response.content
    return content.decode()


def test_it_lists_games_with_points_and_changes(client, season, players):
    """From 1500 against 1500: E is one half, M(400) = 0.4 + 3.6 × 399 / 499 = 3.2786, so 10 M / 2 = 16.4."""
    game = make_game(season, (players[0], 500), (players[1], 100), note="Finals")
    replayed(season)
    response = client.get(address(season))
    (listed,) = response.context["games"]
    assert [(side.name, side.points, side.won, side.changes) for side in listed.sides] == [
        ("Захари", 500, True, (164,)),
        ("Валя", 100, False, (-164,)),
    ]
    page = text_of(response)
    assert "+16.4" in page
    assert "−16.4" in page
    assert "Finals" in page
    assert reverse("ratings:game-detail", args=[season.league.slug, season.slug, game.pk]) in page


def test_the_latest_game_comes_first(client, season, players):
    first, second, third = (
        make_game(
            season, (players[0], 1), (players[1], 0), played_at=season.starts_at + timedelta(hours=hours)
        )
        for hours in (2, 5, 5)
    )
    listed = client.get(address(season)).context["games"]
    assert [each.game for each in listed] == [third, second, first]


def test_nobody_has_won_a_draw(client, season, players):
    make_game(season, *((player, 7) for player in players))
    (listed,) = client.get(address(season)).context["games"]
    assert not any(side.won for side in listed.sides)


def test_times_are_those_of_the_league(client, season, players):
    make_game(season, (players[0], 1), (players[1], 0), played_at=datetime(2026, 6, 30, 22, 30, tzinfo=UTC))
    page = text_of(client.get(address(season)))
    assert "1 Jul 2026" in page
    assert "01:30" in page


def test_a_side_of_exactly_a_teams_members_has_its_name(client, season, players):
    create_team(league=season.league, name="Отбор Север", members=players[:2], by=None)
    make_game(season, (players[:2], 10), (players[2:], 5))
    make_game(season, (players[:3], 10), (players[3], 5))
    response = client.get(address(season))
    named = [
        [side.team.name if side.team else None for side in each.sides] for each in response.context["games"]
    ]
    assert named == [[None, None], ["Отбор Север", None]]
    assert text_of(response).count("Отбор Север") == 1


def test_voided_games_are_shown_with_the_reason(client, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    void_game(game=game, reason="Played with the wrong board", by=None)
    replayed(season)
    response = client.get(address(season))
    assert "Played with the wrong board" in text_of(response)
    assert response.context["games"][0].sides[0].changes == ()


def test_it_finds_players_in_any_script_and_case(client, season, players):
    make_game(season, (players[0], 1), (players[1], 0))
    with_marina = make_game(season, (players[2], 1), (players[1], 0))
    for q in ("marina", "МАРИНА", "Мар"):
        assert [each.game for each in client.get(address(season), {"q": q}).context["games"]] == [with_marina]


def test_it_finds_the_games_of_two_against_each_other(client, season, players):
    zahari, valya, marina, dobri = players
    against = make_game(season, (zahari, 1), (valya, 0))
    make_game(season, ([zahari, valya], 1), ([marina, dobri], 0))  # on one side
    make_game(season, (zahari, 1), (marina, 0))
    free_for_all = make_game(season, (marina, 3), (valya, 2), (zahari, 1))

    def found(**query):
        return {each.game for each in client.get(address(season), query).context["games"]}

    assert found(q="zahari", against="ВАЛЯ") == found(q="valya", against="Зах") == {against, free_for_all}
    assert found(against="dobri") == found(q="dobri")
    assert found(q="dobri", against="zahari", to="2025-12-31") == set()
    assert len(found(q="dobri", against="zahari")) == 1


def test_days_are_those_of_the_league_and_both_count(client, season, players):
    first_day, last_day = date(2026, 3, 1), date(2026, 3, 2)
    moments = [
        datetime(2026, 2, 28, 21, 59, tzinfo=UTC),  # 23:59 of the day before, in Sofia
        datetime(2026, 2, 28, 22, 0, tzinfo=UTC),
        datetime(2026, 3, 2, 21, 59, tzinfo=UTC),
        datetime(2026, 3, 2, 22, 0, tzinfo=UTC),
    ]
    games = [make_game(season, (players[0], 1), (players[1], 0), played_at=moment) for moment in moments]
    response = client.get(address(season), {"from": first_day.isoformat(), "to": last_day.isoformat()})
    assert [each.game for each in response.context["games"]] == [games[2], games[1]]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=yesterday", "Enter a valid date."),
        ("from=2026-05-02&to=2026-05-01", "The last day is before the first."),
        ("q=%00", "Null characters are not allowed."),
        ("q=" + "x" * 101, "at most 100 characters"),
    ],
)
def test_a_filter_that_makes_no_sense_is_told_and_does_not_narrow(client, season, players, query, sentence):
    make_game(season, (players[0], 1), (players[1], 0))
    response = client.get(f"{address(season)}?{query}")
    assert response.status_code == 200
    assert sentence in text_of(response)


@pytest.mark.parametrize(
    "query",
    [
        "page=0",
        "page=abc",
        "page=99999999999999999999",
        "from=0001-01-01&to=9999-12-31",
        "q=%F0%9F%8E%B2",
        "q=%FF",
    ],
)
def test_odd_parameters_are_harmless(client, season, players, query):
    make_game(season, (players[0], 1), (players[1], 0))
    assert client.get(f"{address(season)}?{query}").status_code == 200


def test_it_says_how_many_games_fit_a_filter(client, season, players):
    for other in players[1:3]:
        make_game(season, (players[0], 1), (other, 0))
    assert "1 game fits" in text_of(client.get(address(season), {"q": players[1].name}))
    assert "2 games fit" in text_of(client.get(address(season), {"q": players[0].name}))
    assert "games fit" not in text_of(client.get(address(season)))


def test_the_first_and_the_last_page_are_a_step_away(client, season, players, monkeypatch):
    monkeypatch.setattr("ratings.views.games.GAMES_A_PAGE", 1)
    for _number in range(21):
        make_game(season, (players[0], 1), (players[1], 0))
    page = text_of(client.get(address(season), {"page": "11", "q": players[0].name}))
    linked = [int(number) for number in re.findall(r'href="\?page=(\d+)&amp;q=', page)]
    assert [linked[0], linked[-1]] == [1, 21]
    assert {10, 12} < set(linked)
    assert "11–11 of 21" in page


@pytest.mark.parametrize("query", ["from=9999-12-31", "to=0001-01-01", "q=nobody"])
def test_no_fitting_game_is_said_with_a_way_back(client, season, players, query):
    make_game(season, (players[0], 1), (players[1], 0))
    response = client.get(f"{address(season)}?{query}")
    assert response.context["games"] == []
    assert "No game of this season fits." in text_of(response)


def test_an_empty_season_says_so_and_leads_on(client, season):
    text = text_of(client.get(address(season)))
    assert "No game has been played in this season yet. The organizers enter the games;" in text
    assert "No game has been rated yet." not in text
    assert "Read the rules" in text
    client.force_login(make_organizer(season.league))
    enter = reverse("leagues:game-create", args=[season.league.slug, season.slug])
    assert text_of(client.get(address(season))).count(f'href="{enter}"') >= 2


def test_htmx_gets_the_list_alone(client, season, players):
    response = client.get(address(season), headers={"HX-Request": "true"})
    assert "<html" not in text_of(response)
    assert "HX-Request" in response["Vary"]


def test_it_says_that_results_are_behind_and_polls(client, season, players):
    make_game(season, (players[0], 1), (players[1], 0))
    behind = text_of(client.get(address(season)))
    assert "being recomputed" in behind
    assert "every 2s" in behind
    replayed(season)
    level = text_of(client.get(address(season)))
    assert "being recomputed" not in level
    assert "every 20s" in level


def test_names_are_escaped(client, season):
    a, b = make_players(season.league, "<b>Bob</b>", "Eve")
    make_game(season, (a, 1), (b, 0))
    page = text_of(client.get(address(season)))
    assert "<b>Bob" not in page
    assert escape("<b>Bob</b>") in page


def test_the_number_of_queries_does_not_grow(client, season, players, django_assert_num_queries):
    page, games, changes = (address(season, name) for name in ("game-list", "games-file", "changes-file"))

    def queries():
        # season, count, games, sides, members, players, changes, teams
        with django_assert_num_queries(8):
            client.get(page)
        with django_assert_num_queries(6):  # season, names, games, sides, members, players
            text_of(client.get(games))
        with django_assert_num_queries(3):  # season, changes, and the rules, which say K
            text_of(client.get(changes))

    make_game(season, (players[:2], 3), (players[2], 1))
    replayed(season)
    queries()
    for number in range(25):
        make_game(season, *((player, number) for player in players))
        make_game(season, (players[:2], number), (players[2:], 1))
    replayed(season)
    queries()


@pytest.mark.parametrize("name", ["game-list", "games-file", "changes-file"])
def test_strangers_see_no_draft_and_no_private_league(client, season, name):
    Season.objects.filter(pk=season.pk).update(state=Season.State.DRAFT)
    assert client.get(address(season, name)).status_code == 404
    client.force_login(make_user())
    assert client.get(address(season, name)).status_code == 404
    client.force_login(make_organizer(season.league, Role.SCORER))
    assert client.get(address(season, name)).status_code == 200
    hidden = make_season(make_league(visibility=Visibility.PRIVATE))
    assert client.get(address(hidden, name)).status_code == 404


@pytest.mark.parametrize("name", ["game-list", "games-file", "changes-file"])
def test_a_season_of_another_league_is_unknown(client, season, name):
    make_season(make_league(), name="Elsewhere", slug="elsewhere")
    assert client.get(reverse(f"ratings:{name}", args=[season.league.slug, "elsewhere"])).status_code == 404


def test_the_file_imports_to_the_same_games(client, season, players):
    make_game(season, (players[:2], 30), (players[2], -10), note="=1+1")
    make_game(season, *((player, number) for number, player in enumerate(players)))
    voided = make_game(season, (players[0], 1), (players[1], 0))
    void_game(game=voided, reason="A mistake", by=None)
    response = client.get(address(season, "games-file"))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"].startswith("attachment")
    content = text_of(response)
    assert content.startswith("\ufeffplayed_at,side 1,points 1,side 2,points 2,")

    other = make_season(season.league, name="Again", slug="again")
    file = read_games(content.encode(), timezone=season.league.zone, language="bg")
    assert file.error_count == 0
    import_games(season=other, file=file, by=None)

    def facts(season):
        return [
            (
                game.played_at,
                game.note,
                [(side.points, [seat.player for seat in side.members.all()]) for side in game.sides.all()],
            )
            for game in Game.objects.filter(season=season).counted().in_play_order().with_sides()
        ]

    assert facts(other) == facts(season)


def test_the_file_names_players_of_one_name_by_their_addresses(client, season):
    ann, other_ann = make_players(season.league, "Ann", "Ann")
    make_game(season, (ann, 1), (other_ann, 0))
    assert ",ann,1,ann-2,0," in text_of(client.get(address(season, "games-file")))


def test_the_file_of_changes_is_the_ledger(client, season, players):
    game = make_game(season, (players[0], 500), (players[1], 100))
    replayed(season)
    lines = text_of(client.get(address(season, "changes-file"))).removeprefix("\ufeff").splitlines()
    played_at = "2026-01-01T01:00:00+02:00"
    assert lines == [
        "game,played_at,player,address,before,after,change,games,wins,draws,losses,first_places,k,k_reason",
        f"{game.pk},{played_at},Захари,zahari,1500.0,1516.4,16.4,1,1,0,0,1,10,fixed",
        f"{game.pk},{played_at},Валя,valya,1500.0,1483.6,-16.4,1,0,0,1,0,10,fixed",
    ]


def test_files_of_an_empty_season_have_their_header(client, season):
    assert text_of(client.get(address(season, "games-file"))).startswith("\ufeffplayed_at,side 1")
    assert text_of(client.get(address(season, "changes-file"))).startswith("\ufeffgame,played_at")
