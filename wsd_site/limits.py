"""How much a visitor may send, and how often; over a limit the answer is a sentence.

Counts are kept in the cache ``limits``: one for all processes with Redis, else one a process, so
that several processes allow that many times more. A cache that does not answer refuses nobody.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leagues.tenancy.tokens import token_of

log = logging.getLogger(__name__)

LARGEST_REQUEST = 12 * 1024 * 1024  # bytes: the largest game file and the form around it
IPV6_NETWORK = 64  # bits that one subscriber's addresses have in common
READING = ("GET", "HEAD", "OPTIONS", "TRACE")


@dataclass(frozen=True)
class Limit:
    """So many ``times`` in each window of so many ``seconds``; ``reason`` is a sentence of the refusal."""

    name: str
    times: int
    seconds: int
    reason: str | Promise

    def window(self, who: str) -> tuple[str, int]:
        """The key of this visitor's count in the present window, and the seconds the window still lasts.

        The visitor is hashed: what was typed may be longer than a key, and is nobody's business.
        """
        number, passed = divmod(int(time.time()), self.seconds)
        return f"{self.name}:{number}:{sha256(who.encode()).hexdigest()[:32]}", self.seconds - passed


class LimitReachedError(Exception):
    """A limit is used up; ``seconds`` until the next window."""

    def __init__(self, limit: Limit, seconds: int) -> None:
        super().__init__(limit.name)
        self.limit, self.seconds = limit, seconds


def take(limit: Limit, who: str) -> None:
    """Count one act of a visitor. Raises LimitReachedError over the limit."""
    key, seconds_left = limit.window(who)
    if _count(key, limit.seconds) > limit.times:
        raise LimitReachedError(limit, seconds_left)


def give_back(limit: Limit, who: str) -> None:
    """Take back what ``take`` has counted just now."""
    key, _seconds_left = limit.window(who)
    _count(key, limit.seconds, -1)


def _count(key: str, seconds: int, by: int = 1) -> int:
    counts = caches["limits"]
    try:
        counts.add(key, 0, seconds)
        return counts.incr(key, by)
    except Exception as error:  # noqa: BLE001 - games can be entered while Redis is down
        log.warning("A limit is not counted: %s", error)
        return 0


# --- Who is counted


def address_of(request: HttpRequest) -> str:
    """Where a request comes from: of an IPv6 address its network, which is one subscriber's.

    Behind a proxy it is the last address of ``X-Forwarded-For``, the one our own proxy has seen;
    what stands before it anybody can claim.
    """
    address = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        forwarded = request.headers.get("X-Forwarded-For", "")
        address = forwarded.rpartition(",")[2].strip() or address
    try:
        parsed = ip_address(address)
    except ValueError:
        return "unknown"
    if parsed.version == 6 and parsed.ipv4_mapped is None:
        return str(ip_network((parsed.packed, IPV6_NETWORK), strict=False))
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def visitor(request: HttpRequest) -> str:
    """The token of the API, the account, else the address."""
    if token := token_of(request):
        return f"token {token.pk}"
    return f"user {request.user.pk}" if request.user.is_authenticated else address_of(request)


def mailbox(request: HttpRequest) -> str:
    """The mail address a form was sent with, known to the site or not."""
    return request.POST.get("email", "").strip().casefold()


# --- What is limited

CHANGES = Limit("changes", settings.CHANGES_PER_MINUTE, 60, _("More was sent than people can type."))
REPORTS = Limit("reports", settings.REPORTS_PER_MINUTE, 60, _("Very many games were reported."))
IMPORTS = Limit("imports", 30, 10 * 60, _("Very many files were uploaded."))
PASSWORDS = Limit("passwords", 10, 15 * 60, _("The password was tried too often."))
RESETS = Limit("resets", 10, 60 * 60, _("Too many links for a new password were asked for."))
PICTURES = Limit("pictures", 30, 10 * 60, _("The look of the league was changed very often."))
INVITATIONS = Limit("invitations", 30, 60 * 60, _("Very many people were invited."))
LETTERS = Limit("letters", 3, 60 * 60, _("Too many links for a new password were asked for."))

# Each act that is sent to an address counts; addresses that are not named share one limit.
OF_ADDRESSES: dict[str, list[tuple[Limit, Callable[[HttpRequest], str]]]] = {
    "api:games": [(REPORTS, visitor)],
    "api:game": [(REPORTS, visitor)],
    "api:game-void": [(REPORTS, visitor)],
    "api:game-restore": [(REPORTS, visitor)],
    "api:draw": [(REPORTS, visitor)],
    "api:battle-result": [(REPORTS, visitor)],
    "leagues:import": [(IMPORTS, visitor)],
    "leagues:look": [(PICTURES, visitor)],
    "leagues:organizer-list": [(INVITATIONS, visitor)],
    "accounts:password_change": [(PASSWORDS, visitor)],
    "admin:password_change": [(PASSWORDS, visitor)],
    "accounts:password_reset": [(RESETS, address_of), (LETTERS, mailbox)],
}
OF_ALL_OTHERS = [(CHANGES, visitor)]


class LimitsMiddleware:
    """Refuses what is too large before reading it (413), and what comes too often (429).

    It stands behind the middleware that checks where a form comes from, so that no other site can
    use up a visitor's limits, and behind those that decide the language.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _is_too_large(request):
            return render(request, "413.html", status=413)
        return self.get_response(request)

    def process_view(self, request: Any, _view: Any, _args: Any, _kwargs: Any) -> HttpResponse | None:
        if request.method in READING:
            return None
        try:
            for limit, who in OF_ADDRESSES.get(request.resolver_match.view_name, OF_ALL_OTHERS):
                take(limit, who(request))
        except LimitReachedError as reached:
            return too_often(request, reached)
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return too_often(request, error) if isinstance(error, LimitReachedError) else None


def _is_too_large(request: HttpRequest) -> bool:
    try:
        size = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return False  # Django then reads nothing
    with_file = request.content_type == "multipart/form-data"
    return size > (LARGEST_REQUEST if with_file else settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def too_often(request: HttpRequest, reached: LimitReachedError) -> HttpResponse:
    """The refusal, with the time to wait as a sentence and as ``Retry-After``."""
    log.warning("%s has reached the limit %s", visitor(request), reached.limit.name)
    minutes = -(-reached.seconds // 60)
    context = {"reason": reached.limit.reason, "minutes": minutes}
    response = render(request, "429.html", context, status=429)
    response["Retry-After"] = str(reached.seconds)
    return response
