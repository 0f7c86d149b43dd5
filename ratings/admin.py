"""Seasons with their rules and prizes, and the results, in the admin. Results are read-only."""

# Hooks get what Django passes, needed or not.
# ruff: noqa: ARG002

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.formats import format_change, format_decimals, format_rating
from leagues.models import AuditEntry, Role, Season
from leagues.names import fold
from leagues.services import delete_season
from leagues.services.seasons import CHALLENGE_LIMITS, POLICIES, REPORT_FIELDS, SEASON_FIELDS
from leagues.tenancy.admin import LeagueScopedAdmin, LeagueStackedInline, in_zone
from leagues.tenancy.reach import OrganizerRequest
from ratings.forms.admin import SeasonAdminForm
from ratings.forms.rules import RuleSetAdminForm
from ratings.models import (
    AppliedAdjustment,
    Meeting,
    PrizeTier,
    RatingChange,
    Replay,
    RuleSet,
    Standing,
)
from ratings.models.rules import LIMIT_FIELDS, RULE_FIELDS
from ratings.services.facts import shown_rules
from ratings.services.pace import hard_pace
from ratings.services.replay import replay_season
from ratings.services.rules import (
    MOST_TIERS,
    change_prize_tiers,
    change_rules,
    create_rated_season,
    update_rated_season,
)


class ReplayActionMixin:
    """The action that computes the results of seasons anew, from the first game on."""

    @admin.action(description=gettext_lazy("Replay now"), permissions=["replay"])
    def replay_now(self, request: HttpRequest, queryset: QuerySet) -> None:
        for row in self.permitted(request, "replay", queryset):  # type: ignore[attr-defined]
            season = row if isinstance(row, Season) else row.season
            replay_season(season.pk, full=True)
            self._say_replayed(request, Replay.objects.get(season=season), season)

    def has_replay_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "replay")  # type: ignore[attr-defined]

    def _say_replayed(self, request: HttpRequest, replay: Replay, season: Season) -> None:
        if replay.error:
            text, level = _("“%(season)s” cannot be rated: %(error)s"), messages.ERROR
        else:
            text, level = _("The results of “%(season)s” were computed anew."), messages.SUCCESS
        self.message_user(  # type: ignore[attr-defined]
            request, text % {"season": season, "error": replay.error}, level
        )


class RuleSetInline(LeagueStackedInline):
    model = RuleSet
    form = RuleSetAdminForm
    role_needed = {"view": Role.SCORER, "add": Role.MANAGER, "change": Role.MANAGER}
    can_delete = False
    max_num = 1
    readonly_fields = ["preset", "system"]
    fieldsets = [
        (None, {"fields": [("preset", "system")]}),
        (
            gettext_lazy("What a game changes"),
            {
                "fields": [
                    "initial_rating", "k", "k_rule", "keep", "curve", "curve_limit", "margin_unit",
                    "draw_margin", "carry_over",
                ]
            },
        ),
        (
            gettext_lazy("The standings"),
            {
                "fields": [
                    "games_counted", "full_weight_games", "bonus", "bonus_games", "min_games", "min_meetings",
                    "opponents", "tie_breaks",
                ]
            },
        ),
        (
            gettext_lazy("The opponent pool"),
            {"fields": ["pool_size", "pool_deviation", "pool_short_side"], "classes": ["collapse"]},
        ),
    ]  # fmt: skip


class PrizeTierInline(LeagueStackedInline):
    model = PrizeTier
    fields = [
        "name", "text", ("first_place", "last_place"), ("amount", "unit", "per_participant"), "tie_rule",
    ]  # fmt: skip
    role_needed = {
        "view": Role.SCORER,
        "add": Role.MANAGER,
        "change": Role.MANAGER,
        "delete": Role.MANAGER,
    }
    max_num = MOST_TIERS


