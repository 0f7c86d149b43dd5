"""Reading who met whom how often, and with what results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from leagues.models import Season
from ratings.engine.eligibility import required_opponents
from ratings.engine.types import Opponents, PlayerId, Rules
from ratings.models import Meeting, Standing


class Met(NamedTuple):
    """A player's games against an opponent, as the player sees them."""

    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Totals:
    """The whole matrix in numbers."""

    players: int
    pairs: int  # that met at least once
    meetings: int  # of all pairs: a game of n sides is one for each pair of them
    needed: int  # pairs whom places ask to meet often enough
    done: int  # of them, those that have

    @property
    def all_pairs(self) -> int:
        return self.players * (self.players - 1) // 2


def opponents_of(season: Season, players: Collection[Standing], rules: Rules) -> QuerySet[Standing]:
    """Whom these players have met, then whom they only have to meet; each in order of the standings."""
    met = Meeting.objects.filter(
        season=season, player__in=[row.player_id for row in players], opponent=OuterRef("player")
    )
    shown = Q(is_met=True)
    if rules.min_meetings and not all(row.withdrawn for row in players):
        shown |= _required(rules)
    return (
        Standing.objects.filter(season=season)
        .alias(is_met=Exists(met))
        .filter(shown)
        .order_by("-is_met", "position")
    )


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


def _required(rules: Rules) -> Q:
    """Those whom ``must_be_met`` tells, as a condition on standings."""
    required = Q(withdrawn=False)
    return required & Q(missing_games=0) if rules.opponents is Opponents.RANKED else required


def totals(season: Season, rules: Rules) -> Totals:
    """What all meetings of the season come to. Two queries."""
    met = Meeting.objects.filter(season=season).aggregate(pairs=Count("pk"), games=Sum("games", default=0))
    standings = Standing.objects.filter(season=season)
    needed, done = (
        # A pair counts for each who needs the other, so twice where both have to be met.
        Sum(field, filter=Q(withdrawn=False), default=0) - Sum(field, filter=_required(rules), default=0) / 2
        for field in ("opponents", "opponents_met")
    )
    rows = standings.aggregate(players=Count("pk"), needed=needed, done=done)
    return Totals(pairs=met["pairs"] // 2, meetings=met["games"] // 2, **rows)
