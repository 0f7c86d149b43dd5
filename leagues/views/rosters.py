"""Adding many players at once."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import ngettext

from leagues.forms.rosters import RosterForm
from leagues.models import Role
from leagues.services import add_players
from leagues.services.rosters import read_roster
from leagues.tenancy.requests import LeaguePage


class RosterView(LeaguePage):
    """Paste names, look who is new and who is known, and add them."""

    role_required = Role.MANAGER
    template_name = "leagues/roster.html"

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=RosterForm(self.league))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = RosterForm(self.league, request.POST)
        if not form.is_valid():
            return self.page(form=form)
        if "save" in request.POST:
            try:
                return self.saved(form)
            except ValidationError as refused:
                form.add_error(None, refused.messages)
        return self.page(form=form, roster=read_roster(self.league, **form.cleaned_data))

    def saved(self, form: RosterForm) -> HttpResponse:
        roster = add_players(league=self.league, by=self.request.user, **form.cleaned_data)
        count = len(roster.new)
        told = ngettext("%(count)d player is added.", "%(count)d players are added.", count) % {
            "count": count
        }
        if season := form.cleaned_data["season"]:
            entered = len(roster.to_enter)
            message = ngettext(
                "%(count)d is entered in “%(season)s”.", "%(count)d are entered in “%(season)s”.", entered
            )
            told += " " + message % {"count": entered, "season": season.name}
        messages.success(self.request, told)
        return HttpResponseRedirect(reverse("ratings:player-list", kwargs={"league": self.league.slug}))
