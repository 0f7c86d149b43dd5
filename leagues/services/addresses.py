"""Words that cannot be an address, because the site's own pages stand there."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.core.exceptions import ValidationError
from django.urls import URLResolver, get_resolver
from django.utils.translation import gettext as _

# Promised to pages that this site does not have yet, or has only at a league’s own host name.
KEPT_WORDS = {"api", "embed", "media", "players", "teams"}
LEAGUE_PAGES = "<slug:league>/"  # what the addresses of a league's pages begin with


def reserved_words(under: str = "") -> set[str]:
    """The words of the site's own addresses, which cannot be a league's address.

    With ``under=LEAGUE_PAGES`` those of a league's pages, which cannot be a season's.
    """
    routes = [
        route.removeprefix(under) for route in _routes(get_resolver().url_patterns) if route.startswith(under)
    ]
    words = {route.split("/")[0].split(".")[0] for route in routes}
    words |= KEPT_WORDS | {settings.STATIC_URL.strip("/")}
    return {word for word in words if word and not word.startswith("<")}


def refuse_reserved(slug: str, words: set[str]) -> None:
    """Raise ValidationError where the address is one of the words (see ``reserved_words``)."""
    if slug in words:
        raise ValidationError(
            {"slug": _("“%(slug)s” is a word of the site itself; choose another address.") % {"slug": slug}}
        )


def _routes(patterns: list, prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern).lstrip("^")
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route
