"""The admin site: organizers enter, each to the own leagues."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.models import LogEntry
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.contrib.auth.forms import AuthenticationForm
from django.core.checks import CheckMessage
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import gettext_lazy as _

from leagues.models import AuditEntry
from leagues.models.base import league_of
from leagues.tenancy.admin.forms import is_id
from leagues.tenancy.admin.history import act, model_of
from leagues.tenancy.admin.sealed import check_sealed
from leagues.tenancy.reach import Reach, reach_of

RECENT = 10


class OrganizerAuthenticationForm(AuthenticationForm):
    """Signs in superusers and organizers; everybody else reads what a wrong password reads."""

    required_css_class = "required"

    def confirm_login_allowed(self, user: Any) -> None:
        super().confirm_login_allowed(user)
        if not Reach(user).anywhere():
            raise self.get_invalid_login_error()


class LeagueAutocompleteView(AutocompleteJsonView):
    """Suggestions for the fields that declare them, of the user's leagues only.

    ``?league=`` narrows them to one league; it never widens them.
    """

    admin_site: Any

    def process_request(self, request: HttpRequest) -> Any:
        asked = tuple(request.GET.get(name, "") for name in ("app_label", "model_name", "field_name"))
        if asked not in self.admin_site.autocompletes():
            raise PermissionDenied
        return super().process_request(request)

    def get_queryset(self) -> Any:
        rows: Any = super().get_queryset()
        self.league_id = self.request.GET.get("league", "")
        return rows.in_league(self.league_id) if is_id(self.league_id) else rows

    def serialize_result(self, obj: Model, to_field_name: str) -> dict[str, str]:
        result = super().serialize_result(obj, to_field_name)
        reach = reach_of(self.request)
        if not self.league_id and (reach.everywhere or len(reach.roles) > 1):
            result["text"] = f"{obj} ({league_of(obj)})"
        return result


class LeagueAdminSite(AdminSite):
    """The admin for superusers and for the organizers of any league, staff or not."""

    site_title = _("Leagues")
    site_header = _("League administration")
    index_title = _("What you organize")
    index_template = "admin/league_index.html"
    login_form = OrganizerAuthenticationForm

    def check(self, app_configs: Any) -> list[CheckMessage]:
        return [*super().check(app_configs), *check_sealed(self)]

    def has_permission(self, request: HttpRequest) -> bool:
        return reach_of(request).anywhere()

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        wrapped = super().admin_view(view, cacheable)

        def without_nul(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            # PostgreSQL takes no such text; forms say so, addresses must be asked.
            if any("\0" in value for values in dict(request.GET.lists()).values() for value in values):
                raise BadRequest("An address has no NUL in it.")
            return wrapped(request, *args, **kwargs)

        return without_nul

    def get_urls(self) -> list[Any]:
        return [
            # Django's redirect to any object's page would answer whether and where a foreign one is.
            path(
                "r/<path:content_type_id>/<path:object_id>/",
                self.admin_view(self.nowhere),
                name="view_on_site",
            ),
            *super().get_urls(),
        ]

    def nowhere(self, request: HttpRequest, **_kwargs: str) -> HttpResponse:
        raise Http404

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        return super().index(request, {"recent_acts": self.recent_acts(request), **(extra_context or {})})

    def recent_acts(self, request: HttpRequest) -> list[dict[str, Any]]:
        """What the user did last, in leagues that are still the user's."""
        entries = reach_of(request).narrow(AuditEntry.objects.filter(by=request.user.pk))
        return [
            {"entry": entry, "act": act(entry), "url": self._url_of(entry)}
            for entry in entries.select_related("league")[:RECENT]
        ]

    def _url_of(self, entry: AuditEntry) -> str:
        model = model_of(entry.object_type)
        if model is None or not self.is_registered(model) or entry.action.startswith(("delete_", "remove_")):
            return ""
        return reverse(
            f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[entry.object_id]
        )

    def get_log_entries(self, request: HttpRequest) -> QuerySet:
        return LogEntry.objects.none()

    def autocomplete_view(self, request: HttpRequest) -> Any:
        return LeagueAutocompleteView.as_view(admin_site=self)(request)

    def autocompletes(self) -> set[tuple[str, str, str]]:
        """Fields that suggest rows while one types, each as app, model and field."""
        return {
            (model._meta.app_label, model._meta.model_name, name)
            for admin in self._registry.values()
            for each in (admin, *admin.inlines)
            for model, names in (
                (each.model, each.autocomplete_fields),
                *getattr(each, "autocomplete_elsewhere", ()),
            )
            for name in names
        }
