"""Holding what a form is about to change, before it is compared with what the form was filled with."""

from __future__ import annotations

from django.db import models

from leagues.models import Game, League, Player, Season
from leagues.models.base import league_of
from leagues.services.organizers import hold_league


def hold(row: models.Model) -> None:
    """Hold what the services that change this row hold, in their order, until the transaction ends.

    What is read from here on stays as it is until then, but for what the transaction itself changes.
    """
    if isinstance(row, Player):
        list(Player.objects.filter(pk=row.pk).select_for_update(no_key=True))
    elif isinstance(row, Season | Game):
        list(Season.objects.filter(pk=getattr(row, "season_id", row.pk)).locked())
    elif isinstance(row, League):
        players = Player.with_merged.in_league(row).order_by("pk").select_for_update(no_key=True)
        list(players.values_list("pk"))
        list(Season.objects.in_league(row).locked())
        hold_league(row.pk)
    else:
        hold_league(league_of(row).pk)
