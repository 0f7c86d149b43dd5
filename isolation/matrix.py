"""What is asked at each route. A route without a row here is a finding: somebody has to think about it.

A row names the parameters that an address reads beside its path. Forms need none: the walk reads them
off the pages. ``path`` arguments are filled by name: with what is called so in league B, and, where there are
several, with all mixtures of both leagues.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any
from urllib.parse import urlencode

from django.contrib.admin import site
from django.contrib.contenttypes.models import ContentType
from django.urls import reverse

from isolation.routes import Route
from isolation.world import CANARY, PART_OF_IT, Side, World

NOBODY = "nobody-at-all"
# Pages of ladder seasons: others have none.
OF_LADDERS = {"ratings:ladder", "ratings:challenge-issue", "ratings:ladder-rest", "ratings:challenge"}
OF_LADDERS |= {"ratings:leaderboard-file", "ratings:leaderboard-workbook", "api:draw", "api:battle-result"}


@dataclass(frozen=True)
class Row:
    """``reads`` are the parameters of the address that are tried, each alone and all at once."""

    reads: tuple[str, ...] = ()


ROWS = ("player", "season", "game", "league", "q")
TABLE = (*ROWS, "sort", "page", "show")

MATRIX: Mapping[str, Row] = {
    "leagues:directory": Row(("q", "league")),
    "leagues:log": Row(("q", "action", "object", "by", "from", "page", *ROWS)),
    "leagues:undo": Row(),
    "leagues:look": Row(("league",)),
    "leagues:league-update": Row(("league",)),
    "leagues:logo": Row(("league", "v")),
    "leagues:icon": Row(("league", "v")),
    "leagues:initial": Row(("league",)),
    "leagues:player-account": Row(),
    "leagues:player-update": Row(),
    "leagues:entry": Row(ROWS),
    "leagues:roster": Row(("season",)),
    "leagues:team-create": Row(),
    "leagues:team-update": Row(),
    "leagues:inactive-players": Row(("q", "page", "league")),
    "leagues:player-privacy": Row(),
    "leagues:league-create": Row(("league", "slug")),
    "leagues:invitation": Row(),
    "leagues:organizer-list": Row(("user",)),
    "leagues:organizer-update": Row(("user",)),
    "leagues:invitation-revoke": Row(),
    "leagues:api-token-list": Row(("user",)),
    "leagues:api-token-revoke": Row(),
    "leagues:game-create": Row((*ROWS, "line")),
    "leagues:digest": Row(("user",)),
    "leagues:unsubscribe": Row(),
    "leagues:webhook-list": Row(("user",)),
    "leagues:webhook-update": Row(),
    "leagues:report-list": Row(ROWS),
    "leagues:report-answer": Row(),
    "leagues:game-update": Row(ROWS),
    "leagues:game-order": Row(ROWS),
    "leagues:game-void": Row(),
    "leagues:game-delete": Row(),
    "leagues:player-search": Row(("q", "league", "season")),
    "leagues:import": Row(("season", "league", "token")),
    "leagues:import-run": Row(("token",)),
    "leagues:import-check": Row(("token",)),
    "ratings:sitemap": Row(("league", "p")),
    "ratings:robots": Row(("league",)),
    "ratings:embed": Row((*TABLE, "columns", "rows", "theme", "lang")),
    "ratings:league-sitemap": Row((*ROWS, "p")),
    "ratings:league-robots": Row(("league",)),
    "ratings:league-feed": Row((*ROWS, "lang")),
    "ratings:games-feed": Row((*ROWS, "lang")),
    "ratings:league-calendar": Row((*ROWS, "lang")),
    "ratings:calendar": Row((*ROWS, "lang")),
    "ratings:player-badge": Row((*ROWS, "lang")),
    "ratings:league-home": Row(("season", "league")),
    "ratings:player-list": Row(TABLE),
    "ratings:players-file": Row(TABLE),
    "ratings:players-workbook": Row(TABLE),
    "ratings:team-list": Row(TABLE),
    "ratings:teams-file": Row(TABLE),
    "ratings:teams-workbook": Row(TABLE),
    "ratings:team": Row((*ROWS, "page")),
    "ratings:box": Row(),
    "ratings:box-file": Row(),
    "ratings:player-merge": Row(("keep", "gone", "undo")),
    "ratings:player-career": Row((*ROWS, "by")),
    "ratings:player-data": Row(),
    "ratings:season-update": Row(ROWS),
    "ratings:rules-update": Row(ROWS),
    "ratings:season-close": Row(ROWS),
    "ratings:season-create": Row(("like", "league", "season")),
    "ratings:standings": Row((*TABLE, "on")),
    "ratings:standings-file": Row((*TABLE, "on")),
    "ratings:standings-workbook": Row((*TABLE, "on")),
    "ratings:game-list": Row((*TABLE, "from", "to", "against")),
    "ratings:games-file": Row((*TABLE, "from", "to")),
    "ratings:games-workbook": Row((*TABLE, "from", "to")),
    "ratings:changes-file": Row(ROWS),
    "ratings:changes-workbook": Row(ROWS),
    "ratings:game-detail": Row(ROWS),
    "ratings:edit-preview": Row((*ROWS, "act")),
    "ratings:game-preview": Row(),
    "ratings:corrections": Row((*ROWS, "page")),
    "ratings:corrections-file": Row(ROWS),
    "ratings:corrections-workbook": Row(ROWS),
    "ratings:adjustments": Row((*ROWS, "page")),
    "ratings:adjustments-file": Row(ROWS),
    "ratings:adjustments-workbook": Row(ROWS),
    "ratings:adjustment-create": Row(ROWS),
    "ratings:adjustment-cancel": Row(),
    "ratings:player-season": Row((*ROWS, "by", "opponent")),
    "ratings:player-games-file": Row((*ROWS, "opponent")),
    "ratings:player-games-workbook": Row((*ROWS, "opponent")),
    "ratings:charts": Row(ROWS),
    "ratings:matrix": Row((*ROWS, "page", "columns")),
    "ratings:matrix-file": Row(ROWS),
    "ratings:matrix-workbook": Row(ROWS),
    "ratings:replay-progress": Row(("season",)),
    "ratings:prizes": Row(ROWS),
    "ratings:prize-create": Row(ROWS),
    "ratings:prize-update": Row(),
    "ratings:prizes-file": Row(ROWS),
    "ratings:prizes-workbook": Row(ROWS),
    "ratings:rules": Row(ROWS),
    "ratings:ladder": Row((*ROWS, "page")),
    "ratings:leaderboard-file": Row(ROWS),
    "ratings:leaderboard-workbook": Row(ROWS),
    "ratings:challenge-issue": Row(),
    "ratings:ladder-rest": Row(),
    "ratings:challenge": Row(),
    "ratings:calculator": Row((*ROWS, "side1", "side2")),
    "ratings:calculator-players": Row(("q", "league", "season")),
    "api:openapi-json": Row(),
    "api:openapi-view": Row(),
    "api:api-root": Row(),
    "api:leagues": Row(("league", "q", "expand", "ordering")),
    "api:league": Row(("league", "expand")),
    "api:seasons": Row(("league", "season", "expand")),
    "api:season": Row(("league", "season", "expand")),
    "api:standings": Row(("league", "season", "player", "classified")),
    "api:prizes": Row(("league", "season", "player")),
    "api:games": Row(("league", "season", "player", "search", "ordering", "expand")),
    "api:game": Row(("league", "season", "player", "expand")),
    "api:game-void": Row(),
    "api:game-restore": Row(),
    "api:changes": Row(("league", "season", "player", "game", "search")),
    "api:adjustments": Row(("league", "season", "player")),
    "api:players": Row(("league", "season", "player", "search", "ordering")),
    "api:player": Row(("league", "season", "player", "expand")),
    "api:draw": Row(("league", "season", "player")),
    "api:battle-result": Row(("league", "season", "player")),
    "accounts:login": Row(("next",)),
    "accounts:logout": Row(("next",)),
    "accounts:password_change": Row(("user",)),
    "accounts:password_change_done": Row(),
    "accounts:password_reset": Row(("user", "email")),
    "accounts:password_reset_done": Row(),
    "accounts:password_reset_confirm": Row(),
    "accounts:password_reset_complete": Row(),
    "set_language": Row(("next",)),
    "healthz": Row(),
    "admin:index": Row(("league",)),
    "admin:login": Row(("next",)),
    "admin:logout": Row(("next",)),
    "admin:password_change": Row(("user",)),
    "admin:password_change_done": Row(),
    "admin:autocomplete": Row(),  # see _suggestions
    "admin:jsi18n": Row(),
    "admin:view_on_site": Row(),
    "admin:app_list": Row(("league",)),
    "admin:unnamed": Row(),  # whatever else is below the admin
    "admin:auth_user_password_change": Row(),
    "admin:model:changelist": Row(),  # see _lists
    "admin:model:add": Row(("league", "season", "player", "members", "game", "_popup", "_to_field")),
    "admin:model:change": Row(("_popup", "_to_field", "_changelist_filters")),
    "admin:model:delete": Row(("_popup", "_to_field")),
    "admin:model:history": Row(),
    "admin:model:redirect": Row(),
}


@dataclass(frozen=True)
class Address:
    """An address to ask, and whose it is.

    ``of_a`` is set where it is about league A alone, so that who may see both leagues sees one there.
    ``is_foreign`` is set where it names rows of B in its path: to others there is nothing.
    """

    url: str
    route: Route
    of_a: bool = False
    is_foreign: bool = False


def rowless(routes: list[Route]) -> list[str]:
    """The routes that the matrix knows nothing of."""
    return sorted({route.key for route in routes if route.key not in MATRIX})


def addresses(route: Route, world: World) -> Iterator[Address]:
    """Everything that is asked at a route: with the ids of B in its path, and in each parameter."""
    for path, of_a, is_foreign in _paths(route, world):
        yield Address(path, route, of_a, is_foreign)
        if is_foreign:
            continue
        for query in _queries(route, world):
            yield Address(f"{path}?{query}", route, of_a)


def _paths(route: Route, world: World) -> Iterator[tuple[str, bool, bool]]:
    """The paths of a route, whether each is of league A, and whether it names rows of B."""
    if route.arguments:
        choices = [_values(route, name, world) for name in route.arguments]
        for chosen in product(*choices):
            owners = [owner for owner, _value in chosen]
            values = dict(zip(route.arguments, (value for _owner, value in chosen), strict=True))
            yield _fill(route.pattern, values), owners[0] == "a", "b" in owners
    else:
        yield _fill(route.pattern, {}), False, False


def _values(route: Route, name: str, world: World) -> list[tuple[str, Any]]:
    """What an argument of a path is filled with, and whose that is."""
    if name == "object_id" and route.model_admin is not None:
        kind = route.model_admin.opts.model_name
        return [("a", pk) for pk in _some(world.a, kind)[:1]] + [("b", pk) for pk in _some(world.b, kind)]
    if name == "content_type_id":
        return [("", each.pk) for each in ContentType.objects.filter(app_label__in=("leagues", "ratings"))]
    if name == "season" and route.key in OF_LADDERS:
        name = "ladder"
    given: dict[str, list[tuple[str, Any]]] = {
        "object_id": [("b", world.b.season.pk), ("a", world.a.season.pk)],
        "id": [("b", world.b.owner.pk)],
        "app_label": [("", "leagues"), ("", "ratings"), ("", "auth")],
        "url": [("", f"{CANARY}/")],
        "token": [
            ("", NOBODY)
        ],  # who holds a link may follow it; that it leads nowhere else is tested by itself
        "letter": [("", NOBODY)],
        "uidb64": [("", NOBODY)],
    }
    if name in given:
        return given[name]
    return [(who, value) for who, side in (("a", world.a), ("b", world.b)) for value in side.values(name)[:1]]


def _some(side: Side, kind: str) -> list[int]:
    return side.ids.get(kind, [side.owner.pk])[:2]


def _fill(pattern: str, values: Mapping[str, Any]) -> str:
    """A pattern as an address: ``<slug:league>/`` with ``{"league": "apes"}`` is ``/apes/``."""
    path = pattern
    for name, value in values.items():
        for start, end in (("<", ">"), ("(?P<", ")")):
            before, found, rest = path.partition(f":{name}>" if start == "<" else f"(?P<{name}>")
            if found and start == "<":
                path = before[: before.rindex("<")] + str(value) + rest
            elif found:
                path = before + str(value) + rest[rest.index(end) + 1 :]
        path = path.replace(f"<{name}>", str(value))
    return "/" + path.replace("^", "").replace("$", "")


def _queries(route: Route, world: World) -> Iterator[str]:
    if route.key == "admin:autocomplete":
        yield from _suggestions(world)
        return
    if route.key == "admin:model:changelist":
        yield from _lists(route.model_admin, world)
        return
    each = {name: _parameters(name, world.b) for name in MATRIX[route.key].reads}
    for name, values in each.items():
        # What the forms of the admin are given at first is one thing: all at once.
        for value in values if route.model_admin is None or name.startswith("_") else ():
            yield urlencode({name: value})
    if each:
        yield urlencode({name: values[0] for name, values in each.items()})


def _parameters(name: str, side: Side) -> list[str]:
    known = {
        "q": [PART_OF_IT],
        "search": [PART_OF_IT],
        "line": [PART_OF_IT],
        "against": [PART_OF_IT],
        "object": [f"player-{side.ids['player'][0]}", f"season-{side.season.pk}"],
        "next": [f"/{side.league.slug}/"],
        "_popup": ["1"],
        "_to_field": ["id", "league"],
        "_changelist_filters": [f"league__id__exact={side.league.pk}"],
        "members": [str(side.ids["player"][0])],
        "opponent": [side.slugs["player"]],
        "side1": [side.slugs["player"]],
        "side2": [side.slugs["player"]],
        "like": [side.slugs["season"]],
        "keep": [side.slugs["player"]],
        "gone": [side.slugs["player"]],
        "undo": [side.slugs["player"]],
        "by": [str(side.owner.pk), "date"],
        "user": [str(side.owner.pk)],
        "email": [side.owner.email],
        "expand": ["league,season,player"],
        "ordering": ["-league__name"],
        "sort": ["player__league__name", "name"],
        "page": ["2"],
        "p": ["1"],
        "v": [side.league.logo],
        "columns": ["2", "player,player__league__name"],
        "rows": ["3"],
        "theme": ["dark"],
        "lang": ["tr"],
        "from": ["2026-01-01"],
        "to": ["2026-12-31"],
        "on": ["2026-06-01"],
        "show": ["classified"],
        "classified": ["true"],
        "act": ["delete", "restore"],
        "action": ["create_player"],
        "slug": [side.league.slug],
        "token": [side.slugs["upload"]],
    }
    return known.get(name) or [*map(str, side.values(name)), str(side.ids[name][0])]


def _suggestions(world: World) -> Iterator[str]:
    """Of each field that suggests rows: all, those like the canary, those of league B, the second page."""
    for app, model, name in site.autocompletes():  # type: ignore[attr-defined]
        asked = {"app_label": app, "model_name": model, "field_name": name}
        for more in ({"term": ""}, {"term": PART_OF_IT}, {"term": "", "league": world.b.league.pk}):
            yield urlencode(asked | more)
        yield urlencode(asked | {"term": "", "page": 2})


def _lists(model_admin: Any, world: World) -> Iterator[str]:
    """Of a list in the admin: search, filters, facets, orders, the popup and the date hierarchy."""
    yield f"q={PART_OF_IT}"
    yield "_facets=True"
    yield "_popup=1&_to_field=id"
    yield "all="
    yield "o=2.-1"
    yield "p=2"
    for each in getattr(model_admin, "list_filter", ()):
        name = each if isinstance(each, str) else each[0]
        kind = name.rpartition("__")[2]
        pk = world.b.ids.get(kind, [world.b.league.pk])[0]
        yield f"{name}__id__exact={pk}"
        yield f"{name}__exact={pk}"
    for path in ("season__league__name", "league__name", "season__name", "player__name", "by__username"):
        yield f"{path}__startswith=z"
    if model_admin.date_hierarchy:
        yield f"{model_admin.date_hierarchy}__year=2026"


def admin_actions(world: World) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every action of every list in the admin on rows of B: as chosen, with all pages, and confirmed."""
    for model, model_admin in site._registry.items():
        opts = model._meta
        ids = world.b.ids.get(str(opts.model_name), [world.b.owner.pk])
        address = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
        for action in ("delete_selected", *(model_admin.actions or ())):
            chosen = {"action": action, "_selected_action": ids, "index": "0"}
            for more in ({"select_across": "0"}, {"select_across": "1"}, {"post": "yes"}):
                yield address, chosen | more
