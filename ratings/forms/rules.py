"""The forms of the rules that a season is rated by. They clean; the services write."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext_lazy

from leagues.names import fold
from ratings.engine.systems import SYSTEMS
from ratings.forms.seasons import GroupedForm
from ratings.models import RuleSet
from ratings.models.rules import RULE_FIELDS, TIE_BREAK_WORDS

# What one system has and the other has not.
OF_MARGINS = ("keep", "curve", "curve_limit", "margin_unit", "draw_margin", "games_counted")
OF_POOLS = ("pool_size", "pool_deviation", "pool_short_side")


class TieBreaksField(forms.CharField):
    """Tie-breaks in words or by their names, with commas between them, for the list the model stores."""

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return ", ".join(str(TIE_BREAK_WORDS.get(name, name)) for name in value)

    def to_python(self, value: Any) -> Any:
        names = {fold(str(word)): name for name, word in TIE_BREAK_WORDS.items()}
        words = (word.strip() for word in (super().to_python(value) or "").split(","))
        return [names.get(fold(word), word) for word in words if word]

    def run_validators(self, value: Any) -> None:
        """None of a text; the model checks the names."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != self.to_python(data)


class RuleSetAdminForm(forms.ModelForm):
    tie_breaks = TieBreaksField(
        label=capfirst(gettext_lazy("tie-breaks")),
        required=False,
        help_text=format_lazy(
            "{} " + ", ".join(["{}"] * len(TIE_BREAK_WORDS)),
            gettext_lazy("what decides between equal season scores, in order, with commas between; some of:"),
            *TIE_BREAK_WORDS.values(),
        ),
        widget=forms.TextInput(attrs={"size": 60}),
    )

    class Meta:
        model = RuleSet
        fields = RULE_FIELDS


class RulesForm(RuleSetAdminForm, GroupedForm):
    """The numbers that a season is rated by: those that its system has."""

    groups = (
        (gettext_lazy("A place"), ("min_games", "min_meetings", "opponents", "tie_breaks")),
        (
            gettext_lazy("What a game changes"),
            ("initial_rating", "k", "k_rule", "keep", "curve", "curve_limit", "margin_unit", "draw_margin",
             "carry_over"),
        ),
        (gettext_lazy("Season score"), ("games_counted", "full_weight_games", "bonus", "bonus_games")),
        (gettext_lazy("The opponent pool"), ("pool_size", "pool_deviation", "pool_short_side")),
    )  # fmt: skip

    class Meta:
        model = RuleSet
        fields = tuple(name for name in RULE_FIELDS if name != "system")

    def __init__(self, data: Any = None, *, instance: RuleSet) -> None:
        super().__init__(data, instance=instance)
        system = SYSTEMS.get(instance.system)
        if system is None:
            return
        for name in OF_POOLS if system.by_margin else OF_MARGINS:
            del self.fields[name]
        if len(system.k_rules) == 1:
            del self.fields["k_rule"]
