"""Reading the standings: why a place is missing, recent form, and recent change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from operator import attrgetter, itemgetter

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from leagues.models import Player, Season
from ratings.engine.eligibility import missing_meetings, required_opponents
from ratings.engine.types import PlayerId, Rules
from ratings.models import Meeting, RatingChange, Standing

FORM_GAMES = 5


def missing_opponents(
    season: Season,
    standings: Collection[Standing],
    rules: Rules,
    *,
    everybody: Iterable[Standing] | None = None,
) -> dict[int, list[tuple[Player, int]]]:
    """Whom each of these players still has to meet, and how often, by player id.

    The most missing games first, then in order of the standings. Two queries for any number of
    players, one for a caller who gives ``everybody`` in the season, none where it requires no
    meetings (docs/rating.md, section 2).
    """
    lacking = [row for row in standings if row.opponents_met < row.opponents]
    missing: dict[int, list[tuple[Player, int]]] = {row.player_id: [] for row in standings}
    if not lacking:
        return missing
    players, required = _required(season, rules, everybody)
    met: dict[int, dict[PlayerId, int]] = defaultdict(dict)
    meetings = Meeting.objects.filter(season=season, player__in=[row.player_id for row in lacking])
    for player, opponent, games in meetings.values_list("player_id", "opponent_id", "games"):
        met[player][opponent] = games
    for row in lacking:
        lacks = missing_meetings(rules, row.player_id, met[row.player_id], required)
        lacks.sort(key=itemgetter(1), reverse=True)
        missing[row.player_id] = [(players[opponent], games) for opponent, games in lacks]
    return missing


def _required(
    season: Season, rules: Rules, everybody: Iterable[Standing] | None
) -> tuple[dict[PlayerId, Player], list[PlayerId]]:
    """Everybody in the season who is not withdrawn, and those who must be met, by the published results."""
    if everybody is None:
        everybody = Standing.objects.filter(season=season).select_related("player")
    active = sorted((row for row in everybody if not row.withdrawn), key=attrgetter("position"))
    players: dict[PlayerId, Player] = {row.player_id: row.player for row in active}
    return players, required_opponents(rules, {row.player_id: row.games for row in active})


def recent_form(season: Season, standings: Collection[Standing]) -> dict[int, list[str]]:
    """The last five games of each of these players, oldest first: "win", "draw" or "loss".

    A game is won with more duels won in it than lost. One query for any number of players.
    """
    # The ledger counts duels up to each game: one row more than asked for gives the difference.
    changes = RatingChange.objects.filter(
        season=season,
        player__in=[row.player_id for row in standings],
        player__standings__season=season,
        played__gte=F("player__standings__played") - FORM_GAMES,
    ).order_by("player_id", "played")
    balances: dict[int, list[int]] = defaultdict(list)
    for player, played, wins, losses in changes.values_list("player_id", "played", "wins", "losses"):
        if played == 1:
            balances[player].append(0)
        balances[player].append(wins - losses)
    return {
        player: [_result(*pair) for pair in pairwise(known)][-FORM_GAMES:]
        for player, known in balances.items()
    }


def _result(before: int, after: int) -> str:
    return "draw" if after == before else "win" if after > before else "loss"


def with_rating_at(standings: QuerySet[Standing], moment: datetime) -> QuerySet[Standing]:
    """Rows of standings, each with ``rating_then``: the player's rating at a moment, None without games."""
    changes = RatingChange.objects.filter(season=OuterRef("season"), player=OuterRef("player"))
    last_before = changes.filter(played_at__lt=moment).order_by("-played").values("after")[:1]
    start = changes.filter(played=1).values("before")
    return standings.annotate(rating_then=Coalesce(Subquery(last_before), Subquery(start)))


@dataclass(frozen=True, slots=True)
class Details:
    """What the rows of one page of standings show besides their own numbers, by player id."""

    missing: Mapping[int, list[tuple[Player, int]]] = field(default_factory=dict)
    form: Mapping[int, list[str]] = field(default_factory=dict)


def details_of(
    season: Season, standings: Sequence[Standing], rules: Rules, *, are_all: bool = False
) -> Details:
    """The details of these rows, which ``are_all`` of the season or some. Three queries at most."""
    unclassified = [row for row in standings if not row.classified and not row.withdrawn]
    return Details(
        missing=missing_opponents(season, unclassified, rules, everybody=standings if are_all else None),
        form=recent_form(season, standings),
    )