@admin.register(Season)
class SeasonAdmin(ReplayActionMixin, LeagueScopedAdmin):
    """A season is made of a preset; its rules and prizes are changed below it once it exists."""

    form = SeasonAdminForm
    role_needed = {
        "view": Role.SCORER,
        "add": Role.MANAGER,
        "change": Role.MANAGER,
        "delete": Role.MANAGER,
        "replay": Role.MANAGER,
    }
    inlines = [RuleSetInline, PrizeTierInline]
    list_display = ["name", "league", "starts_on", "ends_on", "state", "is_level"]
    list_filter = ["league", "state"]
    list_select_related = ["replay"]
    search_fields = ["name"]
    few_rows = True
    dependents = ["games", "entries"]
    actions = ["replay_now"]

    @admin.display(description=gettext_lazy("results are level"), boolean=True)
    def is_level(self, season: Season) -> bool:
        return hasattr(season, "replay") and season.replay.revision == season.revision

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        names = ["league", "name", "slug", ("starts_on", "ends_on"), "state"]
        if obj is None:
            return [(None, {"fields": [*names, "preset"]})]
        return [
            (None, {"fields": names}),
            (gettext_lazy("What a game may be"), {"fields": [*LIMIT_FIELDS, "duels_only"]}),
            (gettext_lazy("Challenges"), {"fields": CHALLENGE_LIMITS, "classes": ["collapse"]}),
            (gettext_lazy("Who enters games"), {"fields": REPORT_FIELDS}),
            (gettext_lazy("Forfeits and withdrawals"), {"fields": POLICIES}),
            (gettext_lazy("The rulebook"), {"fields": ["rules_text"]}),
        ]

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj else []

    def response_add(self, request: Any, obj: Any, post_url_continue: Any = None) -> HttpResponse:
        """Go on to the rules and prizes, which there were none of before."""
        if "_addanother" not in request.POST and IS_POPUP_VAR not in request.POST:
            request.POST = request.POST.copy()
            request.POST["_continue"] = "1"
        return super().response_add(request, obj, post_url_continue)

    def audit_of(self, obj: Season) -> QuerySet[AuditEntry]:
        """The season's acts, with those on its rules."""
        rules = RuleSet.objects.filter(season=obj).values_list("pk", flat=True)
        return AuditEntry.objects.in_league(obj.league).filter(
            Q(object_type="season", object_id=str(obj.pk))
            | Q(object_type="ruleset", object_id__in=[str(pk) for pk in rules])
        )

    def add_row(self, request: OrganizerRequest, form: Any, formsets: list[Any]) -> Season:
        return create_rated_season(by=request.user, **form.cleaned_data)

    def change_row(self, request: OrganizerRequest, stored: Any, form: Any, formsets: list[Any]) -> Season:
        values = {name: form.cleaned_data[name] for name in SEASON_FIELDS if name in form.cleaned_data}
        if stored.is_closed:
            # Reopened first, or the rest is refused.
            update_rated_season(season=stored, by=request.user, **values)
        for formset in formsets:
            if formset.has_changed():
                self._save_inline(request, stored, formset)
        if not stored.is_closed:
            update_rated_season(season=stored, by=request.user, **values)
        return Season.objects.get(pk=stored.pk)

    def save_related(self, request: Any, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        season = form.instance
        pace = hard_pace(season, shown_rules(season), timezone.localdate(timezone=season.league.zone))
        if pace:
            text = _(
                "A place takes %(least)s games, and whoever is nearest to it lacks %(missing)s with %(days)s "
                "days left: %(a_day)s games a day. If that is more than people play, lower the minimum or "
                "choose a later last day."
            )
            values = {"least": pace.least, "missing": pace.missing, "days": pace.days}
            a_day = format_decimals(pace.a_day)
            self.message_user(request, text % {**values, "a_day": a_day}, messages.WARNING)

    def _save_inline(self, request: OrganizerRequest, season: Season, formset: Any) -> None:
        if formset.model is RuleSet:
            form = formset.forms[0]
            values = {name: form.cleaned_data[name] for name in form.changed_data if name in RULE_FIELDS}
            change_rules(season=season, by=request.user, values=values)
        else:
            saved = formset.save(commit=False)  # unsaved rows: the service saves them
            change_prize_tiers(season=season, by=request.user, saved=saved, deleted=formset.deleted_objects)

    def delete_rows(self, request: OrganizerRequest, rows: list[Season]) -> None:
        for season in rows:
            delete_season(season=season, by=request.user)


class ResultAdmin(LeagueScopedAdmin):
    """What a replay wrote: nobody edits it."""

    role_needed = {"view": Role.SCORER}
    list_per_page = 50
    show_full_result_count = False


@admin.register(Replay)
class ReplayAdmin(ReplayActionMixin, ResultAdmin):
    role_needed = {"view": Role.SCORER, "replay": Role.MANAGER}
    fields = ["season", "facts", "revision", "games", "finished", "failed_revision", "error"]
    list_display = ["season", "facts", "revision", "games", "finished", "failed_revision", "error"]
    list_filter = ["season__league"]
    actions = ["replay_now"]

    @admin.display(description=gettext_lazy("revision of the facts"))
    def facts(self, replay: Replay) -> int:
        return replay.season.revision

    @admin.display(description=gettext_lazy("finished"), ordering="finished_at")
    def finished(self, replay: Replay) -> str:
        return in_zone(replay.finished_at, replay.season.league)


class PlayerResultAdmin(ResultAdmin):
    """Results of a player, found by the player's name in any script."""

    list_filter = ["season"]
    search_fields = ["player__name"]
    list_display_links = ["player"]

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet, bool]:
        return queryset.filter(player__search__contains=fold(search_term)), False


