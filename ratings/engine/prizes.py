"""Who holds which prize tier as the standings are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from itertools import groupby
from operator import attrgetter
from typing import Protocol, TypeVar

from ratings.engine.types import TieRule

CENT = Decimal("0.01")


class Placed(Protocol):
    """A row of the standings, as far as prizes look at it."""

    @property
    def place(self) -> int | None: ...


R = TypeVar("R", bound=Placed)


@dataclass(frozen=True, slots=True)
class Tier:
    """The prize of every place from ``first_place`` to ``last_place``.

    ``amount`` is in the tier's own unit, for each place, and multiplied by the participants where it is
    ``per_participant``. A tier without one is a thing, held jointly in a tie.
    """

    first_place: int
    last_place: int
    amount: Decimal | None = None
    per_participant: bool = False
    tie_rule: TieRule = TieRule.SHARE


def prize_of(tier: Tier, participants: int) -> Decimal | None:
    """The amount for one place of a tier, None where the prize is no amount."""
    if tier.amount is None or not tier.per_participant:
        return tier.amount
    return tier.amount * participants


def award(
    tiers: Sequence[Tier], rows: Iterable[R], participants: int
) -> list[list[tuple[R, Decimal | None]]]:
    """For each tier, who holds it with how much of it, in order of the standings.

    ``rows`` are in that order; of them only those with a place hold prizes. By the rule of the best tier
    they touch, players on one place either share, tier by tier, the prizes of all places they cover, in
    steps of 0.01 with the spare ones to the first in order, or each get the prize of the best place.
    """
    held: list[list[tuple[R, Decimal | None]]] = [[] for _tier in tiers]
    for place, group in _tied(rows):
        touched = [tier for tier in tiers if _covered(tier, place, len(group))]
        if not touched:
            continue
        is_shared = min(touched, key=attrgetter("first_place", "last_place")).tie_rule is TieRule.SHARE
        for tier, holders in zip(tiers, held, strict=True):
            covered = _covered(tier, place, len(group) if is_shared else 1)
            if covered:
                prize = prize_of(tier, participants)
                parts = _shares(prize, covered, len(group)) if is_shared else [prize] * len(group)
                holders += zip(group, parts, strict=True)
    return held


def runner_up(tier: Tier, rows: Iterable[R]) -> R | None:
    """The best placed player behind a tier's places: who would be the next to hold it."""
    return next((row for row in rows if row.place is not None and row.place > tier.last_place), None)


def _tied(rows: Iterable[R]) -> Iterator[tuple[int, list[R]]]:
    placed = (row for row in rows if row.place is not None)
    for place, group in groupby(placed, key=attrgetter("place")):
        yield place, list(group)


def _covered(tier: Tier, place: int, places: int) -> int:
    """How many of so many places from ``place`` on are the tier's."""
    return max(0, min(place + places - 1, tier.last_place) - max(place, tier.first_place) + 1)


def _shares(prize: Decimal | None, places: int, players: int) -> list[Decimal | None]:
    if prize is None:
        return [None] * players
    cents, spare = divmod(int((prize * places).quantize(CENT, ROUND_DOWN) * 100), players)
    return [(cents + (index < spare)) * CENT for index in range(players)]
