"""Every route of the site, read from the URLconf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.admin import ModelAdmin
from django.urls import URLPattern, URLResolver, get_resolver


@dataclass(frozen=True)
class Route:
    """A pattern with what it is called in the matrix.

    ``key`` is the name with its namespace: ``ratings:standings``. A view of a model in the admin is called
    by the view alone, ``admin:model:change``, and its model admin stands in ``model_admin``.
    """

    key: str
    pattern: str
    arguments: tuple[str, ...]
    model_admin: Any = None


def site_routes() -> list[Route]:
    """The routes of the main host, each once."""
    found = {route.pattern: route for route in _routes(get_resolver().url_patterns, "", ())}
    return list(found.values())


def _routes(patterns: Any, before: str, namespaces: tuple[str, ...]) -> Iterator[Route]:
    for each in patterns:
        pattern = before + str(each.pattern)
        if isinstance(each, URLResolver):
            inside = (*namespaces, each.namespace) if each.namespace else namespaces
            yield from _routes(each.url_patterns, pattern, inside)
        else:
            yield _route(each, pattern, namespaces)


def _route(each: URLPattern, pattern: str, namespaces: tuple[str, ...]) -> Route:
    arguments = (*each.pattern.converters, *each.pattern.regex.groupindex)
    model_admin = getattr(each.callback, "model_admin", None)
    if isinstance(model_admin, ModelAdmin):
        opts = model_admin.opts
        view = (each.name or "redirect").removeprefix(f"{opts.app_label}_{opts.model_name}_")
        key = f"admin:model:{view}"
    else:
        key = ":".join((*namespaces, each.name or "unnamed"))
    return Route(key, pattern, tuple(dict.fromkeys(arguments)), model_admin)
