"""Addresses of before."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from leagues.models.base import LeagueQuerySet
from leagues.models.league import League
from leagues.models.player import Player
from leagues.models.season import Season


class FormerAddress(models.Model):
    """An address that a player, a season or else the league itself had before. Links to it go on working.

    That of a league or a player stays taken: nobody else gets the visitors of its links. That of a
    season is free, so that each season can have its turn at ``now``.
    """

    league_path = "league"

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", verbose_name=_("league"))
    season = models.ForeignKey(Season, on_delete=models.CASCADE, null=True, related_name="+")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, related_name="former_addresses")
    slug = models.SlugField(_("address"), max_length=80)

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("former address")
        verbose_name_plural = _("former addresses")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["slug"],
                condition=models.Q(season=None, player=None),
                name="former_address_of_one_league",
            ),
            models.UniqueConstraint(
                fields=["league", "slug"],
                condition=models.Q(season__isnull=False),
                name="former_address_of_one_season",
            ),
            models.UniqueConstraint(
                fields=["league", "slug"],
                condition=models.Q(player__isnull=False),
                name="former_address_of_one_player",
            ),
        ]

    def __str__(self) -> str:
        return self.slug
