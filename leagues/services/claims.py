"""Accounts of players: one for each player, and one player for each account in a league.

An organizer makes a link for a player; whoever follows it has the player with the account signed in there.
"""

from __future__ import annotations

import secrets

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from leagues.models import Invitation, League, Player, Role
from leagues.services.audit import Actor, leave_audit
from leagues.services.organizers import acts_as, gone_invitation, hold_invitation, hold_league
from leagues.services.players import hold_player


@transaction.atomic
def invite_player(*, player: Player, by: User) -> tuple[Invitation, str]:
    """Make a link that gives an account this player; returns it with its token, which nobody can read again.

    A link made before is dead from then on. Raises ValidationError for a player who has an account.
    """
    player = _held_for_manager(player, by)
    if player.user_id is not None:
        message = _("%(name)s has an account; release it first.")
        raise ValidationError(message, params={"name": player.name})
    Invitation.objects.filter(player=player).delete()
    token = secrets.token_urlsafe(32)
    invitation = Invitation(
        league=player.league, role="", player=player, invited_by=by, token_hash=Invitation.hash_of(token)
    )
    invitation.full_clean(exclude=["role"])
    invitation.save()
    leave_audit("invite_player", player, by=by, after={"invited": True})
    return invitation, token


@transaction.atomic
def claim_player(*, token: str, by: User) -> Player:
    """Give the actor's account the player of a link, which is dead from then on.

    Raises ValidationError for a link that is not valid, and for an account that is another player of the
    league; nothing else changes for anybody.
    """
    found = Invitation.objects.by_token(token).select_related("player").first()
    if found is None or found.player is None:
        raise gone_invitation()
    player = hold_player(found.player)  # before the league, as services on players do
    invitation = hold_invitation(found)
    if invitation is None:
        raise gone_invitation()
    if other := player_of(player.league, by):
        message = _("Your account is %(name)s in this league already; an account is one player of a league.")
        raise ValidationError(message, params={"name": other.name}, code="claimed")
    player.user = by
    player.save(update_fields=["user"])
    invitation.delete()
    leave_audit("claim_player", player, by=by, after={"claimed": True})
    player.league.touch()
    return player


@transaction.atomic
def release_player(*, player: Player, by: Actor) -> Player:
    """Take a player from the account that has it, and make the player's link dead.

    A manager does, or the account itself. A player who has neither is left alone.
    """
    player = _held_for_manager(player, by, or_itself=True)
    links, _rows = Invitation.objects.filter(player=player).delete()
    if player.user_id is None and not links:
        return player
    before = {"claimed": player.user_id is not None}
    player.user = None
    player.save(update_fields=["user"])
    leave_audit("release_player", player, by=by, before=before, after={"claimed": False})
    player.league.touch()
    return player


def player_of(league: League, user: Actor) -> Player | None:
    """The player whom an account is in a league."""
    return None if user is None else Player.objects.in_league(league).filter(user=user.pk).first()


def _held_for_manager(player: Player, by: Actor, *, or_itself: bool = False) -> Player:
    """The player, held with the league. Raises ValidationError where the actor is no manager (any more)."""
    player = hold_player(player)
    hold_league(player.league_id)
    is_itself = by is not None and player.user_id == by.pk
    if not (or_itself and is_itself) and not acts_as(Role.MANAGER, player.league_id, by):
        message = _("Only an owner or a manager of the league decides whose account a player is.")
        raise ValidationError(message, code="role")
    return player