class LedgerAdmin(PlayerResultAdmin):
    """What changed a player's rating, the latest first."""

    ordering = ["-pk"]

    @admin.display(description=gettext_lazy("rating before"), ordering="before")
    def rating_before(self, row: RatingChange | AppliedAdjustment) -> str:
        return format_rating(row.before)

    @admin.display(description=gettext_lazy("change"))
    def gained(self, row: RatingChange | AppliedAdjustment) -> str:
        return format_change(row.change)

    @admin.display(description=gettext_lazy("rating after"), ordering="after")
    def rating_after(self, row: RatingChange | AppliedAdjustment) -> str:
        return format_rating(row.after)

    @admin.display(description=gettext_lazy("highest rating"), ordering="peak")
    def highest(self, row: RatingChange | AppliedAdjustment) -> str:
        return format_rating(row.peak)


@admin.register(RatingChange)
class RatingChangeAdmin(LedgerAdmin):
    fields = [
        "season", "game", "player", "rating_before", "gained", "rating_after", "highest", "played", "games",
        "wins", "draws", "losses", "first_places",
    ]  # fmt: skip
    list_display = ["player", "season", "game", "rating_before", "gained", "rating_after", "games"]
    list_select_related = ["player", "game"]


@admin.register(AppliedAdjustment)
class AppliedAdjustmentAdmin(LedgerAdmin):
    fields = ["season", "player", "in_effect", "rating_before", "gained", "rating_after", "highest"]
    list_display = ["player", "season", "in_effect", "rating_before", "gained", "rating_after"]
    list_select_related = ["player"]

    @admin.display(description=gettext_lazy("in effect from"), ordering="at")
    def in_effect(self, row: AppliedAdjustment) -> str:
        return in_zone(row.at, row.season.league)


@admin.register(Standing)
class StandingAdmin(PlayerResultAdmin):
    fields = [
        "season", "player", "position", "place", "score", "points", "highest", "played", "games", "wins",
        "draws", "losses", "first_places", "classified", "withdrawn", "missing_games", "opponents_met",
        "opponents",
    ]  # fmt: skip
    list_display = [
        "position", "place", "player", "season", "score", "points", "games", "wins", "draws", "losses",
        "classified",
    ]  # fmt: skip
    list_select_related = ["player"]
    ordering = ["-season__starts_on", "season", "position"]

    @admin.display(description=gettext_lazy("season score"), ordering="season_score")
    def score(self, row: Standing) -> str:
        return format_rating(row.season_score)

    @admin.display(description=gettext_lazy("rating"), ordering="rating")
    def points(self, row: Standing) -> str:
        return format_rating(row.rating)

    @admin.display(description=gettext_lazy("highest rating"), ordering="peak")
    def highest(self, row: Standing) -> str:
        return format_rating(row.peak)


@admin.register(Meeting)
class MeetingAdmin(PlayerResultAdmin):
    fields = ["season", "player", "opponent", "games", "wins", "draws", "losses"]
    list_display = ["player", "opponent", "season", "games", "wins", "draws", "losses"]
    list_select_related = ["player", "opponent"]
    ordering = ["-pk"]
