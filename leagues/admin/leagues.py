"""Leagues and their organizers."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from leagues.forms.admin import LeagueAdminForm, OrganizerAdminForm
from leagues.models import League, Organizer, Role
from leagues.services import (
    add_organizer,
    change_role,
    create_league,
    delete_league,
    remove_organizer,
    update_league,
)
from leagues.services.leagues import LEAGUE_FIELDS
from leagues.tenancy.admin import LeagueScopedAdmin
from leagues.tenancy.reach import OrganizerRequest, reach_of


@admin.register(League)
class LeagueAdmin(LeagueScopedAdmin):
    form = LeagueAdminForm
    role_needed = {"view": Role.SCORER, "change": Role.OWNER}
    list_display = ["name", "slug", "visibility", "language", "timezone"]
    list_filter = ["visibility", "language"]
    search_fields = ["name", "slug"]
    few_rows = True
    dependents = ["seasons", "players", "teams"]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return reach_of(request).everywhere

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return reach_of(request).everywhere

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        names = [*LEAGUE_FIELDS, "pictures", "drop_logo"] if obj else [*LEAGUE_FIELDS, "owner"]
        if not reach_of(request).everywhere:
            names.remove("host")  # the operator's: it takes more than this site to lead a name here
        return names

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> League:
        return create_league(by=request.user, **form.cleaned_data)

    def change_row(self, request: OrganizerRequest, stored: Any, form: Any, formsets: list[Any]) -> League:
        return update_league(league=stored, by=request.user, **form.cleaned_data)

    def delete_rows(self, request: OrganizerRequest, rows: list[League]) -> None:
        for league in rows:
            delete_league(league=league, by=request.user)


@admin.register(Organizer)
class OrganizerAdmin(LeagueScopedAdmin):
    form = OrganizerAdminForm
    role_needed = {"view": Role.OWNER, "add": Role.OWNER, "change": Role.OWNER, "delete": Role.OWNER}
    list_display = ["name", "league", "role"]
    list_display_links = ["name"]
    list_filter = ["role", "league"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    few_rows = True

    @admin.display(description=gettext_lazy("user name"), ordering="user__username")
    def name(self, organizer: Organizer) -> str:
        return organizer.user.get_username()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ["league", "name", "role"] if obj else ["league", "account", "role"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [*super().get_readonly_fields(request, obj), "name"]

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> Organizer:
        values = form.cleaned_data
        return add_organizer(
            league=values["league"], user=values["account"], role=values["role"], by=request.user
        )

    def change_row(self, request: OrganizerRequest, stored: Any, form: Any, formsets: list[Any]) -> Organizer:
        if not form.has_changed():
            return stored
        return change_role(organizer=stored, role=form.cleaned_data["role"], by=request.user)

    def delete_rows(self, request: OrganizerRequest, rows: list[Organizer]) -> None:
        for organizer in rows:
            remove_organizer(organizer=organizer, by=request.user)
