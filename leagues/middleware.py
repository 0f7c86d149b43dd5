"""The one place where a request gets its league, time zone and language."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase, HttpResponsePermanentRedirect
from django.middleware.locale import LocaleMiddleware
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control, patch_vary_headers

from leagues.models import League
from leagues.tenancy.hosts import enter_host, league_host
from leagues.tenancy.moved import moved_to
from leagues.tenancy.requests import enter_league


class HostMiddleware:
    """A league's own host name. It stands before all that asks which host a request is for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        enter_host(request)
        response = self.get_response(request)
        if league_host(request) and response.has_header("Strict-Transport-Security"):
            # The domain is somebody else's: what is below it is not this site's to speak for.
            response["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}"
        return response


class LanguageMiddleware(LocaleMiddleware):
    """Django's, but for the pages of leagues: what language a browser prefers does not count there."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not _of_league(request):
            return super().process_response(request, response)
        response.headers.setdefault("Content-Language", translation.get_language())
        return response


class LeagueMiddleware:
    """Every address with a ``league`` in it: the league is found, or 404, before any view runs.

    Its pages are in its time zone, and in its language unless the visitor chose another. It stands
    behind LanguageMiddleware, which decides for all other pages, and behind the one that knows the user.
    An address of before leads to the one of today.

    What a view that ``is_shared`` shows stands on other sites: it is the same for everybody, so nobody is
    signed in there, no cookie is read, and the language is the league's or that of the address, ``?lang=tr``.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(None):
            response = self.get_response(request)
        if response.status_code == HTTPStatus.NOT_FOUND and (address := moved_to(request)):
            is_read = request.method in ("GET", "HEAD")
            response = HttpResponsePermanentRedirect(address, preserve_request=not is_read)
            # An address can be taken back: no browser may remember for good where it led.
            patch_cache_control(response, private=True, no_cache=True)
        if _of_league(request):
            _tell_keepers(getattr(request, "league", None), request, response)
        return response

    def process_view(self, request: HttpRequest, view: Any, _args: Any, kwargs: dict[str, Any]) -> None:
        if "league" not in kwargs:
            return
        is_shared = getattr(getattr(view, "view_class", None), "is_shared", False)
        if is_shared:
            request.user = AnonymousUser()
            request.is_shared = True  # type: ignore[attr-defined]
        league = enter_league(request, kwargs["league"], kwargs.get("season"))
        timezone.activate(league.zone)
        language = request.GET.get("lang", "") if is_shared else ""
        if language not in dict(settings.LANGUAGES):
            language = league.language
        if is_shared or settings.LANGUAGE_COOKIE_NAME not in request.COOKIES:
            translation.activate(language)
            request.LANGUAGE_CODE = language


def _of_league(request: HttpRequest) -> bool:
    """Whether the address is one of a league."""
    return request.resolver_match is not None and "league" in request.resolver_match.kwargs


def _tell_keepers(league: League | None, request: HttpRequest, response: HttpResponseBase) -> None:
    """Tell search engines and caches what they may keep of a league: pages, files and JSON alike.

    An unknown league, and one that is private, answer the same to the last header.
    """
    if not hasattr(request, "is_shared"):
        patch_vary_headers(response, ["Cookie"])
    if league is None:
        return
    if not league.is_indexed:
        response["X-Robots-Tag"] = "noindex"
    if not response.has_header("Cache-Control"):
        patch_cache_control(response, private=True, no_cache=True)
