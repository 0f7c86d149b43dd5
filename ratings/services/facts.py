"""Loading the facts of a season as values of the engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import transaction

from leagues.models import Entry, Game, Season, SideMember
from ratings.engine import types
from ratings.engine.formulas import starting_rating
from ratings.engine.types import KRule, PlayerId, PlayerState, Rules, State, Tenths
from ratings.models import Replay, RuleSet, Standing

LOADS_WITHOUT_LOCK = 2
NEVER = datetime(9999, 12, 31, tzinfo=UTC)  # no game is played so late
# What pages of results go by where the rules cannot be read: nothing is said to be missing.
UNKNOWN_RULES = Rules(min_games=0, min_meetings=0)
NOBODY: frozenset[PlayerId] = frozenset()


class UnreadableRulesError(ValueError):
    """The stored rules of a season are none that a service would store."""

    def __init__(self, season: Season, reason: Exception) -> None:
        super().__init__(f"The rules cannot be read: {reason}")
        self.revision = season.revision


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
class Facts:
    """Everything a season's results follow from, exactly as it was at ``revision``."""

    revision: int
    rules: Rules
    is_final: bool  # of a closed season
    outside: Outside
    withdrawn: set[int]
    since: datetime | None  # results of games before stand as they are stored; None: there are none
    games: list[types.Game]  # in order of play, those from ``since`` on
    times: dict[int, datetime]  # when each of them was played

    def starting_state(self) -> State:
        """The state before the first game."""
        state = State()
        for player in self.outside.order:
            rating = starting_rating(self.rules, self.outside.previous.get(player))
            state.players[player] = PlayerState(rating=rating, peak=rating)
        return state


def load_facts(season_id: int, *, stored: Replay | None = None) -> Facts:
    """The facts of a season; given its stored results, only the games from the first changed one on.

    Read without a lock and read again when the revision moved meanwhile; after two such readings
    under the season's row lock, so that a busy season cannot keep its results waiting.
    Raises UnreadableRulesError.
    """
    for _attempt in range(LOADS_WITHOUT_LOCK):
        facts = _read(Season.objects.select_related("league").get(pk=season_id), stored)
        if Season.objects.filter(pk=season_id, revision=facts.revision).exists():
            return facts
    with transaction.atomic():
        season = Season.objects.select_for_update(of=("self",)).select_related("league").get(pk=season_id)
        return _read(season, stored)


def _read(season: Season, stored: Replay | None) -> Facts:
    rules = rules_of(season)
    entries = list(
        Entry.objects.filter(season=season)
        .order_by("player__sort_key", "player_id")
        .values_list("player_id", "withdrawn_at")
    )
    outside = kept_outside(season) or _outside(season, rules, [player for player, _withdrawn in entries])
    games = Game.objects.filter(season=season).counted().in_play_order()
    # What is stale is told by the very row that told the revision: read apart, a game dated back
    # between the two readings would be missed.
    since = (season.stale_from or NEVER) if stored is not None and stored.revision else None
    if since is not None:
        games = games.filter(played_at__gte=since)
    times = dict(games.values_list("pk", "played_at"))
    return Facts(
        revision=season.revision,
        rules=rules,
        is_final=season.is_closed,
        outside=outside,
        withdrawn={player for player, withdrawn_at in entries if withdrawn_at},
        since=since,
        games=list(_games(season, times, outside)),
        times=times,
    )


def _games(season: Season, times: dict[int, datetime], outside: Outside) -> Iterator[types.Game]:
    """The games of these ids, in their order."""
    sides = _sides(season, min(times.values())) if times else {}
    born, zone = outside.born, ZoneInfo(outside.zone)
    for game, played_at in times.items():
        juniors = _juniors(sides[game], born, played_at.astimezone(zone).year) if born else NOBODY
        yield types.Game(game, tuple(sides[game]), juniors)


def _sides(season: Season, first: datetime) -> dict[int, list[types.Side]]:
    """The sides of the games from ``first`` on, in their order, by game."""
    # One flat query, not one per game. Not read by a cursor: for its first rows PostgreSQL would
    # go through the games once per seat where it knows little of them yet, as after an import.
    seats = (
        SideMember.objects.filter(game__season=season, game__played_at__gte=first)
        .order_by("game_id", "side__position", "pk")
        .values_list("game_id", "side_id", "side__points", "player_id")
    )
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


def _juniors(sides: list[types.Side], born: dict[PlayerId, int], year: int) -> frozenset[PlayerId]:
    players = {player for side in sides for player in side.members}
    return frozenset(player for player in players & born.keys() if is_junior(born[player], year))


def _birth_years(season: Season) -> dict[PlayerId, int]:
    entries = Entry.objects.filter(season=season, player__birth_year__isnull=False)
    rows = entries.values_list("player_id", "player__birth_year")
    return {player: year for player, year in rows if year is not None}


def _previous_ratings(season: Season) -> dict[int, Tenths]:
    """Final ratings of the league's last season closed before this one."""
    closed = Season.objects.filter(
        league=season.league_id, state=Season.State.CLOSED, starts_on__lt=season.starts_on
    )
    last = closed.order_by("-starts_on", "-pk").first()
    return (
        dict(Standing.objects.filter(season=last, played__gt=0).values_list("player_id", "rating"))
        if last
        else {}
    )


def rules_of(season: Season) -> Rules:
    """The rules a season is rated by; those of the default preset where nobody chose any.

    Raises UnreadableRulesError for what somebody wrote past the services.
    """
    try:
        rule_set = RuleSet.objects.filter(season=season).first() or RuleSet()
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
