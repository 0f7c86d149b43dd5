"""Forms of seasons, rules and prizes in the admin. They clean; services write."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy

from leagues.models import Season
from leagues.services.seasons import CHALLENGE_LIMITS, POLICIES, REPORT_FIELDS
from leagues.tenancy.admin import LeagueForm
from ratings.engine.presets import DEFAULT_PRESET
from ratings.forms.seasons import PRESET_CHOICES


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
