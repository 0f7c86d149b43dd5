"""A challenger's opponent pool out of the published standings, whatever their number.

Where the season score is the rating, positions go by rating without a gap. Those who are rated near the
challenger stand on a stretch of them, and random positions of it are random players: what is read grows with
the pool, not with the season. The pool is what ``engine.matchmaking`` draws of all who may be challenged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from random import Random

from django.db.models import (
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
    prefetch_related_objects,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.utils import timezone

from leagues.models import Entry, Season
from ratings.engine.matchmaking import Pool, opponent_pool
from ratings.engine.types import Rules, ShortSide, Tenths
from ratings.models import RatingChange, Standing

SPARE = 2  # positions more than are wanted, of which some may be of who cannot be challenged
WAVES = 6  # times the number of positions asked for doubles where few players there may be challenged


@dataclass(frozen=True, slots=True)
class FoundPool:
    """A pool with the rows of the standings of its members, who come with their players."""

    pool: Pool
    standings: Mapping[int, Standing]  # by player id


class Absence(StrEnum):
    """Why a player of the standings cannot be challenged, by whomsoever."""

    WITHDRAWN = "withdrawn"  # or not entered at all
    RESTING = "resting"
    INACTIVE = "inactive"  # for too long


def absences(season: Season, now: datetime) -> dict[Absence, Q | Combinable]:
    """Of which rows of the standings each reason holds, the weightiest first."""
    entered = Entry.objects.filter(season=season, player=OuterRef("player"))
    found: dict[Absence, Q | Combinable] = {
        Absence.WITHDRAWN: ~Exists(entered.active()),
        Absence.RESTING: Exists(entered.resting(now)),
    }
    since = now - timedelta(days=season.inactive_days)
    if season.inactive_days and since > season.starts_at:
        last = RatingChange.objects.filter(
            season=season, player=OuterRef("player"), played=OuterRef("played"), played_at__gte=since
        )
        found[Absence.INACTIVE] = ~(Exists(last) | Exists(entered.filter(entered_at__gte=since)))
    return found


def challengeable(season: Season, now: datetime) -> QuerySet[Standing]:
    """The standings of those who may be challenged."""
    present = [~absent for absent in absences(season, now).values()]
    return Standing.objects.filter(*present, season=season)


def absent_players(season: Season, players: Iterable[int], now: datetime) -> dict[int, Absence]:
    """Those of these players of the standings who cannot be challenged, with the reason."""
    cases = [When(absent, then=Value(reason)) for reason, absent in absences(season, now).items()]
    rows = Standing.objects.filter(season=season, player__in=list(players)).order_by()
    rows = rows.annotate(absence=Case(*cases, default=Value("")))
    return {player: Absence(reason) for player, reason in rows.values_list("player", "absence") if reason}


def find_pool(
    season: Season, rules: Rules, rating: Tenths, rng: Random, without: Collection[int] = ()
) -> FoundPool:
    """Draw the pool of a challenger of this rating.

    ``without`` are ids of players who do not come in question, the challenger among them.
    """
    most = rules.pool_widen_limit if rules.pool_short_side is ShortSide.WIDEN else rules.pool_deviation
    while True:
        near = _Near(season, rules, rating, without)
        pool = _pool_within(near, rules, rng)
        is_short = min(len(pool.lower), len(pool.upper)) < rules.pool_size // 2
        if not is_short or rules.pool_deviation >= most:
            rows = {int(player): near.rows[int(player)] for player in pool.members}
            # Apart: joined, PostgreSQL may go through all players for a few dozen of them.
            prefetch_related_objects(list(rows.values()), "player")
            return FoundPool(pool, rows)
        wider = min(rules.pool_deviation + rules.pool_widen_step, most)
        rules = replace(rules, pool_deviation=wider)


@dataclass(frozen=True, slots=True)
class _Stretches:
    """The positions of those rated above, equal and below, within a deviation."""

    above: range
    equal: range
    below: range

    @property
    def all(self) -> range:
        return range(self.above.start, self.below.stop)

    @property
    def dealt(self) -> int:
        """How many equals stand below when each stands on the shorter side, and below at a tie."""
        total = len(self.all)
        return min(max(-(-total // 2) - len(self.below), 0), len(self.equal))


class _Near:
    """The standings within the rules' deviation of a rating, read by position and each once."""

    def __init__(self, season: Season, rules: Rules, rating: Tenths, without: Collection[int]) -> None:
        self.season, self.rating, self.deviation = season, rating, rules.pool_deviation
        self.is_by_rating = not rules.full_weight_games  # and so are the positions
        self.limits = (rating - self.deviation, rating + self.deviation)
        self.candidates = challengeable(season, timezone.now()).exclude(player__in=without)
        self.rows: dict[int, Standing] = {}
        self.at: dict[int, Standing | None] = {}  # by position

    def stretches(self) -> _Stretches:
        """One query, which looks into an index five times."""
        rating = self.rating
        limits = (rating + self.deviation, rating, rating - 1, rating - self.deviation - 1)
        standings = Standing.objects.filter(season=self.season).order_by()
        end = standings.order_by("-position").values_list(F("position") + 1)[:1]
        found = [
            standings.filter(rating__lte=limit).order_by("-rating", "position").values("position")[:1]
            for limit in limits
        ]
        starts = [Coalesce(Subquery(first), Subquery(end), 1) for first in found]
        above, equal, below, stop = Season.objects.filter(pk=self.season.pk).values_list(*starts).get()
        return _Stretches(range(above, equal), range(equal, below), range(below, stop))

    def everybody(self) -> list[Standing]:
        """All who come in question."""
        return self._read(self.candidates.filter(rating__range=self.limits).order_by("position"))

    def standing_at(self, positions: Sequence[int]) -> list[Standing]:
        """Those at these positions who come in question, in the order in which they are asked for."""
        new = [position for position in positions if position not in self.at]
        if new:
            self.at |= dict.fromkeys(new)
            # Not by the ratings too: SQLite would go through all that are near.
            self._read(self.candidates.filter(position__in=new))
        return [row for position in positions if (row := self.at[position]) is not None]

    def _read(self, standings: QuerySet[Standing]) -> list[Standing]:
        lowest, highest = self.limits
        rows = [row for row in standings if lowest <= row.rating <= highest]
        self.rows |= {row.player_id: row for row in rows}
        self.at |= {row.position: row for row in rows}
        return rows


