"""Error pages where Django would show its own."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.defaults import bad_request, page_not_found

log = logging.getLogger(__name__)
WAIT = 60  # seconds
NO_RESOURCES = "53"  # of PostgreSQL: class of the errors disk_full, out_of_memory, too_many_connections
READING = ("GET", "HEAD", "OPTIONS", "TRACE")


class ErrorPagesMiddleware:
    """The site's own pages for what is not there or not understood, with DEBUG too.

    Who tries the product is no developer. A failure of the site itself keeps its traceback. Where only a
    form leads, and somebody opens the address itself, Django's answer is blank: it gets a page as well.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            response.content = render_to_string("405.html", request=request)
        if not settings.DEBUG or not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        if response.status_code == 404:
            return page_not_found(request, Http404())
        return bad_request(request, BadRequest()) if response.status_code == 400 else response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Where the database has no room to write, on a full disk for one: 503, and nothing was saved."""
        if request.method in READING or not _has_no_room(error):
            return None
        log.error("The database has no room to write.", exc_info=error)
        response = render(request, "503.html", status=503)
        response["Retry-After"] = str(WAIT)
        return response


def _has_no_room(error: Exception) -> bool:
    """Whether the database itself has said so: then the transaction is gone; a cut line would not tell."""
    if not isinstance(error, OperationalError):
        return False
    cause = error.__cause__
    is_full = getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL"
    return is_full or (getattr(cause, "sqlstate", None) or "").startswith(NO_RESOURCES)
