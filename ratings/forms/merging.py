"""Which two players are one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.models import League, Player
from leagues.services.player_names import PlayerNames, several_of

# So many names to choose from are a help; more make the page heavy on a phone.
NAMES_LISTED = 400


class PlayerField(forms.CharField):
    """A player by address, name or other name; the form knows the league's."""

    names: PlayerNames
    widget = forms.TextInput(attrs={"list": "players", "autocomplete": "off"})

    def clean(self, value: Any) -> Player:
        name = super().clean(value)
        # Links write addresses, of which each is one player's.
        found = [self.names.by_slug[name]] if name in self.names.by_slug else self.names.find(name)
        if not found:
            raise ValidationError(_("“%(name)s” is no player of this league."), params={"name": name})
        if len(found) > 1:
            raise ValidationError(several_of(name, found))
        return found[0]


class MergeForm(forms.Form):
    """The player who stays, and the one who becomes the same."""

    keep = PlayerField(label=gettext_lazy("The player who stays"), max_length=100)
    gone = PlayerField(label=gettext_lazy("The one who is the same person"), max_length=100)

    def __init__(self, data: Any, *, league: League) -> None:
        super().__init__(data)
        self.names = PlayerNames(league)
        for field in self.fields.values():
            field.names = self.names  # type: ignore[attr-defined]

    def listed(self) -> list[tuple[str, str]]:
        """Address and name of everybody, as suggestions; nothing in a large league."""
        players = self.names.by_id.values()
        return [(player.slug, player.name) for player in players] if len(players) <= NAMES_LISTED else []


class UndoMergeForm(forms.Form):
    """Whose merge is taken back, by the player's address."""

    undo = forms.SlugField(max_length=80)
