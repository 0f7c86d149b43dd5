"""Who runs a league: organizers, their roles, and invitations.

Whoever changes this is an owner of the league at that moment: asked under the league's lock, so that
nobody acts with a role that was taken away a moment before. ``by=None`` is a command, and may.
"""

from __future__ import annotations

import secrets

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leagues.models import Invitation, League, Organizer, Role
from leagues.services.audit import Actor, leave_audit


@transaction.atomic
def add_organizer(*, league: League, user: User, role: str, by: Actor) -> Organizer:
    """Give a user a role in a league."""
    hold_for_owner(league.pk, by)
    return _add(league, user, role, "add_organizer", by)


@transaction.atomic
def change_role(*, organizer: Organizer, role: str, by: Actor) -> Organizer:
    """Change an organizer's role. Raises ValidationError for the last owner."""
    organizer = _locked(organizer, by)
    before = organizer.role
    if role != Role.OWNER:
        _refuse_last_owner(organizer)
    organizer.role = role
    organizer.full_clean()
    organizer.save(update_fields=["role"])
    leave_audit("change_role", organizer, by=by, before={"role": before}, after={"role": role})
    return organizer


@transaction.atomic
def remove_organizer(*, organizer: Organizer, by: Actor) -> None:
    """Take a user's role away. Raises ValidationError for the last owner."""
    organizer = _locked(organizer, by)
    _refuse_last_owner(organizer)
    leave_audit("remove_organizer", organizer, by=by, before={"role": organizer.role})
    organizer.delete()


@transaction.atomic
def invite_organizer(*, league: League, role: str, by: User, email: str = "") -> tuple[Invitation, str]:
    """Make an invitation; returns it with the token of its link, which nobody can read again."""
    hold_for_owner(league.pk, by)
    Invitation.objects.in_league(league).filter(expires_at__lte=timezone.now()).delete()
    token = secrets.token_urlsafe(32)
    invitation = Invitation(
        league=league, role=role, email=email, invited_by=by, token_hash=Invitation.hash_of(token)
    )
    invitation.full_clean()
    invitation.save()
    leave_audit("invite_organizer", invitation, by=by, after={"role": role})
    return invitation, token


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, by: Actor) -> None:
    """Take an invitation back: its link is dead. Raises ValidationError when it was used meanwhile."""
    hold_for_owner(invitation.league_id, by)
    stored = Invitation.objects.filter(pk=invitation.pk).first()
    if stored is None:
        raise ValidationError(_("This invitation was used or taken back meanwhile."), code="deleted")
    leave_audit("revoke_invitation", stored, by=by, before={"role": stored.role})
    stored.delete()


@transaction.atomic
def accept_invitation(*, token: str, by: User) -> Organizer:
    """Make the actor an organizer, by the token of a link, which is dead from then on.

    Raises ValidationError for a link that is not valid, and for an organizer of the league, who leaves
    it as it is. Nothing but this role changes for anybody.
    """
    invitation = Invitation.objects.by_token(token).first()
    if invitation is not None:
        invitation = hold_invitation(invitation)
    if invitation is None or invitation.player is not None:
        raise gone_invitation()
    organizer = _add(invitation.league, by, invitation.role, "accept_invitation", by)
    invitation.delete()
    return organizer


def hold_invitation(invitation: Invitation) -> Invitation | None:
    """The invitation, read afresh under the league's lock: one of two who accept at once comes too late."""
    hold_league(invitation.league_id)
    open_ones = Invitation.objects.open().select_related("league", "player")
    return open_ones.filter(pk=invitation.pk).first()


def gone_invitation() -> ValidationError:
    return ValidationError(_("This invitation is not valid any more. Ask for a new one."), code="gone")


def _add(league: League, user: User, role: str, action: str, by: Actor) -> Organizer:
    organizer = Organizer(league=league, user=user, role=role)
    organizer.full_clean()
    organizer.save()
    leave_audit(action, organizer, by=by, after={"role": role})
    return organizer


def hold_for_owner(league_id: int, by: Actor) -> None:
    """Hold the league's row: who runs it changes one act after the other.

    Raises ValidationError where the actor is no owner (any more): nobody gives a role above the own.
    """
    hold_league(league_id)
    if not acts_as_owner(league_id, by):
        raise ValidationError(_("Only an owner of the league decides who runs it."), code="role")


def hold_league(league_id: int) -> None:
    """Hold the league's row until the transaction ends."""
    League.objects.select_for_update(no_key=True).filter(pk=league_id).first()


def acts_as_owner(league_id: int, by: Actor) -> bool:
    """Whether the actor is an owner of the league at this moment; a command and a superuser are of each."""
    return acts_as(Role.OWNER, league_id, by)


def acts_as(role: Role, league_id: int, by: Actor) -> bool:
    """Whether the actor has this role in the league, or a greater one, at this moment."""
    if by is None or (by.is_active and by.is_superuser):
        return True
    own = Organizer.objects.filter(league=league_id, user=by).values_list("role", flat=True)
    return any(Role(each).covers(role) for each in own)


def _locked(organizer: Organizer, by: Actor) -> Organizer:
    """The organizer, read afresh under the league's lock: two owners cannot remove each other at once.

    Raises ValidationError when somebody else removed the organizer.
    """
    hold_for_owner(organizer.league_id, by)
    stored = Organizer.objects.select_related("league", "user").filter(pk=organizer.pk).first()
    if stored is None:
        raise ValidationError(_("Somebody else removed this organizer meanwhile."), code="deleted")
    return stored


def _refuse_last_owner(organizer: Organizer) -> None:
    owners = Organizer.objects.filter(league=organizer.league_id, role=Role.OWNER)
    # Whose account is switched off runs nothing.
    others = owners.filter(user__is_active=True).exclude(pk=organizer.pk)
    if organizer.role == Role.OWNER and not others.exists():
        raise ValidationError(
            _("%(user)s is the last owner of the league; make somebody else an owner first."),
            params={"user": organizer.user},
        )
