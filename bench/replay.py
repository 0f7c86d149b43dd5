"""Imports, replays, corrections and appended games, against the bare writes they stand for."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from statistics import median
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from bench.seasons import bare_write, bench_season, facts_of_duels, file_of_duels, season_of_duels
from bench.timing import QUICK, SAY_PEAK, Measure, ratio, seconds
from leagues.models import AuditEntry, Game, Season, Side, SideMember
from leagues.prepared import adapted
from leagues.services import PlayedSide, correct_game, import_games
from leagues.services.games import played_sides
from ratings.models import Meeting, RatingChange, Standing
from ratings.services.replay import replay_season
from tests.factories import make_game

IMPORTED = 500 if QUICK else 10_000
SMALL, LARGE = (300, 3_000) if QUICK else (1_000, 100_000)
APPENDED = 11 if QUICK else 51
GROWN = (1_000, 10_000) if QUICK else (100_000, 1_000_000)
RESULTS = (RatingChange, Standing, Meeting)
TALLY = ("peak", "played", "games", "wins", "draws", "losses", "first_places")


def measures() -> Iterator[Measure]:
    yield Measure(f"import of {IMPORTED:,} games, against bare inserts", _import())
    small, season = season_of_duels(SMALL), season_of_duels(LARGE)
    written = partial(bare_write, *_results(season))
    first, late = partial(_correction, season, 0), partial(_correction, season, LARGE * 9 // 10)
    yield _replayed(season_of_duels(IMPORTED), IMPORTED)
    yield _replayed(season, LARGE)
    yield Measure(
        "correction of the first game, against a bare write of all", ratio(first, written), "<= 3.0"
    )
    yield Measure("correction at 90 % of the season, against the first game", ratio(late, first), "<= 0.25")
    at_small, at_large, bare = _appends(small, season)
    yield Measure("append a game, p50, against its bare statements", at_large / bare, "<= 5")
    yield Measure(f"append p50 at {LARGE:,} games, against {SMALL:,}", at_large / at_small, "<= 1.3")
    yield from _growth()


def _replayed(season: Season, games: int) -> Measure:
    return Measure(
        f"full replay of {games:,} duels, against a bare write of its rows",
        ratio(partial(_full_replay, season), partial(bare_write, *_results(season))),
        "<= 2.0" if games > 10_000 else "<= 3.0",
    )


def _results(season: Season) -> Iterator[QuerySet]:
    return (model.objects.filter(season=season) for model in RESULTS)


def _import() -> float:
    file = file_of_duels(IMPORTED)
    season = bench_season()

    def site() -> float:
        nonlocal season
        season = bench_season()
        return seconds(lambda: import_games(season=season, file=file, by=None, create_players=True))

    def barely() -> float:
        return bare_write(
            Game.objects.filter(season=season),
            Side.objects.filter(game__season=season),
            SideMember.objects.filter(game__season=season),
        )

    return ratio(site, barely)


def _full_replay(season: Season) -> float:
    for model in RESULTS:
        model.objects.filter(season=season).delete()
    return seconds(lambda: replay_season(season.pk, full=True))


def _correction(season: Season, index: int) -> float:
    """The replay after the sides of a game have swapped their points."""
    game = Game.objects.filter(season=season).in_play_order().with_sides()[index]
    one, other = played_sides(game)
    sides = [PlayedSide(one.members, other.points + 1), PlayedSide(other.members, one.points)]
    correct_game(game=game, played_at=game.played_at, sides=sides, by=None)
    return seconds(lambda: replay_season(season.pk))


def _appends(small: Season, large: Season) -> tuple[float, float, float]:
    """The medians from the service call to the standings written, in seasons of both sizes, and of the
    same in statements that know everything; taken in turn, because machines are noisy."""
    last = {
        season: Game.objects.filter(season=season).latest("played_at").played_at for season in (small, large)
    }
    spoilt = season_of_duels(SMALL)  # its results are good for nothing afterwards
    bare = BareGame(spoilt)

    def append(season: Season, number: int) -> None:
        pair = players_of[season][number : number + 2]
        at = last[season] + timedelta(minutes=number + 1)
        make_game(season, *((player, number) for player in pair), played_at=at)
        replay_season(season.pk)

    players_of = {season: list(season.league.players.order_by("pk")) for season in (small, large, spoilt)}
    ids = [player.pk for player in players_of[spoilt]]
    timings = [
        (
            seconds(partial(append, small, number)),
            seconds(partial(append, large, number)),
            seconds(partial(bare.append, ids[number : number + 2])),
        )
        for number in range(APPENDED)
    ]
    at_small, at_large, barely = map(median, zip(*timings, strict=True))
    return at_small, at_large, barely


class BareGame:
    """Records and rates a duel in statements that know everything: the writes of a service and a replay."""

    def __init__(self, season: Season) -> None:
        self.season = season
        self.audit = _insert(AuditEntry(league=season.league, season=season, before={}, after={}))
        self.game = _insert(Game(season=season, order=1), "played_at", "key")
        self.side = _insert(Side(points=1), "game", "position")
        self.member = _insert(SideMember(), "game", "side", "player")
        tally = dict.fromkeys(("before", "after", "side", "points", *TALLY), 1)
        self.change = _insert(RatingChange(season=season, **tally), "game", "player", "played_at")

    def append(self, players: list[int]) -> None:
        """In two transactions, as whoever records a game never waits for its replay."""
        now = timezone.now()
        self._rate(self._record(players, now), players, now)

    @transaction.atomic
    def _record(self, players: list[int], now: datetime) -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE leagues_season SET revision = revision + 1 WHERE id = %s", [self.season.pk]
            )
            game = self.game(cursor, now, now.isoformat())
            for position, player in enumerate(players, 1):
                self.member(cursor, game, self.side(cursor, game, position), player)
            self.audit(cursor)
        return game

    @transaction.atomic
    def _rate(self, game: int, players: list[int], now: datetime) -> None:
        season = self.season.pk
        with connection.cursor() as cursor:
            for player in players:
                self.change(cursor, game, player, now)
            cursor.executemany(
                "UPDATE ratings_standing SET played = played + 1 WHERE season_id = %s AND player_id = %s",
                [(season, player) for player in players],
            )
            cursor.executemany(
                "UPDATE ratings_meeting SET games = games + 1"
                " WHERE season_id = %s AND player_id = %s AND opponent_id = %s",
                [(season, *players), (season, *reversed(players))],
            )
            cursor.execute("UPDATE ratings_replay SET revision = revision + 1 WHERE season_id = %s", [season])


def _insert(instance: Model, *given: str) -> Callable[..., int]:
    """Inserts a row like this one, with values for the fields named in ``given``; its id."""
    columns = {field.name: field for field in instance._meta.concrete_fields if not field.primary_key}
    fixed = [field for name, field in columns.items() if name not in given]
    values = [field.get_db_prep_save(field.value_from_object(instance), connection) for field in fixed]
    fields = fixed + [columns[name] for name in given]
    names = ", ".join(f'"{field.column}"' for field in fields)
    places = ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO {instance._meta.db_table} ({names}) VALUES ({places}) RETURNING id"

    def insert(cursor: Any, *more: Any) -> int:
        cursor.execute(sql, [*values, *map(adapted, more)])
        return int(cursor.fetchone()[0])

    return insert


def _growth() -> Iterator[Measure]:
    """How a full replay grows with the season, and what memory it takes."""
    replays, writes = [], []
    for games in GROWN:
        season = facts_of_duels(games)
        replay_season(season.pk)
        written = partial(bare_write, *_results(season))
        pairs = [(_full_replay(season), written()) for _round in range(3 if games == GROWN[0] else 1)]
        replays.append(median(pair[0] for pair in pairs))
        writes.append(median(pair[1] for pair in pairs))
    yield Measure(
        f"growth of full replay from {GROWN[0]:,} to {GROWN[1]:,} games, by the bare write's",
        (replays[1] / replays[0]) / (writes[1] / writes[0]),
        "<= 1.3",
    )
    yield Measure(f"memory of a full replay of {GROWN[1]:,} games", _memory(season), "<= 1024", unit="MiB")


REPLAY = f"""
import sys
from django.core.management import execute_from_command_line
execute_from_command_line(sys.argv)
{SAY_PEAK}
"""


def _memory(season: Season) -> float:
    """The most that a process of its own holds, in MiB."""
    command = [sys.executable, "-c", REPLAY, "replay", "--full", f"{season.league.slug}/{season.slug}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return int(done.stdout.split()[-1]) / 1024
