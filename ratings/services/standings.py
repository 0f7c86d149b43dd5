"""Reading the standings: why a place is missing, recent form, and recent change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from django.db.models import F, Sum

from leagues.models import Game, Player, Season
from ratings.engine.eligibility import missing_meetings, required_opponents
from ratings.engine.types import PlayerId, Rules, Tenths
from ratings.models import Meeting, RatingChange, Standing

FORM_GAMES = 5


def missing_opponents(
    season: Season, standings: Collection[Standing], rules: Rules
) -> dict[int, list[tuple[Player, int]]]:
    """Whom each of these players still has to meet, and how often, by player id.

    The most missing games first, then in order of the standings. Two queries for any number of
    players, none where the season requires no meetings (docs/rating.md, section 2).
    """
    lacking = [row for row in standings if row.opponents_met < row.opponents]
    missing: dict[int, list[tuple[Player, int]]] = {row.player_id: [] for row in standings}
    if not lacking:
        return missing
    players, required = _required(season, rules)
    met: dict[int, dict[PlayerId, int]] = defaultdict(dict)
    meetings = Meeting.objects.filter(season=season, player__in=[row.player_id for row in lacking])
    for player, opponent, games in meetings.values_list("player_id", "opponent_id", "games"):
        met[player][opponent] = games
    for row in lacking:
        lacks = missing_meetings(rules, row.player_id, met[row.player_id], required)
        lacks.sort(key=lambda opponent_games: -opponent_games[1])
        missing[row.player_id] = [(players[opponent], games) for opponent, games in lacks]
    return missing


def _required(season: Season, rules: Rules) -> tuple[dict[PlayerId, Player], list[PlayerId]]:
    """Everybody in the season who is not withdrawn, and those who must be met, by the published results."""
    active = Standing.objects.filter(season=season, withdrawn=False).order_by("position")
    rows = list(active.select_related("player").only("games", "player__name", "player__slug"))
    players: dict[PlayerId, Player] = {row.player_id: row.player for row in rows}
    return players, required_opponents(rules, {row.player_id: row.games for row in rows})


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


def changes_since(season: Season, standings: Sequence[Standing], moment: datetime) -> dict[int, Tenths]:
    """What the games from ``moment`` on brought each of these players; without one, no entry. One query."""
    # By game: the last days of a season are few games, and its players may have thousands of changes.
    games = Game.objects.filter(season=season, played_at__gte=moment)
    players = [row.player_id for row in standings]
    changes = RatingChange.objects.filter(game__in=games.values("pk"), player__in=players)
    return dict(changes.order_by().values_list("player_id").annotate(gained=Sum(F("after") - F("before"))))


@dataclass(frozen=True, slots=True)
class Details:
    """What the rows of one page of standings show besides their own numbers, by player id."""

    missing: Mapping[int, list[tuple[Player, int]]] = field(default_factory=dict)
    form: Mapping[int, list[str]] = field(default_factory=dict)
    gained: Mapping[int, Tenths] = field(default_factory=dict)


def details_of(season: Season, standings: Sequence[Standing], rules: Rules, *, since: datetime) -> Details:
    """The details of these rows, with what they gained ``since``. Four queries at most."""
    unclassified = [row for row in standings if not row.classified and not row.withdrawn]
    return Details(
        missing=missing_opponents(season, unclassified, rules),
        form=recent_form(season, standings),
        gained=changes_since(season, standings, since),
    )
