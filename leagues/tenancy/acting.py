"""Who acts as whom: for a player in challenges, and as a player or an organizer where games are entered."""

from __future__ import annotations

from typing import Any

from leagues.models import Player, Season


def may_act_for(request: Any, player: Player) -> bool:
    """Whether who asks may act for this player of the league: an organizer for each, a player for the own."""
    return request.role is not None or request.player == player.slug


def is_reporting(request: Any) -> bool:
    """Whether a game that who asks enters in the season is reported, as a player's, and not recorded.

    An organizer who is a player too reports where games come from players alone.
    """
    season: Season | None = request.season
    players_only = season is not None and season.games_from == Season.GamesFrom.PLAYERS
    return bool(request.player) and (players_only or request.role is None)
