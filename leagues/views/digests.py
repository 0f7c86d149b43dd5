"""Letters on a league: asking for them, and ending them by the link in each."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.generic.base import TemplateResponseMixin, View

from leagues.forms.digests import DigestForm
from leagues.models import Digest, Role
from leagues.services.digests import digest_of, follow_league, unfollow_league
from leagues.tenancy.requests import LeaguePage


@method_decorator(never_cache, name="dispatch")
class DigestView(LeaguePage):
    """How often an organizer, or a player with an account, gets a letter on the league."""

    role_required = Role.SCORER
    players_too = True
    template_name = "leagues/digest.html"

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        mine = Digest.objects.in_league(self.league).filter(user=request.user).first()
        return self.page(form=DigestForm({"every": mine.every if mine else ""}))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = DigestForm(request.POST)
        if not form.is_valid():
            return self.page(form=form)
        if every := form.cleaned_data["every"]:
            follow_league(league=self.league, user=request.user, every=every)
            messages.success(request, _("You get letters on this league."))
        else:
            unfollow_league(league=self.league, user=request.user)
            messages.success(request, _("You get no letters on this league."))
        return HttpResponseRedirect(reverse("leagues:digest", kwargs={"league": self.league.slug}))


@method_decorator([never_cache, csrf_exempt], name="dispatch")
class UnsubscribeView(TemplateResponseMixin, View):
    """Ends letters by the link in one of them, without signing in; only a POST does.

    Looking at the page ends nothing: programs that scan mails look at every link. Mail programs send the POST
    by themselves (RFC 8058), so it needs no token of a form: the signed address is what allows it.
    """

    template_name = "leagues/unsubscribe.html"

    def get(self, _request: Any, letter: str) -> HttpResponse:
        return self.page(letter)

    def post(self, _request: Any, letter: str) -> HttpResponse:
        found = digest_of(letter)
        if found and found[1]:
            unfollow_league(league=found[0], user=found[1].user)
        return self.page(letter)

    def page(self, letter: str) -> HttpResponse:
        found = digest_of(letter)
        context = {"league_name": found[0].name, "digest": found[1]} if found else {}
        return self.render_to_response(context, status=200 if found else 404)
