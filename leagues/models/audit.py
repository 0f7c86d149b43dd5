"""Who did what in a league."""

from __future__ import annotations

from typing import Any, NoReturn

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.base import LeagueQuerySet
from leagues.models.league import League
from leagues.models.player import SEARCH_LENGTH
from leagues.models.season import Season
from leagues.names import fold


class AuditQuerySet(LeagueQuerySet):
    """Rows that are added and read. Only a league that is deleted takes its own along."""

    def about(self, text: str) -> AuditQuerySet:
        """Acts on what is called so, whatever the case, accents or script, and of users called so."""
        return self.filter(Q(search__contains=fold(text)) | Q(by__username__icontains=text))

    def undo_url(self) -> str:
        """Where the latest of these acts is taken back; empty where there is none."""
        act: Any = self.select_related("league").first()
        return act.get_undo_url() if act else ""

    def update(self, **_values: Any) -> NoReturn:
        raise _append_only()

    def delete(self) -> NoReturn:
        raise _append_only()

    delete.queryset_only = True  # type: ignore[attr-defined] # as Django's own: no manager deletes all

    def bulk_create(self, objs: Any, *args: Any, update_conflicts: bool = False, **options: Any) -> Any:
        if update_conflicts:
            raise _append_only()
        return super().bulk_create(objs, *args, **options)


def _append_only() -> TypeError:
    return TypeError("The audit log is only added to: no row of it is changed or deleted.")


class AuditEntry(models.Model):
    """One act of one person, written in the same transaction as what it did.

    An act on the facts of one season says which, and the revision it made of them.
    """

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
    search = models.CharField(max_length=SEARCH_LENGTH, editable=False)
    season = models.ForeignKey(
        Season,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("season"),
        db_index=False,
    )
    revision = models.PositiveBigIntegerField(_("revision"), null=True)
    before = models.JSONField(_("before"), null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(_("after"), null=True, encoder=DjangoJSONEncoder)

    objects = models.Manager.from_queryset(AuditQuerySet)()

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["league", "object_type", "object_id"], name="audit_by_object"),
            models.Index(fields=["season", "revision"], name="audit_by_revision"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.object_name}"

    def save(self, *args: Any, **options: Any) -> None:
        if not self._state.adding:
            raise _append_only()
        self.set_object_name(self.object_name)
        super().save(*args, **options)

    def delete(self, *_args: Any, **_options: Any) -> NoReturn:
        raise _append_only()

    def get_undo_url(self) -> str:
        """Where the act is taken back; as the ``extra_tags`` of a message it makes a button beside it."""
        return reverse("leagues:undo", kwargs={"league": self.league.slug, "auditentry": self.pk})

    def set_object_name(self, name: str) -> None:
        """Take a name, with the key by which it is searched."""
        self.object_name, self.search = name, fold(name)[:SEARCH_LENGTH]
