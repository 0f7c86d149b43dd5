"""Games with their sides."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ActionForm
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.forms.admin import GameAdminForm, SideAdminForm, SideFormSet
from leagues.models import Game, Player, Role, Season, Side, SideMember
from leagues.names import fold
from leagues.services import correct_game, delete_games, record_game, restore_game, shift_games, void_game
from leagues.services.game_checks import SIDES_MAX
from leagues.tenancy.admin import LeagueScopedAdmin, LeagueTabularInline, RowsField, YesNoFilter, in_zone
from leagues.tenancy.reach import OrganizerRequest, reach_of

SIDES_SHOWN = 6


class SideInline(LeagueTabularInline):
    """One row a side. Saving a game writes all its sides anew, so a row has no life of its own."""

    model = Side
    form = SideAdminForm
    formset = SideFormSet
    fields = ["position", "members", "points"]
    role_needed = {
        "view": Role.SCORER,
        "add": Role.SCORER,
        "change": Role.SCORER,
        "delete": Role.SCORER,
    }
    autocomplete_elsewhere = [(SideMember, ["player"])]
    max_num = SIDES_MAX
    verbose_name_plural = gettext_lazy("sides, in order of position")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Side]:
        return super().get_queryset(request).prefetch_related("members__player")

    def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
        return 1 if obj else 4

    def members(self, side: Side) -> str:
        return " + ".join(member.player.name for member in side.members.all())

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        # Django would show a thousand rows more than are allowed before it refuses them.
        formset = super().get_formset(request, obj, absolute_max=SIDES_MAX + 1, **kwargs)
        formset.form = type("SideForm", (formset.form,), {"members": self._members_field(request)})
        return formset

    def _members_field(self, request: HttpRequest) -> RowsField:
        seat = SideMember._meta.get_field("player")
        widget = RelatedFieldWidgetWrapper(
            self.autocomplete_widget(seat, request, multiple=True),
            seat.remote_field,
            self.admin_site,
            can_add_related=self.admin_site.get_model_admin(Player).has_add_permission(request),
        )
        return RowsField(
            self.rows_to_choose(Player, request), widget=widget, label=capfirst(gettext_lazy("members"))
        )


class GameActionForm(ActionForm):
    reason = forms.CharField(
        label=gettext_lazy("Reason, for voiding:"),
        required=False,
        widget=forms.TextInput(attrs={"size": 30, "maxlength": 200}),
    )


@admin.register(Game)
class GameAdmin(LeagueScopedAdmin):
    form = GameAdminForm
    role_needed = dict.fromkeys(("view", "add", "change", "delete"), Role.SCORER)
    inlines = [SideInline]
    action_form = GameActionForm
    actions = ["void", "restore", "earlier", "later"]
    list_display = ["played", "order", "result", "season", "note", "voided"]
    list_filter = ["season", "kind", ("voided_at", YesNoFilter)]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["seats__player__name"]
    date_hierarchy = "played_at"
    ordering = ["-played_at", "-order", "-pk"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).with_sides()

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[Game], bool]:
        if not search_term:
            return queryset, False
        seats = SideMember.objects.filter(game=OuterRef("pk"), player__search__contains=fold(search_term))
        return queryset.filter(Exists(seats)), False

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        names = ["season", "played_at", "kind", "note"]
        return [*names, "voided", "void_reason"] if obj and obj.is_voided else names

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [*super().get_readonly_fields(request, obj), "voided", "void_reason"]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        initial = super().get_changeform_initial_data(request)
        if "season" not in initial:
            seasons = list(reach_of(request).narrow(Season.objects.open())[:2])
            if len(seasons) == 1:
                initial["season"] = seasons[0].pk
        return initial

    @admin.display(description=gettext_lazy("played at"), ordering="played_at")
    def played(self, game: Game) -> str:
        return in_zone(game.played_at, game.season.league)

    @admin.display(description=gettext_lazy("sides and points"))
    def result(self, game: Game) -> str:
        sides = list(game.sides.all())
        shown = format_html_join(
            " – ",
            "{} <b>{}</b>",
            (
                (
                    " + ".join(member.player.name for member in side.members.all()),
                    _("bye") if game.is_bye else side.points,
                )
                for side in sides[:SIDES_SHOWN]
            ),
        )
        return shown if len(sides) <= SIDES_SHOWN else format_html("{} … ({})", shown, len(sides))

    @admin.display(description=gettext_lazy("voided"), ordering="voided_at")
    def voided(self, game: Game) -> str:
        return in_zone(game.voided_at, game.season.league) if game.is_voided else "–"

    @admin.action(description=gettext_lazy("Void selected games"), permissions=["change"])
    @transaction.atomic
    def void(self, request: OrganizerRequest, queryset: Any) -> None:
        games = self.permitted(request, "change", queryset.filter(voided_at=None))
        for game in games:
            void_game(game=game, reason=request.POST.get("reason", ""), by=request.user)
        self.say_done(request, len(games))

    @admin.action(description=gettext_lazy("Restore selected games"), permissions=["change"])
    @transaction.atomic
    def restore(self, request: OrganizerRequest, queryset: Any) -> None:
        games = self.permitted(request, "change", queryset.exclude(voided_at=None))
        for game in games:
            restore_game(game=game, by=request.user)
        self.say_done(request, len(games))

    @admin.action(
        description=gettext_lazy("Rate earlier among games of the same time"), permissions=["change"]
    )
    def earlier(self, request: OrganizerRequest, queryset: Any) -> None:
        self._shift(request, queryset, earlier=True)

    @admin.action(description=gettext_lazy("Rate later among games of the same time"), permissions=["change"])
    def later(self, request: OrganizerRequest, queryset: Any) -> None:
        self._shift(request, queryset, earlier=False)

    def _shift(self, request: OrganizerRequest, queryset: Any, *, earlier: bool) -> None:
        games = self.permitted(request, "change", queryset)
        shift_games(games=games, earlier=earlier, by=request.user)
        self.say_done(request, len(games))

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> Game:
        values = form.cleaned_data
        return record_game(
            season=values["season"],
            played_at=values["played_at"],
            sides=formsets[0].played_sides(),
            note=values["note"],
            kind=values["kind"] or Game.Kind.PLAYED,
            by=request.user,
        )

    def change_row(self, request: OrganizerRequest, stored: Any, form: Any, formsets: list[Any]) -> Game:
        if not form.has_changed() and not formsets[0].has_changed():
            return stored
        return correct_game(
            game=stored,
            played_at=form.cleaned_data["played_at"],
            sides=formsets[0].played_sides(),
            note=form.cleaned_data["note"],
            kind=form.cleaned_data["kind"] or None,
            by=request.user,
        )

    def delete_rows(self, request: OrganizerRequest, rows: list[Game]) -> None:
        delete_games(games=rows, by=request.user)
