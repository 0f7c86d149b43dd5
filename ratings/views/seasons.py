"""Making a season and changing what it is set to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.forms.changing import refuse
from leagues.models import Game, GameReport, Role, Season
from leagues.services import delete_season
from leagues.services.audit import refuse_twin
from leagues.services.directory import days_left
from leagues.services.holding import hold
from leagues.services.organizers import hold_league
from leagues.tenancy.requests import LeaguePage
from ratings.forms.rules import RulesForm
from ratings.forms.seasons import SeasonCreateForm, SeasonSettingsForm
from ratings.models import RuleSet, Standing
from ratings.services.facts import count_games
from ratings.services.rules import (
    change_rules,
    create_rated_season,
    create_season_like,
    update_rated_season,
)


class SeasonCreateView(LeaguePage):
    """Make a season: like the last one, like any other of the league, or of a preset."""

    template_name = "ratings/season_create.html"
    role_required = Role.MANAGER

    @cached_property
    def former(self) -> list[Season]:
        """The seasons of the league, the latest first."""
        return list(Season.objects.in_league(self.league))

    @cached_property
    def like(self) -> Season | None:
        """The season to make another one like; None for a preset. Http404 for one that there is not."""
        sent = self.request.POST if self.request.method == "POST" else self.request.GET
        latest = self.former[0].slug if self.former else ""
        slug = sent.get("like", latest)
        found = [season for season in self.former if season.slug == slug]
        if slug and not found:
            raise Http404
        return found[0] if slug else None

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=self.form())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = self.form(request.POST)
        if form.is_valid():
            try:
                made = self.made(form.cleaned_data)
            except ValidationError as refused:
                refuse(form, refused)
            else:
                messages.success(request, _("The season “%(season)s” is made.") % {"season": made})
                return HttpResponseRedirect(made.get_absolute_url())
        return self.page(form=form)

    def form(self, data: Any = None) -> SeasonCreateForm:
        return SeasonCreateForm(data, like=self.like, today=timezone.localdate())

    @transaction.atomic
    def made(self, values: dict[str, Any]) -> Season:
        hold_league(self.league.pk)
        same = {name: values[name] for name in ("name", "starts_on", "ends_on")}
        refuse_twin(Season.objects.in_league(self.league).filter(**same))
        if self.like is not None:
            return create_season_like(season=self.like, by=self.request.user, **values)
        return create_rated_season(league=self.league, by=self.request.user, **values)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        prizes = self.like.prize_tiers.count() if self.like else 0
        return super().get_context_data(like=self.like, former=self.former, prizes=prizes, **kwargs)


class SeasonPage(LeaguePage):
    """A page on which managers change a season; of a closed one it only says that it is closed."""

    role_required = Role.MANAGER
    season: Season

    def changed(self, form: Any, save: Callable[[], object]) -> HttpResponse:
        """Save under the season's lock what the form holds, unless it was filled with something else."""
        try:
            with transaction.atomic():
                # Of two who save at once the second is compared with what the first has saved.
                hold(self.season)
                form.refuse_stale(self.stored())
                save()
        except ValidationError as refused:
            refuse(form, refused)
            return self.page(form=form)
        messages.success(self.request, _("It is saved."))
        return HttpResponseRedirect(Season.objects.get(pk=self.season.pk).get_absolute_url())

    def stored(self) -> Any:
        """The row that the form changes, as it is stored."""
        raise NotImplementedError


class SeasonSettingsView(SeasonPage):
    """Name, days and limits of a season."""

    template_name = "ratings/season_settings.html"

    def stored(self) -> Season:
        return Season.objects.select_related("league").get(pk=self.season.pk)

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=SeasonSettingsForm(instance=self.stored()))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if "delete" in request.POST:
            return self.deleted()
        form = SeasonSettingsForm(request.POST, instance=self.stored())
        if not form.is_valid():
            return self.page(form=form)
        values = form.cleaned_data
        return self.changed(form, lambda: update_rated_season(season=self.season, by=request.user, **values))

    def deleted(self) -> HttpResponse:
        """Delete a season that was made by mistake: one in which nothing was played."""
        try:
            with transaction.atomic():
                hold(self.season)
                _refuse_played(self.season)
                delete_season(season=self.season, by=self.request.user)
        except ValidationError as refused:
            return self.page(form=SeasonSettingsForm(instance=self.stored()), error=refused.messages[0])
        told = _("The season “%(season)s” is deleted.") % {"season": self.season}
        messages.success(self.request, told)
        return HttpResponseRedirect(self.league.get_absolute_url())


def _refuse_played(season: Season) -> None:
    """Raise ValidationError for a season with games, reported ones included."""
    count = Game.objects.filter(season=season).count() + GameReport.objects.filter(season=season).count()
    if count:
        message = ngettext(
            "The season has %(count)d game, entered or reported, and stays; close it instead.",
            "The season has %(count)d games, entered or reported, and stays; close it instead.",
            count,
        )
        raise ValidationError(message, params={"count": count})


class RulesChangeView(SeasonPage):
    """The numbers that a season is rated by."""

    template_name = "ratings/rules_form.html"

    def stored(self) -> RuleSet:
        return get_object_or_404(RuleSet.objects.select_related("season__league"), season=self.season)

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=RulesForm(instance=self.stored()))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = RulesForm(request.POST, instance=self.stored())
        if not form.is_valid():
            return self.page(form=form)
        values = {name: form.cleaned_data[name] for name in form.changed_data}
        return self.changed(
            form, lambda: change_rules(season=self.season, by=request.user, values=values) if values else None
        )

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(games=count_games(self.season), **kwargs)


class SeasonCloseView(LeaguePage):
    """Close a season, or reopen it, which is the owners' to do."""

    template_name = "ratings/season_close.html"
    role_required = Role.MANAGER
    season: Season

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page()

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        is_closed = "close" in request.POST
        state = Season.State.CLOSED if is_closed else Season.State.OPEN
        try:
            # A draft is opened by its settings, not by a tab in which it was closed still.
            if not is_closed and ("reopen" not in request.POST or self.season.state == Season.State.DRAFT):
                raise ValidationError(_("Choose what to do."))
            update_rated_season(season=self.season, by=request.user, state=state)
        except ValidationError as refused:
            return self.page(error=refused.messages[0])
        told = (
            _("The season is closed: its results are final.") if is_closed else _("The season is open again.")
        )
        messages.success(request, told)
        return HttpResponseRedirect(self.season.get_absolute_url())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        today = timezone.localdate()
        winners = Standing.objects.filter(season=self.season, place=1).select_related("player")
        return super().get_context_data(
            days_left=days_left(self.season, today),
            games=count_games(self.season),
            reports=GameReport.objects.filter(season=self.season).open().count(),
            winners=winners.order_by("position"),
            **kwargs,
        )
