"""The form of letters on a league."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from leagues.models.digest import Every


class DigestForm(forms.Form):
    every = forms.ChoiceField(
        label=_("Letters"),
        choices=[("", _("none")), *Every.choices],
        required=False,
        widget=forms.RadioSelect,
    )
