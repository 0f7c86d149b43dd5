"""Webhooks: shown and deleted. They are made on the league's own page, and their addresses are secrets."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy

from leagues.models import Role, Webhook
from leagues.services import delete_webhook
from leagues.tenancy.admin import LeagueScopedAdmin, in_zone
from leagues.tenancy.reach import OrganizerRequest


@admin.register(Webhook)
class WebhookAdmin(LeagueScopedAdmin):
    role_needed = {"view": Role.OWNER, "delete": Role.OWNER}
    fields = ["league", "kind", "host", "is_active", "failures", "error", "sent"]
    list_display = ["host", "league", "kind", "is_active", "failures", "sent"]
    list_filter = ["kind", "is_active", "league"]
    search_fields = ["host"]
    dependents = ["announcements"]

    @admin.display(description=gettext_lazy("last message"), ordering="sent_at")
    def sent(self, hook: Webhook) -> str:
        return in_zone(hook.sent_at, hook.league) if hook.sent_at else "–"

    def delete_rows(self, request: OrganizerRequest, rows: list[Any]) -> None:
        for hook in rows:
            delete_webhook(hook=hook, by=request.user)