def _pool_within(near: _Near, rules: Rules, rng: Random) -> Pool:
    """The pool within the rules' deviation, as it is; a side that stays short is not widened for."""
    rules = replace(rules, pool_widen_limit=rules.pool_deviation)
    stretches = near.stretches() if near.is_by_rating else None
    if stretches and len(stretches.all) > 2 * rules.pool_size:
        sides = _sides(near, rules, stretches, rng)
        if sides:
            return _filled(rules, *sides)
    others = [(row.player_id, row.rating) for row in near.everybody()]
    return opponent_pool(rules, near.rating, others, rng)


class _Side:
    """One side of a pool, of which as many as wanted are taken: at random of its own stretch and the equals
    that stand with it."""

    def __init__(self, near: _Near, own: range, equals: Iterator[int], dealt: int, rng: Random) -> None:
        self.near, self.taken, self.waves = near, list[int](), 0
        slots = shuffled(range(len(own) + dealt), rng)
        # Which of the equals stands here is as random as its slot.
        self.positions = (own[slot] if slot < len(own) else next(equals) for slot in slots)

    def first(self, number: int) -> list[int]:
        """The first so many players, or all there are."""
        while (missing := number - len(self.taken)) > 0:
            asked = list(islice(self.positions, (missing << self.waves) + SPARE))
            if not asked:
                break
            self.waves = min(self.waves + 1, WAVES)
            self.taken += [row.player_id for row in self.near.standing_at(asked)]
        return self.taken[:number]


def _sides(near: _Near, rules: Rules, stretches: _Stretches, rng: Random) -> tuple[_Side, _Side] | None:
    """The lower and the upper side; None where both are short, and so there are few to read.

    Equals are dealt by the numbers of positions. Where a side turns out to be short, because others there
    cannot be challenged, it is the shorter one, and all equals stand with it.
    """
    half = rules.pool_size // 2
    everybody = len(stretches.equal)
    dealt, is_settled = stretches.dealt, False
    while True:
        equals = shuffled(stretches.equal, rng)
        lower = _Side(near, stretches.below, equals, dealt, rng)
        upper = _Side(near, stretches.above, equals, everybody - dealt, rng)
        low, up = len(lower.first(half)) < half, len(upper.first(half)) < half
        if low and up:
            return None
        if not (low and dealt < everybody) and not (up and dealt > 0):
            return lower, upper
        if is_settled:
            return None
        dealt, is_settled = everybody if low else 0, True


def _filled(rules: Rules, lower: _Side, upper: _Side) -> Pool:
    """As many of each side as the rules say."""
    half = rules.pool_size // 2
    below, above = lower.first(half), upper.first(rules.pool_size - half)
    if rules.pool_short_side is ShortSide.FILL:
        below = lower.first(rules.pool_size - len(above))
        above = upper.first(rules.pool_size - len(below))
    return Pool(tuple(below), tuple(above), rules.pool_deviation)


def shuffled(positions: range, rng: Random) -> Iterator[int]:
    """Positions in random order, each made when it is asked for: Fisher and Yates, without the list."""
    moved: dict[int, int] = {}
    for left in range(len(positions), 0, -1):
        chosen = rng.randrange(left)
        yield positions[moved.get(chosen, chosen)]
        moved[chosen] = moved.pop(left - 1, left - 1)
