"""Players: all of a league, one over all seasons, one in a season."""

import csv
import io
import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from leagues.models import Entry, Player, Season
from leagues.models.league import Visibility
from leagues.services import create_team, enter_player, update_player, withdraw_player
from ratings.models import PrizeTier, RatingChange, Standing
from ratings.services.rules import change_prize_tiers, change_rules
from ratings.views import players as views
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


def list_of(league, name="player-list"):
    return reverse(f"ratings:{name}", args=[league.slug])


def career_of(player):
    return reverse("ratings:player-career", args=[player.league.slug, player.slug])


def season_of(season, player):
    return reverse("ratings:player-season", args=[season.league.slug, season.slug, player.slug])


def text_of(response):
    """The answer with runs of white space as one."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    return " ".join(content.decode().split())


# --- All players


def names_in(response):
    return [row.name for row in response.context["table"].records]


def test_everybody_is_listed_by_name_with_the_current_season(client, season, players):
    make_game(season, (players[0], 500), (players[1], 100))
    replayed(season)
    response = client.get(list_of(season.league))
    assert names_in(response) == ["Валя", "Добри", "Захари", "Марина"]
    assert "1516.4" in text_of(response)
    assert season.name in text_of(response)


def test_players_are_found_in_any_script(client, season, players):
    assert names_in(client.get(list_of(season.league), {"q": "ZAHARI"})) == ["Захари"]


def test_nobody_found_is_said(client, season, players):
    assert "Nobody is called that." in text_of(client.get(list_of(season.league), {"q": "nobody"}))


@pytest.mark.parametrize("sort", ["rating", "-rating"])
def test_who_is_not_in_the_season_comes_last_however_it_is_sorted(client, season, players, sort):
    make_game(season, (players[0], 500), (players[1], 100))
    replayed(season)
    by_rating = names_in(client.get(list_of(season.league), {"sort": sort}))
    assert by_rating[:2] == (["Валя", "Захари"] if sort == "rating" else ["Захари", "Валя"])
    assert by_rating[2:] == ["Добри", "Марина"]


@pytest.mark.parametrize("query", ["q=%00", "page=x", "page=999", "sort=nothing", "sort=", "q=" + "x" * 200])
def test_odd_parameters_of_the_list_are_harmless(client, season, players, query):
    response = client.get(f"{list_of(season.league)}?{query}")
    assert response.status_code == 200
    assert len(names_in(response)) == 4


def test_a_league_without_seasons_or_players_has_its_list(client):
    league = make_league()
    assert "This league has no players yet." in text_of(client.get(list_of(league)))
    assert text_of(client.get(list_of(league, "players-file"))).startswith("\ufeffname,address,")


def test_htmx_gets_the_table_and_the_links_to_its_files_alone(client, season, players):
    text = text_of(client.get(list_of(season.league), headers={"HX-Request": "true"}))
    assert text.startswith('<details class="files" id="files" hx-swap-oob="true">')
    assert '</details> <div id="table"' in text


def test_the_file_has_everybody(client, season, players):
    update_player(player=players[3], name="Добри Добрев", by=None)
    update_player(player=players[0], name="Захари", inactive=True, by=None)
    make_game(season, (players[0], 500), (players[1], 100))
    replayed(season)
    response = client.get(list_of(season.league, "players-file"))
    lines = b"".join(response.streaming_content).decode().removeprefix("\ufeff").splitlines()
    assert lines == [
        "name,address,other_names,season,place,season_score,rating,games,seasons,inactive",
        # the season score of one game of 75 is 1500 + (rating - 1500) / 75
        "Валя,valya,,Season 2026,,1499.8,1483.6,1,1,false",
        "Добри Добрев,dobri-dobrev,Добри,,,,,,0,false",
        "Захари,zahari,,Season 2026,,1500.2,1516.4,1,1,true",
        "Марина,marina,,,,,,,0,false",
    ]


def test_games_are_those_counted_for_the_season(client, season, players):
    # A game of three teams counts as two.
    make_game(season, (players[:2], 3), (players[2], 2), (players[3], 1))
    replayed(season)
    (row,) = client.get(list_of(season.league), {"q": "zahari"}).context["table"].records
    assert row.now_games == 2
    assert ",2,1" in text_of(client.get(list_of(season.league, "players-file")))
    assert '<td class="num medium-up">1</td>' in text_of(client.get(career_of(players[0])))  # games played


def test_a_draft_does_not_show_in_the_list_to_strangers(client, players, season):
    draft = make_season(season.league, name="Secret", slug="draft", state=Season.State.DRAFT)
    enter_player(season=draft, player=players[0], by=None)
    (row,) = client.get(list_of(season.league), {"q": "zahari"}).context["table"].records
    assert row.seasons == 0
    assert "Secret" not in text_of(client.get(list_of(season.league)))


def test_the_list_has_a_column_of_places_where_somebody_has_one(client, season, players):
    make_game(season, (players[0], 5), (players[1], 1))
    replayed(season)
    assert "place" not in client.get(list_of(season.league)).context["table"].columns
    change_rules(season=season, by=None, values={"min_games": 0, "min_meetings": 0})
    replayed(season)
    assert "place" in client.get(list_of(season.league)).context["table"].columns


def test_opponents_are_told_in_pages(client, season, monkeypatch):
    monkeypatch.setattr(views, "OPPONENTS_A_PAGE", 2)
    players = make_players(season.league, "Ann", "Bob", "Cyd", "Dan")
    make_game(season, *((player, points) for points, player in enumerate(players)))
    replayed(season)
    page = season_of(season, players[0])
    assert "1–2 of 3" in text_of(client.get(page))
    (last,) = client.get(page, {"met-page": 2}).context["meetings"].records
    assert last.opponent == players[3]


def test_the_list_takes_as_many_queries_for_many(client, season, players, django_assert_num_queries):
    page, file = list_of(season.league), list_of(season.league, "players-file")

    def queries():
        # league, current season, replay, revisions, whether there are places, players
        with django_assert_num_queries(6):
            client.get(page)
        with django_assert_num_queries(4):  # league, current season, players, former names
            text_of(client.get(file))

    queries()
    make_players(season.league, *(f"Player {number}" for number in range(30)))
    make_game(season, *((player, 1) for player in Player.objects.in_league(season.league)))
    replayed(season)
    queries()


# --- A player over all seasons


def test_a_career_has_all_seasons_former_names_and_teams(client, season, players):
    second = make_season(season.league, name="Season Two", slug="two")
    create_team(league=season.league, name="Лъвовете", members=players[:2], by=None)
    make_game(season, (players[0], 500), (players[1], 100))
    make_game(second, (players[0], 100), (players[1], 500))
    replayed(season)
    replayed(second)
    player = update_player(player=players[0], name="Захари Захариев", by=None)
    page = text_of(client.get(career_of(player)))
    assert "also known as Захари</p>" in page
    assert "Лъвовете" in page
    for each in (season, second):
        assert season_of(each, player) in page
    assert "1516.4" in page
    assert "1483.6" in page
    assert "1–0–1" in page


def test_a_player_without_a_season_has_a_career_page(client, players):
    assert "This player is in no season yet." in text_of(client.get(career_of(players[0])))


def test_a_career_hides_drafts_from_strangers(client, season, players):
    draft = make_season(season.league, name="Secret", slug="draft", state=Season.State.DRAFT)
    enter_player(season=draft, player=players[0], by=None)
    assert "Secret" not in text_of(client.get(career_of(players[0])))
    client.force_login(make_organizer(season.league))
    assert "Secret" in text_of(client.get(career_of(players[0])))


def test_a_career_takes_as_many_queries_with_many_seasons(client, season, players, django_assert_num_queries):
    for number in range(3):
        make_game(season, (players[0], 500), (players[1], 100))
        replayed(season)
        # league, player, current season, standings, entries, former names, teams
        with django_assert_num_queries(7):
            client.get(career_of(players[0]))
        season = make_season(season.league, name=f"Season {number}", slug=f"season-{number}")
        create_team(
            league=season.league, name=f"Team {number}", members=[players[0], players[number + 1]], by=None
        )


# --- A player in a season


def test_it_shows_the_standing_and_the_curve(client, season, players):
    make_game(season, (players[0], 500), (players[1], 100))
    make_game(season, (players[0], 100), (players[2], 500))
    replayed(season)
    response = client.get(season_of(season, players[0]))
    page = text_of(response)
    # 1516.4, then 16.393 less what 8.2 points of advantage cost twice over: E′ = 0.507
    assert response.context["curve"].peak.rating == 15_164
    assert "From 1500.0 over 2 games to 1499.8; lowest 1499.8, highest 1516.4." in page
    assert re.search(r'<path class="line" d="M0 [\d.]+L500 [\d.]+L1000 [\d.]+"', page)
    assert "1 game lost" in page
    assert "1–0–1" in page


@pytest.mark.parametrize(
    ("full", "whole", "sentence", "score"),
    [
        # Three draws between equals leave everybody on the 1600 they start with.
        (75, 200, "1600.0 + (1600.0 − 1600.0) × 3 / 75", "1600.0"),
        (2, 4, "1600.0 × (1 + 0.0500 × 1 / 2)", "1640.0"),
        (1, 3, "1600.0 × (1 + 0.0500)", "1680.0"),
    ],
)
def test_r68_the_season_score_is_worked_out(client, season, players, full, whole, sentence, score):
    values = {"initial_rating": 1600, "full_weight_games": full, "bonus_games": whole}
    change_rules(season=season, by=None, values=values)
    for _game in range(3):
        make_game(season, (players[0], 100), (players[1], 100))
    replayed(season)
    page = text_of(client.get(season_of(season, players[0]))).replace("&nbsp;", " ")
    rules = reverse("ratings:rules", args=[season.league.slug, season.slug])
    link = rf'<a [^>]*href="{rules}#season-score"[^>]*>'
    assert re.search(rf"<dd>{score} <small>{link}{re.escape(sentence)}</a></small>", page)
    change_rules(season=season, by=None, values={"bonus": "0.1"})  # until the replay it may be another one
    page = text_of(client.get(season_of(season, players[0]))).replace("&nbsp;", " ")
    assert sentence not in page


def test_the_best_game_is_the_one_that_brought_most(client, season, players):
    make_game(season, (players[0], 200), (players[1], 100))
    best = make_game(season, (players[0], 900), (players[1], 100))
    make_game(season, (players[0], 100), (players[1], 900))
    replayed(season)
    response = client.get(season_of(season, players[0]))
    assert response.context["best"]["played"].game_id == best.pk
    assert client.get(season_of(season, players[2])).status_code == 200


def test_who_only_lost_has_no_best_game(client, season, players):
    make_game(season, (players[0], 200), (players[1], 100))
    replayed(season)
    response = client.get(season_of(season, players[1]))
    assert response.context["best"] is None
    assert "Best game" not in text_of(response)


def test_a_streak_ends_where_the_outcome_changes(client, season, players):
    for hours, points in enumerate((100, 900, 800, 700)):
        make_game(
            season,
            (players[0], points),
            (players[1], 500),
            played_at=season.starts_at + timedelta(hours=hours),
        )
    replayed(season)
    assert "3 games won in a row" in text_of(client.get(season_of(season, players[0])))


def test_what_is_missing_is_named(client, season, players):
    """The preset asks for 75 games and 4 against each."""
    make_game(season, (players[0], 2), (players[1], 1))
    enter_player(season=season, player=players[2], by=None)
    replayed(season)
    page = text_of(client.get(season_of(season, players[0])))
    assert "Still missing for a place" in page
    assert "74 more games" in page
    fewest, most = re.findall(r"\d more with\s+<a [^>]*><strong>\w+", page)
    assert (fewest[:11], fewest[-4:]) == ("3 more with", "Валя")
    assert (most[:11], most[-6:]) == ("4 more with", "Марина")


def test_of_many_missing_opponents_the_first_eight_are_seen_at_once(client, season):
    many = make_players(season.league, *(f"Player {number:02}" for number in range(11)))
    for player in many:
        enter_player(season=season, player=player, by=None)
    replayed(season)
    seen, _summary, rest = text_of(client.get(season_of(season, many[0]))).partition("and 2 more opponents")
    told = seen.partition("4 more with")[2]
    assert told.count("<strong>Player") == 8
    assert "Player 10" in rest


def test_r112_of_hundreds_of_missing_opponents_the_matrix_tells_the_names(client, season):
    many = make_players(season.league, *(f"Player {number:03}" for number in range(110)))
    for player in many:
        enter_player(season=season, player=player, by=None)
    replayed(season)
    page = text_of(client.get(season_of(season, many[0])))
    assert page.count("more with") == 1
    (path,) = re.findall(r'<a class="sub" href="([^"]+)">and 101 more opponents</a>', page)
    matrix = client.get(path).context
    assert [row.player for row in matrix["page"]] == [many[0]]
    assert matrix["columns"].paginator.count == 110


def test_after_the_seasons_end_nothing_is_still_missing(client, season, players):
    make_game(season, (players[0], 2), (players[1], 1))
    replayed(season)
    with time_machine.travel(season.ends_at + timedelta(hours=1), tick=False):
        page = text_of(client.get(season_of(season, players[0])))
    assert "What was missing for a place" in page
    assert "Still missing" not in page


def test_who_is_classified_lacks_nothing(client, season, players):
    change_rules(season=season, by=None, values={"min_games": 1, "min_meetings": 1})
    make_game(season, (players[0], 2), (players[1], 1))
    replayed(season)
    page = text_of(client.get(season_of(season, players[0])))
    assert "Still missing" not in page
    assert "place 1" in page


def test_games_come_with_opponents_partners_and_changes(client, season, players):
    make_game(season, (players[:2], 30), (players[2], 10), (players[3], 20))
    replayed(season)
    response = client.get(season_of(season, players[0]))
    page = text_of(response)
    assert "with Валя" in page
    (game,) = response.context["games"]
    assert [side.name for side in game["others"]] == ["Марина", "Добри"]
    assert game["played"].change == game["own"].changes[0] > 0


def test_the_games_are_a_file_with_the_rows_of_the_page(client, season, players):
    zahari, valya, marina, dobri = players
    make_game(season, (zahari, 5), (valya, 1), played_at=season.starts_at)
    at = season.starts_at + timedelta(days=1)
    make_game(season, ([zahari, valya], 7), (marina, 3), (dobri, -1), played_at=at)
    make_game(season, (marina, 7), (valya, 3), played_at=at)
    replayed(season)

    def rows(query: str = "") -> list[list[str]]:
        response = client.get(f"{season_of(season, zahari)}player-games.csv{query}")
        assert (
            response["Content-Disposition"]
            == f'attachment; filename="{season.league.slug}-{season.slug}-zahari-games.csv"'
        )
        return list(csv.reader(io.StringIO(b"".join(response.streaming_content).decode("utf-8-sig"))))

    header, team, duel = rows()
    assert header[1:] == ["played_at", "outcome", "points", "opponents", "partners", "change", "rating"]
    assert team[1:6] == [at.isoformat(), "win", "7", "3 Марина, -1 Добри", "Валя"]
    assert duel[2:6] == ["win", "5", "1 Валя", ""]
    ledger = RatingChange.objects.filter(player=zahari).order_by("-played_at")
    numbers = [[f"{row.change / 10:.1f}", f"{row.after / 10:.1f}"] for row in ledger]
    assert [team[6:], duel[6:]] == numbers
    assert rows("?opponent=valya") == [header, duel]
    page = client.get(season_of(season, zahari), {"opponent": "valya"}).content.decode()
    assert "/players/zahari/player-games.xlsx?opponent=valya" in page
    unknown = season_of(season, zahari).replace("zahari", "nobody")
    assert client.get(f"{unknown}player-games.csv").status_code == 404


def test_games_are_paged_the_latest_first(client, season, players):
    for hours in range(31):
        make_game(
            season, (players[0], 2), (players[1], 1), played_at=season.starts_at + timedelta(hours=hours)
        )
    replayed(season)
    first = client.get(season_of(season, players[0])).context["games"]
    second = client.get(season_of(season, players[0]), {"page": 2}).context["games"]
    assert [game["played"].number for game in first] == list(range(31, 1, -1))
    assert [game["played"].number for game in second] == [1]


def test_opponents_are_listed_with_the_duels(client, season, players):
    for points in (1, 1, 9):
        make_game(season, (players[0], 5), (players[1], points))
    make_game(season, (players[0], 5), (players[2], 5))
    replayed(season)
    response = client.get(season_of(season, players[0]))
    rows = [(row.record.opponent.name, row.get_cell("wins")) for row in response.context["meetings"].rows]
    assert rows == [("Валя", "2–0–1"), ("Марина", "0–1–0")]


def test_sorting_the_opponents_asks_for_their_table_alone(client, season, players):
    make_game(season, *((player, 1) for player in players))
    replayed(season)
    headers = {"HX-Request": "true", "HX-Target": "met-table"}
    response = client.get(season_of(season, players[0]), {"met-sort": "opponent"}, headers=headers)
    assert text_of(response).startswith('<div id="met-table"')
    names = [row.record.opponent.name for row in response.context["meetings"].rows]
    assert names == ["Валя", "Добри", "Марина"]
    poll = client.get(season_of(season, players[0]), headers={"HX-Request": "true", "HX-Target": "player"})
    assert text_of(poll).startswith('<div id="player"')


def test_r116_the_curve_can_run_by_date(client, season, players):
    make_game(season, (players[0], 2), (players[1], 1), played_at=season.starts_at + timedelta(days=10))
    make_game(season, (players[0], 2), (players[1], 1), played_at=season.starts_at + timedelta(days=40))
    replayed(season)
    page = text_of(client.get(season_of(season, players[0]), {"by": "date"}))
    assert re.search(r'<path class="line" d="M0 [\d.]+L250 [\d.]+L1000 ', page)


def test_numbers_inside_the_drawing_are_the_same_in_every_language(client, season, players):
    for hours in range(7):
        make_game(
            season, (players[0], hours), (players[1], 3), played_at=season.starts_at + timedelta(hours=hours)
        )
    replayed(season)
    page = season_of(season, players[0])
    drawings = set()
    for language in ("en", "bg", "tr"):
        client.cookies["django_language"] = language
        text = text_of(client.get(page))
        drawings.add(
            tuple(
                re.findall(r' (?:d|c?[xy][12]?|r|width|height)="([^"]*)"', text[text.index("chart curve") :])
            )
        )
    assert len(drawings) == 1


def test_r95_a_player_with_no_game_has_a_page(client, season, players):
    enter_player(season=season, player=players[0], by=None)
    replayed(season)
    page = text_of(client.get(season_of(season, players[0])))
    assert "1500.0" in page
    assert "No rated game in this season yet." in page
    assert '<svg class="chart' not in page


def test_before_the_first_replay_the_page_says_that_it_is_being_computed(client, season, players):
    make_game(season, (players[0], 2), (players[1], 1))
    page = text_of(client.get(season_of(season, players[0])))
    assert "being recomputed" in page
    assert "every 2s" in page


def test_a_withdrawn_player_has_a_badge_and_lacks_nothing(client, season, players):
    make_game(season, (players[0], 2), (players[1], 1))
    withdraw_player(entry=Entry.objects.get(season=season, player=players[0]), by=None)
    replayed(season)
    page = text_of(client.get(season_of(season, players[0])))
    assert "withdrawn" in page
    assert "Still missing" not in page


def test_a_player_of_the_league_who_is_not_entered_is_led_to_the_career(client, season, players):
    response = client.get(season_of(season, players[3]))
    assert response.status_code == 200
    assert "Добри is not entered in Season 2026." in text_of(response)
    assert career_of(players[3]) in text_of(response)


def test_a_ladder_season_shows_no_season_score(client):
    season = make_season(preset="ranked-battle")
    a, b = make_players(season.league, "Kara", "Buz")
    make_game(season, (a, 2), (b, 0))
    replayed(season)
    page = text_of(client.get(season_of(season, a)))
    assert "Season score" not in page
    assert "Still missing" not in page
    assert "First places" not in page  # which are the games won
    assert f'ladder/?player={a.slug}">Possible opponents</a>' in page


@pytest.mark.parametrize(
    "query",
    [
        "page=x",
        "page=0",
        "by=%00",
        "by=moon",
        "met-sort=x",
        "met-page=9999",
        "page=-1",
        "with=%00,,x",
        "opponent=%00",
        "opponent=a,b",
        "with=" + "x," * 3_000,
    ],
)
def test_odd_parameters_of_a_player_are_harmless(client, season, players, query):
    make_game(season, (players[0], 2), (players[1], 1))
    replayed(season)
    assert client.get(f"{season_of(season, players[0])}?{query}").status_code == 200


def test_unknown_players_and_those_of_other_leagues_are_not_found(client, season, players):
    elsewhere = make_season(make_league())
    (stranger,) = make_players(elsewhere.league, "Stranger")
    for slug in ("nobody", stranger.slug):
        for name, where in (
            ("player-career", [season.league.slug]),
            ("player-season", [season.league.slug, season.slug]),
        ):
            assert client.get(reverse(f"ratings:{name}", args=[*where, slug])).status_code == 404


def test_strangers_see_nothing_of_drafts_and_private_leagues(client, season, players):
    Season.objects.filter(pk=season.pk).update(state=Season.State.DRAFT)
    hidden = make_season(make_league(visibility=Visibility.PRIVATE))
    (secret,) = make_players(hidden.league, "Secret")
    client.force_login(make_user())
    assert client.get(season_of(season, players[0])).status_code == 404
    for page in (
        list_of(hidden.league),
        list_of(hidden.league, "players-file"),
        career_of(secret),
        season_of(hidden, secret),
    ):
        assert client.get(page).status_code == 404


def test_games_against_one_opponent_alone(client, season, players):
    """Those on one side have met nobody of it: a team game is no meeting of its members."""
    met = make_game(season, (players[0], 5), (players[1], 1))
    make_game(season, (players[:2], 5), (players[2], 1), played_at=season.starts_at + timedelta(hours=2))
    make_game(season, (players[0], 5), (players[2], 1), played_at=season.starts_at + timedelta(hours=3))
    replayed(season)
    response = client.get(season_of(season, players[0]), {"opponent": "valya"})
    assert [game["played"].game_id for game in response.context["games"]] == [met.pk]
    assert "Games against Валя" in text_of(response)
    never = client.get(season_of(season, players[1]), {"opponent": "dobri"})
    assert "These two have not met in this season yet." in text_of(never)
    assert len(client.get(season_of(season, players[0]), {"opponent": "nobody"}).context["games"]) == 3


def test_players_are_compared_in_one_chart(client, season, players):
    make_game(season, *((player, number) for number, player in enumerate(players[:3])))
    enter_player(season=season, player=players[3], by=None)
    replayed(season)
    page = season_of(season, players[0])
    response = client.get(page, {"with": ["marina,valya,marina,zahari,dobri,no such", "valya"]})
    lines = response.context["lines"]
    assert [line["player"].name for line in lines] == ["Захари", "Марина", "Валя"]  # Добри has not played
    assert lines[0]["curve"].grid == lines[2]["curve"].grid
    text = text_of(response)
    assert [f'class="line line-{number}"' in text for number in range(1, 5)] == [True, True, True, False]
    assert "2, Марина: From 1500.0 over 1 game" in text
    assert response.context["choices"] == []  # everybody who played is in it
    assert client.get(page).context["choices"] == [("valya", "Валя"), ("marina", "Марина")]


def test_at_most_five_are_compared(client, season):
    many = make_players(season.league, *(f"Player {number}" for number in range(7)))
    make_game(season, *((player, 1) for player in many))
    replayed(season)
    asked = ",".join(player.slug for player in many)
    response = client.get(season_of(season, many[0]), {"with": asked})
    assert len(response.context["lines"]) == 5
    assert "Five players are the most" in text_of(response)


def test_the_strongest_opponent_beaten_is_the_one_rated_highest_before(client, season, players):
    """Марина has 1516.4 when Валя beats her; the team of both has more than 1500 too, but less than that."""
    zahari, valya, marina, dobri = players
    at = season.starts_at
    make_game(season, (marina, 500), (dobri, 100), played_at=at + timedelta(hours=1))
    make_game(season, (valya, 5), ([marina, dobri], 1), played_at=at + timedelta(hours=2))
    best = make_game(season, (valya, 5), (marina, 1), played_at=at + timedelta(hours=3))
    make_game(season, (valya, 1), (marina, 9), played_at=at + timedelta(hours=4))
    replayed(season)
    response = client.get(season_of(season, valya))
    assert response.context["strongest"].game_id == best.pk
    assert 1500 < response.context["strongest"].rating < 1516.4
    assert re.search(r"Strongest opponent beaten</dt> <dd>\s*Марина \(15\d\d\.\d\)\s*<", text_of(response))
    assert client.get(season_of(season, zahari)).status_code == 200
    assert client.get(season_of(season, dobri)).context["strongest"] is None


def test_what_a_win_is_among_more_than_two_sides_is_told_where_there_was_such_a_game(client, season, players):
    make_game(season, (players[0], 5), (players[1], 1))
    make_game(season, (players[2], 5), (players[3], 1), (players[0], 3))
    replayed(season)
    told = "In a game of more than two sides"
    assert told in text_of(client.get(season_of(season, players[0])))
    assert told not in text_of(client.get(season_of(season, players[1])))


def test_the_curve_as_numbers_says_how_many_games_it_leaves_out(client, season, players, monkeypatch):
    for _game in range(3):
        make_game(season, (players[0], 5), (players[1], 1))
    replayed(season)
    assert "3 games: those the curve" not in text_of(client.get(season_of(season, players[0])))
    monkeypatch.setattr(views, "thinned", lambda points: points[:2])
    assert "2 of 3 games: those the curve" in text_of(client.get(season_of(season, players[0])))


def test_the_longest_winning_streak_is_told_beside_the_present_one(client, season, players):
    for hours, points in enumerate((9, 9, 9, 1, 9, 9)):
        moment = season.starts_at + timedelta(hours=hours)
        make_game(season, (players[0], points), (players[1], 5), played_at=moment)
    replayed(season)
    context = client.get(season_of(season, players[0])).context
    assert (context["streak"].outcome, context["streak"].length) == ("win", 2)
    assert (context["longest"].length, context["longest"].first.number, context["longest"].last.number) == (
        3,
        1,
        3,
    )
    assert client.get(season_of(season, players[1])).context["longest"].length == 1


def test_how_far_each_prize_is(client, season, players):
    """Who leads by score without a place is told that only the place is missing."""
    zahari, valya, marina, _dobri = players
    tiers = [PrizeTier(name=f"Tier {place}", first_place=place, last_place=place) for place in (1, 2)]
    change_prize_tiers(season=season, saved=tiers, by=None)
    change_rules(season=season, by=None, values={"min_games": 2, "min_meetings": 0})
    make_game(season, (zahari, 5), (valya, 1))
    make_game(season, (zahari, 5), (valya, 1))
    make_game(season, (marina, 900), (valya, 1))
    replayed(season)
    rows = Standing.objects.filter(season=season).select_related("player")
    scores = {row.player: row.season_score for row in rows}
    assert scores[marina] > scores[zahari] > scores[valya]

    def aims_of(player):
        aims = client.get(season_of(season, player)).context["aims"]
        return [(aim.holds, aim.rival.player if aim.rival else None, aim.distance) for aim in aims]

    of_zahari, of_valya, of_marina = map(aims_of, (zahari, valya, marina))
    behind = scores[zahari] - scores[valya]
    assert of_zahari == [(True, valya, behind)]  # nothing below the own place
    assert of_valya == [(False, zahari, behind), (True, None, None)]
    assert of_marina[0] == (False, zahari, scores[zahari] - scores[marina])
    assert "only a place is missing to pass Захари" in text_of(client.get(season_of(season, marina)))
    assert "points behind Захари" in text_of(client.get(season_of(season, valya)))


def test_other_seasons_and_former_names_are_on_the_page(client, season, players):
    before = make_season(season.league, name="Season 2025", slug="before")
    draft = make_season(season.league, name="Secret", slug="draft", state=Season.State.DRAFT)
    for each in (before, season, draft):
        make_game(each, (players[0], 5), (players[1], 1))
        replayed(each)
    player = update_player(player=players[0], name="Захари Захариев", by=None)
    page = text_of(client.get(season_of(season, player)))
    assert "also known as Захари</p>" in page
    assert season_of(before, player) in page
    assert "Secret" not in page


def test_a_player_takes_as_many_queries_with_many_games(client, season, players, django_assert_num_queries):
    page = season_of(season, players[0])

    def queries():
        # season, player, history, entry, rules, standing, required opponents, meetings of
        # the player, prizes, games, sides, members, players, changes, teams, opponents, the strongest one
        # beaten, whom to compare with, other seasons, other names, adjustments
        with django_assert_num_queries(22):
            client.get(page)

    enter_player(season=season, player=make_players(season.league, "Nobody met")[0], by=None)
    make_game(season, (players[:2], 3), (players[2], 1))
    replayed(season)
    queries()
    for hours in range(40):
        moment = season.starts_at + timedelta(days=1, hours=hours)
        make_game(season, *((player, hours % 7) for player in players), played_at=moment)
    replayed(season)
    queries()
