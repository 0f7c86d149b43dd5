"""What a reader may ask of players' pages."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class PlayerSearchForm(forms.Form):
    """Whom to list."""

    q = forms.CharField(label=_("Player"), required=False, max_length=100)


class CurveForm(forms.Form):
    """Along what a rating curve runs."""

    by = forms.ChoiceField(
        label=_("Curve"), required=False, choices=[("", _("by game")), ("date", _("by date"))]
    )
