"""Prize tiers and who holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from leagues.models import Season
from ratings.services.prizes import HeldTier, nearest_to_a_place, prize_tiers
from ratings.views.files import TableFileView
from ratings.views.live import LiveMixin

FILE_COLUMNS = (
    "tier", "first_place", "last_place", "prize", "unit", "participants", "place", "player", "address",
    "amount",
)  # fmt: skip


class PrizesView(LiveMixin):
    """A card for each tier: what it is worth now, who holds it, and who comes next."""

    template_name = "ratings/prizes.html"
    fragment_name = "ratings/_prizes.html"
    season: Season

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        tiers = prize_tiers(self.season)
        nobody = tiers and not any(held.holders for held in tiers)
        return super().get_context_data(
            tiers=tiers, nearest=nearest_to_a_place(self.season) if nobody else None, **kwargs
        )


class PrizesFileView(TableFileView):
    """A row for each holder of a tier; a tier that nobody holds has one without a player."""

    table = "prizes"
    season: Season

    def rows(self) -> Iterator[Sequence[object]]:
        return _file_rows(prize_tiers(self.season))


def _file_rows(tiers: Iterable[HeldTier]) -> Iterator[Sequence[object]]:
    yield FILE_COLUMNS
    for held in tiers:
        tier = held.tier
        prize = [tier.name, tier.first_place, tier.last_place, held.amount, tier.unit, held.participants]
        for standing, amount in held.holders:
            yield [*prize, standing.place, standing.player.name, standing.player.slug, amount]
        if not held.holders:
            yield [*prize, None, None, None, None]
