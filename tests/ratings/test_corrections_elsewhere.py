"""What corrections got wrong in other systems, by the reports of their users."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from leagues.models import Entry, Game, Season
from leagues.services import correct_game, create_team, update_player, withdraw_player
from leagues.services.games import played_sides
from ratings.models import RatingChange, Standing
from ratings.services.check import check_season
from ratings.services.replay import replay_season
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def ratings(season: Season) -> dict[str, float]:
    return {row.player.name: row.rating / 10 for row in Standing.objects.filter(season=season)}


def move(game: Game, to: datetime) -> None:
    game = Game.objects.with_sides().get(pk=game.pk)
    correct_game(game=game, played_at=to, sides=played_sides(game), by=None)


def test_r4_two_games_whose_dates_are_swapped_are_rated_the_other_way_round():
    season = make_season(make_league("fide"), preset="ranked-battle")
    change_rules(season=season, values={"k_rule": "fixed", "k": Decimal(20)}, by=None)
    ann, bob, cyd = make_players(season.league, "Ann", "Bob", "Cyd")
    one, two = season.starts_at + timedelta(days=1), season.starts_at + timedelta(days=2)
    first = make_game(season, (ann, 1), (bob, 0), played_at=one)
    second = make_game(season, (cyd, 1), (ann, 0), played_at=two)
    # Cyd, at 1500, could expect 0.4856 of Ann, at 1510: 20 x 0.5144 = 10.3.
    assert ratings(replayed(season)) == {"Ann": 1499.7, "Bob": 1490.0, "Cyd": 1510.3}
    move(first, two)
    move(second, one)
    # Ann, at 1490, could expect 0.4856 of Bob.
    assert ratings(replayed(season)) == {"Ann": 1500.3, "Bob": 1489.7, "Cyd": 1510.0}
    assert check_season(season.pk) == []


def test_r19_what_players_are_today_changes_no_game_of_before():
    season = make_season(make_league("apes"))
    ann, bob, cyd = make_players(season.league, "Ann", "Bob", "Cyd")
    for hour, (one, other) in enumerate([(ann, bob), (bob, cyd), (cyd, ann), (ann, bob)]):
        make_game(season, (one, 500), (other, 100), played_at=season.starts_at + timedelta(hours=hour))
    replayed(season)
    before = list(RatingChange.objects.order_by("game", "player").values("game", "player", "before", "after"))
    update_player(player=ann, name="Zoe", birth_year=2015, by=None)
    create_team(league=season.league, name="Two", members=[ann, bob], by=None)
    withdraw_player(entry=Entry.objects.get(player=bob), by=None)
    replay_season(season.pk, full=True)
    assert before == list(
        RatingChange.objects.order_by("game", "player").values("game", "player", "before", "after")
    )
    assert check_season(season.pk) == []
