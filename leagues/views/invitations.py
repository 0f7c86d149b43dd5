"""The page behind the link of an invitation."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic.base import TemplateResponseMixin, View

from leagues.forms.organizers import SignUpForm
from leagues.models import Invitation, Organizer, Role
from leagues.services import accept_invitation


@method_decorator([never_cache, sensitive_post_parameters()], name="dispatch")
class InvitationView(TemplateResponseMixin, View):
    """Says to which league and role the link invites; only a POST accepts, with an account or a new one.

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
            organizer = self.accepted(token, form)
        except ValidationError as refused:
            return self.page(token, form=form, error=refused.messages[0])
        if form is not None:
            login(request, organizer.user)
        messages.success(request, _("You are an organizer of %(league)s now.") % {"league": organizer.league})
        return HttpResponseRedirect(organizer.league.get_absolute_url())

    @transaction.atomic
    def accepted(self, token: str, form: SignUpForm | None) -> Organizer:
        """Make the visitor an organizer, and before that an account, or neither."""
        user: Any = self.request.user if form is None else form.save()
        return accept_invitation(token=token, by=user)

    def invitation(self, token: str) -> Invitation | None:
        return Invitation.objects.by_token(token).open().select_related("league", "invited_by").first()

    def page(self, token: str, **context: Any) -> HttpResponse:
        invitation = self.invitation(token)
        role = Role(invitation.role).label if invitation else ""
        context |= {"invitation": invitation, "role": role}
        return self.render_to_response(context, status=200 if invitation else 404)
