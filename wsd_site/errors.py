"""Error pages where Django would show its own."""

from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.defaults import page_not_found


class NotFoundMiddleware:
    """The site's own page for what is not there, with DEBUG too: who tries the product is no developer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if settings.DEBUG and response.status_code == 404 and is_page:
            return page_not_found(request, Http404())
        return response
