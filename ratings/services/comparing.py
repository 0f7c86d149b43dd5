"""Whom a player can be compared with in a season."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from leagues.models import Season
from ratings.models import Standing

CHOICES = 200  # offered by name: of a larger season the first ones


def compared(season: Season, slugs: Sequence[str]) -> list[Standing]:
    """The season's rows of the players with these addresses, in the order asked; others are passed over."""
    rows = Standing.objects.filter(
        season=season, player__league=season.league_id, player__slug__in=slugs, played__gt=0
    )
    found = {row.player.slug: row for row in rows.select_related("player")}
    return [found[slug] for slug in slugs if slug in found]


def choices(season: Season) -> list[tuple[str, str]]:
    """Whom to compare with: address and name of the first players of the season who played, by name."""
    return first_by_name(Standing.objects.filter(season=season, played__gt=0), CHOICES)


def first_by_name(standings: QuerySet[Standing], most: int) -> list[tuple[str, str]]:
    """Address and name of the first players of these standings, in order of their names."""
    rows = standings.order_by("position")[:most]
    names = rows.values_list("player__sort_key", "player__slug", "player__name")
    return [(slug, name) for _key, slug, name in sorted(names)]
