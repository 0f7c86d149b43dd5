"""Who runs a league: its organizers, their roles, and invitations."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from leagues.forms.organizers import InvitationForm, RoleForm
from leagues.mail import send_letter
from leagues.models import Invitation, Organizer, Role
from leagues.services import change_role, invite_organizer, remove_organizer, revoke_invitation
from leagues.tenancy.hosts import main_address
from leagues.tenancy.requests import LeaguePage


@method_decorator(never_cache, name="dispatch")
class OwnersView(LeaguePage):
    """A page for owners of the league."""

    role_required = Role.OWNER

    def to_list(self) -> HttpResponse:
        return HttpResponseRedirect(reverse("leagues:organizer-list", kwargs={"league": self.league.slug}))


class OrganizerListView(OwnersView):
    """The organizers and the invitations that wait. A new one is made here, and shows its link once."""

    template_name = "leagues/organizer_list.html"

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=InvitationForm())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = InvitationForm(request.POST)
        if not form.is_valid():
            return self.page(form=form)
        try:
            invitation, token = invite_organizer(league=self.league, by=request.user, **form.cleaned_data)
        except ValidationError as refused:
            form.add_error(None, refused)
            return self.page(form=form)
        link = main_address(request, reverse("leagues:invitation", kwargs={"token": token}))
        is_sent = bool(invitation.email) and send_invitation(invitation, link)
        return self.page(form=InvitationForm(), invitation=invitation, link=link, is_sent=is_sent)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        organizers = Organizer.objects.in_league(self.league).select_related("user")
        open_ones = Invitation.objects.in_league(self.league).open()
        return super().get_context_data(
            organizers=[(each, Role(each.role).short) for each in organizers],
            invitations=open_ones.to_run().select_related("invited_by"),
            **kwargs,
        )


def send_invitation(invitation: Invitation, link: str) -> bool:
    """Mail the link in the league's language; False where the mail server does not take it."""
    with translation.override(invitation.league.language):
        context = {"invitation": invitation, "link": link}
        subject = _("Invitation to run the league %(league)s") % {"league": invitation.league}
        text = render_to_string("leagues/invitation_email.txt", context)
    return send_letter(invitation.email, subject, text)


class OrganizerUpdateView(OwnersView):
    """Give an organizer another role, or remove one."""

    template_name = "leagues/organizer_form.html"

    @cached_property
    def organizer(self) -> Organizer:
        organizers = Organizer.objects.in_league(self.league).select_related("user")
        return get_object_or_404(organizers, pk=self.kwargs["organizer"])

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=RoleForm(instance=self.organizer))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        name = self.organizer.user.get_username()
        form = RoleForm(request.POST, instance=self.organizer)
        try:
            if "remove" in request.POST:
                remove_organizer(organizer=self.organizer, by=request.user)
                messages.success(request, _("%(name)s is no organizer any more.") % {"name": name})
            elif form.is_valid():
                change_role(organizer=self.organizer, role=form.cleaned_data["role"], by=request.user)
                messages.success(request, _("%(name)s has another role now.") % {"name": name})
            else:
                return self.page(form=form)
        except ValidationError as refused:
            return self.page(form=RoleForm(instance=self.organizer), error=refused.messages[0])
        if self.organizer.user == request.user:  # no owner any more, perhaps
            return HttpResponseRedirect(reverse("leagues:directory"))
        return self.to_list()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(organizer=self.organizer, **kwargs)


class InvitationRevokeView(OwnersView):
    """Take an invitation back."""

    http_method_names = ["post"]

    def post(self, request: Any, *_args: Any, **kwargs: Any) -> HttpResponse:
        invitations = Invitation.objects.in_league(self.league).to_run()
        try:
            revoke_invitation(
                invitation=get_object_or_404(invitations, pk=kwargs["invitation"]), by=request.user
            )
            messages.success(request, _("The invitation is taken back: its link is dead."))
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
        return self.to_list()
