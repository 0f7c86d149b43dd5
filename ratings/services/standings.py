"""Reading the standings: why a place is missing, what separates equals, recent form, and recent change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from django.db.models import Count, F, Min, Q

from leagues.models import Player, Season
from ratings.engine.eligibility import missing_meetings, required_opponents
from ratings.engine.standings import TIE_BREAKS
from ratings.engine.types import Pair, PlayerId, Rules, Tenths
from ratings.models import Meeting, RatingChange, Replay, Standing
from ratings.services.past import Before, Past, kept_before

FORM_GAMES, RECENT_GAMES = 5, 10
WEEK = timedelta(days=7)


def missing_opponents(
    season: Season,
    standings: Collection[Standing],
    rules: Rules,
    *,
    everybody: Iterable[Standing] | None = None,
    met: Mapping[Pair, int] | None = None,
) -> dict[int, list[tuple[Player, int]]]:
    """Whom each of these players still has to meet, and how often, by player id.

    The most missing games first, then in order of the standings. Two queries for any number of
    players, none where the season requires no meetings (docs/rating.md, section 2). A caller saves
    one who gives ``everybody`` in the season, and the other who knows how often each pair has met.
    """
    lacking = [row for row in standings if row.opponents_met < row.opponents]
    missing: dict[int, list[tuple[Player, int]]] = {row.player_id: [] for row in standings}
    if not lacking:
        return missing
    players, required = _required(season, rules, everybody)
    games = _games_against(season, lacking) if met is None else _by_player(met)
    for row in lacking:
        lacks = missing_meetings(rules, row.player_id, games[row.player_id], required)
        lacks.sort(key=itemgetter(1), reverse=True)
        missing[row.player_id] = [(players[opponent], more) for opponent, more in lacks]
    return missing


def _games_against(season: Season, standings: Iterable[Standing]) -> dict[PlayerId, dict[PlayerId, int]]:
    """How often each of these players has met each opponent."""
    meetings = Meeting.objects.filter(season=season, player__in=[row.player_id for row in standings])
    rows = meetings.values_list("player_id", "opponent_id", "games")
    return _by_player({(player, opponent): games for player, opponent, games in rows})


def _by_player(met: Mapping[Pair, int]) -> dict[PlayerId, dict[PlayerId, int]]:
    games: dict[PlayerId, dict[PlayerId, int]] = defaultdict(dict)
    for (player, opponent), number in met.items():
        games[player][opponent] = number
    return games


def _required(
    season: Season, rules: Rules, everybody: Iterable[Standing] | None
) -> tuple[dict[PlayerId, Player], list[PlayerId]]:
    """Everybody in the season who is not withdrawn, and those who must be met, by the published results."""
    if everybody is None:
        everybody = Standing.objects.filter(season=season).select_related("player")
    active = sorted((row for row in everybody if not row.withdrawn), key=attrgetter("position"))
    players: dict[PlayerId, Player] = {row.player_id: row.player for row in active}
    return players, required_opponents(rules, {row.player_id: row.games for row in active})


class Recent(NamedTuple):
    """The last games of a player, oldest first."""

    form: list[str]  # of the last five, each "win", "draw" or "loss"
    ratings: list[Tenths]  # before the last ten and after each of them


def recent_games(
    season: Season, standings: Collection[Standing], until: datetime | None = None
) -> dict[int, Recent]:
    """The form and the ratings of these players, by player id.

    Until a moment where the standings are of then. A game is won with more duels won in it than
    lost. One query for any number of players.
    """
    # The ledger counts duels up to each game: one row more than asked for gives the difference.
    changes = RatingChange.objects.filter(season=season, player__in=[row.player_id for row in standings])
    if until is None:
        first = F("player__standings__played") - RECENT_GAMES
        changes = changes.filter(player__standings__season=season, played__gte=first)
    else:
        latest = [Q(player=row.player_id, played__gte=row.played - RECENT_GAMES) for row in standings]
        changes = changes.filter(Q(*latest, _connector=Q.OR), played_at__lt=until)
    balances: dict[int, list[int]] = defaultdict(list)
    ratings: dict[int, list[Tenths]] = defaultdict(list)
    rows = changes.order_by("player_id", "played").values_list(
        "player_id", "played", "wins", "losses", "before", "after"
    )
    for player, played, wins, losses, start, after in rows:
        if played == 1:
            balances[player].append(0)
            ratings[player].append(start)
        balances[player].append(wins - losses)
        ratings[player].append(after)
    return {
        player: Recent([_result(*pair) for pair in pairwise(known[-FORM_GAMES - 1 :])], ratings[player])
        for player, known in balances.items()
    }


def _result(before: int, after: int) -> str:
    return "draw" if after == before else "win" if after > before else "loss"


class Tie(NamedTuple):
    """Of a classified player: what parts it from others of the same season score."""

    is_shared: bool  # somebody is equal in everything
    decided_by: str  # the name of the tie-break that parts it from the nearest other place; or empty


class _Place(NamedTuple):
    """A place, how many have it, and their season score and tie-breaks; of a tie-break that the rules do
    not name, the value of one of them."""

    season_score: Tenths
    place: int
    players: int
    rating: Tenths
    wins: int
    first_places: int
    games: int


def ties(
    season: Season,
    standings: Collection[Standing],
    rules: Rules,
    *,
    everybody: Collection[Standing] | None = None,
) -> dict[int, Tie]:
    """By player id, those of these rows that have a place and the season score of another one.

    One query, none for a caller who gives ``everybody`` in the season.
    """
    placed = [row for row in standings if row.place is not None]
    scores = {row.season_score for row in placed}
    if not scores:
        return {}
    places = _places_at(season, rules, scores) if everybody is None else _places_among(everybody)
    by_score: dict[Tenths, list[_Place]] = defaultdict(list)
    for place in sorted(places, key=attrgetter("place")):
        by_score[place.season_score].append(place)
    told = {
        place.place: _tie(rules, number, equals)
        for equals in by_score.values()
        for number, place in enumerate(equals)
        if len(equals) > 1 or place.players > 1
    }
    return {row.player_id: told[row.place] for row in placed if row.place in told}


def _places_at(season: Season, rules: Rules, scores: Collection[Tenths]) -> list[_Place]:
    """The places at these season scores, out of the database."""
    rows = Standing.objects.filter(season=season, season_score__in=scores).exclude(place=None).order_by()
    if not rules.full_weight_games:
        rows = rows.filter(rating__in=scores)  # the same ones, by an index
    least = map(Min, ("rating", "wins", "first_places", "games"))
    grouped = rows.values("season_score", "place")
    return [_Place(*row) for row in grouped.values_list("season_score", "place", Count("pk"), *least)]


def _places_among(standings: Iterable[Standing]) -> list[_Place]:
    """The places of these rows, which are everybody's."""
    by_place: dict[int, list[Standing]] = defaultdict(list)
    for row in standings:
        if row.place is not None:
            by_place[row.place].append(row)
    return [
        _Place(one.season_score, place, len(rows), one.rating, one.wins, one.first_places, one.games)
        for place, rows in by_place.items()
        for one in rows[:1]
    ]


