"""Letters to those who follow a league."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.base import LeagueQuerySet
from leagues.models.league import League, Organizer
from leagues.models.player import Player


class Every(models.TextChoices):
    DAY = "day", _("every day")
    WEEK = "week", _("every week, on Monday")


class DigestQuerySet(LeagueQuerySet):
    def due(self) -> DigestQuerySet:
        """Those to be sent now, to people who still belong to the league and have an address."""
        runs = Organizer.objects.filter(league=OuterRef("league"), user=OuterRef("user"))
        plays = Player.objects.filter(league=OuterRef("league"), user=OuterRef("user"))
        belongs = Q(user__is_superuser=True) | Exists(runs) | Exists(plays)
        reached = self.filter(belongs, user__is_active=True).exclude(user__email="")
        return reached.filter(due_at__lte=timezone.now()).order_by("due_at", "pk")


class Digest(models.Model):
    """What somebody asked for: a letter a day, or a week, on what happened in a league.

    The next one tells of what happened since ``since`` and is sent at ``due_at``. Who sends it moves both on
    first, so that no letter goes out twice.
    """

    league_path = "league"

    league = models.ForeignKey(
        League,
        on_delete=models.CASCADE,
        related_name="digests",
        verbose_name=_("league"),
        db_index=False,  # the constraint's index begins with it
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="digests", verbose_name=_("user")
    )
    every = models.CharField(_("how often"), max_length=10, choices=Every, default=Every.WEEK)
    since = models.DateTimeField(_("since"), default=timezone.now)
    due_at = models.DateTimeField(_("due"), db_index=True)

    objects = models.Manager.from_queryset(DigestQuerySet)()

    class Meta:
        verbose_name = _("digest")
        verbose_name_plural = _("digests")
        constraints = [models.UniqueConstraint(fields=["league", "user"], name="one_digest_per_reader")]

    def __str__(self) -> str:
        return f"{self.league}: {self.user}"

    def period_of(self, moment: datetime) -> datetime:
        """The midnight in the league's zone, of a Monday for a week, at which the present period began."""
        day = moment.astimezone(self.league.zone).date()
        if self.every == Every.WEEK:
            day -= timedelta(days=day.weekday())
        return _midnight(day, self.league.zone)

    def next_period(self, moment: datetime) -> datetime:
        """The midnight at which the next one begins."""
        days = 7 if self.every == Every.WEEK else 1
        day = self.period_of(moment).date() + timedelta(days=days)
        return _midnight(day, self.league.zone)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone)
