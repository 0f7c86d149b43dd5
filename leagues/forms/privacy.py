"""The form that takes a player's name out of a league."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class AnonymiseForm(forms.Form):
    """Asked twice, for nobody can undo it."""

    sure = forms.BooleanField(
        label=_("The name is to go, and nobody can bring it back"),
        error_messages={"required": _("Tick this to take the name out.")},
    )
