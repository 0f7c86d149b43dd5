"""The form of a token of the API."""

from __future__ import annotations

from django import forms

from leagues.models import ApiToken


class ApiTokenForm(forms.ModelForm):
    class Meta:
        model = ApiToken
        fields = ("name", "scope")
        widgets = {"scope": forms.RadioSelect, "name": forms.TextInput(attrs={"autocomplete": "off"})}
