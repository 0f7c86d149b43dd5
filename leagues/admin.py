"""Leagues, organizers, players, teams, entries, games and the audit log in the admin.

Seasons are registered by ratings, which knows their rules and prizes.
"""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ActionForm
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy

from leagues.forms.admin import (
    GameAdminForm,
    LeagueAdminForm,
    OrganizerAdminForm,
    SideAdminForm,
    SideFormSet,
)
from leagues.models import (
    AuditEntry,
    Entry,
    Game,
    League,
    Organizer,
    Player,
    PlayerAlias,
    Role,
    Season,
    Side,
    SideMember,
    Team,
)
from leagues.names import fold
from leagues.services import (
    add_alias,
    add_organizer,
    change_role,
    correct_game,
    create_league,
    create_player,
    create_team,
    delete_games,
    delete_league,
    delete_player,
    delete_team,
    enter_player,
    record_game,
    reinstate_player,
    remove_alias,
    remove_entry,
    remove_organizer,
    restore_game,
    update_league,
    update_player,
    update_team,
    void_game,
    withdraw_player,
)
from leagues.tenancy.admin import LeagueScopedAdmin, LeagueTabularInline, RowsField, SuperuserAdmin, in_zone
from leagues.tenancy.admin.history import act, differences
from leagues.tenancy.reach import OrganizerRequest, reach_of

SCORERS = {"view": Role.SCORER}
MANAGERS = {"view": Role.SCORER, "add": Role.MANAGER, "change": Role.MANAGER, "delete": Role.MANAGER}
OWNERS = {"view": Role.OWNER, "add": Role.OWNER, "change": Role.OWNER, "delete": Role.OWNER}
SIDES_SHOWN = 6


class UsersAdmin(SuperuserAdmin, UserAdmin):
    """Accounts. One who organizes a league is deactivated, not deleted: a league needs its owner."""

    actions = None

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_free = obj is None or not Organizer.objects.filter(user=obj).exists()
        return super().has_delete_permission(request, obj) and is_free


class GroupsAdmin(SuperuserAdmin, GroupAdmin):
    pass


admin.site.unregister([User, Group])
admin.site.register(User, UsersAdmin)
admin.site.register(Group, GroupsAdmin)


