"""How a season went for those at its top, and how its ratings are spread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Q, Value
from django.db.models.functions import Mod

from leagues.models import Player, Season
from ratings.engine.standings import season_score
from ratings.engine.types import Rules, Tenths
from ratings.models import RatingChange, Standing

RACERS = 5
POINTS = 60  # of each line, about


class Moment(NamedTuple):
    """What a player's season score was after a game."""

    at: datetime
    score: Tenths
    games: int  # counted for the season


class Racer(NamedTuple):
    """One of the first of the season, and how the season score got there."""

    player: Player
    moments: Sequence[Moment]  # the start of the season, then games evenly taken, the last one always


def race(season: Season, rules: Rules) -> list[Racer]:
    """The first of the standings who played, each with the season score over time. Two queries.

    Of many games only every few-th is read, so that a long season takes no more than a short one.
    """
    standings = Standing.objects.filter(season=season, played__gt=0).select_related("player")
    first = list(standings.order_by("position")[:RACERS])
    if not first:
        return []
    every = {row.player_id: max(1, row.played // POINTS) for row in first}
    last = {row.player_id: row.played for row in first}
    taken = Q()
    for player in every:
        taken |= Q(player=player) & (Q(played=last[player]) | Q(**{f"rest_{player}": 0}))
    rests = {f"rest_{player}": Mod(F("played"), Value(step)) for player, step in every.items()}
    rows = RatingChange.objects.filter(season=season, player__in=every).alias(**rests).filter(taken)
    start = Moment(season.starts_at, season_score(rules, rules.initial_rating, 0), 0)
    moments: dict[int, list[Moment]] = {player: [start] for player in every}
    for player, at, rating, games in rows.order_by("played").values_list(
        "player_id", "played_at", "after", "games"
    ):
        moments[player].append(Moment(at, season_score(rules, rating, games), games))
    return [Racer(row.player, moments[row.player_id]) for row in first]


def spread(season: Season) -> list[Tenths]:
    """The ratings of everybody who played and has not withdrawn, the lowest first. One query."""
    rows = Standing.objects.filter(season=season, played__gt=0, withdrawn=False)
    return list(rows.order_by("rating").values_list("rating", flat=True))
