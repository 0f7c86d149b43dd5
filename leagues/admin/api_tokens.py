"""Tokens of the API: made, shown and revoked; what they were stays."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.forms.admin import ApiTokenAdminForm
from leagues.models import ApiToken, Role
from leagues.services import create_api_token, revoke_api_token
from leagues.tenancy.admin import LeagueScopedAdmin, in_zone
from leagues.tenancy.reach import OrganizerRequest

MADE = ("maker", "made", "last_used_on", "expires", "revoked")  # told of a token that is there


@admin.register(ApiToken)
class ApiTokenAdmin(LeagueScopedAdmin):
    role_needed = {"view": Role.OWNER, "add": Role.OWNER}
    form = ApiTokenAdminForm
    fields = ["league", "name", "scope", "days"]
    list_display = ["name", "league", "scope", "maker", "made", "last_used_on", "expires", "revoked"]
    list_filter = ["scope", "league"]
    list_select_related = ["created_by"]
    search_fields = ["name", "created_by__username"]
    actions = ["revoke"]

    @admin.display(description=gettext_lazy("made by"), ordering="created_by__username")
    def maker(self, token: ApiToken) -> str:
        return token.created_by.get_username()

    @admin.display(description=gettext_lazy("made"), ordering="created_at")
    def made(self, token: ApiToken) -> str:
        return in_zone(token.created_at, token.league)

    @admin.display(description=gettext_lazy("expires"), ordering="expires_at")
    def expires(self, token: ApiToken) -> str:
        return in_zone(token.expires_at, token.league) if token.expires_at else "–"

    @admin.display(description=gettext_lazy("revoked"), ordering="revoked_at")
    def revoked(self, token: ApiToken) -> str:
        return in_zone(token.revoked_at, token.league) if token.revoked_at else "–"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ["league", "name", "scope", *MADE] if obj else self.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [*super().get_readonly_fields(request, obj), *MADE]

    @admin.action(description=gettext_lazy("Revoke selected tokens"), permissions=["add"])
    @transaction.atomic
    def revoke(self, request: OrganizerRequest, queryset: Any) -> None:
        tokens = self.permitted(request, "add", queryset.filter(revoked_at=None))
        for token in tokens:
            revoke_api_token(token=token, by=request.user)
        self.say_done(request, len(tokens))

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> ApiToken:
        token, secret = create_api_token(by=request.user, **form.cleaned_data)
        # Kept by the browser until the next page, and nowhere else.
        sentence = _("The secret of “%(name)s” is shown only now; copy it: %(secret)s")
        self.message_user(request, sentence % {"name": token.name, "secret": secret}, messages.WARNING)
        return token
