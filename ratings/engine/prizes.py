"""Who holds which prize tier as the standings are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from itertools import groupby
from operator import attrgetter

from ratings.engine.types import Row, TieRule

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Tier:
    """The prize of every place from ``first_place`` to ``last_place``.

    ``amount`` is in the tier's own unit, for each place; ``per_participant`` is added to it
    for everybody entered and not withdrawn. A tier with neither is a thing, held jointly in a tie.
    """

    first_place: int
    last_place: int
    amount: Decimal | None = None
    per_participant: Decimal | None = None
    tie_rule: TieRule = TieRule.SHARE

    def covers(self, place: int) -> bool:
        return self.first_place <= place <= self.last_place


@dataclass(frozen=True, slots=True)
class Award:
    """What one player holds: tiers, best first, and the amount of all of them together."""

    row: Row
    tiers: tuple[Tier, ...]
    amount: Decimal | None


def prize_of(tier: Tier, participants: int) -> Decimal | None:
    """The amount for one place of a tier, None where the prize is no amount."""
    if tier.amount is None and tier.per_participant is None:
        return None
    return (tier.amount or Decimal(0)) + (tier.per_participant or Decimal(0)) * participants


def award(tiers: Iterable[Tier], rows: Sequence[Row]) -> list[Award]:
    """The awards of a season in order of its standings.

    ``rows`` are all rows of ``standings``, since they also tell the number of participants.
    Only classified players hold prizes. By the rule of the best tier they touch, players on
    one place either share the prizes of all places they cover, in steps of 0.01 with the spare
    ones to the first in order, or each get the prize of the best place.
    """
    tiers = sorted(tiers, key=attrgetter("first_place", "last_place"))
    participants = sum(not row.withdrawn for row in rows)
    awards = []
    for place, group in _tied(rows):
        touched = _tiers_of(tiers, place, place + len(group) - 1)
        if not touched:
            continue
        if touched[0].tie_rule is TieRule.EACH:
            held = _tiers_of(tiers, place, place)
            amounts = [_sum(held, [place], participants)] * len(group)
        else:
            held = touched
            total = _sum(held, range(place, place + len(group)), participants)
            amounts = _shares(total, len(group))
        if held:
            awards += [Award(row, tuple(held), amount) for row, amount in zip(group, amounts, strict=True)]
    return awards


def runner_up(tier: Tier, rows: Sequence[Row]) -> Row | None:
    """The best placed player behind a tier's places: who would be the next to hold it."""
    return next((row for row in rows if row.place is not None and row.place > tier.last_place), None)


def _tied(rows: Iterable[Row]) -> Iterator[tuple[int, list[Row]]]:
    placed = (row for row in rows if row.place is not None)
    for place, group in groupby(placed, key=attrgetter("place")):
        yield place, list(group)


def _tiers_of(tiers: Iterable[Tier], first: int, last: int) -> list[Tier]:
    return [tier for tier in tiers if tier.first_place <= last and first <= tier.last_place]


def _sum(tiers: Sequence[Tier], places: Iterable[int], participants: int) -> Decimal | None:
    """The prizes of some places together; None where none of them is an amount."""
    prizes = [prize_of(tier, participants) for place in places for tier in tiers if tier.covers(place)]
    amounts = [prize for prize in prizes if prize is not None]
    return sum(amounts, Decimal(0)) if amounts else None


def _shares(total: Decimal | None, players: int) -> list[Decimal | None]:
    if total is None:
        return [None] * players
    cents, spare = divmod(int(total.quantize(CENT, ROUND_DOWN) * 100), players)
    return [(cents + (index < spare)) * CENT for index in range(players)]
