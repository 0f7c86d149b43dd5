"""Loading the facts of a season as values of the engine."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from leagues.models import Adjustment, Entry, Game, Player, Season, SideMember
from leagues.models.game import GameQuerySet
from leagues.prepared import PreparedLookup, PreparedRows
from ratings.engine import types
from ratings.engine.formulas import starting_rating
from ratings.engine.standings import standings
from ratings.engine.types import KRule, PlayerId, PlayerState, Row, Rules, State, Tenths
from ratings.models import Replay, RuleSet, Standing

GAMES_AT_A_TIME = 10_000
BEGINNING = datetime(1, 1, 2, tzinfo=UTC)  # no game is played so early
NEVER = datetime(9999, 12, 31, tzinfo=UTC)  # nor so late
# What pages of results go by where the rules cannot be read: nothing is said to be missing.
UNKNOWN_RULES = Rules(min_games=0, min_meetings=0)
PLAYER_STATE = [each.name for each in fields(PlayerState)]  # columns of Standing
NOBODY: frozenset[PlayerId] = frozenset()


class CannotRateError(ValueError):
    """The facts of a season at some revision give no results."""

    def __init__(self, reason: object, revision: int) -> None:
        super().__init__(str(reason))
        self.revision = revision


class UnreadableRulesError(CannotRateError):
    """The stored rules of a season are none that a service would store."""

    def __init__(self, season: Season, reason: Exception) -> None:
        super().__init__(f"The rules cannot be read: {reason}", season.revision)


class Outside(NamedTuple):
    """What a season is rated by that is no fact of its own and may change after it was closed."""

    order: list[int]  # everybody entered, in order of their names
    zone: str  # of the league
    born: dict[PlayerId, int]  # where juniors are rated otherwise
    previous: dict[int, Tenths]  # ratings carried over, by player

    def kept(self) -> dict[str, Any]:
        """As JSON, which has no numbers as names."""
        return self._asdict() | {"born": list(self.born.items()), "previous": list(self.previous.items())}

    @classmethod
    def from_kept(cls, kept: dict[str, Any]) -> Outside:
        return cls(kept["order"], kept["zone"], dict(kept["born"]), dict(kept["previous"]))


@dataclass(frozen=True, slots=True)
class Basis:
    """Everything a season's results follow from but its games."""

    rules: Rules
    outside: Outside
    withdrawn: set[int]

    def starting_state(self, known: dict[PlayerId, PlayerState] | None = None) -> State:
        """The state before the first game; of players who are not ``known`` already."""
        state = State(known or {})
        for player in self.outside.order:
            if player in state.players:
                continue
            rating = starting_rating(self.rules, self.outside.previous.get(player))
            state.players[player] = PlayerState.starting_at(rating)
        return state

    def standings(self, state: State, met: Mapping[PlayerId, int] | None = None) -> list[Row]:
        """Everybody entered, by where the season stands (see the engine's ``standings``)."""
        return standings(self.rules, state, self.outside.order, self.withdrawn, met)


# Of an adjustment, when it takes effect, and what it is.
Dated = tuple[datetime, types.Adjustment]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some games of a season, in order of play, and the adjustments that take effect before them."""

    games: list[types.Game]
    times: dict[int, datetime]  # when each of them was played
    adjustments: list[Dated] = field(default_factory=list)


ENTRIES = PreparedRows(
    lambda: (
        Entry.objects.filter(season=0)
        .order_by("player__sort_key", "player_id")
        .annotate(is_withdrawn=Q(withdrawn_at__isnull=False))  # of a time an object would be made
        .values_list("player_id", "is_withdrawn")
    )
)
FIRST_GAMES = PreparedRows(
    lambda: _in_order(Game.objects.filter(season=0).filter(played_at__gte=BEGINNING).counted())
)
NEXT_GAMES = PreparedRows(
    lambda: _in_order(Game.objects.filter(season=0).counted().filter(_after(BEGINNING, 0, 0)))
)
ADJUSTMENTS = PreparedRows(
    lambda: (
        Adjustment.objects.filter(season=0)
        .filter(at__gte=BEGINNING)
        .counted()
        .in_play_order()
        .values_list("at", "pk", "player_id", "change")
    )
)
SEATS = PreparedRows(
    lambda: (
        SideMember.objects.filter(game__season=0)
        .filter(game__played_at__range=(BEGINNING, NEVER))
        .order_by("game_id", "side__position", "pk")
        .values_list("game_id", "side_id", "side__points", "player_id")
    )
)
RULE_SET = PreparedLookup(lambda: RuleSet.objects.filter(season=0))


def _in_order(games: GameQuerySet) -> QuerySet[Game, Any]:
    return games.in_play_order().values_list("played_at", "order", "pk")[:GAMES_AT_A_TIME]


def load_basis(season: Season, rules: Rules | None = None) -> Basis:
    """What a season's games are rated by. Raises UnreadableRulesError unless the rules are given."""
    rules = rules or rules_of(season)
    entries = ENTRIES.all(season.pk)
    outside = kept_outside(season) or _outside(season, rules, [player for player, _is_withdrawn in entries])
    return Basis(rules, outside, {player for player, is_withdrawn in entries if is_withdrawn})


