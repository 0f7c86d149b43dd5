"""Invitations to run a league, or to be one of its players."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.base import LeagueQuerySet
from leagues.models.league import League, Organizer, Role
from leagues.models.player import Player

VALID_FOR = timedelta(days=7)


def _expiry() -> object:
    return timezone.now() + VALID_FOR


class InvitationQuerySet(LeagueQuerySet):
    def open(self) -> InvitationQuerySet:
        """Those that can be accepted: in time, and from somebody who may still invite to that."""
        roles = Organizer.objects.filter(league=OuterRef("league"), user=OuterRef("invited_by"))
        owner, manager = roles.filter(role=Role.OWNER), roles.filter(role__in=(Role.OWNER, Role.MANAGER))
        invites = Q(invited_by__is_superuser=True) | Exists(owner) | Q(Exists(manager), player__isnull=False)
        return self.filter(invites, invited_by__is_active=True, expires_at__gt=timezone.now())

    def to_run(self) -> InvitationQuerySet:
        """Those to run the league, not to be a player."""
        return self.filter(player=None)

    def by_token(self, token: str) -> InvitationQuerySet:
        """The one whose link has this token."""
        return self.filter(token_hash=Invitation.hash_of(token))


class Invitation(models.Model):
    """A link that makes whoever accepts it an organizer, once, or gives the account its player.

    Accepted or taken back, it is deleted. Of a player there is one at most, and a new one takes its place.
    Only a hash of the token is kept: who reads the database cannot use the link.
    """

    league_path = "league"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="invitations", verbose_name=_("league")
    )
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.SCORER)
    player = models.OneToOneField(
        Player,
        on_delete=models.CASCADE,
        null=True,
        editable=False,
        related_name="invitation",
        verbose_name=_("player"),
    )
    email = models.EmailField(_("e-mail"), blank=True)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", verbose_name=_("invited by")
    )
    expires_at = models.DateTimeField(_("valid until"), default=_expiry, editable=False)

    objects = models.Manager.from_queryset(InvitationQuerySet)()

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=(Q(player=None) & ~Q(role="")) | Q(player__isnull=False, role=""),
                name="invitations_are_to_a_role_or_a_player",
            )
        ]

    def __str__(self) -> str:
        if self.player is not None:
            return str(self.player)
        return str(Role(self.role).short)  # no address: the audit log names what is invited to, not whom

    @staticmethod
    def hash_of(token: str) -> str:
        """What is kept of a token. It is long and random, so a quick hash is enough."""
        return sha256(token.encode()).hexdigest()
