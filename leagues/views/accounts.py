"""The account that a player has, or the link that gives one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from leagues.models import Invitation, Player, Role
from leagues.models.league import Visibility
from leagues.services import invite_player, release_player
from leagues.tenancy.hosts import main_address
from leagues.tenancy.requests import LeaguePage


@method_decorator(never_cache, name="dispatch")
class AccountView(LeaguePage):
    """Make a link for the player, which is shown once; or release the player from account and link.

    The player releases the own account, and nothing else.
    """

    role_required: Role | None = Role.MANAGER
    template_name = "leagues/player_account.html"

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        if request.player == kwargs["player"]:
            self.role_required = None

    @cached_property
    def player(self) -> Player:
        players = Player.objects.in_league(self.league).select_related("user")
        return get_object_or_404(players, slug=self.kwargs["player"])

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page()

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        try:
            if "release" in request.POST:
                release_player(player=self.player, by=request.user)
                if self.role_required is None:
                    messages.success(request, _("%(name)s is no longer you.") % {"name": self.player.name})
                    is_public = self.league.visibility == Visibility.PUBLIC
                    return HttpResponseRedirect(self.league.get_absolute_url() if is_public else "/")
                messages.success(request, _("The player has no account and no link now."))
                return HttpResponseRedirect(request.path)
            invitation, token = invite_player(player=self.player, by=request.user)
        except ValidationError as refused:
            return self.page(error=refused.messages[0])
        link = main_address(request, reverse("leagues:invitation", kwargs={"token": token}))
        return self.page(link=link, invitation=invitation)

    def page(self, **context: Any) -> HttpResponse:
        if "invitation" not in context:
            context["invitation"] = Invitation.objects.open().filter(player=self.player).first()
        return super().page(player=self.player, **context)