def load_games(season: Season, outside: Outside, since: datetime | None = None) -> Iterator[Batch]:
    """The season's games in order of play and its adjustments, those from ``since`` on.

    Never many games at once in memory. A batch without games has the adjustments after the last one.
    """
    rows = ADJUSTMENTS.all(season.pk, since or BEGINNING)
    left = [(at, types.Adjustment(*adjustment)) for at, *adjustment in rows]
    for batch in _batches(season, outside, since):
        yield from _parts(batch, left) if left else [batch]
    if left:
        yield Batch([], {}, left)


def _parts(batch: Batch, left: list[Dated]) -> Iterator[Batch]:
    """The batch cut where adjustments take effect: those at a moment before its games. Takes them out."""
    moments = [at for at, _adjustment in left]
    times = list(batch.times.values())
    first = taken = 0
    while first < len(times):
        due = bisect_right(moments, times[first], taken)
        end = bisect_left(times, moments[due], first) if due < len(moments) else len(times)
        part = dict(islice(batch.times.items(), first, end))
        yield Batch(batch.games[first:end], part, left[taken:due])
        first, taken = end, due
    del left[:taken]


def _batches(season: Season, outside: Outside, since: datetime | None) -> Iterator[Batch]:
    found: list[tuple[Any, ...]] = FIRST_GAMES.all(season.pk, since or BEGINNING)
    while found:
        times = {game: played_at for played_at, _order, game in found}
        yield Batch(list(_games(season, times, outside)), times)
        if len(found) < GAMES_AT_A_TIME:
            return
        played_at, order, game = found[-1]
        found = NEXT_GAMES.all(season.pk, played_at, played_at, order, order, game)


def count_games(season: Season, since: datetime | None = None) -> int:
    """How many games ``load_games`` gives."""
    return _counted(season, since).count()


def count_games_after(season: Season, position: tuple[datetime, int, int], *, but: int) -> int:
    """How many games but one are rated after a place in the order of play: a time, an order, an id."""
    return _counted(season).filter(_after(*position)).exclude(pk=but).count()


def _counted(season: Season, since: datetime | None = None) -> GameQuerySet:
    games = Game.objects.filter(season=season).counted()
    return games.filter(played_at__gte=since) if since else games


def _after(played_at: datetime, order: int, game: int) -> Q:
    same_time = Q(order__gt=order) | Q(order=order, pk__gt=game)
    return Q(played_at__gte=played_at) & (Q(played_at__gt=played_at) | same_time)


def _games(season: Season, times: dict[int, datetime], outside: Outside) -> Iterator[types.Game]:
    """The games of these ids, in their order."""
    sides = _sides(season, min(times.values()), max(times.values()))
    for game, played_at in times.items():
        yield rated_game(game, sides[game], played_at, outside)


def rated_game(game: int, sides: list[types.Side], played_at: datetime, outside: Outside) -> types.Game:
    """A game as it is rated: with those of its players who were juniors when it was played."""
    born = outside.born
    juniors = _juniors(sides, born, played_at.astimezone(ZoneInfo(outside.zone)).year) if born else NOBODY
    return types.Game(game, tuple(sides), juniors)


