"""Where a season stood at an earlier moment, from its ledger: what was corrected since is in it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from operator import itemgetter

from django.core.cache import cache
from django.db import connection
from django.db.models import Count, Max

from leagues.models import Entry, Season
from ratings.engine.standings import standings
from ratings.engine.types import Meetings, Pair, PlayerId, PlayerState, Row, Rules, State, Tenths
from ratings.models import RatingChange, Replay, Standing
from ratings.services import ledger
from ratings.services.facts import load_basis

KEPT = 24 * 60 * 60  # seconds
COLUMNS = [name for name in Row._fields if name != "player"]

# Each meeting from its earlier side alone. The ORM would go from row to row of a game by way of the game,
# which for a hundred thousand rows takes as long again.
MET = """
    SELECT one.player_id, other.player_id, COUNT(*)
    FROM ratings_ratingchange one
    JOIN ratings_ratingchange other ON other.game_id = one.game_id AND other.side > one.side
    WHERE one.season_id = %s AND one.played_at < %s
    GROUP BY one.player_id, other.player_id
"""


@dataclass(frozen=True, slots=True)
class Past:
    """The standings of a season at the end of a day."""

    moment: datetime  # the first one after the day
    rows: list[Standing]  # unsaved, each with its player; in order of the standings
    games: int  # rated by then
    last_played_at: datetime | None
    met: Mapping[Pair, int]  # how often each pair had met; empty where no meetings are required


@dataclass(frozen=True, slots=True)
class Before:
    """Where a player stood at some moment: no position for who had not played by then."""

    position: int | None
    rating: Tenths


def past_standings(season: Season, rules: Rules, day: date) -> Past:
    """The standings at the end of a day of the season or after it, by the rules of today.

    In them is who had been entered or had played by then. The same number of queries for any season.
    """
    moment = datetime.combine(day + timedelta(days=1), time(), season.league.zone)
    entries = Entry.objects.filter(season=season).select_related("player")
    of_player: dict[int, Entry] = {entry.player_id: entry for entry in entries}
    meetings = _meetings_at(season, moment) if rules.min_meetings else {}
    rows, _state = _rows_at(season, rules, moment, of_player.values(), meetings)
    played = RatingChange.objects.filter(season=season, played_at__lt=moment)
    told = played.aggregate(games=Count("game", distinct=True), last=Max("played_at"))
    return Past(
        moment=moment,
        rows=[_standing(row, season, of_player[int(row.player)]) for row in rows],
        games=told["games"],
        last_played_at=told["last"],
        met={pair: met.games for pair, met in meetings.items()},
    )


def before(season: Season, rules: Rules, moment: datetime) -> dict[int, Before]:
    """Where everybody stood at a moment who is entered now, by player id."""
    # Only who is classified depends on these two, and no position does.
    rules = replace(rules, min_games=0, min_meetings=0)
    entries = list(Entry.objects.filter(season=season))
    rows, state = _rows_at(season, rules, moment, entries, {})
    positions = {row.player: row.position for row in rows if row.played}
    return {
        int(player): Before(positions.get(player), known.rating) for player, known in state.players.items()
    }


def kept_before(replay: Replay, rules: Rules, moment: datetime, players: Iterable[int]) -> dict[int, Before]:
    """What ``before`` says of these players at a moment at least a week ago.

    Computed once for all games since, and kept as columns of numbers, sorted by player: a hundred thousand
    objects would take longer to read than the page that shows some of them.
    """
    key = f"before:{replay.season_id}:{replay.past_revision}:{moment.isoformat()}"
    columns: list[array[int]] | None = cache.get(key)
    if columns is None:
        told = sorted(before(replay.season, rules, moment).items(), key=itemgetter(0))
        columns = [
            array("q", [player for player, _before in told]),
            array("q", [each.position or 0 for _player, each in told]),
            array("q", [each.rating for _player, each in told]),
        ]
        cache.set(key, columns, KEPT)
    known, positions, ratings = columns
    found = {}
    for player in players:
        at = bisect_left(known, player)
        if known[at : at + 1] == array("q", [player]):
            found[player] = Before(positions[at] or None, ratings[at])
    return found


def _rows_at(
    season: Season,
    rules: Rules,
    moment: datetime,
    entries: Collection[Entry],
    meetings: dict[Pair, Meetings],
) -> tuple[list[Row], State]:
    """The rows at a moment, and the state of everybody who was ever entered."""
    basis = load_basis(season, rules)
    played: dict[PlayerId, PlayerState] = ledger.states_before(season, moment)
    here = {each.player_id for each in entries if each.entered_at < moment or each.player_id in played}
    withdrawn = {each.player_id for each in entries if each.withdrawn_at and each.withdrawn_at < moment}
    state = basis.starting_state(played)
    state.meetings = meetings
    order = [player for player in basis.outside.order if player in here]
    return standings(rules, state, order, withdrawn), state


def _meetings_at(season: Season, moment: datetime) -> dict[Pair, Meetings]:
    """How often players had met on different sides, each pair both ways round."""
    found: Counter[Pair] = Counter()
    with connection.cursor() as cursor:
        cursor.execute(MET, [season.pk, connection.ops.adapt_datetimefield_value(moment)])
        for player, opponent, games in cursor.fetchall():
            found[player, opponent] += games
            found[opponent, player] += games
    return {pair: Meetings(games) for pair, games in found.items()}


def _standing(row: Row, season: Season, entry: Entry) -> Standing:
    return Standing(season=season, player=entry.player, **{name: getattr(row, name) for name in COLUMNS})
