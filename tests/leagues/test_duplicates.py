"""Which players may be one person entered twice."""

import pytest

from leagues.services import add_alias, merge_players
from leagues.services.duplicates import likely_duplicates
from tests.factories import make_game, make_league, make_players, make_season

pytestmark = pytest.mark.django_db


def suggested(*names: str) -> list[tuple[str, str]]:
    league = make_league()
    make_players(league, *names)
    return [(keep.name, gone.name) for keep, gone in likely_duplicates(league)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maria", "Мария"),
        ("Maria", "MARIA"),
        ("Zoe Muller", "Zoë Müller"),
        ("Ivan Petrov", "Petrov Ivan"),
        ("Ann", "Ann"),
        ("Dimitar", "Dimitur"),  # another letter
        ("Dimitar", "Dimitaar"),  # one more
        ("Dimitar", "Diimtar"),  # two in the other order
    ],
)
def test_about_the_same_name_is_suggested(one: str, other: str) -> None:
    assert suggested(one, other) == [(one, other)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "Ana"), ("Player 1", "Player 2"), ("Ivan Petrov", "Ivana Petrova"), ("Dobri", "Valya")],
)
def test_other_names_are_not(one: str, other: str) -> None:
    assert suggested(one, other) == []


def test_other_names_of_a_player_count_too() -> None:
    league = make_league()
    maria, lady = make_players(league, "Maria", "The Lady")
    add_alias(player=lady, name="Мария", by=None)
    assert likely_duplicates(league) == [(maria, lady)]


def test_who_met_is_not_suggested_and_who_played_more_stays() -> None:
    league = make_league()
    season = make_season(league)
    maria, marija, mariya, bob = make_players(league, "Maria", "Marija", "Mariya", "Bob")
    make_game(season, (marija, 1), (bob, 2))
    make_game(season, ([maria, mariya], 1), ([bob], 2))
    make_game(season, (marija, 1), (bob, 2))
    assert likely_duplicates(league) == [(marija, maria), (marija, mariya)]


def test_a_league_sees_its_own_players_only_and_merged_ones_no_more() -> None:
    make_players(make_league("league-b"), "Maria")
    league = make_league()
    maria, mariya = make_players(league, "Maria", "Мария")
    assert likely_duplicates(league) == [(maria, mariya)]
    merge_players(keep=maria, gone=mariya, by=None)
    assert likely_duplicates(league) == []


def test_a_large_family_gives_a_few_suggestions() -> None:
    assert len(suggested(*["Maria"] * 30)) == 20
