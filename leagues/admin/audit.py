"""The audit log."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy

from leagues.models import AuditEntry, Role
from leagues.tenancy.admin import LeagueScopedAdmin, in_zone
from leagues.tenancy.admin.history import act, differences


@admin.register(AuditEntry)
class AuditEntryAdmin(LeagueScopedAdmin):
    """Who did what. Nobody edits it."""

    role_needed = {"view": Role.SCORER}
    fields = ["league", "time", "by_name", "act", "object_name", "changes"]
    list_display = ["time", "act", "object_name", "by_name", "league"]
    list_filter = ["league", "action"]
    list_select_related = ["by"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["object_name", "by__username"]
    date_hierarchy = "at"

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[AuditEntry], bool]:
        return (queryset.about(search_term) if search_term else queryset), False

    @admin.display(description=gettext_lazy("time"), ordering="pk")
    def time(self, entry: AuditEntry) -> str:
        return in_zone(entry.at, entry.league)

    @admin.display(description=gettext_lazy("by"), ordering="by__username")
    def by_name(self, entry: AuditEntry) -> str:
        return entry.by.get_username() if entry.by else "–"

    @admin.display(description=gettext_lazy("action"), ordering="action")
    def act(self, entry: AuditEntry) -> str:
        return act(entry)

    @admin.display(description=gettext_lazy("changes"))
    def changes(self, entry: AuditEntry) -> str:
        return format_html_join("", "<p>{}: {} → {}</p>", differences(entry))
