"""Who may act for a player: in challenges, and where a player says something of the own."""

from __future__ import annotations

from typing import Any

from leagues.models import Player


def may_act_for(request: Any, player: Player) -> bool:
    """Whether who asks may act for this player of the league: an organizer for each, a player for the own."""
    return request.role is not None or request.player == player.slug
