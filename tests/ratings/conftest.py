"""The season that most tests of pages speak of; those of other shapes make their own."""

import pytest

from leagues.models import Player, Season
from tests.factories import make_league, make_players, make_season


@pytest.fixture
def season(db: None) -> Season:
    return make_season(make_league(timezone="Europe/Sofia"))


@pytest.fixture
def players(season: Season) -> list[Player]:
    return make_players(season.league, "Захари", "Валя", "Марина", "Добри")
