"""Seasons of made-up duels, imported like a file, and the bare writing of what they store."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, QuerySet

from bench.timing import seconds
from leagues.games_csv import FileGame, FileSide, GamesFile
from leagues.models import Entry, Game, Season, Side, SideMember
from leagues.services import import_games
from leagues.services.bulk import delete_rows, reserve_ids, write_rows
from ratings.services.replay import replay_season
from tests.factories import make_players, make_season

# When the last game was: what moved in a week belongs to the pages that are measured.
END = datetime.now(UTC).replace(microsecond=0) - timedelta(days=1)


def bench_season(**values: Any) -> Season:
    """A season under way, long enough for every game."""
    return make_season(
        starts_on=END.date() - timedelta(days=200), ends_on=END.date() + timedelta(days=100), **values
    )


def file_of_duels(games: int) -> GamesFile:
    """Duels of 100 players, a minute apart."""
    random = Random(games)
    names = [f"Player {number:03}" for number in range(100)]
    played = []
    for number in range(games):
        sides = tuple(FileSide((name,), random.randint(0, 800)) for name in random.sample(names, 2))
        played.append(FileGame(number + 2, END - timedelta(minutes=games - number), sides))
    return GamesFile(tuple(played), (), 0, "utf-8", "wide")


def season_of_duels(games: int) -> Season:
    """A season whose results are level with its games."""
    season = bench_season()
    import_games(season=season, file=file_of_duels(games), by=None, create_players=True)
    replay_season(season.pk)
    analyze()
    season.refresh_from_db()
    return season


def facts_of_duels(games: int) -> Season:
    """A season with games of 100 players that nothing has rated; written past the services, for its size."""
    season = bench_season()
    players = [player.pk for player in make_players(season.league, *(f"Player {n:03}" for n in range(100)))]
    Entry.objects.bulk_create([Entry(season=season, player_id=player, by_playing=True) for player in players])
    random = Random(games)
    with transaction.atomic():
        ids, sides = reserve_ids(Game, games), reserve_ids(Side, 2 * games)
        game = row_of(Game(season=season, order=1))
        write_rows(
            Game,
            tuple(game),
            (
                tuple((game | {"id": pk, "played_at": END - timedelta(seconds=left), "key": pk}).values())
                for left, pk in zip(range(games, 0, -1), ids, strict=True)
            ),
        )
        write_rows(
            Side,
            ("id", "game", "position", "points"),
            ((pk, ids[n // 2], n % 2 + 1, random.randint(0, 800)) for n, pk in enumerate(sides)),
        )
        seats = (player for _game in range(games) for player in random.sample(players, 2))
        write_rows(
            SideMember,
            ("side", "game", "player"),
            ((side, ids[n // 2], player) for n, (side, player) in enumerate(zip(sides, seats, strict=True))),
        )
    season.touch(season.starts_at)
    analyze()
    return season


def row_of(instance: Model) -> dict[str, Any]:
    """The value of each column of an object's row, by the name of its field."""
    return {field.name: field.value_from_object(instance) for field in instance._meta.concrete_fields}


def analyze() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # as autovacuum does within a minute


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

    taken = seconds(write)
    analyze()  # else PostgreSQL may have counted the rows while they were away
    return taken
