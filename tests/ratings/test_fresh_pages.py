"""Pages of results tell which game they are up to, and are new at the next look after a correction."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from leagues.models import Season
from leagues.services import PlayedSide, correct_game
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """Anna beat Boris; the first place wins a cup."""
    season = make_season(make_league(timezone="Europe/Sofia"), slug="now")
    change_rules(season=season, by=None, values={"min_games": 1, "min_meetings": 0})
    anna, boris = make_players(season.league, "Анна", "Борис")
    make_game(season, (anna, 500), (boris, 100))
    cup = PrizeTier(name="Cup", first_place=1, last_place=1)
    change_prize_tiers(season=season, by=None, saved=[cup])
    return replayed(season)


PAGES = ("league-home", "standings", "player-season", "prizes", "game-list")


def text_of(client: Client, name: str, season: Season) -> str:
    values = {"league": season.league.slug, "season": season.slug, "player": "anna"}
    names = {"league-home": ["league"], "player-season": values}.get(name, ["league", "season"])
    address = reverse(f"ratings:{name}", kwargs={each: values[each] for each in names})
    return re.sub(r"<[^>]+>", "", client.get(address).content.decode())


@pytest.mark.parametrize("name", PAGES)
def test_r67_a_page_of_results_tells_the_game_it_is_up_to(client: Client, season: Season, name: str) -> None:
    assert "After game 1 of 1 January 2026, 01:00" in text_of(client, name, season)


@pytest.mark.parametrize("name", PAGES)
def test_r66_after_a_correction_a_page_says_that_it_lags_and_is_then_new(
    client: Client, season: Season, name: str
) -> None:
    before = text_of(client, name, season)
    assert text_of(client, name, season) == before, "the control: nothing else makes a difference"
    game = season.games.get()
    (anna,), (boris,) = ([seat.player for seat in side.members.all()] for side in game.sides.all())
    sides = [PlayedSide((anna,), 100), PlayedSide((boris,), 500)]
    correct_game(game=game, played_at=game.played_at, sides=sides, note="", by=None)
    assert "being recomputed" in text_of(client, name, season)
    replayed(season)
    after = text_of(client, name, season)
    assert "being recomputed" not in after
    assert after != before
