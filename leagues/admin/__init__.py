"""Leagues, organizers, players, teams, entries, games and the audit log in the admin.

Seasons are registered by ratings, which knows their rules and prizes.
"""

from leagues.admin import accounts, api_tokens, audit, entries, games, leagues, players, webhooks

__all__ = ["accounts", "api_tokens", "audit", "entries", "games", "leagues", "players", "webhooks"]
