"""Addresses: the words that cannot be one, because the site's own pages stand there, and those of before."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from django.conf import settings
from django.core.exceptions import ValidationError
from django.urls import URLResolver, get_resolver
from django.utils.translation import gettext as _

from leagues.models import FormerAddress, League, LeagueQuerySet, Player, Season

# Promised to pages that this site does not have yet, or has only at a league’s own host name.
KEPT_WORDS = {"api", "embed", "media", "players", "teams"}
LEAGUE_PAGES = "<slug:league>/"  # what the addresses of a league's pages begin with
SEASON_PAGES = "<slug:league>/<slug:season>/"


def reserved_words(under: str = "") -> set[str]:
    """The words of the site's own addresses, which cannot be a league's address.

    With ``under=LEAGUE_PAGES`` those of a league's pages too: neither can be a season's. With
    ``under=SEASON_PAGES`` those of a season's pages, which cannot be a player's.
    """
    return KEPT_WORDS | {settings.STATIC_URL.strip("/")} | _first_words(settings.ROOT_URLCONF, under)


def refuse_reserved(slug: str, words: Collection[str]) -> None:
    """Raise ValidationError where the address is one of the words (see ``reserved_words``)."""
    if slug in words:
        raise ValidationError(
            {"slug": _("“%(slug)s” is a word of the site itself; choose another address.") % {"slug": slug}}
        )


def taken_addresses() -> set[str]:
    """The addresses no new league can have: of leagues, of leagues before, and of the site itself."""
    before = FormerAddress.objects.filter(season=None, player=None)
    slugs = League.objects.order_by().values_list("slug", flat=True)
    return {*slugs.union(before.order_by().values_list("slug", flat=True))} | reserved_words()


def refuse_former(slug: str, *, league: League) -> None:
    """Raise ValidationError where the address was another league's: its old links must not lead here."""
    if _formers(slug).exclude(league=league.pk).exists():
        raise ValidationError({"slug": _("“%(slug)s” is taken; choose another address.") % {"slug": slug}})


def keep_former(slug: str, of: League | Season | Player) -> None:
    """Let the address that a row had until now lead to the one it has."""
    row = {} if isinstance(of, League) else {str(of._meta.model_name): of}
    league = of if isinstance(of, League) else of.league
    give_up_former(slug, of)
    give_up_former(of.slug, of)
    FormerAddress.objects.create(league=league, slug=slug, **row)


def give_up_former(slug: str, of: League | Season | Player) -> None:
    """Forget whose address it was: a row of its kind has it now."""
    if isinstance(of, League):
        _formers(slug).delete()
    else:
        kind = {f"{of._meta.model_name}__isnull": False}
        FormerAddress.objects.in_league(of.league).filter(slug=slug, **kind).delete()


def _formers(slug: str) -> LeagueQuerySet:
    """The league that had this address."""
    return FormerAddress.objects.filter(slug=slug, season=None, player=None)


@cache  # addresses do not change while the site runs, and every new row asks
def _first_words(urlconf: str, under: str) -> frozenset[str]:
    routes = _routes(get_resolver(urlconf).url_patterns)
    below = [
        route.removeprefix(start) for route in routes for start in {"", under} if route.startswith(start)
    ]
    words = {route.split("/")[0].split(".")[0] for route in below}
    return frozenset(word for word in words if word and not word.startswith("<"))


def _routes(patterns: list, prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern).lstrip("^")
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route
