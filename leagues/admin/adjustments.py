"""Adjustments of ratings, to be read; the season's own page makes and cancels them."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from leagues.formats import format_change
from leagues.models import Adjustment, Role
from leagues.tenancy.admin import LeagueScopedAdmin, YesNoFilter, in_zone


@admin.register(Adjustment)
class AdjustmentAdmin(LeagueScopedAdmin):
    role_needed = {"view": Role.SCORER}
    fields = ["season", "player", "points", "in_effect", "reason", "cancelled", "cancel_reason"]
    readonly_fields = ["points", "in_effect", "cancelled", "cancel_reason"]
    list_display = ["player", "season", "points", "in_effect", "reason", "cancelled"]
    list_filter = ["season", ("cancelled_at", YesNoFilter)]
    list_select_related = ["player"]

    @admin.display(description=gettext_lazy("adjustment"), ordering="change")
    def points(self, row: Adjustment) -> str:
        return format_change(row.change)

    @admin.display(description=gettext_lazy("in effect from"), ordering="at")
    def in_effect(self, row: Adjustment) -> str:
        return in_zone(row.at, row.season.league)

    @admin.display(description=gettext_lazy("cancelled"), ordering="cancelled_at")
    def cancelled(self, row: Adjustment) -> str:
        return in_zone(row.cancelled_at, row.season.league) if row.is_cancelled else "–"
