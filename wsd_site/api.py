"""The API as mounted: who is asking, answers that are not sent twice, and JSON for whatever goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from functools import wraps
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, ValidationError
from ninja.parser import Parser
from ninja.renderers import JSONRenderer

from leagues.games_csv import shown
from leagues.models import ApiToken, Game
from leagues.tenancy.tokens import TokenRefusedError, enter_token
from ratings.api import ROUTERS
from ratings.api.errors import ProblemsError
from ratings.views.live import RELEASE, digest, seen_of
from wsd_site.api_docs import DocsPage

API_ADDRESSES = "/api/"
SCALAR = str | int | float | bool


class ReadableRenderer(JSONRenderer):
    """Names in their own letters, not as escapes."""

    json_dumps_params = {"ensure_ascii": False}


class StrictParser(Parser):
    """JSON in UTF-8 that means one thing: no name twice, no number that is none."""

    def parse_body(self, request: HttpRequest) -> Any:
        return json.loads(request.body.decode(), object_pairs_hook=_only_once, parse_constant=_no_number)


def _only_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("A name stands twice in an object.")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number.")


class SentencesAPI(NinjaAPI):
    """An API that says of bad input where it is, and in a sentence what is wrong with it."""

    def validation_error_from_error_contexts(self, error_contexts: Any) -> ValidationError:
        return ValidationError(
            [
                {"field": _field(context.model, each["loc"]), "message": _sentence(each)}
                for context in error_contexts
                for each in context.pydantic_validation_error.errors(include_url=False)
            ]
        )


def _field(model: Any, place: tuple[str | int, ...]) -> str:
    """The place of a value: ``("report", "sides", 0, "points")`` of a body is ``sides[0].points``."""
    steps = model.__ninja_flatten_map_reverse__.get(place, place)
    inside = steps[1:] if model.__ninja_param_source__ == "body" else steps
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in inside).lstrip(".")


def _sentence(error: Any) -> str:
    value = error["input"]
    return f"{error['msg']}, not “{shown(str(value))}”." if isinstance(value, SCALAR) else f"{error['msg']}."


api = SentencesAPI(
    title="League results",
    version="1",
    description=(
        "Reading leagues, seasons, standings and games; reporting and correcting games. Public leagues are "
        "open to everybody.\n\nA token of a league, sent as `Authorization: Bearer …`, reads it where it is "
        "private, and with the scope `write` reports and corrects its games. An invalid one is refused "
        "(401) at every address. Answers carry an `ETag`; with `If-None-Match` an unchanged one is a 304 "
        "without a body. Pages of a list are of the moment they are asked for: if the `revision` of the "
        "season has changed when the last one is read, read them again."
    ),
    urls_namespace="api",
    renderer=ReadableRenderer(),
    parser=StrictParser(),
    docs=DocsPage(),
)


def with_etag(run: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Unchanged answers are 304: about a season without making the answer, else by its bytes."""

    @wraps(run)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "GET":
            return run(request, *args, **kwargs)
        tag = _tag_of_season(request)
        response = get_conditional_response(request, etag=tag) if tag else None
        if response is None:
            response = run(request, *args, **kwargs)
            if response.status_code != HTTPStatus.OK:
                return response
            tag = tag or quote_etag(blake2b(response.content, digest_size=12).hexdigest())
            response = get_conditional_response(request, etag=tag, response=response) or response
        response["ETag"] = str(tag)
        patch_cache_control(response, private=True, no_cache=True)
        return response

    return answer


def _tag_of_season(request: Any) -> str | None:
    """The tag of an answer about a season, which follows from the numbers that the request began with."""
    season = getattr(request, "season", None)
    if season is None or (season.state == season.State.DRAFT and request.role is None):
        return None
    league = request.league
    seen = [RELEASE, league.pk, league.version, request.role is None, *seen_of(season)]
    return quote_etag(f"{_version_of_game(request)}{digest([*seen, request.build_absolute_uri()])}")


def _version_of_game(request: Any) -> str:
    """Of an answer about one game its version, which a program names that changes the game; else nothing."""
    if request.resolver_match.view_name != "api:game":
        return ""
    games = Game.objects.filter(season=request.season, pk=request.resolver_match.kwargs["game"])
    return "".join(f"{version}-" for version in games.values_list("version", flat=True))


for router in ROUTERS:
    api.add_router("", router)
api.add_decorator(with_etag, mode="view")


@api.exception_handler(Http404)
def not_found(request: HttpRequest, _error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": _nothing_at(request)}, status=404)


@api.exception_handler(AuthenticationError)
def not_allowed(_request: HttpRequest, _error: Any) -> HttpResponse:
    return refused_token("This takes a token of the league: Authorization: Bearer …")


@api.exception_handler(ValidationError)
def not_understood(request: HttpRequest, error: Any) -> HttpResponse:
    return api.create_response(request, {"detail": error.errors}, status=422)


@api.exception_handler(ProblemsError)
def refused(request: HttpRequest, error: Any) -> HttpResponse:
    detail = [problem.model_dump() for problem in error.problems]
    return api.create_response(request, {"detail": detail}, status=422)


def refused_token(sentence: str) -> HttpResponse:
    """The answer to who needs a token and has no valid one."""
    response = HttpResponse(_json(sentence), status=401, content_type="application/json; charset=utf-8")
    response["WWW-Authenticate"] = "Bearer"
    return response


def _why_refused(expired: ApiToken | None) -> str:
    if expired and expired.expires_at:
        at = expired.expires_at.astimezone(UTC)
        return f"This token expired on {at:%Y-%m-%d at %H:%M} UTC; an owner of the league can make a new one."
    return "This token is unknown, revoked, or of somebody who is no owner any more."


class TokenMiddleware:
    """Who comes to the API with a league's token. It stands behind the one that knows the user."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(API_ADDRESSES):
            return self.get_response(request)
        try:
            enter_token(request)
        except TokenRefusedError as refused:
            return refused_token(_why_refused(refused.expired))
        response = self.get_response(request)
        patch_vary_headers(response, ["Authorization"])
        return response


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
            response.content = _json(detail)
            response["Content-Type"] = "application/json; charset=utf-8"
            response["Content-Length"] = str(len(response.content))
        return response


def _json(detail: str) -> bytes:
    return json.dumps({"detail": detail}, ensure_ascii=False).encode()


def _is_error_page(response: HttpResponse) -> bool:
    if response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR and settings.DEBUG:
        return False  # the traceback helps more
    is_json = response.get("Content-Type", "").startswith("application/json")
    return response.status_code >= HTTPStatus.BAD_REQUEST and not is_json


def _nothing_at(request: HttpRequest) -> str:
    return f"There is nothing at {request.path}"
