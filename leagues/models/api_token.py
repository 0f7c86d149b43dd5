"""What programs know a league by: tokens of the API, and the keys of what they reported and drew."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.base import LeagueQuerySet
from leagues.models.challenge import Challenge
from leagues.models.game import Game
from leagues.models.league import League, Organizer, Role

# Long enough for a program that was switched off over a weekend and a holiday.
KEYS_KEPT = timedelta(days=7)
KEY_LENGTH = 255


class ApiTokenQuerySet(LeagueQuerySet):
    def lasting(self) -> ApiTokenQuerySet:
        """Those that are neither revoked nor expired."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)

    def valid(self) -> ApiTokenQuerySet:
        """Those that open something: they last, and are of somebody who may make some in the league."""
        owner = Organizer.objects.filter(
            league=OuterRef("league"), user=OuterRef("created_by"), role=Role.OWNER
        )
        makes = Q(created_by__is_superuser=True) | Exists(owner)
        return self.lasting().filter(makes, created_by__is_active=True)

    def with_validity(self) -> ApiTokenQuerySet:
        """Each with ``is_valid``, and with the account of its maker."""
        valid = ApiToken.objects.valid().filter(pk=OuterRef("pk"))
        return self.annotate(is_valid=Exists(valid)).select_related("created_by")

    def by_secret(self, secret: str) -> ApiTokenQuerySet:
        """The one with this secret."""
        return self.filter(token_hash=ApiToken.hash_of(secret))


class ApiToken(models.Model):
    """A program's way into one league, for reading or for reporting games too.

    It acts in its maker's name and rests while its maker is no owner of the league. Only a hash of the
    secret is kept. One that is revoked or expired stays, so that it can be told what it was.
    """

    class Scope(models.TextChoices):
        READ = "read", _("reading: what an organizer sees")
        WRITE = "write", _("writing: reading, and reporting games")

        @property
        def short(self) -> str:
            """The scope in a word."""
            return str({"read": _("reading"), "write": _("writing")}[self.value])

    league_path = "league"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="api_tokens", verbose_name=_("league")
    )
    name = models.CharField(_("name"), max_length=60, help_text=_("of the program that uses it"))
    scope = models.CharField(_("scope"), max_length=10, choices=Scope, default=Scope.READ)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        editable=False,
        verbose_name=_("made by"),
    )
    created_at = models.DateTimeField(_("made"), auto_now_add=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, editable=False)
    # By days only, so that reading writes once a day at most.
    last_used_on = models.DateField(_("last used"), null=True, editable=False)

    objects = models.Manager.from_queryset(ApiTokenQuerySet)()

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def writes(self) -> bool:
        return self.scope == self.Scope.WRITE

    @property
    def is_expired(self) -> bool:
        """Whether its time is over; its last moment is the one before."""
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @staticmethod
    def hash_of(secret: str) -> str:
        """What is kept of a secret. It is long and random, so a quick hash is enough."""
        return sha256(secret.encode(errors="replace")).hexdigest()


class ReportKeyQuerySet(LeagueQuerySet):
    def kept(self) -> ReportKeyQuerySet:
        return self.filter(made_at__gt=timezone.now() - KEYS_KEPT)

    def expired(self) -> ReportKeyQuerySet:
        return self.filter(made_at__lte=timezone.now() - KEYS_KEPT)


class ReportKey(models.Model):
    """An Idempotency-Key with the game or the battle it made, written in one transaction with it.

    ``digest`` is of what was reported. What it made may be gone: who deletes it need not look here.
    """

    league_path = "league"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="report_keys", verbose_name=_("league"), db_index=False
    )
    key = models.CharField(max_length=KEY_LENGTH)
    digest = models.CharField(max_length=64)
    game = models.ForeignKey(
        Game,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
        verbose_name=_("game"),
    )
    challenge = models.ForeignKey(
        Challenge,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        null=True,
        related_name="+",
        verbose_name=_("challenge"),
    )
    made_at = models.DateTimeField(default=timezone.now)

    objects = models.Manager.from_queryset(ReportKeyQuerySet)()

    class Meta:
        verbose_name = _("key of a report")
        verbose_name_plural = _("keys of reports")
        indexes = [models.Index(fields=["league", "made_at"], name="report_keys_by_age")]
        constraints = [models.UniqueConstraint(fields=["league", "key"], name="one_report_per_key")]

    def __str__(self) -> str:
        return self.key
