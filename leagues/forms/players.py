"""The form that changes a player."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.forms.changing import ChangeForm
from leagues.models import Player, PlayerAlias
from leagues.names import NAME_LENGTH, check_player_name, same_name, tidy

MOST_OTHER_NAMES = 50


class PlayerForm(ChangeForm):
    """Name, year of birth, whether the player plays no longer, and what else files call the player."""

    other_names = forms.CharField(
        label=capfirst(gettext_lazy("other names")),
        required=False,
        max_length=MOST_OTHER_NAMES * (NAME_LENGTH + 2),
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("one a line: former names and spellings by which files find the player"),
    )

    class Meta:
        model = Player
        fields = ("name", "birth_year", "inactive")

    def __init__(self, data: Any = None, *, instance: Player) -> None:
        self.aliases = list(instance.aliases.all())
        self.former = instance.name  # the form writes into its instance
        names = "\n".join(alias.name for alias in self.aliases)
        super().__init__(data, instance=instance, initial={"other_names": names})

    def clean_other_names(self) -> dict[str, str]:
        """The other names, each under its key; one of two that are the same is enough."""
        names = [tidy(line) for line in self.cleaned_data["other_names"].splitlines() if tidy(line)]
        if len(names) > MOST_OTHER_NAMES:
            raise ValidationError(
                _("A player has at most %(most)d other names; here are %(count)d."),
                params={"most": MOST_OTHER_NAMES, "count": len(names)},
            )
        for name in names:
            check_player_name(name)
        return {same_name(name): name for name in names}

    @property
    def is_player_changed(self) -> bool:
        """Whether something of the player's own is changed, and not the other names alone."""
        return bool({*self.changed_data} - {"other_names"})

    @property
    def dropped(self) -> list[PlayerAlias]:
        """The other names that are gone from the list, or are spelt anew."""
        wanted = self.cleaned_data["other_names"]
        return [alias for alias in self.aliases if wanted.get(alias.key) != alias.name]

    @property
    def added(self) -> list[str]:
        """The names that the list has more, but for what the player is called anyway or was until now."""
        kept = {alias.key for alias in self.aliases} - {alias.key for alias in self.dropped}
        known = kept | {same_name(self.former), same_name(tidy(self.cleaned_data["name"]))}
        return [name for key, name in self.cleaned_data["other_names"].items() if key not in known]
