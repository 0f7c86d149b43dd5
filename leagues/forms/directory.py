"""What a visitor may ask of the leagues of the site."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class LeagueSearchForm(forms.Form):
    """Which leagues to list."""

    q = forms.CharField(label=_("League"), required=False, max_length=100)
