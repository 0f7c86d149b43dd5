import pytest

from leagues.models import Season
from tests.factories import make_league, make_season


@pytest.fixture
def season() -> Season:
    """A season of a league in Sofia, where nothing has happened yet."""
    return make_season(make_league("wsd", timezone="Europe/Sofia"))
