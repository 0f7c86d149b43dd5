"""Making, changing and deleting teams."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from leagues.forms.changing import refuse
from leagues.forms.teams import TeamForm
from leagues.models import Role, Team
from leagues.services import create_team, delete_team, update_team
from leagues.services.audit import read_locked
from leagues.services.holding import hold
from leagues.tenancy.requests import LeaguePage


class TeamPage(LeaguePage):
    """A page with the form of a team."""

    template_name = "leagues/team_form.html"
    role_required = Role.MANAGER
    team: Team | None = None

    def stored(self) -> Team:
        """The team for a form to write into, as it is stored; a new one where there is none."""
        return Team(league=self.league)

    def saved(self, form: TeamForm) -> Team:
        """Save what the form holds. Raises ValidationError for what a team cannot be."""
        return create_team(league=self.league, by=self.request.user, **form.cleaned_data)

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=TeamForm(instance=self.stored()))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = TeamForm(request.POST, instance=self.stored())
        if form.is_valid():
            try:
                team = self.saved(form)
            except ValidationError as refused:
                refuse(form, refused)
            else:
                messages.success(request, _("The team “%(name)s” is saved.") % {"name": team.name})
                kwargs = {"league": self.league.slug, "team": team.slug}
                return HttpResponseRedirect(reverse("ratings:team", kwargs=kwargs))
        return self.page(form=form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(team=self.team, **kwargs)


class TeamCreateView(TeamPage):
    """Name a set of players."""


class TeamUpdateView(TeamPage):
    """Rename a team, change who is in it, or delete it."""

    @cached_property
    def team(self) -> Team:  # type: ignore[override]
        return get_object_or_404(Team.objects.in_league(self.league), slug=self.kwargs["team"])

    def stored(self) -> Team:
        team = get_object_or_404(Team.objects.in_league(self.league), pk=self.team.pk)
        team.league = self.league
        return team

    @transaction.atomic
    def saved(self, form: TeamForm) -> Team:
        # Of two who save at once the second is compared with what the first has saved.
        hold(self.team)
        form.refuse_stale(read_locked(Team.objects.select_related("league"), self.team))
        return update_team(team=self.team, by=self.request.user, **form.cleaned_data)

    def post(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        if "delete" not in request.POST:
            return super().post(request, *args, **kwargs)
        try:
            delete_team(team=self.team, by=request.user)
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
        else:
            messages.success(request, _("The team “%(name)s” is deleted.") % {"name": self.team.name})
        return HttpResponseRedirect(reverse("ratings:team-list", kwargs={"league": self.league.slug}))
