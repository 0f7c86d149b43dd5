"""The system check that refuses an admin which is not confined to the user's leagues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.admin import (
    AdminSite,
    BooleanFieldListFilter,
    ChoicesFieldListFilter,
    DateFieldListFilter,
    EmptyFieldListFilter,
    RelatedOnlyFieldListFilter,
)
from django.core.checks import CheckMessage, Error

from leagues.tenancy.admin.accounts import SuperuserAdmin
from leagues.tenancy.admin.base import LeagueScopedAdmin, LeagueScopedInline

# Both read rows past get_queryset: raw ids by the default manager, list_editable by forms of no league.
UNSCOPED_OPTIONS = ("raw_id_fields", "list_editable")
# The first lists relations of own rows, the others have the same choices everywhere.
CONFINED_FILTERS = (
    RelatedOnlyFieldListFilter,
    BooleanFieldListFilter,
    ChoicesFieldListFilter,
    DateFieldListFilter,
    EmptyFieldListFilter,
)


def check_sealed(site: AdminSite) -> list[CheckMessage]:
    """An error for every registered admin, and every inline, that could show a foreign row."""
    return [
        Error(problem, hint="See leagues/tenancy/admin/base.py.", obj=type(admin), id="leagues.E001")
        for admin in site._registry.values()
        if not isinstance(admin, SuperuserAdmin)
        for problem in (*_problems_of_admin(admin), *_problems_of_inlines(admin))
    ]


def _problems_of_admin(admin: Any) -> Iterator[str]:
    if not isinstance(admin, LeagueScopedAdmin):
        yield "The admin must stand on LeagueScopedAdmin, or on SuperuserAdmin."
        return
    for each in admin.list_filter:
        if not _is_confined(admin.model, each):
            yield f"The filter {each!r} could list values of every league."
    yield from _problems_of_options(admin)


def _problems_of_inlines(admin: Any) -> Iterator[str]:
    for inline in admin.inlines:
        if not issubclass(inline, LeagueScopedInline):
            yield f"The inline {inline.__name__} must stand on LeagueScopedInline."
        else:
            yield from _problems_of_options(inline)


def _problems_of_options(options: Any) -> Iterator[str]:
    if not hasattr(options.model, "league_path"):
        yield f"The model {options.model.__name__} names no league_path."
    if "view" not in options.role_needed:
        yield "role_needed must name the least role that may view."
    for option in UNSCOPED_OPTIONS:
        if getattr(options, option, ()):
            yield f"{option} is not confined to the user's leagues."


def _is_confined(model: Any, each: Any) -> bool:
    """Whether a filter lists what the user's own rows have, or what is the same in every league."""
    if isinstance(each, str):  # by get_list_filter
        return "__" not in each or _ends_in_relation(model, each)
    filter_class = each[1] if isinstance(each, tuple) else each
    return issubclass(filter_class, CONFINED_FILTERS)


def _ends_in_relation(model: Any, path: str) -> bool:
    field = None
    for step in path.split("__"):
        field = model._meta.get_field(step)
        model = field.related_model
    return bool(field and field.is_relation)
