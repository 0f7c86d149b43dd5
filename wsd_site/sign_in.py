"""Checking passwords, slowly enough for who guesses and never for good.

Wrong passwords are counted for a name, whoever tries, and for an address, whatever the name; both
counts begin anew every quarter of an hour. A browser that has signed in before brings a signed
cookie of that account and is counted by itself: strangers who guess do not lock it out. Who has no
such browser at hand gets one with a new password by mail.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext_lazy as _

from wsd_site.limits import Limit, address_of, give_back, take

REASON = _("Too many wrong passwords were entered.")
OF_ADDRESS = Limit("wrong-passwords-address", 20, 15 * 60, REASON)
OF_NAME = Limit("wrong-passwords-name", 10, 15 * 60, REASON)
OF_DEVICE = Limit("wrong-passwords-device", 10, 15 * 60, REASON)

DEVICE_SECONDS = 365 * 24 * 60 * 60


class LimitedBackend(ModelBackend):
    """Django's own check of a password, counted. Raises LimitReachedError before looking at it.

    An attempt is counted first and taken back if the password was right: so attempts sent at the
    same time are counted too, and a name nobody has answers just like one that somebody has.
    """

    def authenticate(
        self, request: Any, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> Any:
        if request is None or username is None:  # not a visitor: a command or a test
            return super().authenticate(request, username, password, **kwargs)
        counted = _counted(request, username)
        for limit, who in counted:
            take(limit, who)
        user = super().authenticate(request, username, password, **kwargs)
        if user is not None:
            for limit, who in counted:
                give_back(limit, who)
            know_device(request, username)
        return user


def _counted(request: HttpRequest, username: str) -> list[tuple[Limit, str]]:
    account = _account(username)
    device = request.get_signed_cookie(_cookie(account), "", salt=account, max_age=DEVICE_SECONDS)
    if device:
        return [(OF_DEVICE, device)]
    # However a name is written, it is one name.
    return [(OF_ADDRESS, address_of(request)), (OF_NAME, _digest(_normal(username).casefold()))]


def _account(username: str) -> str:
    """What stands for an account in cookies.

    Only its own name does: an account of almost the same name, which anybody may make, must not let a
    browser be counted by itself where it guesses at this one.
    """
    return _digest(_normal(username))


def _normal(username: str) -> str:
    """A name as accounts have it."""
    return unicodedata.normalize("NFKC", username)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]


def _cookie(account: str) -> str:
    return f"device-{account}"


def know_device(request: Any, username: str) -> None:
    """Let this browser be known to belong to an account from the answer on."""
    request.device_of = username


class KnownDeviceMiddleware:
    """Sends a browser the cookie that ``know_device`` has asked for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if username := getattr(request, "device_of", None):
            account = _account(username)
            response.set_signed_cookie(
                _cookie(account),
                secrets.token_hex(16),
                salt=account,
                max_age=DEVICE_SECONDS,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response
