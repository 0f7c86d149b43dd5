"""The logo of a league."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from leagues.models.base import LeagueQuerySet
from leagues.models.league import League


class Logo(models.Model):
    """A league's logo as files. It stands by itself because no page but the files' own reads it."""

    league_path = "league"

    league = models.OneToOneField(
        League, on_delete=models.CASCADE, related_name="files", verbose_name=_("league")
    )
    icon = models.BinaryField(_("icon"))
    picture = models.BinaryField(_("picture"))

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("logo")
        verbose_name_plural = _("logos")

    def __str__(self) -> str:
        return str(self.league)
