"""Making a season and changing what it is set to."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from leagues.forms.changing import refuse
from leagues.models import Role, Season
from leagues.tenancy.requests import LeaguePage
from ratings.forms.seasons import SeasonCreateForm
from ratings.services.rules import create_rated_season, create_season_like


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

    def made(self, values: dict[str, Any]) -> Season:
        if self.like is not None:
            return create_season_like(season=self.like, by=self.request.user, **values)
        return create_rated_season(league=self.league, by=self.request.user, **values)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        prizes = self.like.prize_tiers.count() if self.like else 0
        return super().get_context_data(like=self.like, former=self.former, prizes=prizes, **kwargs)
