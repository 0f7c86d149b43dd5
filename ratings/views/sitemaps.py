"""What search engines may list: the pages of public leagues that want to be found."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import SitemapIndexItem, sitemap
from django.http import Http404, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.generic import View

from leagues.models import League, Player, Season
from leagues.tenancy.requests import LeagueMixin

KEPT_OUT = ("/admin/", "/accounts/")  # pages of nobody's league, which no reader looks for


class LeaguePages(Sitemap):
    """The home of a league and its list of players."""

    def __init__(self, league: League) -> None:
        self.league = league

    def items(self) -> list[str]:
        return ["ratings:league-home", "ratings:player-list"]

    def location(self, name: str) -> str:
        return reverse(name, kwargs={"league": self.league.slug})


class SeasonPages(LeaguePages):
    """The standings, games and prizes of each season that is no draft."""

    names = ("ratings:standings", "ratings:game-list", "ratings:prizes")

    def items(self) -> list[Any]:
        seasons = Season.objects.in_league(self.league).published().select_related("replay")
        return [(season, name) for season in seasons for name in self.names]

    def location(self, item: Any) -> str:
        season, name = item
        return reverse(name, kwargs={"league": self.league.slug, "season": season.slug})

    def lastmod(self, item: Any) -> datetime | None:
        replay = getattr(item[0], "replay", None)
        return replay.finished_at if replay else None


class PlayerPages(LeaguePages):
    """Each player over all seasons."""

    def items(self) -> Any:
        return Player.objects.in_league(self.league).order_by("pk").values_list("slug", flat=True)

    def location(self, slug: str) -> str:
        return reverse("ratings:player-career", kwargs={"league": self.league.slug, "player": slug})


class LeagueSitemapView(LeagueMixin, View):
    """The pages of a league; 404 where it does not want to be found."""

    is_shared = True

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponseBase:
        if not self.league.is_indexed:
            raise Http404
        parts = (LeaguePages, SeasonPages, PlayerPages)
        return sitemap(request, {part.__name__: part(self.league) for part in parts})


class SitemapIndexView(View):
    """The sitemap of each league that has its pages on the main host."""

    def get(self, request: Any) -> HttpResponseBase:
        leagues = League.objects.listed().filter(in_search_engines=True, host="").order_by("pk")
        sitemaps = [
            SitemapIndexItem(_address(request, reverse("ratings:league-sitemap", kwargs={"league": slug})))
            for slug in leagues.values_list("slug", flat=True)
        ]
        return TemplateResponse(
            request, "sitemap_index.xml", {"sitemaps": sitemaps}, content_type="application/xml"
        )


class RobotsView(View):
    """What programs that read the whole site may ask for. Pages not to be listed say so themselves."""

    def get(self, request: Any) -> HttpResponse:
        return robots(_address(request, reverse("ratings:sitemap")), KEPT_OUT)


class LeagueRobotsView(LeagueMixin, View):
    """The same at a league's own host."""

    is_shared = True

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        address = reverse("ratings:league-sitemap", kwargs={"league": self.league.slug})
        return robots(_address(request, address) if self.league.is_indexed else "", ())


def robots(sitemap_address: str, kept_out: tuple[str, ...]) -> HttpResponse:
    """A robots.txt: every program may read everything but what is kept out."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in kept_out or ("",))]
    lines += ["", f"Sitemap: {sitemap_address}"] if sitemap_address else []
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


def _address(request: Any, path: str) -> str:
    return f"{request.scheme}://{request.get_host()}{path}"
