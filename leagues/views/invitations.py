"""The page behind the link of an invitation."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic.base import TemplateResponseMixin, View

from leagues.forms.organizers import SignUpForm
from leagues.models import Invitation, Organizer, Player, Role
from leagues.services import accept_invitation, claim_player


@method_decorator([never_cache, sensitive_post_parameters()], name="dispatch")
class InvitationView(TemplateResponseMixin, View):
    """Says to what the link invites, a role or a player; only a POST accepts, with an account or a new one.

    Looking at the page uses up nothing: programs that scan mails look at every link.
    """

    template_name = "leagues/invitation.html"

    def get(self, request: Any, token: str) -> HttpResponse:
        return self.page(token, form=None if request.user.is_authenticated else SignUpForm())

    def post(self, request: Any, token: str) -> HttpResponse:
        if self.invitation(token) is None:
            return self.page(token)
        form = None if request.user.is_authenticated else SignUpForm(request.POST)
        if form is not None and not form.is_valid():
            return self.page(token, form=form)
        try:
            accepted = self.accepted(token, form)
        except ValidationError as refused:
            return self.page(token, form=form, error=refused.messages[0])
        if form is not None:
            login(request, accepted.user)
        if isinstance(accepted, Player):
            told = _("%(name)s is you now: this is your page.") % {"name": accepted.name}
            kwargs = {"league": accepted.league.slug, "player": accepted.slug}
            address = reverse("ratings:player-career", kwargs=kwargs)
        else:
            told = _("You are an organizer of %(league)s now.") % {"league": accepted.league}
            address = accepted.league.get_absolute_url()
        messages.success(request, told)
        return HttpResponseRedirect(address)

    @transaction.atomic
    def accepted(self, token: str, form: SignUpForm | None) -> Organizer | Player:
        """Make the visitor an organizer or a player, and before that an account, or neither."""
        invitation = self.invitation(token)
        user: Any = self.request.user if form is None else form.save()
        if invitation is not None and invitation.player is not None:
            return claim_player(token=token, by=user)
        return accept_invitation(token=token, by=user)

    def invitation(self, token: str) -> Invitation | None:
        return (
            Invitation.objects.by_token(token).open().select_related("league", "player", "invited_by").first()
        )

    def page(self, token: str, **context: Any) -> HttpResponse:
        invitation = self.invitation(token)
        role = Role(invitation.role).label if invitation and invitation.role else ""
        context |= {"invitation": invitation, "role": role}
        return self.render_to_response(context, status=200 if invitation else 404)
