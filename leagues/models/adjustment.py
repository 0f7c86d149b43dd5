"""Adjustments: rating points given or taken by the organizers, beside all games."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.base import Fact, FactQuerySet
from leagues.models.player import Player
from leagues.models.season import Season

LARGEST_ADJUSTMENT = 100_000  # tenths of a rating point


class AdjustmentQuerySet(FactQuerySet):
    def counted(self) -> AdjustmentQuerySet:
        """Those that change a rating: all but the cancelled."""
        return self.filter(cancelled_at=None)

    def in_play_order(self) -> AdjustmentQuerySet:
        """The total order they take effect in, each before the games of its moment."""
        return self.order_by("at", "pk")

    def latest_first(self) -> AdjustmentQuerySet:
        """The order they are listed in."""
        return self.order_by("-at", "-pk")


class Adjustment(Fact):
    """A penalty or a bonus: what it adds to a player's rating, from which moment on, and why.

    A cancelled one stays on record and changes nothing.
    """

    league_path = "season__league"
    season_path = "season"
    free_fields = frozenset({"entered_by"})  # emptied when the account is deleted

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="adjustments", verbose_name=_("season")
    )
    player = models.ForeignKey(
        Player, on_delete=models.RESTRICT, related_name="adjustments", verbose_name=_("player")
    )
    at = models.DateTimeField(
        _("in effect from"), help_text=_("games of this time and later are rated with it")
    )
    change = models.IntegerField(_("adjustment"))  # tenths of a rating point
    reason = models.CharField(_("reason"), max_length=200)
    entered_at = models.DateTimeField(_("entered"), default=timezone.now, editable=False)
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=_("entered by"),
    )
    cancelled_at = models.DateTimeField(_("cancelled"), null=True, blank=True, editable=False)
    cancel_reason = models.CharField(_("why cancelled"), max_length=200, blank=True, editable=False)

    objects = models.Manager.from_queryset(AdjustmentQuerySet)()  # type: ignore[misc]

    class Meta:
        verbose_name = _("adjustment")
        verbose_name_plural = _("adjustments")
        ordering = ["-at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(change=0), name="adjustments_change_something"),
            models.CheckConstraint(condition=~Q(reason=""), name="adjustments_have_a_reason"),
            models.CheckConstraint(
                condition=Q(cancelled_at=None, cancel_reason="")
                | (Q(cancelled_at__isnull=False) & ~Q(cancel_reason="")),
                name="cancelled_adjustments_have_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player} ({self.change / 10:+.1f})"  # in no language, as the log keeps it

    def get_absolute_url(self) -> str:
        return reverse(
            "ratings:adjustments", kwargs={"league": self.season.league.slug, "season": self.season.slug}
        )

    @property
    def is_cancelled(self) -> bool:
        return self.cancelled_at is not None
