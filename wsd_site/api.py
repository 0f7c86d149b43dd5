"""The API as mounted, and JSON for whatever goes wrong under its addresses."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from ninja import NinjaAPI
from ninja.renderers import JSONRenderer

from ratings.api import ROUTERS

API_ADDRESSES = "/api/"


class ReadableRenderer(JSONRenderer):
    """Names in their own letters, not as escapes."""

    json_dumps_params = {"ensure_ascii": False}


class ReadAPI(NinjaAPI):
    """An API whose unchanged answers are 304."""

    def create_response(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().create_response(request, *args, **kwargs)
        if response.status_code != HTTPStatus.OK:
            return response
        tag = quote_etag(blake2b(response.content, digest_size=12).hexdigest())
        response["ETag"] = tag
        patch_cache_control(response, private=True, no_cache=True)
        return get_conditional_response(request, etag=tag, response=response) or response


api = ReadAPI(
    title="League results",
    version="1",
    description="Reading leagues, seasons, standings and games. Public leagues are open to everybody.",
    urls_namespace="api",
    renderer=ReadableRenderer(),
)
for router in ROUTERS:
    api.add_router("", router)


@api.exception_handler(Http404)
def not_found(request: HttpRequest, _error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": _nothing_at(request)}, status=404)


class JsonErrorsMiddleware:
    """Every error under the API's addresses is JSON, whoever found it.

    The league of an address is looked up before any view, and an unknown address has no view: their
    404 would be a page, with ``DEBUG`` a page for developers.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.path.startswith(API_ADDRESSES) and _is_error_page(response):
            is_missing = response.status_code == HTTPStatus.NOT_FOUND
            detail = _nothing_at(request) if is_missing else f"{response.reason_phrase}."
            response.content = json.dumps({"detail": detail}, ensure_ascii=False).encode()
            response["Content-Type"] = "application/json; charset=utf-8"
            response["Content-Length"] = str(len(response.content))
        return response


def _is_error_page(response: HttpResponse) -> bool:
    if response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR and settings.DEBUG:
        return False  # the traceback helps more
    is_json = response.get("Content-Type", "").startswith("application/json")
    return response.status_code >= HTTPStatus.BAD_REQUEST and not is_json


def _nothing_at(request: HttpRequest) -> str:
    return f"There is nothing at {request.path}"
