"""Forms of seasons, rules and prizes in the admin. They clean; services write."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext_lazy

from leagues.models import Season
from leagues.services.seasons import CHALLENGE_LIMITS, POLICIES, REPORT_FIELDS
from leagues.tenancy.admin import LeagueForm
from ratings.engine.presets import DEFAULT_PRESET
from ratings.engine.standings import TIE_BREAKS
from ratings.forms.seasons import PRESET_CHOICES
from ratings.models import RuleSet
from ratings.models.rules import RULE_FIELDS


class SeasonAdminForm(LeagueForm):
    preset = forms.ChoiceField(
        label=capfirst(gettext_lazy("rules")),
        choices=PRESET_CHOICES,
        initial=DEFAULT_PRESET["wsd"],
        help_text=gettext_lazy("the rule set to start from; every number of it can be changed afterwards"),
    )

    class Meta:
        model = Season
        fields = (
            "league", "name", "slug", "starts_on", "ends_on", "state",
            "largest_margin", "negative_points", "team_min", "team_max", "teams_max", "duels_only",
            *POLICIES, *REPORT_FIELDS, *CHALLENGE_LIMITS, "rules_text",
        )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in {"starts_on", "ends_on"} & self.fields.keys():
            self.fields[name].error_messages["invalid"] = gettext_lazy("Write the day like 2026-09-30.")
        if self.instance.pk is None and "slug" in self.fields:
            self.fields["slug"].required = False
            self.fields["slug"].help_text = gettext_lazy(
                "its part of the page addresses; empty: made of the name"
            )


class TieBreaksField(forms.CharField):
    """Names of tie-breaks with commas between them, for the list the model stores."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return [name.strip() for name in (super().to_python(value) or "").split(",") if name.strip()]

    def run_validators(self, value: Any) -> None:
        """None of a text; the model checks the names."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != self.to_python(data)


class RuleSetAdminForm(forms.ModelForm):
    tie_breaks = TieBreaksField(
        label=capfirst(gettext_lazy("tie-breaks")),
        required=False,
        help_text=format_lazy(
            "{} {}",
            gettext_lazy("what decides between equal season scores, in order, with commas between; some of:"),
            ", ".join(TIE_BREAKS),
        ),
        widget=forms.TextInput(attrs={"size": 60}),
    )

    class Meta:
        model = RuleSet
        fields = RULE_FIELDS
