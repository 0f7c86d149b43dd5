"""Rows whose parts belong to different leagues: services never write one, SQL can."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from django.apps import apps
from django.db.models import F, Q

from leagues.models import League


def mixed_rows(league: League) -> Iterator[str]:
    """Every row that belongs to this league by one of its parts, and to another by another one.

    The models and their parts are found by looking, links of many to many too. A query for each two parts.
    """
    for model in apps.get_models(include_auto_created=True):
        for (name, path), (other_name, other_path) in pairwise(_ways_to_league(model).items()):
            rows = model._base_manager.filter(**{f"{path}__isnull": False, f"{other_path}__isnull": False})
            rows = rows.filter(Q(**{path: league.pk}) | Q(**{other_path: league.pk}))
            rows = rows.exclude(**{path: F(other_path)}).order_by("pk")
            for pk, one, other in rows.values_list("pk", path, other_path):
                what = f"{model._meta.verbose_name} {pk}"
                yield f"{what}: {name} is of league {one}, {other_name} of league {other}"


def _ways_to_league(model: Any) -> dict[str, str]:
    """The look-ups that lead from a row to a league: its own, and that of each row it points to."""
    ways = {"the row": model.league_path} if hasattr(model, "league_path") else {}
    for field in model._meta.concrete_fields:
        path = getattr(field.related_model, "league_path", None)
        if path is not None:
            ways[field.name] = field.name if path == "pk" else f"{field.name}__{path}"
    return ways
