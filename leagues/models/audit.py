"""Who did what in a league."""

from __future__ import annotations

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.base import LeagueQuerySet
from leagues.models.league import League


class AuditEntry(models.Model):
    """One act of one person, written in the same transaction as what it did."""

    league_path = "league"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="audit", verbose_name=_("league")
    )
    at = models.DateTimeField(_("time"), default=timezone.now)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )
    action = models.CharField(_("action"), max_length=40)  # the name of the service
    object_type = models.CharField(_("kind"), max_length=40)
    object_id = models.CharField(max_length=40)
    object_name = models.CharField(_("object"), max_length=200)
    before = models.JSONField(_("before"), null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(_("after"), null=True, encoder=DjangoJSONEncoder)

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        ordering = ["-pk"]
        indexes = [models.Index(fields=["league", "object_type", "object_id"], name="audit_by_object")]

    def __str__(self) -> str:
        return f"{self.action} {self.object_name}"
