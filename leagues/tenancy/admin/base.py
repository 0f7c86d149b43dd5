"""The bases of every admin: what a row's league decides, decided once.

From a model's ``league_path`` follow its rows, its choices, its filters, its history and who may
do what. A subclass names the roles needed and the services that write:

    class TeamAdmin(LeagueScopedAdmin):
        role_needed = {"view": Role.SCORER, "add": Role.MANAGER, ...}

        def add_row(self, request, form, formsets): return create_team(...)
        def change_row(self, request, stored, form, formsets): return update_team(team=stored, ...)
        def delete_rows(self, request, rows): ...

Nothing here saves. Forms clean; when all are valid, ``add_row`` or ``change_row`` gets them and
calls services. A service that refuses raises ValidationError: the transaction is rolled back, and
the form is shown again with the refusal in it, each sentence at its field.
"""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin import ModelAdmin, RelatedOnlyFieldListFilter, StackedInline, TabularInline, helpers
from django.contrib.admin.options import BaseModelAdmin, IncorrectLookupParameters
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import BadRequest, FieldDoesNotExist, PermissionDenied, ValidationError
from django.db import models, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.models import AuditEntry, League, Role
from leagues.models.base import league_of
from leagues.names import fold
from leagues.services.holding import hold
from leagues.tenancy.admin.forms import (
    LeagueAutocomplete,
    LeagueAutocompleteMultiple,
    LeagueForm,
    RowsField,
    is_id,
)
from leagues.tenancy.admin.history import act, differences
from leagues.tenancy.reach import OrganizerRequest, reach_of
from leagues.tenancy.seen import SEEN, refuse_stale, seen_of

ACTS_SHOWN = 100


def _with_league(row: models.Model) -> str:
    return f"{row} ({league_of(row)})"


def _initials(form: Any, formsets: Sequence[Any]) -> list[Mapping[str, Any]]:
    """What a form and those of its inlines were filled with."""
    return [each.initial for each in (form, *(one for formset in formsets for one in formset.initial_forms))]


class LeagueScoped(BaseModelAdmin):
    """What an admin and an inline share: rows, choices and permissions, all by the league.

    ``role_needed`` names the least role for "view", "add", "change" and "delete"; what it does not
    name, nobody may do, superusers included.
    """

    model: Any
    role_needed: Mapping[str, Role] = {}

    def may(self, request: HttpRequest, act: str, obj: models.Model | None = None) -> bool:
        """Whether the user may do this with the object, or, without one, in any league at all."""
        role = self.role_needed.get(act)
        if role is None:
            return False
        reach = reach_of(request)
        return reach.anywhere(role) if obj is None else reach.covers(role, league_of(obj).pk)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request, "view", obj)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request, "add", obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request, "change", obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request, "delete", obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "view")

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = reach_of(request).narrow(super().get_queryset(request), self.role_needed["view"])
        path = self.model.league_path
        related = [*(getattr(self, "list_select_related", None) or ()), *([path] if path != "pk" else [])]
        return rows.select_related(*related) if related else rows

    def enter(self, request: HttpRequest, obj: models.Model | None) -> None:
        """Take the league of the form about to be made: its choices, and its time zone."""
        league = league_of(obj) if obj is not None else reach_of(request).only_league()
        request.form_league = league  # type: ignore[attr-defined]
        if league is not None:
            timezone.activate(league.zone)

    def rows_to_choose(self, model: Any, request: HttpRequest) -> Any:
        """The rows a form may point to: of the object's league, or of those the user may write in."""
        role = self.role_needed.get("change") or self.role_needed.get("add") or Role.OWNER
        rows = reach_of(request).narrow(model._default_manager.all(), role)
        if model.league_path != "pk":
            rows = rows.select_related(model.league_path)
        league = getattr(request, "form_league", None)
        return rows.in_league(league) if league else rows

    def autocomplete_widget(self, field: Any, request: HttpRequest, *, multiple: bool) -> Any:
        widget = (LeagueAutocompleteMultiple if multiple else LeagueAutocomplete)(field, self.admin_site)
        widget.league = getattr(request, "form_league", None)
        return widget

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        return self._scoped_formfield(
            super().formfield_for_foreignkey, db_field, request, kwargs, multiple=False
        )

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        kwargs["form_class"] = RowsField
        return self._scoped_formfield(
            super().formfield_for_manytomany, db_field, request, kwargs, multiple=True
        )

    def _scoped_formfield(
        self, make: Any, db_field: Any, request: HttpRequest, kwargs: dict[str, Any], *, multiple: bool
    ) -> Any:
        kwargs["queryset"] = self.rows_to_choose(db_field.remote_field.model, request)
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs["widget"] = self.autocomplete_widget(db_field, request, multiple=multiple)
        field = make(db_field, request, **kwargs)
        if db_field.remote_field.model is not League and getattr(request, "form_league", None) is None:
            field.label_from_instance = _with_league
        return field


