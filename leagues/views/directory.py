"""The leagues of this site, and making one."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.mixins import LoginRequiredMixin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.vary import vary_on_headers
from django.views.generic import FormView, TemplateView

from leagues.forms.directory import LeagueSearchForm
from leagues.forms.organizers import LeagueCreateForm
from leagues.models import League
from leagues.services import create_league
from leagues.services.audit import refuse_twin
from leagues.services.directory import listed_leagues
from leagues.tenancy.reach import reach_of
from leagues.tenancy.requests import is_fragment


def may_create(request: Any) -> bool:
    """Whether somebody signed in may make leagues here."""
    return settings.USERS_CREATE_LEAGUES or reach_of(request).everywhere


SEARCHED_FROM = 6  # leagues: fewer are seen at a glance


@method_decorator(vary_on_headers("HX-Request"), name="dispatch")
class DirectoryView(TemplateView):
    """Every public league with its season now, and for organizers their own."""

    template_name = "leagues/directory.html"

    def get_template_names(self) -> list[str]:
        return ["leagues/_directory.html"] if is_fragment(self.request) else super().get_template_names()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = LeagueSearchForm(self.request.GET)
        form.is_valid()
        text = form.cleaned_data.get("q", "")
        leagues = listed_leagues(self.request.user, text)
        return super().get_context_data(
            leagues=leagues,
            q=text,
            is_searched=bool(text) or len(leagues) >= SEARCHED_FROM,
            is_organizer=reach_of(self.request).anywhere(),
            may_create=self.request.user.is_authenticated and may_create(self.request),
            **kwargs,
        )


class LeagueCreateView(LoginRequiredMixin, FormView):
    """Make a league, and own it."""

    template_name = "leagues/league_form.html"
    form_class = LeagueCreateForm

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not may_create(request):
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def get_initial(self) -> dict[str, Any]:
        return {"language": get_language()}

    def form_valid(self, form: LeagueCreateForm) -> HttpResponse:
        user: Any = self.request.user
        try:
            league = self.made(user, form.cleaned_data)
        except ValidationError as refused:
            form.add_error(None, refused)
            return self.form_invalid(form)
        messages.success(self.request, _("The league is made. It needs a season next."))
        return HttpResponseRedirect(league.get_absolute_url())

    @transaction.atomic
    def made(self, user: User, values: dict[str, Any]) -> League:
        list(User.objects.filter(pk=user.pk).select_for_update(no_key=True))
        refuse_twin(League.objects.filter(name=values["name"], organizers__user=user))
        return create_league(by=user, owner=user, **values)
