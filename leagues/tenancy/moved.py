"""Where something is that was here before."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from leagues.models import FormerAddress, League, Season
from leagues.models.league import Visibility
from leagues.tenancy.hosts import league_host
from leagues.tenancy.reach import reach_of


def moved_to(request: HttpRequest) -> str | None:
    """Today's address of a page that was not found, if it is one that this visitor may see.

    A private league's old address tells a stranger as little as its new one, nor is a draft given away.
    """
    match = request.resolver_match
    if match is None or "league" not in match.kwargs:
        return None
    league = getattr(request, "league", None) or _league_of(request, match.kwargs["league"])
    if league is None:
        return None
    kwargs = {**match.kwargs, "league": league.slug} | _moved_within(request, league, match.kwargs)
    if kwargs == match.kwargs:
        return None
    query = request.META.get("QUERY_STRING", "")
    return reverse(match.view_name, kwargs=kwargs) + (f"?{query}" if query else "")


def _league_of(request: HttpRequest, slug: str) -> League | None:
    """The league that had this address before, if it may be seen. A league's host has one league only."""
    former = (
        FormerAddress.objects.filter(slug=slug, season=None, player=None).select_related("league").first()
    )
    if former is None or league_host(request):
        return None
    is_hidden = former.league.visibility == Visibility.PRIVATE
    return None if is_hidden and not reach_of(request).is_known_in(former.league_id) else former.league


def _moved_within(request: HttpRequest, league: League, kwargs: dict[str, Any]) -> dict[str, str]:
    """Today's slugs of the season and the player, where they moved."""
    seasons = Season.objects.in_league(league)
    if not reach_of(request).role_in(league.pk):
        seasons = seasons.published()
    formers = FormerAddress.objects.in_league(league)
    found = {
        "season": formers.filter(season__in=seasons, slug=kwargs.get("season", "")),
        "player": formers.filter(player__isnull=False, slug=kwargs.get("player", "")),
    }
    return {
        name: slug
        for name, rows in found.items()
        if name in kwargs
        for slug in rows.values_list(f"{name}__slug", flat=True)
    }
