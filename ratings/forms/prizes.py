"""The form of a prize. It cleans; the service writes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from leagues.forms.changing import ChangeForm
from ratings.models import PrizeTier


class PrizeTierForm(ChangeForm):
    """What is played for at one place, or at several."""

    class Meta:
        model = PrizeTier
        fields = (
            "name", "first_place", "last_place", "amount", "unit", "per_participant", "text", "tie_rule",
        )  # fmt: skip
        localized_fields = ("amount",)
        widgets = {"text": forms.Textarea(attrs={"rows": 3}), "tie_rule": forms.RadioSelect}
        help_texts = {
            "last_place": gettext_lazy("empty: for that one place"),
            "text": gettext_lazy("what it is, in your words; shown on its card"),
        }

    def __init__(self, data: Any = None, *, instance: PrizeTier) -> None:
        super().__init__(data, instance=instance)
        fields: dict[str, Any] = self.fields
        fields["last_place"].required = False
        fields["amount"].widget.attrs["inputmode"] = "decimal"

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "last_place" in cleaned and cleaned["last_place"] is None:
            cleaned["last_place"] = cleaned.get("first_place")
        return cleaned
