"""Seasons of made-up duels, imported like a file, and the bare writing of what they store."""

from datetime import UTC, datetime, timedelta
from random import Random

from django.db import connection, transaction
from django.db.models import QuerySet

from bench.timing import seconds
from leagues.games_csv import FileGame, FileSide, GamesFile
from leagues.models import Season
from leagues.services import import_games
from leagues.services.bulk import delete_rows, write_rows
from ratings.services.replay import replay_season
from tests.factories import make_season

START = datetime(2026, 1, 1, tzinfo=UTC)


def file_of_duels(games: int) -> GamesFile:
    """Duels of 100 players, a minute apart."""
    random = Random(games)
    names = [f"Player {number:03}" for number in range(100)]
    played = []
    for number in range(games):
        sides = tuple(FileSide((name,), random.randint(0, 800)) for name in random.sample(names, 2))
        played.append(FileGame(number + 2, START + timedelta(minutes=number), sides))
    return GamesFile(tuple(played), (), 0, "utf-8", "wide")


def season_of_duels(games: int) -> Season:
    """A season whose results are level with its games."""
    season = make_season()
    import_games(season=season, file=file_of_duels(games), by=None, create_players=True)
    replay_season(season.pk)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # as autovacuum does within a minute
    season.refresh_from_db()
    return season


def bare_write(*stored: QuerySet) -> float:
    """Delete these rows; the seconds it takes to write them again, a COPY or executemany a table."""
    tables = []
    for rows in stored:
        names = [field.name for field in rows.model._meta.concrete_fields]
        tables.append((rows.model, names, list(rows.values_list(*names))))
    with transaction.atomic():
        for model, _names, values in tables:
            delete_rows(model, [row[0] for row in values])

    @transaction.atomic
    def write() -> None:
        for table in tables:
            write_rows(*table)

    return seconds(write)
