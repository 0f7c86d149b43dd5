"""A season in charts: the race of the first, and how ratings are spread."""

from datetime import timedelta

import pytest
from django.urls import reverse

from leagues.services import enter_player
from ratings.engine.standings import season_score
from ratings.models import RatingChange
from ratings.services import trends
from ratings.services.facts import rules_of
from ratings.services.rules import change_rules
from tests.factories import make_game, make_players, replayed

pytestmark = pytest.mark.django_db


def address(season):
    return reverse("ratings:charts", args=[season.league.slug, season.slug])


def play(season, one, other, games):
    for number in range(games):
        moment = season.starts_at + timedelta(hours=number)
        make_game(season, (one, number % 3), (other, 1), played_at=moment)
    return replayed(season)


def test_the_race_is_the_season_score_after_games(season, players):
    play(season, players[0], players[1], 3)
    rules = rules_of(season)
    for racer in trends.race(season, rules):
        ledger = RatingChange.objects.filter(season=season, player=racer.player).order_by("played")
        scores = [season_score(rules, row.after, row.games) for row in ledger]
        assert [moment.score for moment in racer.moments] == [15_000, *scores]
        assert [moment.games for moment in racer.moments] == [0, 1, 2, 3]


def test_of_many_games_some_are_taken_and_the_last_one_always(season, players, monkeypatch):
    monkeypatch.setattr(trends, "POINTS", 3)
    play(season, players[0], players[1], 11)
    first, _second = trends.race(season, rules_of(season))
    assert [moment.games for moment in first.moments] == [0, 3, 6, 9, 11]


def test_the_first_five_who_played_are_drawn_and_everybody_is_counted(client, season):
    many = make_players(season.league, *(f"Player {number}" for number in range(8)))
    make_game(season, *((player, 100 * number) for number, player in enumerate(many[:7])))
    enter_player(season=season, player=many[7], by=None)
    change_rules(season=season, by=None, values={"full_weight_games": 0})
    replayed(season)
    response = client.get(address(season))
    assert [line["player"].name for line in response.context["lines"]] == [
        f"Player {n}" for n in (6, 5, 4, 3, 2)
    ]
    assert sum(bar.count for bar in response.context["bars"]) == 7
    assert "7 players from" in " ".join(response.content.decode().split())


def test_the_lines_of_the_race_end_together_at_the_last_game(client, season):
    many = make_players(season.league, *(f"Player {number}" for number in range(4)))
    for number, points in enumerate([(900, 0), (0, 900)]):
        pair = zip(many[2 * number :], points, strict=False)
        make_game(season, *pair, played_at=season.starts_at + timedelta(days=10 * number))
    change_rules(season=season, by=None, values={"full_weight_games": 0})
    replayed(season)
    lines = client.get(address(season)).context["lines"]
    assert [line["curve"].now.x for line in lines] == ["100%"] * 4
    assert [line["mark"] for line in lines] == ["A", "B", "C", "D"]


def test_a_race_in_which_nobody_leads_and_ratings_of_few_are_not_drawn(client, season, players):
    play(season, players[0], players[1], 1)
    response = client.get(address(season))
    assert response.context["lines"] == response.context["bars"] == []
    assert "All are still less than a point apart." in response.content.decode()


def test_before_the_first_game_there_is_a_sentence(client, season):
    assert "No game has been rated yet." in client.get(address(season)).content.decode()