def _tie(rules: Rules, number: int, equals: Sequence[Any]) -> Tie:
    """Of a place among those of its season score, the best first."""
    place = equals[number]
    # The nearest above, else the nearest below.
    other = equals[number - 1] if number else next(iter(equals[1:]), None)
    decisive = (
        name for name in rules.tie_breaks if other and TIE_BREAKS[name](place) != TIE_BREAKS[name](other)
    )
    return Tie(place.players > 1, next(decisive, ""))


@dataclass(frozen=True, slots=True)
class Details:
    """What the rows of one page of standings show besides their own numbers, by player id."""

    missing: Mapping[int, list[tuple[Player, int]]] = field(default_factory=dict)
    recent: Mapping[int, Recent] = field(default_factory=dict)
    ties: Mapping[int, Tie] = field(default_factory=dict)
    before: Mapping[int, Before] = field(default_factory=dict)  # a week ago, where games were played since
    nobody_placed: bool = False  # though games were rated: positions then tell who is where


def details_of(
    replay: Replay,
    standings: Sequence[Standing],
    rules: Rules,
    *,
    week_ago: datetime,
    last_played_at: datetime | None,
    are_all: bool = False,
    past: Past | None = None,
) -> Details:
    """The details of these rows, which ``are_all`` of the season or some, as they are or of a past day.

    The same number of queries for any number of rows; one more where none of them has a place.
    """
    season = replay.season
    unclassified = [row for row in standings if not row.classified and not row.withdrawn]
    everybody = past.rows if past else standings if are_all else None
    has_moved = last_played_at is not None and last_played_at >= week_ago
    return Details(
        missing=missing_opponents(
            season, unclassified, rules, everybody=everybody, met=past.met if past else None
        ),
        recent=recent_games(season, standings, past.moment if past else None),
        ties=ties(season, standings, rules, everybody=everybody),
        before=kept_before(replay, rules, week_ago, [row.player_id for row in standings])
        if has_moved
        else {},
        nobody_placed=bool(replay.games) and not _has_place(season, standings, everybody),
    )


def _has_place(season: Season, some: Iterable[Standing], everybody: Iterable[Standing] | None) -> bool:
    """Whether anybody in the season has a place. A query only where ``some`` have none."""
    if any(row.place for row in everybody or some):
        return True
    return everybody is None and has_places(season)


def has_places(season: Season) -> bool:
    """Whether anybody in the season has a place. One query."""
    return Standing.objects.filter(season=season).exclude(place=None).exists()
