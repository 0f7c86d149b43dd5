"""The form of a token of the API."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from leagues.models import ApiToken

# Days until a token expires; a year is one by the calendar but for a leap day.
LIFETIMES = (
    ("", gettext_lazy("never")),
    (30, gettext_lazy("in 30 days")),
    (90, gettext_lazy("in 90 days")),
    (365, gettext_lazy("in a year")),
)


class LifetimeField(forms.TypedChoiceField):
    """In how many days a token expires; None for never."""

    def __init__(self) -> None:
        label = gettext_lazy("Expires")
        super().__init__(label=label, choices=LIFETIMES, coerce=int, empty_value=None, required=False)


class ApiTokenForm(forms.ModelForm):
    days = LifetimeField()

    class Meta:
        model = ApiToken
        fields = ("name", "scope")
        widgets = {"scope": forms.RadioSelect, "name": forms.TextInput(attrs={"autocomplete": "off"})}
