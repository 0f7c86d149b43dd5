"""The explanation of a game tells the ledger's numbers."""

import random
from datetime import timedelta

import pytest

from leagues.models import Game
from leagues.services import create_player, void_game
from ratings.engine.presets import PRESETS
from ratings.engine.types import KRule
from ratings.models import RatingChange, RuleSet
from ratings.services.explain import explain_game
from ratings.services.rules import change_rules
from tests.factories import make_game, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def random_game(season, players, generator, hours):
    """A duel, a free-for-all or a team game among these players."""
    sizes = generator.choice([[1, 1], [1, 1, 1], [1, 1, 1, 1], [2, 1], [2, 2], [3, 2], [1, 2, 3]])
    if season.duels_only:
        sizes = [1, 1]
    drawn = generator.sample(players, sum(sizes))
    sides = [([drawn.pop() for _ in range(size)], generator.randrange(0, 900, 100)) for size in sizes]
    return make_game(season, *sides, played_at=season.starts_at + timedelta(hours=hours))


def with_sides(game):
    return Game.objects.with_sides().select_related("season__league").get(pk=game.pk)


def assert_explained_as_in_the_ledger(season):
    for game in Game.objects.filter(season=season).with_sides():
        explanation = explain_game(game)
        told = {
            seat.player_id: (before, after)
            for side, explained in zip(game.sides.all(), explanation.sides, strict=True)
            for seat, before, after in zip(side.members.all(), explained.before, explained.after, strict=True)
        }
        ledger = RatingChange.objects.filter(game=game).values_list("player_id", "before", "after")
        assert told == {player: (before, after) for player, before, after in ledger}


@pytest.mark.parametrize("preset", PRESETS)
def test_the_explained_ratings_are_those_of_the_ledger(preset):
    season = make_season(preset=preset)
    players = make_players(season.league, *"ABCDEFG")
    generator = random.Random(preset)
    for hours in range(40):
        random_game(season, players, generator, hours)
    assert_explained_as_in_the_ledger(replayed(season))


def test_k_follows_the_challengers_games_highest_rating_and_age():
    """A rule set of few points, so that every band of K is reached within a few games."""
    season = make_season(preset="ranked-battle")
    change_rules(season=season, by=None, values={"k_rule": KRule.FIDE_JUNIOR, "initial_rating": "2380"})
    young = create_player(league=season.league, name="Young", birth_year=2012, by=None)
    (old,) = make_players(season.league, "Old")
    generator = random.Random(6)
    for hours in range(70):
        pair = [(young, generator.randrange(2)), (old, generator.randrange(2))]
        generator.shuffle(pair)
        make_game(season, *pair, played_at=season.starts_at + timedelta(hours=hours))
    replayed(season)
    assert_explained_as_in_the_ledger(season)
    games = Game.objects.filter(season=season).with_sides()
    assert {explain_game(game).k_base for game in games} >= {40, 10}
    change_rules(season=season, by=None, values={"k_rule": KRule.FIDE})
    replayed(season)
    assert {explain_game(game).k_reason for game in games.all()} >= {"fide-new", "fide-2400"}


def test_a_junior_has_k_40_until_the_year_of_the_18th_birthday_ends():
    season = make_season(preset="ranked-battle")
    change_rules(season=season, by=None, values={"k_rule": KRule.FIDE_JUNIOR})
    of_18 = create_player(league=season.league, name="Of 18", birth_year=2008, by=None)
    of_19 = create_player(league=season.league, name="Of 19", birth_year=2007, by=None)
    first = make_game(season, (of_18, 1), (of_19, 0))
    second = make_game(season, (of_19, 1), (of_18, 0))
    replayed(season)
    # Both have a K of 40 for the first 30 games; whose clause it was, nobody is told.
    assert [explain_game(with_sides(game)).k_reason for game in (first, second)] == ["fide", "fide"]
    assert_explained_as_in_the_ledger(season)


def test_a_game_that_is_not_rated_yet_has_no_explanation():
    season = make_season()
    a, b = make_players(season.league, "A", "B")
    game = make_game(season, (a, 1), (b, 0))
    assert explain_game(with_sides(game)) is None


def test_a_voided_game_has_no_explanation():
    season = make_season()
    a, b = make_players(season.league, "A", "B")
    game = make_game(season, (a, 1), (b, 0))
    replayed(season)
    void_game(game=game, reason="It was a rehearsal", by=None)
    assert explain_game(with_sides(game)) is None


def test_a_season_without_a_rule_set_is_explained_by_the_default_rules():
    season = make_season()
    RuleSet.objects.filter(season=season).delete()
    a, b = make_players(season.league, "A", "B")
    make_game(season, (a, 500), (b, 100))
    assert_explained_as_in_the_ledger(replayed(season))


def test_the_number_of_queries_does_not_depend_on_the_number_of_sides(django_assert_num_queries):
    season = make_season()
    players = make_players(season.league, *"ABCDEFGHIJ")
    small = make_game(season, (players[0], 1), (players[1], 0))
    large = make_game(season, *((player, number) for number, player in enumerate(players)))
    replayed(season)
    for game in (with_sides(small), with_sides(large)):
        with django_assert_num_queries(2):  # the ledger's rows and the rules
            assert explain_game(game)
