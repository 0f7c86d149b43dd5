"""Addresses elsewhere that are told of a league's games, and what each of them was told."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.audit import AuditEntry
from leagues.models.base import LeagueQuerySet
from leagues.models.game import Game
from leagues.models.league import League
from leagues.models.season import Season
from leagues.outgoing import check_address

ADDRESS_LENGTH = 500


class WebhookQuerySet(LeagueQuerySet):
    def awake(self) -> WebhookQuerySet:
        """Those that messages are sent to now: neither switched off, nor at rest after a failure."""
        return self.filter(is_active=True, not_before__lte=timezone.now())

    def with_given_up(self) -> WebhookQuerySet:
        """Each with the number of messages that were ``given_up``."""
        given_up = Q(announcements__state=Announcement.State.GIVEN_UP)
        return self.annotate(given_up=models.Count("announcements", filter=given_up))


class Webhook(models.Model):
    """An address that is told of each game.

    The address of a chat is a secret: who knows it can write there. So is ``secret``, by which plain JSON
    is signed; both are shown to nobody and in no log. ``host`` is what may be told of the address.
    """

    class Kind(models.TextChoices):
        DISCORD = "discord", _("Discord")
        SLACK = "slack", _("Slack")
        JSON = "json", _("JSON for a program")

    league_path = "league"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="webhooks", verbose_name=_("league")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind, default=Kind.DISCORD)
    address = models.CharField(
        _("address"),
        max_length=ADDRESS_LENGTH,
        validators=[check_address],
        help_text=_("begins with https://"),
    )
    host = models.CharField(_("server"), max_length=255, editable=False)
    secret = models.CharField(max_length=60, editable=False)
    is_active = models.BooleanField(_("switched on"), default=True)
    failures = models.PositiveSmallIntegerField(_("failures in a row"), default=0, editable=False)
    error = models.CharField(_("last error"), max_length=200, blank=True, editable=False)
    sent_at = models.DateTimeField(_("last message"), null=True, editable=False)
    # While a process sends, and for a while after a failure, nobody else does.
    not_before = models.DateTimeField(default=timezone.now, editable=False)

    objects = models.Manager.from_queryset(WebhookQuerySet)()

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} ({self.host})"


class AnnouncementQuerySet(LeagueQuerySet):
    def due(self) -> AnnouncementQuerySet:
        """Those that wait to be sent, in the order of what they tell."""
        return self.filter(state=Announcement.State.DUE).order_by("act_id", "pk")


class Announcement(models.Model):
    """What a webhook is told of one game, or of one file of games: a message, sent anew when it changes.

    The game may be gone, which is told too: who deletes one need not look here.
    """

    class State(models.TextChoices):
        DUE = "due", _("waits to be sent")
        SENT = "sent", _("sent")
        GIVEN_UP = "given-up", _("given up")

    league_path = "hook__league"

    hook = models.ForeignKey(
        Webhook,
        on_delete=models.CASCADE,
        related_name="announcements",
        verbose_name=_("webhook"),
        db_index=False,  # the index below begins with it
    )
    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="+", verbose_name=_("season"))
    game = models.ForeignKey(
        Game,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,  # a file of games
        related_name="+",
        verbose_name=_("game"),
        db_index=False,
    )
    act = models.ForeignKey(AuditEntry, on_delete=models.CASCADE, related_name="+", verbose_name=_("act"))
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.DUE)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    sent_at = models.DateTimeField(_("sent"), null=True)
    remote_id = models.CharField(max_length=30, blank=True)  # of the message, where it can be edited

    objects = models.Manager.from_queryset(AnnouncementQuerySet)()

    class Meta:
        verbose_name = _("announcement")
        verbose_name_plural = _("announcements")
        ordering = ["pk"]
        indexes = [models.Index(fields=["hook", "state", "act"], name="announcements_due")]
        constraints = [models.UniqueConstraint(fields=["hook", "game"], name="one_announcement_per_game")]

    def __str__(self) -> str:
        return f"{self.hook}: {self.game_id}"


class AnnouncedSeason(models.Model):
    """Up to which revision of a season's facts a webhook has been told, or has its announcements waiting."""

    league_path = "hook__league"

    hook = models.ForeignKey(
        Webhook,
        on_delete=models.CASCADE,
        related_name="announced",
        verbose_name=_("webhook"),
        db_index=False,  # the constraint's index begins with it
    )
    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="+", verbose_name=_("season"))
    revision = models.PositiveBigIntegerField(_("revision"), default=0)

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("announced season")
        verbose_name_plural = _("announced seasons")
        constraints = [
            models.UniqueConstraint(fields=["hook", "season"], name="one_revision_per_hook_and_season")
        ]

    def __str__(self) -> str:
        return f"{self.hook}: {self.revision}"
