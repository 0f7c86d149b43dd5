"""A process that checks published results until it is killed.

python -m tests.faults reader SEASON BASE FILE [KIND] appends a line to the file for each look: the published
revision, and what was wrong. The kind "patient" goes on when the database is gone; "piecemeal" is a control
and reads one thing after the other, as they are then.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from threading import Event

from django.db import InterfaceError, OperationalError, connection, transaction

from leagues.models import Game, Season, SideMember
from ratings.models import Meeting, RatingChange, Replay, Standing

PAUSE = 0.1  # seconds between two looks


def main(season_id: str, base: str, file: str, kind: str = "") -> None:
    pause = Event()
    while not pause.wait(PAUSE):
        try:
            with nullcontext() if kind == "piecemeal" else snapshot():
                revision, problems = look_now(int(season_id), int(base))
        except (OperationalError, InterfaceError):
            if kind != "patient":
                raise
            connection.close()
            continue
        with Path(file).open("ab", buffering=0) as seen:
            seen.write(f"{revision} {'; '.join(problems)}\n".encode())
        print("looked")  # noqa: T201 - a sign of life


def looks(file: Path) -> list[tuple[int, str]]:
    """What a reader wrote to its file: published revisions and what was wrong."""
    lines = file.read_text().split("\n")[:-1]
    return [(int(revision), problems) for revision, _, problems in (line.partition(" ") for line in lines)]


@contextmanager
def snapshot() -> Iterator[None]:
    """All queries of the block see the database as it is at one moment; they hold up no writer."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # as Django's own transactions would be a writer's
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def look(season_id: int, base: int) -> tuple[int, list[str]]:
    """What ``look_now`` finds at one moment."""
    with snapshot():
        return look_now(season_id, base)


def look_now(season_id: int, base: int) -> tuple[int, list[str]]:
    """The published revision, and every way in which the results are not of exactly the games it counts.

    For a season in which each revision after ``base`` is one more game. Games of a season are
    recorded one after the other, so those that existed at a revision are the first by their ids.
    """
    season, replay = Season.objects.get(pk=season_id), Replay.objects.get(season=season_id)
    games = list(Game.objects.filter(season=season).order_by("pk").values_list("pk", flat=True))
    problems = list(_problems(replay, _counts(season, games[: replay.revision - base])))
    if len(games) != season.revision - base:
        problems.append(f"{len(games)} games at revision {season.revision}")
    return replay.revision, problems


@dataclass
class _Counts:
    """What some games give to the results."""

    games: int
    seats: set[tuple[int, int]] = field(default_factory=set)  # game, player
    played: Counter[int] = field(default_factory=Counter)
    met: Counter[tuple[int, int]] = field(default_factory=Counter)


def _counts(season: Season, games: Collection[int]) -> _Counts:
    seated: dict[int, list[tuple[int, int]]] = {game: [] for game in games}
    members = SideMember.objects.filter(game__season=season)
    for game, side, player in members.values_list("game_id", "side_id", "player_id"):
        if game in seated:
            seated[game].append((side, player))
    counts = _Counts(len(games))
    for game, seats in seated.items():
        counts.seats.update((game, player) for _side, player in seats)
        counts.played.update(player for _side, player in seats)
        pairs = permutations(seats, 2)
        counts.met.update((one, two) for (side, one), (other, two) in pairs if side != other)
    return counts


def _problems(replay: Replay, existed: _Counts) -> Iterator[str]:
    """How the results differ from those of the games that existed at their revision."""
    changes = RatingChange.objects.filter(season=replay.season_id)
    standings = Standing.objects.filter(season=replay.season_id)
    meetings = Meeting.objects.filter(season=replay.season_id)
    last = dict(changes.order_by("played").values_list("player", "after"))
    ratings = dict(standings.filter(played__gt=0).values_list("player", "rating"))
    found = {
        "the replay": replay.games == existed.games,
        "the ledger": set(changes.values_list("game", "player")) == existed.seats,
        "the standings": dict(standings.filter(played__gt=0).values_list("player", "played"))
        == existed.played,
        "the ratings in the standings": ratings == last,
        "the meetings": {
            (one, two): count for one, two, count in meetings.values_list("player", "opponent", "games")
        }
        == existed.met,
    }
    yield from (f"{what} is not of revision {replay.revision}" for what, right in found.items() if not right)
