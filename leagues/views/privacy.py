"""What a league knows of a person, and taking the name out of it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from leagues.forms.privacy import AnonymiseForm
from leagues.models import Player, Role
from leagues.services import anonymise_player
from leagues.tenancy.requests import LeaguePage


class PrivacyView(LeaguePage):
    """The file of a player's data, and the form that anonymises the player."""

    role_required = Role.MANAGER
    template_name = "leagues/player_privacy.html"

    @cached_property
    def player(self) -> Player:
        return get_object_or_404(Player.objects.in_league(self.league), slug=self.kwargs["player"])

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=AnonymiseForm())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = AnonymiseForm(request.POST)
        if form.is_valid():
            try:
                player = anonymise_player(player=self.player, by=request.user)
            except ValidationError as refused:
                form.add_error(None, refused.messages)
            else:
                messages.success(request, _("The name is gone from this league."))
                kwargs = {"league": self.league.slug, "player": player.slug}
                return HttpResponseRedirect(reverse("ratings:player-career", kwargs=kwargs))
        return self.page(form=form)

    def page(self, **context: Any) -> HttpResponse:
        return super().page(player=self.player, **context)
