"""Who is entered in a season."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from leagues.models import Entry, Role
from leagues.names import fold
from leagues.services import enter_player, reinstate_player, remove_entry, withdraw_player
from leagues.tenancy.admin import LeagueScopedAdmin, YesNoFilter, in_zone
from leagues.tenancy.reach import OrganizerRequest


@admin.register(Entry)
class EntryAdmin(LeagueScopedAdmin):
    """Withdrawing and taking that back are actions of the list."""

    role_needed = {"view": Role.SCORER, "add": Role.MANAGER, "delete": Role.MANAGER}
    autocomplete_fields = ["player"]
    list_display = ["player", "season", "entered", "withdrawn"]
    list_filter = ["season", ("withdrawn_at", YesNoFilter)]
    list_select_related = ["player"]
    search_fields = ["player__name"]
    actions = ["withdraw", "reinstate"]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ["season", "player", "entered", "withdrawn"] if obj else ["season", "player"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [*super().get_readonly_fields(request, obj), "entered", "withdrawn"]

    @admin.display(description=gettext_lazy("entered"), ordering="entered_at")
    def entered(self, entry: Entry) -> str:
        return in_zone(entry.entered_at, entry.season.league)

    @admin.display(description=gettext_lazy("withdrawn"), ordering="withdrawn_at")
    def withdrawn(self, entry: Entry) -> str:
        return in_zone(entry.withdrawn_at, entry.season.league)

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[Entry], bool]:
        return queryset.filter(player__search__contains=fold(search_term)), False

    @admin.action(description=gettext_lazy("Withdraw selected players"), permissions=["add"])
    @transaction.atomic
    def withdraw(self, request: OrganizerRequest, queryset: Any) -> None:
        entries = self.permitted(request, "add", queryset.filter(withdrawn_at=None))
        for entry in entries:
            withdraw_player(entry=entry, by=request.user)
        self.say_done(request, len(entries))

    @admin.action(description=gettext_lazy("Take withdrawals back"), permissions=["add"])
    @transaction.atomic
    def reinstate(self, request: OrganizerRequest, queryset: Any) -> None:
        entries = self.permitted(request, "add", queryset.exclude(withdrawn_at=None))
        for entry in entries:
            reinstate_player(entry=entry, by=request.user)
        self.say_done(request, len(entries))

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> Entry:
        values = form.cleaned_data
        return enter_player(season=values["season"], player=values["player"], by=request.user)

    def delete_rows(self, request: OrganizerRequest, rows: list[Entry]) -> None:
        for entry in rows:
            remove_entry(entry=entry, by=request.user)
