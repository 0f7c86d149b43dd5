"""Players with their other names, and teams."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.models import Player, PlayerAlias, Role, Team
from leagues.services import (
    add_alias,
    create_player,
    create_team,
    delete_player,
    delete_team,
    remove_alias,
    update_player,
    update_team,
)
from leagues.tenancy.admin import LeagueScopedAdmin, LeagueTabularInline
from leagues.tenancy.reach import OrganizerRequest

MANAGERS = {"view": Role.SCORER, "add": Role.MANAGER, "change": Role.MANAGER, "delete": Role.MANAGER}


class PlayerAliasInline(LeagueTabularInline):
    model = PlayerAlias
    fields = ["name"]
    role_needed = {"view": Role.SCORER, "add": Role.MANAGER, "delete": Role.MANAGER}
    max_num = 50


@admin.register(Player)
class PlayerAdmin(LeagueScopedAdmin):
    role_needed = MANAGERS
    fields = ["league", "name", "birth_year", "inactive"]
    inlines = [PlayerAliasInline]
    list_display = ["name", "slug", "birth_year", "inactive", "league"]
    list_filter = ["league", "inactive"]
    search_fields = ["name"]
    actions = ["merge"]

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[Player], bool]:
        return queryset.named_like(search_term), False

    @admin.action(description=gettext_lazy("Merge two players who are one"), permissions=["change"])
    def merge(self, request: OrganizerRequest, queryset: Any) -> HttpResponse | None:
        """Show what merging the two would change."""
        players = self.permitted(request, "change", queryset.order_by("pk"))
        if len(players) != 2 or len({player.league_id for player in players}) != 1:
            self.message_user(request, _("Choose exactly two players of one league."), messages.ERROR)
            return None
        keep, gone = players
        page = reverse("ratings:player-merge", args=[keep.league.slug])
        return HttpResponseRedirect(f"{page}?{urlencode({'keep': keep.slug, 'gone': gone.slug})}")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields if obj else ["league", "name", "birth_year"]

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
                player=stored,
                name=values["name"],
                birth_year=values["birth_year"],
                inactive=values["inactive"],
                by=request.user,
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
    few_rows = True

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
