"""How far the replay of a season has come."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from leagues.models import Role, Season
from leagues.progress import shown
from leagues.tenancy.requests import LeaguePage
from ratings.services.replay import progress_key
from ratings.views.live import live_context, replay_of


class ReplayProgressView(LeaguePage):
    """A line for organizers, within other pages, that asks again: often while the season is behind."""

    role_required = Role.SCORER
    template_name = "ratings/_progress.html"
    season: Season

    def get(self, *_args: Any, **_kwargs: Any) -> HttpResponse:
        context = live_context(self.season, replay_of(self.season))
        if context["behind"]:
            context["step"] = shown(progress_key(self.season.pk))
        response = self.page(**context)
        response["Cache-Control"] = "no-store"
        return response
