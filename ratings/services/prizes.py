"""Reading who holds which prize as the standings are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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
    values = [engine_tier(tier) for tier in tiers]
    return [
        HeldTier(
            tier=tier,
            participants=participants,
            amount=engine.prize_of(value, participants),
            holders=[Holder(*holder) for holder in holders],
            runner_up=engine.runner_up(value, rows),
        )
        for tier, value, holders in zip(tiers, values, engine.award(values, rows, participants), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Aim:
    """A prize tier as one player sees it.

    ``distance`` is in tenths of season score: for a holder the lead over the runner-up, for others what
    the last holder has more, below 0 where only a place is missing. None where there is nobody to compare.
    """

    tier: PrizeTier
    holds: bool
    rival: Standing | None  # a holder's runner-up, else the last holder
    distance: int | None


def aims_of(standing: Standing, tiers: Iterable[HeldTier]) -> list[Aim]:
    """How far a player is from each prize, as the standings are, but for those below the player's place."""
    aims = [_aim(standing, held) for held in tiers]
    place = standing.place
    return [aim for aim in aims if aim.holds or place is None or aim.tier.last_place < place]


def _aim(standing: Standing, held: HeldTier) -> Aim:
    holds = any(holder.player_id == standing.player_id for holder, _amount in held.holders)
    last = held.holders[-1].standing if held.holders else None
    rival = held.runner_up if holds else last
    more = rival.season_score - standing.season_score if rival else None
    return Aim(held.tier, holds, rival, -more if holds and more is not None else more)


def nearest_to_a_place(season: Season) -> Standing | None:
    """Who lacks the least for a place: the fewest games, then the fewest opponents."""
    return (
        Standing.objects.filter(season=season, classified=False, withdrawn=False)
        .select_related("player")
        .order_by("missing_games", F("opponents") - F("opponents_met"), "position")
        .first()
    )


def passed_over(season: Season, tiers: Iterable[HeldTier]) -> list[Standing]:
    """Who stands above the last holder of a prize and has no place. One query."""
    last = max((holder.position for held in tiers for holder, _amount in held.holders), default=0)
    rows = Standing.objects.filter(season=season, classified=False, withdrawn=False, position__lt=last)
    return list(rows.select_related("player").order_by("position"))


def engine_tier(tier: PrizeTier) -> engine.Tier:
    """A prize tier as the engine takes it."""
    return engine.Tier(
        tier.first_place, tier.last_place, tier.amount, tier.per_participant, TieRule(tier.tie_rule)
    )
