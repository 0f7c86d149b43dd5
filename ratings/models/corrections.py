"""What players are told of changes in games that were rated before."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models import AuditEntry, LeagueQuerySet, Season


class Correction(models.Model):
    """A replay that changed games rated before: the acts it followed from, and what they changed together.

    Without acts it followed from something that is no act on the season: a year of birth, the ratings
    of the season before. Written once, by the replay that publishes the change.
    """

    league_path = "season__league"

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="corrections", verbose_name=_("season")
    )
    at = models.DateTimeField(_("time"), default=timezone.now)
    acts = models.ManyToManyField(AuditEntry, related_name="+", verbose_name=_("acts"))
    games = models.PositiveIntegerField(_("games recalculated"))  # later than those corrected
    largest = models.PositiveIntegerField(_("largest change"))  # of a player's rating after a game, in tenths

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.season}: {self.at:%Y-%m-%d}"
