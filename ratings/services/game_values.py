"""A game as programs are told of it, in the JSON of the API and of webhooks."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from leagues.models import Player
from ratings.models import RatingChange
from ratings.services.history import ListedGame


def values_of(row: ListedGame, zone: ZoneInfo) -> dict[str, Any]:
    """The game with ratings in rating points, and its time as ISO 8601 with the offset of the zone."""
    game = row.game
    return {
        "id": game.pk,
        "played_at": game.played_at.astimezone(zone).isoformat(),
        "note": game.note,
        "kind": game.kind,
        "rated": game.rated,
        "voided": game.is_voided,
        "version": game.version,
        "sides": [
            {
                "position": position,
                "points": side.points,
                "team": side.team.name if side.team else None,
                "members": [_member(player, row.ledger.get(player.pk)) for player in side.members],
            }
            for position, side in enumerate(row.sides, 1)
        ],
    }


def _member(player: Player, change: RatingChange | None) -> dict[str, Any]:
    return {
        "slug": player.slug,
        "name": player.name,
        "before": change.before / 10 if change else None,
        "after": change.after / 10 if change else None,
        "change": change.change / 10 if change else None,
    }
