"""Rows written by the database's bulk path; run on SQLite and on PostgreSQL."""

from collections.abc import Iterable

import pytest
from django.db import IntegrityError, transaction

from leagues.models import Season
from leagues.services.bulk import replace_rows, stored_rows, write_rows
from ratings.models import Meeting, Standing
from tests.factories import make_league, make_players, make_season

pytestmark = pytest.mark.django_db

COLUMNS = ("player", "opponent", "games", "wins", "draws", "losses")


@pytest.fixture
def season() -> Season:
    return make_season(make_league())


def replace(season: Season, rows: Iterable[tuple[int, ...]]) -> None:
    meetings = Meeting.objects.filter(season=season)
    columns = ("season", *COLUMNS)
    replace_rows(Meeting, columns, stored_rows(meetings, columns), ((season.pk, *row) for row in rows))


def stored(season: Season) -> dict[tuple[int, ...], int]:
    """The meetings of the season without their ids, and the id of each."""
    rows = Meeting.objects.filter(season=season).values_list(*COLUMNS, "pk")
    return {row[:-1]: row[-1] for row in rows}


def test_rows_are_stored_as_given(season: Season) -> None:
    (player,) = make_players(season.league, "Ана")
    names = [field.name for field in Standing._meta.concrete_fields if field.name not in ("id", "season")]
    values = {name: number for number, name in enumerate(names)}
    values |= {
        "player": player.pk,
        "place": None,
        "season_score": -15,
        "classified": True,
        "withdrawn": False,
    }
    write_rows(Standing, ("season", *names), [(season.pk, *values.values())])
    assert Standing.objects.filter(season=season).values(*names).get() == values


def test_only_rows_that_differ_are_written(season: Season) -> None:
    a, b, c = (player.pk for player in make_players(season.league, "A", "B", "C"))
    same, changed, gone = (a, b, 1, 1, 0, 0), (b, a, 1, 0, 0, 1), (a, c, 1, 0, 1, 0)
    replace(season, [same, changed, gone])
    before = stored(season)
    now, new = (b, a, 2, 0, 1, 1), (c, b, 1, 1, 0, 0)
    replace(season, iter([same, now, new]))
    after = stored(season)
    assert after.keys() == {same, now, new}
    assert after[same] == before[same]
    assert after[now] not in before.values()


def test_rows_of_another_season_stay(season: Season) -> None:
    other = make_season(season.league, name="Another")
    a, b = (player.pk for player in make_players(season.league, "A", "B"))
    replace(other, [(a, b, 1, 1, 0, 0)])
    replace(season, [(a, b, 2, 2, 0, 0)])
    replace(season, [])
    assert stored(other).keys() == {(a, b, 1, 1, 0, 0)}
    assert not stored(season)


def test_a_row_the_database_refuses_is_an_error_of_django(season: Season) -> None:
    a, b = (player.pk for player in make_players(season.league, "A", "B"))
    twice = [(season.pk, a, b, 1, 1, 0, 0)] * 2
    with pytest.raises(IntegrityError), transaction.atomic():
        write_rows(Meeting, ("season", *COLUMNS), twice)
    assert not stored(season)
