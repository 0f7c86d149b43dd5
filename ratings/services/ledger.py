"""The ledger as a replay sees it: the rows that games give, and the games that rows are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from leagues.models import Entry, Game, Season
from leagues.prepared import PreparedRows
from leagues.services.bulk import Values, by_values
from ratings.engine import types
from ratings.engine.types import Adjusted, Change, ChangeRow, GameId, PlayerId, PlayerState
from ratings.models import AppliedAdjustment, RatingChange
from ratings.services.facts import BEGINNING, NEVER, PLAYER_STATE, Batch

COLUMNS = ("season", "game", "player", "side", "points", "played_at", *Change._fields[2:], "k_reason")
ADJUSTED = ("season", "at", *Adjusted._fields)
# The columns that are a PlayerState, in its order.
STATE_COLUMNS = [{"rating": "after"}.get(name, name) for name in PLAYER_STATE]
SEAT = itemgetter(1, 2, 3, 4)  # who played where in which game, and no rating
GAME = itemgetter(1)
AT = itemgetter(1)  # of a row of an adjustment

# By the season's games, not by the season alone: with little knowledge of the ledger's size both databases
# would go through all of it for each batch. And not by ten thousand ids: the ORM takes longer for them.
OF_GAMES = PreparedRows(
    lambda: (
        RatingChange.objects.filter(game__season=0)
        .filter(game__played_at__range=(BEGINNING, NEVER))
        .order_by()
        .values_list("pk", *COLUMNS)
    )
)


def rows_of(
    season_id: int, batch: Batch, changes: Iterable[ChangeRow], reasons: Mapping[GameId, str]
) -> Iterator[Values]:
    """Changes, which come game by game in order of sides and members, with what was rated.

    ``reasons`` are those for K, of the games where there is one (see the engine's ``replay``).
    """
    rated = iter(changes)
    for game in batch.games:
        played_at, reason = batch.times[int(game.id)], reasons.get(game.id, "")
        for number, side in enumerate(game.sides, 1):
            for _member in side.members:
                _game, player, *state = next(rated)
                yield (season_id, game.id, player, number, side.points, played_at, *state, reason)


def changes_of(season: Season, batch: Batch) -> dict[Values, int]:
    """The stored rows of these games, and their ids."""
    times = batch.times.values()
    rows = by_values(OF_GAMES.all(season.pk, min(times), max(times)))
    return {row: pk for row, pk in rows.items() if GAME(row) in batch.times}


def adjusted_rows(season_id: int, batch: Batch, adjusted: Iterable[Adjusted]) -> list[Values]:
    """What the adjustments of a batch did, with when they took effect."""
    dated = zip(batch.adjustments, adjusted, strict=True)
    return [(season_id, at, *row) for (at, _adjustment), row in dated]


def applied(season: Season, since: datetime | None = None) -> QuerySet[AppliedAdjustment]:
    """The stored rows of adjustments, of those in effect from ``since`` on."""
    rows = AppliedAdjustment.objects.filter(season=season)
    return rows.filter(at__gte=since) if since else rows


def states_before(season: Season, moment: datetime) -> dict[PlayerId, PlayerState]:
    """Where everybody entered stood at a moment who had played or was adjusted by then; two queries."""
    earlier = RatingChange.objects.filter(
        season=OuterRef("season"), player=OuterRef("player"), played_at__lt=moment
    )
    last = Entry.objects.filter(season=season).values_list(
        Subquery(earlier.order_by("-played").values("pk")[:1])
    )
    rows = RatingChange.objects.filter(pk__in=last)
    states: dict[PlayerId, PlayerState] = {}
    played_at: dict[PlayerId, datetime] = {}
    for player, at, *values in rows.values_list("player_id", "played_at", *STATE_COLUMNS):
        states[player], played_at[player] = PlayerState(*values), at
    adjusted = AppliedAdjustment.objects.filter(season=season, at__lt=moment).order_by("at", "adjustment")
    for player, at, after, peak in adjusted.values_list("player_id", "at", "after", "peak"):
        if player not in states:
            states[player] = PlayerState(rating=after, peak=peak)
        elif player not in played_at or at > played_at[player]:  # later than all that a game's row tells
            states[player].rating, states[player].peak = after, peak
    return states


def orphans(season: Season, since: datetime | None = None) -> QuerySet[RatingChange]:
    """The stored rows of games that count no more, of those played from ``since`` on."""
    changes = RatingChange.objects.filter(season=season)
    if since:
        changes = changes.filter(played_at__gte=since)
    # By the id alone: by the season too, PostgreSQL would go through its games once per row where it
    # knows little of them yet, as after an import.
    counted = Game.objects.filter(pk=OuterRef("game_id")).counted()
    return changes.filter(~Exists(counted))


def played_otherwise(
    stored: Iterable[Values], rows: Iterable[Values]
) -> tuple[list[types.Game], list[types.Game]]:
    """The games that were played otherwise than is stored: as they are stored, and as they are."""
    old, new = set(map(SEAT, stored)), set(map(SEAT, rows))
    games = {seat[0] for seat in old ^ new}
    return _games(seat for seat in old if seat[0] in games), _games(seat for seat in new if seat[0] in games)


def _games(seats: Iterable[Values]) -> list[types.Game]:
    games = []
    for game, seated in groupby(sorted(seats, key=itemgetter(0, 2)), key=itemgetter(0)):
        sides = [
            types.Side(tuple([seat[1] for seat in members]), points)
            for (_side, points), members in groupby(seated, key=itemgetter(2, 3))
        ]
        games.append(types.Game(game, tuple(sides)))
    return games