def _sides(season: Season, first: datetime, last: datetime) -> dict[int, list[types.Side]]:
    """The sides of the games played from ``first`` to ``last``, in their order, by game."""
    # One flat query, not one per game.
    seats = SEATS.all(season.pk, first, last)
    sides: dict[int, list[types.Side]] = defaultdict(list)
    for (game, _side, points), members in groupby(seats, key=itemgetter(0, 1, 2)):
        sides[game].append(types.Side(tuple([member[3] for member in members]), points))
    return sides


def kept_outside(season: Season) -> Outside | None:
    """What the final results of a closed season were rated by, once they are published."""
    if not season.is_closed:
        return None
    results = Replay.objects.filter(season=season, revision=season.revision)
    kept = results.values_list("outside", flat=True).first()
    return Outside.from_kept(kept) if kept else None


def _outside(season: Season, rules: Rules, order: list[int]) -> Outside:
    return Outside(
        order=order,
        zone=season.league.timezone,
        born=_birth_years(season) if rules.k_rule is KRule.FIDE_JUNIOR else {},
        previous=_previous_ratings(season) if rules.carry_over else {},
    )


def is_junior(birth_year: int, year: int) -> bool:
    """Whether the junior clause covers a player: until the year of the 18th birthday ends (FIDE 8.3.3)."""
    return year - birth_year <= 18


def juniors(born: Mapping[PlayerId, int], year: int) -> frozenset[PlayerId]:
    """Those of these players, given with their years of birth, whom the junior clause covers."""
    return frozenset(player for player, birth_year in born.items() if is_junior(birth_year, year))


def _juniors(sides: list[types.Side], born: dict[PlayerId, int], year: int) -> frozenset[PlayerId]:
    players = {player for side in sides for player in side.members}
    return juniors({player: born[player] for player in players & born.keys()}, year)


def _birth_years(season: Season) -> dict[PlayerId, int]:
    entries = Entry.objects.filter(season=season, player__birth_year__isnull=False)
    rows = entries.values_list("player_id", "player__birth_year")
    return {player: year for player, year in rows if year is not None}


def state_of(row: Standing) -> PlayerState:
    """Where a player stands by a row of the standings."""
    return PlayerState(*attrgetter(*PLAYER_STATE)(row))


def player_states(season: Season, rules: Rules, players: Sequence[Player]) -> list[PlayerState]:
    """Where these players stand by the published results; who does not stand there yet, at the start."""
    ids = [player.pk for player in players]
    rows = Standing.objects.filter(season=season, player__in=ids)
    states = {
        player: PlayerState(*values) for player, *values in rows.values_list("player_id", *PLAYER_STATE)
    }
    new = [player for player in ids if player not in states]
    previous = _previous_ratings(season, new) if new and rules.carry_over else {}
    for player in new:
        rating = starting_rating(rules, previous.get(player))
        states[player] = PlayerState.starting_at(rating)
    return [states[player] for player in ids]


def _previous_ratings(season: Season, players: Sequence[int] | None = None) -> dict[int, Tenths]:
    """Final ratings of the league's last season closed before this one, all or those of these players."""
    closed = Season.objects.filter(
        league=season.league_id, state=Season.State.CLOSED, starts_on__lt=season.starts_on
    )
    last = closed.order_by("-starts_on", "-pk").first()
    if last is None:
        return {}
    final = Standing.objects.filter(season=last, played__gt=0)
    if players is not None:
        final = final.filter(player__in=players)
    return dict(final.values_list("player_id", "rating"))


def rules_of(season: Season) -> Rules:
    """The rules a season is rated by; those of the default preset where nobody chose any.

    Raises UnreadableRulesError for what somebody wrote past the services.
    """
    try:
        rule_set = RULE_SET.first(season.pk) or RuleSet()
        rule_set.season = season
        return rule_set.to_rules()
    except (ValueError, TypeError, ArithmeticError) as error:
        raise UnreadableRulesError(season, error) from error


def shown_rules(season: Season) -> Rules:
    """The rules as a page of results needs them, which stays when they cannot be read."""
    try:
        return rules_of(season)
    except UnreadableRulesError:
        return UNKNOWN_RULES
