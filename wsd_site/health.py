"""Whether the parts the site stands on answer."""

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, JsonResponse


def healthz(_request: HttpRequest) -> JsonResponse:
    """200 when the database and the cache (Redis, if configured) answer; 503 with the reason otherwise."""
    problems = {}
    for name, check in {"database": _database, "cache": _cache}.items():
        try:
            check()
        except Exception as error:  # noqa: BLE001 - whatever is wrong is the answer
            problems[name] = type(error).__name__
    return JsonResponse({"ok": not problems, "problems": problems}, status=503 if problems else 200)


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _cache() -> None:
    cache.set("healthz", "1", 5)
    if cache.get("healthz") != "1":
        raise RuntimeError("The cache does not keep what it is given.")
