"""A league's own host name: what is served there, and the way from there to the main host.

There the league's pages have the addresses of the main host without the league in them. Nothing else
of the site is there, and nobody is signed in: cookies are not shared, and so links to sign in, to the
directory and to the administration lead to the main host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port
from django.urls import URLPattern, URLResolver, get_resolver, include, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme

from leagues.hosts import is_main_host, organizers_address, scheme
from leagues.models import League
from leagues.models.league import Visibility
from leagues.services.addresses import LEAGUE_PAGES

SHARED = {"i18n/"}  # what a league's host has besides


@dataclass(frozen=True)
class LeagueAddresses:
    """The URLconf of a league's own host: equal ones share a resolver.

    Each pattern has the league as a default, so that views are called, and addresses reversed, with the
    same names and values as on the main host.
    """

    slug: str

    @cached_property
    def urlpatterns(self) -> list[Any]:
        return list(self._without_league(get_resolver(settings.ROOT_URLCONF).url_patterns))

    def _without_league(self, patterns: list[Any]) -> Iterator[Any]:
        for each in patterns:
            route = str(each.pattern)
            if route in SHARED:
                yield each
            elif isinstance(each, URLResolver) and not route:
                inside = list(self._without_league(each.url_patterns))
                yield path("", include((inside, each.app_name or ""), namespace=each.namespace))
            elif isinstance(each, URLPattern) and LEAGUE_PAGES in route:
                values = {**each.default_args, "league": self.slug}
                yield path(route.replace(LEAGUE_PAGES, "", 1), each.callback, values, name=each.name)


def enter_host(request: HttpRequest) -> None:
    """Let a request to a league's own host see that league alone, and be nobody's.

    Sets ``league_host``, the league's slug, and the URLconf. Every other host is left to Django, which
    allows or refuses it by ALLOWED_HOSTS. No query for a main host.
    """
    host, port = split_domain_port(request._get_raw_host())  # type: ignore[attr-defined]
    if not host or is_main_host(host):
        return
    slug = League.objects.filter(host=host).values_list("slug", flat=True).first()
    if slug is None:
        return
    known = f"{host}:{port}" if port else host
    request.get_host = lambda: known  # type: ignore[method-assign] # no need of ALLOWED_HOSTS
    request.league_host = slug  # type: ignore[attr-defined]
    request.urlconf = LeagueAddresses(slug)  # type: ignore[assignment]
    request.COOKIES.pop(settings.SESSION_COOKIE_NAME, None)


def league_host(request: HttpRequest | None) -> str | None:
    """The slug of the league whose own host was asked; None for the main host."""
    return getattr(request, "league_host", None)


def main_url(request: HttpRequest | None, name: str) -> str:
    """The address of a page of the site itself, from wherever it is linked."""
    address = reverse(name, urlconf=settings.ROOT_URLCONF)
    return main_address(request, address) if request is not None and league_host(request) else address


def main_address(request: HttpRequest, path: str) -> str:
    """A path of the main host as a whole address, for mails: never at the host that a request claims."""
    return f"{request.scheme}://{settings.MAIN_HOST}{path}"


def canonical_address(request: HttpRequest, league: League, path: str) -> str:
    """The one address of a league's page, whose ``path`` is that of this request's host.

    A league with a host of its own is at home there, whichever host was asked.
    """
    if not league.host:
        return main_address(request, path)
    own_path = path if league_host(request) else path.replace(f"/{league.slug}/", "/", 1)
    return f"{request.scheme}://{league.host}{own_path}"


def public_address(league: League, path: str) -> str:
    """The address of a league's page for messages, which belong to no request.

    ``path`` is that of the main host, where a private league's pages are alone.
    """
    if league.host and league.visibility != Visibility.PRIVATE:
        return f"{scheme()}://{league.host}{path.replace(f'/{league.slug}/', '/', 1)}"
    return organizers_address(path)


def sign_in_url(request: HttpRequest) -> str:
    """Where to sign in, and then come back to the page of the main host that the visitor has open."""
    slug = league_host(request)
    page = f"/{slug}{_open_page(request)}" if slug else _open_page(request)
    return f"{main_url(request, settings.LOGIN_URL)}?{urlencode({'next': page}, safe='/')}"


def _open_page(request: HttpRequest) -> str:
    """The path of the page around what is asked for: many addresses of forms and fragments are no page."""
    around = request.headers.get("Referer", "")
    is_part = request.method == "POST" or getattr(request, "htmx", False)
    if is_part and url_has_allowed_host_and_scheme(around, {request.get_host()}):
        page = urlsplit(around)
        return urlunsplit(("", "", page.path, page.query, ""))
    return request.get_full_path()
