"""What a league is set to and how it presents itself, and the pictures that it has for that."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.decorators import method_decorator
from django.utils.http import quote_etag
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.generic.base import View

from leagues.colours import hero_of
from leagues.forms.changing import ChangeForm, refuse
from leagues.forms.look import LeagueForm, LookForm
from leagues.models import League, Logo, Role
from leagues.services import update_league
from leagues.services.holding import hold
from leagues.tenancy.requests import LeagueMixin, LeaguePage

YEAR, DAY = 365 * 24 * 60 * 60, 24 * 60 * 60  # seconds


@method_decorator(never_cache, name="dispatch")
class LookView(LeaguePage):
    """What the league says of itself, its colour and its logo."""

    template_name = "leagues/look.html"
    role_required = Role.MANAGER
    form_class: type[ChangeForm] = LookForm
    told = gettext_lazy("Saved: this is how the league looks now.")

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=self.form_class(instance=self.league))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        # The form writes into its league; the page around shows the one that is stored.
        stored = League.objects.get(pk=self.league.pk)
        form = self.form_class(request.POST, request.FILES, instance=stored)
        if not form.is_valid():
            return self.page(form=form)
        try:
            with transaction.atomic():
                # Of two who save at once the second is compared with what the first has saved.
                hold(self.league)
                form.refuse_stale(League.objects.get(pk=self.league.pk))
                league = update_league(league=self.league, by=request.user, **form.cleaned_data)
        except ValidationError as refused:
            refuse(form, refused)
            return self.page(form=form)
        messages.success(request, self.told)
        return HttpResponseRedirect(league.get_absolute_url())


class LeagueUpdateView(LookView):
    """What the league is called, where it is, and who sees it."""

    template_name = "leagues/league_settings.html"
    role_required = Role.OWNER
    form_class = LeagueForm
    told = gettext_lazy("It is saved.")


class LogoView(LeagueMixin, View):
    """A file of the logo. Its address carries the digest, ``?v=``, so that browsers may keep it for good.

    Only a reader's own browser: a league may become private.
    """

    size = "picture"

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponseBase:
        if not self.league.logo:
            raise Http404
        tag = quote_etag(f"{self.size}-{self.league.logo}")
        response = get_conditional_response(request, etag=tag)
        if response is None:
            file = Logo.objects.in_league(self.league).values_list(self.size, flat=True).get()
            response = HttpResponse(bytes(file), content_type="image/png")
        response["ETag"] = tag
        if request.GET.get("v") == self.league.logo:
            patch_cache_control(response, private=True, max_age=YEAR, immutable=True)
        return response


class InitialView(LeaguePage):
    """The icon of a league without a logo: its initial on its colour."""

    template_name = "leagues/initial.svg"
    content_type = "image/svg+xml"

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponseBase:
        context = self.get_context_data(
            initial=initial_of(self.league), colour=hero_of(self.league.accent_hue)
        )
        response = self.render_to_response(context)
        patch_cache_control(response, private=True, max_age=DAY)
        return response


def initial_of(league: League) -> str:
    """The first letter or digit of the league's name, as its language writes it large."""
    first = next((sign for sign in league.name if sign.isalnum()), "")
    return "İ" if first == "i" and league.language == "tr" else first.upper()[:1]
