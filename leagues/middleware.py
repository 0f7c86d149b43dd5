"""The one place where a request gets its league, time zone and language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone, translation

from leagues.tenancy.requests import enter_league


class LeagueMiddleware:
    """Every address with a ``league`` in it: the league is found, or 404, before any view runs.

    Its pages are in its time zone, and in its language unless the visitor chose another. It stands
    behind LocaleMiddleware, which decides for all other pages, and behind the one that knows the user.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(None):
            return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: Any, _args: Any, kwargs: dict[str, Any]) -> None:
        if "league" not in kwargs:
            return
        league = enter_league(request, kwargs["league"], kwargs.get("season"))
        timezone.activate(league.zone)
        if settings.LANGUAGE_COOKIE_NAME not in request.COOKIES:
            translation.activate(league.language)
            request.LANGUAGE_CODE = league.language
