"""Reading who met whom how often, and with what results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Q, Sum

from leagues.models import Season
from ratings.engine.eligibility import required_opponents
from ratings.engine.types import PlayerId, Rules
from ratings.models import Meeting, Standing


class Met(NamedTuple):
    """A player's games against an opponent, as the player sees them."""

    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Totals:
    """The whole matrix in numbers. A meeting needed is counted once for each player who needs it."""

    players: int
    pairs: int  # that met at least once
    games: int  # against each other: a game of n sides is one for each pair of them
    needed: int  # opponents whom places ask to be met often enough
    done: int  # of them, those met often enough

    @property
    def all_pairs(self) -> int:
        return self.players * (self.players - 1) // 2

    @property
    def needed_pairs(self) -> int:
        """Where everybody has to meet everybody, what is needed is needed from both sides."""
        return self.needed // 2

    @property
    def done_pairs(self) -> int:
        return self.done // 2


def meetings_between(
    season: Season, players: Collection[Standing], opponents: Collection[Standing]
) -> Mapping[int, Mapping[int, Met]]:
    """The meetings of these players with these opponents, by both ids. One query."""
    met: dict[int, dict[int, Met]] = defaultdict(dict)
    stored = Meeting.objects.filter(
        season=season,
        player__in=[row.player_id for row in players],
        opponent__in=[row.player_id for row in opponents],
    )
    for player, opponent, *numbers in stored.values_list(
        "player_id", "opponent_id", "games", "wins", "draws", "losses"
    ):
        met[player][opponent] = Met(*numbers)
    return met


def must_be_met(rules: Rules, opponents: Iterable[Standing]) -> frozenset[int]:
    """Those of these opponents whom a place asks everybody to meet often enough."""
    if not rules.min_meetings:
        return frozenset()
    games: dict[PlayerId, int] = {row.player_id: row.games for row in opponents if not row.withdrawn}
    return frozenset(map(int, required_opponents(rules, games)))


def totals(season: Season) -> Totals:
    """What all meetings of the season come to. Two queries."""
    met = Meeting.objects.filter(season=season).aggregate(pairs=Count("pk"), games=Sum("games", default=0))
    active = Q(withdrawn=False)
    rows = Standing.objects.filter(season=season).aggregate(
        players=Count("pk"),
        needed=Sum("opponents", filter=active, default=0),
        done=Sum("opponents_met", filter=active, default=0),
    )
    return Totals(pairs=met["pairs"] // 2, games=met["games"] // 2, **rows)