class LeagueScopedInline(LeagueScoped):
    """The base of inlines; their permissions are asked with the parent row."""

    extra = 0

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        self.enter(request, obj)
        return super().get_formset(request, obj, **kwargs)  # type: ignore[misc]


class LeagueTabularInline(LeagueScopedInline, TabularInline):
    pass


class LeagueStackedInline(LeagueScopedInline, StackedInline):
    pass


class LeagueScopedAdmin(LeagueScoped, ModelAdmin):
    """The base of every admin of a league's rows. See the module."""

    form = LeagueForm
    actions_on_bottom = False
    list_max_show_all = 500
    dependents: Sequence[str] = ()  # related names of what is deleted with a row, counted before asking
    few_rows = False  # few enough to be searched by their names one by one, in any case and script
    object_history_template = "admin/league_history.html"

    # --- writing

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> models.Model:
        """Call the service that makes a row of these cleaned forms."""
        raise NotImplementedError

    def change_row(
        self, request: OrganizerRequest, stored: Any, form: Any, formsets: list[Any]
    ) -> models.Model:
        """Call the service that changes ``stored``, the row as it is in the database."""
        raise NotImplementedError

    def delete_rows(self, request: OrganizerRequest, rows: list[Any]) -> None:
        """Call the service that deletes these rows, in the transaction around."""
        raise NotImplementedError

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing yet: ``save_related`` has the rows of the inlines too."""

    def save_related(self, request: Any, form: Any, formsets: Any, change: bool) -> None:
        formsets = list(formsets)
        if change:
            refuse_stale(request.POST.get(SEEN), _initials(form, formsets))
            # The form's instance has the new values already; a service compares with the old ones.
            stored = self.model._base_manager.get(pk=form.instance.pk)
            saved = self.change_row(request, stored, form, formsets)
        else:
            saved = self.add_row(request, form, formsets)
        form.instance.__dict__.update(saved.__dict__)

    def delete_model(self, request: Any, obj: Any) -> None:
        self.delete_rows(request, [obj])

    @transaction.atomic
    def delete_queryset(self, request: Any, queryset: models.QuerySet) -> None:
        self.delete_rows(request, list(queryset))

    # The services have left their audit row, which knows its league.
    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        pass

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        pass

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        pass

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        return []

    # --- views

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except ValidationError as refused:
            # Rolled back by now. Once more: get_form puts the refusal into the form, which is thus invalid.
            request.refusal = refused  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, extra_context)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        obj: Any = super().get_object(request, object_id, from_field)
        if obj is None or SEEN not in request.POST:
            return obj
        # Of two who save at once the second is compared with what the first has saved.
        hold(obj)
        return super().get_object(request, object_id, from_field)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        self.enter(request, obj)
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        if kwargs.get("fields"):
            # Django keeps a form's own fields where the page does not show them.
            form.base_fields = {
                name: each for name, each in form.base_fields.items() if name in kwargs["fields"]
            }
        form.refusal = getattr(request, "refusal", None)
        return form

    def render_change_form(self, request: Any, context: Any, *args: Any, **kwargs: Any) -> Any:
        """Say in the form what it was filled with; shown again after an error, what it said then."""
        formsets = [inline.formset for inline in context["inline_admin_formsets"]]
        filled = seen_of(_initials(context["adminform"].form, formsets))
        context["seen"] = request.POST.get(SEEN) or filled
        return super().render_change_form(request, context, *args, **kwargs)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        for pk in request.POST.getlist(helpers.ACTION_CHECKBOX_NAME):
            if not is_id(pk):
                raise BadRequest(f"{pk[:20]!r} is no id.")
        self.enter(request, None)
        try:
            return super().changelist_view(request, extra_context)
        except ValidationError as refused:
            self.say(request, refused)
            return HttpResponseRedirect(request.get_full_path())

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        if not (self.few_rows and search_term):
            return super().get_search_results(request, queryset, search_term)
        wanted = fold(search_term)
        rows = queryset.order_by().values_list("pk", *self.search_fields)
        found = [pk for pk, *texts in rows if any(wanted in fold(text) for text in texts)]
        return queryset.filter(pk__in=found), False

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        try:
            return super().get_changelist_instance(request)
        except (ValueError, OverflowError) as error:  # the year after 9999
            raise IncorrectLookupParameters from error

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except ValidationError as refused:
            self.say(request, refused)
            name = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
            return HttpResponseRedirect(reverse(name, args=[quote(unquote(object_id))]))

    def say(self, request: HttpRequest, refused: ValidationError) -> None:
        """Tell the user why a service refused."""
        for sentence in refused.messages:
            self.message_user(request, sentence, messages.ERROR)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        # Django's: no form is sent here, and no transaction is open in which a row could be held.
        obj = super().get_object(request, unquote(object_id))
        if obj is None:
            raise Http404
        if not self.has_view_or_change_permission(request, obj):
            raise PermissionDenied
        self.enter(request, obj)
        entries = self.audit_of(obj).select_related("by")[:ACTS_SHOWN]
        context = {
            **self.admin_site.each_context(request),
            "title": _("History: %(object)s") % {"object": obj},
            "acts": [(entry, act(entry), differences(entry)) for entry in entries],
            "module_name": capfirst(str(self.opts.verbose_name_plural)),
            "object": obj,
            "opts": self.opts,
            **(extra_context or {}),
        }
        return TemplateResponse(request, self.object_history_template, context)

    def audit_of(self, obj: Any) -> models.QuerySet[AuditEntry]:
        """The acts on an object, latest first."""
        entries = AuditEntry.objects.in_league(league_of(obj))
        return entries.filter(object_type=self.opts.model_name, object_id=str(obj.pk))

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> Any:
        # A row of another league and one that never was are the same to the user.
        raise Http404

    # --- what is shown

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """As declared; what leads to the league cannot be changed once the row exists."""
        names = [*super().get_readonly_fields(request, obj)]
        owner = self.model.league_path.split("__")[0]
        return [*names, owner] if obj is not None and owner not in (*names, "pk") else names

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        initial: dict[str, Any] = dict(super().get_changeform_initial_data(request))
        league = reach_of(request).only_league()
        if league is not None and self.model.league_path == "league":
            initial.setdefault("league", league.pk)
        return initial

    def get_list_filter(self, request: HttpRequest) -> Any:
        """As declared; a filter by a relation lists what the user's own rows have."""
        return [
            (name, RelatedOnlyFieldListFilter) if isinstance(name, str) and self._is_relation(name) else name
            for name in super().get_list_filter(request)
        ]

    def _is_relation(self, path: str) -> bool:
        model: Any = self.model
        try:
            for step in path.split("__"):
                field = model._meta.get_field(step)
                model = field.related_model
        except (FieldDoesNotExist, AttributeError):
            return False
        return model is not None

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        return to_field in ("pk", self.opts.pk.name)

    def get_view_on_site_url(self, obj: Any = None) -> str | None:
        return cast("str", obj.get_absolute_url()) if hasattr(obj, "get_absolute_url") else None

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What to ask about: the rows, and how much goes with each. The service refuses, not Django."""
        objs = list(objs)
        asked: list[Any] = []
        for obj in objs:
            asked.append(f"{capfirst(str(self.opts.verbose_name))}: {obj}")
            counts = [(getattr(obj, name).count(), getattr(obj, name).model) for name in self.dependents]
            asked.append(
                [
                    f"{capfirst(str(model._meta.verbose_name_plural))}: {count}"
                    for count, model in counts
                    if count
                ]
            )
        lacking = {self.opts.verbose_name for obj in objs if not self.has_delete_permission(request, obj)}
        return asked, {self.opts.verbose_name_plural: len(objs)}, lacking, []

    def permitted(self, request: HttpRequest, act: str, rows: models.QuerySet) -> list[Any]:
        """The rows of an action. Raises PermissionDenied where the role does not allow it for one."""
        found = list(rows)
        if not all(self.may(request, act, row) for row in found):
            raise PermissionDenied
        return found

    def say_done(self, request: HttpRequest, count: int) -> None:
        """Tell the user how many rows an action changed."""
        sentence = ngettext("%(count)d row was changed.", "%(count)d rows were changed.", count)
        self.message_user(request, sentence % {"count": count}, messages.SUCCESS)
