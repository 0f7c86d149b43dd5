"""Forms about who runs a league."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from leagues.models import Invitation, League, Organizer
from leagues.models.league import zones_of_places
from leagues.services.audit import save_checked


class RoleForm(forms.ModelForm):
    class Meta:
        model = Organizer
        fields = ("role",)
        widgets = {"role": forms.RadioSelect}


class InvitationForm(forms.ModelForm):
    class Meta:
        model = Invitation
        fields = ("role", "email")
        widgets = {"role": forms.RadioSelect}
        help_texts = {
            "email": gettext_lazy("the link is sent there; without an address you pass it on yourself")
        }


class SignUpForm(UserCreationForm):
    """An account of one's own, for somebody invited."""

    class Meta:
        model = User
        fields = ("username", "email")
        help_texts = {"email": gettext_lazy("only for a new password, should you forget yours")}

    def save(self, commit: bool = True) -> User:
        """The new account. Raises ValidationError where its name was taken since it was checked."""
        user: User = super().save(commit=False)
        if commit:
            save_checked(user)
        return user


class LeagueCreateForm(forms.ModelForm):
    class Meta:
        model = League
        fields = ("name", "slug", "language", "timezone", "visibility")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Of the visitor's clock, where the browser says it (site.js).
        self.fields["timezone"].widget.attrs |= {"list": "zones"} | (
            {} if self.is_bound else {"data-own-zone": ""}
        )
        self.fields["slug"].required = False
        self.fields["slug"].label = capfirst(gettext_lazy("address"))
        self.fields["slug"].help_text = gettext_lazy(
            "small Latin letters, digits, hyphens; empty, it is made of the name"
        )

    zones = property(lambda _form: zones_of_places())
