"""Reading who holds which prize as the standings are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from django.db.models import F

from leagues.models import Season
from ratings.engine import prizes as engine
from ratings.engine.types import TieRule
from ratings.models import PrizeTier, Standing


class Holder(NamedTuple):
    """Who holds a tier, and how much of it in the tier's unit; None where the prize is no amount."""

    standing: Standing
    amount: Decimal | None


@dataclass(frozen=True, slots=True)
class HeldTier:
    """A prize tier as it is now."""

    tier: PrizeTier
    participants: int  # entered and not withdrawn
    amount: Decimal | None  # for each of the tier's places
    holders: list[Holder]  # in order of the standings; nobody while nobody is classified
    runner_up: Standing | None  # who would be the next to hold it

    @property
    def distance(self) -> int | None:
        """Tenths of season score from the last holder down to the runner-up."""
        if not self.holders or self.runner_up is None:
            return None
        return self.holders[-1].standing.season_score - self.runner_up.season_score


def prize_tiers(season: Season) -> list[HeldTier]:
    """The season's prize tiers, best first, each with its holders now. Four queries.

    Players who are not classified are skipped, and ties follow the tier's rule. A tie that reaches
    over several tiers gives each of the tied players a part of each.
    """
    tiers = list(PrizeTier.objects.filter(season=season))
    if not tiers:
        return []
    standings = Standing.objects.filter(season=season).select_related("player")
    participants = standings.filter(withdrawn=False).count()
    # Of the rows only those that can hold a prize or come next: seasons are large, prizes few.
    last = max(tier.last_place for tier in tiers)
    rows = [*standings.filter(place__lte=last), *standings.filter(place__gt=last)[:1]]
    values = {tier.pk: _to_engine(tier, participants) for tier in tiers}
    awards = engine.award(values.values(), rows)  # type: ignore[arg-type]
    return [
        HeldTier(
            tier=tier,
            participants=participants,
            amount=values[tier.pk].amount,
            holders=_holders(values[tier.pk], awards, rows),
            runner_up=engine.runner_up(values[tier.pk], rows),  # type: ignore[arg-type]
        )
        for tier in tiers
    ]


def nearest_to_a_place(season: Season) -> Standing | None:
    """Who lacks the least for a place: the fewest games, then the fewest opponents."""
    return (
        Standing.objects.filter(season=season, classified=False, withdrawn=False)
        .select_related("player")
        .order_by("missing_games", F("opponents") - F("opponents_met"), "position")
        .first()
    )


def _to_engine(tier: PrizeTier, participants: int) -> engine.Tier:
    """The tier with its amount as it is with so many participants."""
    amount = tier.amount
    if amount is not None and tier.per_participant:
        amount *= participants
    return engine.Tier(tier.first_place, tier.last_place, amount, tie_rule=TieRule(tier.tie_rule))


def _holders(tier: engine.Tier, awards: list[engine.Award], rows: list[Standing]) -> list[Holder]:
    # An award is the amount of all its tiers together; this tier's part of it, by the rule that decided.
    parts = {
        rule: {one.row: one.amount for one in engine.award([replace(tier, tie_rule=rule)], rows)}  # type: ignore[arg-type]
        for rule in TieRule
    }
    return [
        Holder(one.row, parts[one.tiers[0].tie_rule].get(one.row))  # type: ignore[arg-type]
        for one in awards
        if tier in one.tiers
    ]
