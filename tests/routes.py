"""Every address of a league's pages, files and JSON, and of its rows in the admin, read from the URLconf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.test import Client
from django.urls import reverse

from isolation.walk import unpacked
from leagues.models import Game, Player, Season
from leagues.urls import urlpatterns as leagues_urls
from ratings.urls import urlpatterns as ratings_urls
from wsd_site.api import api

ONLY_POST = {"game-order", "game-preview", "challenge-issue", "ladder-rest"}
# There only where a league or season has one.
OF_SOME = {"logo", "icon", "box-file", "ladder", "leaderboard-file", "leaderboard-workbook"}


def pages(season: Season, player: Player, game: Game) -> Iterator[str]:
    """The addresses of both apps, filled in with these; those of organizers name no player."""
    values = {"league": season.league.slug, "season": season.slug, "player": player.slug, "game": game.pk}
    for app, patterns in (("leagues", leagues_urls), ("ratings", ratings_urls)):
        for pattern in patterns:
            if pattern.name not in ONLY_POST | OF_SOME and pattern.pattern.converters.keys() <= values.keys():
                kwargs = {name: values[name] for name in pattern.pattern.converters}
                yield reverse(f"{app}:{pattern.name}", kwargs=kwargs)


def api_addresses(season: Season, player: Player, game: Game) -> Iterator[str]:
    """The addresses of the JSON interface that can be read, filled in with these."""
    values = {"league": season.league.slug, "season": season.slug, "player": player.slug, "game": game.pk}
    for path, methods in api.get_openapi_schema()["paths"].items():
        if "get" in methods:
            yield path.format(**values)


def admin_addresses(rows: int = 3) -> Iterator[str]:
    """Of every model of a league: its list, and the page and the history of its first and last rows."""
    for model in admin.site._registry:
        if hasattr(model, "league_path"):
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
            yield reverse(f"{name}_changelist")
            stored = model._default_manager
            for row in {*stored.order_by("pk")[:rows], *stored.order_by("-pk")[:rows]}:
                yield reverse(f"{name}_change", args=[row.pk])
                yield reverse(f"{name}_history", args=[row.pk])


def answer(client: Client, address: str) -> tuple[Any, str]:
    """The answer to a GET and its text, of a workbook what is packed in it; redirects followed."""
    response: Any = client.get(address, follow=True)
    content = b"".join(response.streaming_content) if response.streaming else response.content
    return response, "".join(unpacked(content))
