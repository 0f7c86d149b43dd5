"""The base of admins of what is no league's."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from leagues.tenancy.reach import reach_of


class SuperuserAdmin(ModelAdmin):
    """Only superusers reach it."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return reach_of(request).everywhere

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return reach_of(request).everywhere

    def has_add_permission(self, request: HttpRequest) -> bool:
        return reach_of(request).everywhere

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return reach_of(request).everywhere

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return reach_of(request).everywhere

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        # Django looks for the row first, and so tells others which ids there are.
        if not self.has_view_permission(request):
            raise PermissionDenied
        return super().history_view(request, object_id, extra_context)
