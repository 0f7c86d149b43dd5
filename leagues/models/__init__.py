"""The facts: what organizers type. Nothing here is computed from ratings.

A league is never mixed with another: each model names its way to the league once, in
``league_path``, and every look-up starts from there.
"""

from leagues.models.address import FormerAddress
from leagues.models.adjustment import Adjustment
from leagues.models.api_token import ApiToken, ReportKey
from leagues.models.audit import AuditEntry
from leagues.models.base import Fact, FactQuerySet, LeagueQuerySet, SeasonClosedError
from leagues.models.challenge import Challenge
from leagues.models.digest import Digest
from leagues.models.game import Game, Side, SideMember
from leagues.models.invitation import Invitation
from leagues.models.league import League, Organizer, Role
from leagues.models.logo import Logo
from leagues.models.player import Player, PlayerAlias, Team
from leagues.models.report import GameReport, ReportSeat
from leagues.models.season import Entry, Season
from leagues.models.webhook import AnnouncedSeason, Announcement, Webhook

__all__ = [
    "Adjustment",
    "AnnouncedSeason",
    "Announcement",
    "ApiToken",
    "AuditEntry",
    "Challenge",
    "Digest",
    "Entry",
    "Fact",
    "FactQuerySet",
    "FormerAddress",
    "Game",
    "GameReport",
    "Invitation",
    "League",
    "LeagueQuerySet",
    "Logo",
    "Organizer",
    "Player",
    "PlayerAlias",
    "ReportKey",
    "ReportSeat",
    "Role",
    "Season",
    "SeasonClosedError",
    "Side",
    "SideMember",
    "Team",
    "Webhook",
]
