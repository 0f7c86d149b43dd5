"""Error pages where Django would show its own."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.defaults import bad_request, page_not_found


class ErrorPagesMiddleware:
    """The site's own pages for what is not there or not understood, with DEBUG too.

    Who tries the product is no developer. A failure of the site itself keeps its traceback.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not settings.DEBUG or not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        if response.status_code == 404:
            return page_not_found(request, Http404())
        return bad_request(request, BadRequest()) if response.status_code == 400 else response
