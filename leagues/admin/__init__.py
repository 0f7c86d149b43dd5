"""Leagues, organizers, players, teams, entries, games, adjustments and the audit log in the admin.

Seasons are registered by ratings, which knows their rules and prizes.
"""

from leagues.admin import (
    accounts,
    adjustments,
    api_tokens,
    audit,
    entries,
    games,
    leagues,
    players,
    webhooks,
)

__all__ = [
    "accounts",
    "adjustments",
    "api_tokens",
    "audit",
    "entries",
    "games",
    "leagues",
    "players",
    "webhooks",
]