class YesNoFilter(admin.EmptyFieldListFilter):
    """Whether there is a time at which something was withdrawn or voided."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        names = (gettext("All"), gettext("no"), gettext("yes"))
        for name, choice in zip(names, super().choices(changelist), strict=True):
            yield {**choice, "display": name}


@admin.register(League)
class LeagueAdmin(LeagueScopedAdmin):
    form = LeagueAdminForm
    role_needed = {"view": Role.SCORER, "change": Role.OWNER}
    list_display = ["name", "slug", "visibility", "language", "timezone"]
    list_filter = ["visibility", "language"]
    search_fields = ["name", "slug"]
    dependents = ["seasons", "players", "teams"]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return reach_of(request).everywhere

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return reach_of(request).everywhere

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        names = ["name", "slug", "about", "language", "timezone", "accent_hue", "visibility"]
        return names if obj else [*names, "owner"]

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
    role_needed = OWNERS
    list_display = ["name", "league", "role"]
    list_display_links = ["name"]
    list_filter = ["role", "league"]
    list_select_related = ["user"]
    search_fields = ["user__username"]

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


class PlayerAliasInline(LeagueTabularInline):
    model = PlayerAlias
    fields = ["name"]
    role_needed = {"view": Role.SCORER, "add": Role.MANAGER, "delete": Role.MANAGER}
    max_num = 50


@admin.register(Player)
class PlayerAdmin(LeagueScopedAdmin):
    role_needed = MANAGERS
    fields = ["league", "name", "birth_year"]
    inlines = [PlayerAliasInline]
    list_display = ["name", "slug", "birth_year", "league"]
    list_filter = ["league"]
    search_fields = ["name"]
    search_help_text = gettext_lazy("part of a name, in any script")

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[Player], bool]:
        return queryset.named_like(search_term), False

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> Player:
        values = form.cleaned_data
        player = create_player(
            league=values["league"], name=values["name"], birth_year=values["birth_year"], by=request.user
        )
        self._change_aliases(request, player, formsets)
        return player

    def change_row(self, request: OrganizerRequest, stored: Any, form: Any, formsets: list[Any]) -> Player:
        if form.has_changed():
            values = form.cleaned_data
            stored = update_player(
                player=stored, name=values["name"], birth_year=values["birth_year"], by=request.user
            )
        self._change_aliases(request, stored, formsets)
        return stored

    def _change_aliases(self, request: OrganizerRequest, player: Player, formsets: list[Any]) -> None:
        for formset in formsets:
            for form in formset.deleted_forms:
                if form.instance.pk:
                    remove_alias(alias=form.instance, by=request.user)
            for form in formset.extra_forms:
                if form.has_changed() and form not in formset.deleted_forms:
                    add_alias(player=player, name=form.cleaned_data["name"], by=request.user)

    def delete_rows(self, request: OrganizerRequest, rows: list[Player]) -> None:
        for player in rows:
            delete_player(player=player, by=request.user)


@admin.register(Team)
class TeamAdmin(LeagueScopedAdmin):
    role_needed = MANAGERS
    fields = ["league", "name", "members"]
    autocomplete_fields = ["members"]
    list_display = ["name", "players", "league"]
    list_filter = ["league"]
    search_fields = ["name"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        return super().get_queryset(request).prefetch_related("members")

    @admin.display(description=gettext_lazy("members"))
    def players(self, team: Team) -> str:
        return ", ".join(player.name for player in team.members.all())

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> Team:
        values = form.cleaned_data
        return create_team(
            league=values["league"], name=values["name"], members=values["members"], by=request.user
        )

    def change_row(self, request: OrganizerRequest, stored: Any, form: Any, formsets: list[Any]) -> Team:
        if not form.has_changed():
            return stored
        values = form.cleaned_data
        return update_team(team=stored, name=values["name"], members=values["members"], by=request.user)

    def delete_rows(self, request: OrganizerRequest, rows: list[Team]) -> None:
        for team in rows:
            delete_team(team=team, by=request.user)


@admin.register(Entry)
class EntryAdmin(LeagueScopedAdmin):
    """Who is entered in a season. Withdrawing and taking that back are actions of the list."""

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
    max_num = 200
    verbose_name_plural = gettext_lazy("sides, in order of position")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Side]:
        return super().get_queryset(request).prefetch_related("members__player")

    def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
        return 1 if obj else 4

    def members(self, side: Side) -> str:
        return " + ".join(member.player.name for member in side.members.all())

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
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
    actions = ["void", "restore"]
    list_display = ["played", "result", "season", "note", "voided"]
    list_filter = ["season", ("voided_at", YesNoFilter)]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["seats__player__name"]
    search_help_text = gettext_lazy("part of a player’s name, in any script")
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
        names = ["season", "played_at", "note"]
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
                (" + ".join(member.player.name for member in side.members.all()), side.points)
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

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> Game:
        values = form.cleaned_data
        return record_game(
            season=values["season"],
            played_at=values["played_at"],
            sides=formsets[0].played_sides(),
            note=values["note"],
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
            by=request.user,
        )

    def delete_rows(self, request: OrganizerRequest, rows: list[Game]) -> None:
        delete_games(games=rows, by=request.user)


@admin.register(AuditEntry)
class AuditEntryAdmin(LeagueScopedAdmin):
    """Who did what. Nobody edits it."""

    role_needed = SCORERS
    fields = ["league", "time", "by_name", "act", "object_name", "changes"]
    list_display = ["time", "act", "object_name", "by_name", "league"]
    list_filter = ["league", "action"]
    list_select_related = ["by"]
    list_per_page = 50
    show_full_result_count = False
    search_fields = ["object_name", "by__username"]
    date_hierarchy = "at"

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
