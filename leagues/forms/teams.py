"""The form of a team: what it is called, and who is in it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.forms.changing import ChangeForm
from leagues.models import Player, Team
from leagues.names import tidy
from leagues.services.player_names import PlayerNames, one_of

MOST_MEMBERS = 100


class TeamForm(ChangeForm):
    """A name and, one a line, the members, as files name players too."""

    members = forms.CharField(
        label=capfirst(gettext_lazy("members")),
        max_length=MOST_MEMBERS * 102,
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("one a line: names of players of the league, two at least"),
    )

    class Meta:
        model = Team
        fields = ("name",)

    def __init__(self, data: Any = None, *, instance: Team) -> None:
        self.league = instance.league
        members = list(instance.members.all()) if instance.pk else []
        initial = {"members": "\n".join(map(self._called, members))}
        super().__init__(data, instance=instance, initial=initial)

    @cached_property
    def names(self) -> PlayerNames:
        """Looked up only by a form that names somebody."""
        return PlayerNames(self.league)

    def _called(self, player: Player) -> str:
        """The name by which the form finds the player again: of namesakes the address."""
        return player.name if len(self.names.find(player.name)) == 1 else player.slug

    def clean_members(self) -> list[Player]:
        found = [self._player(line) for line in map(tidy, self.cleaned_data["members"].splitlines()) if line]
        if len(found) > MOST_MEMBERS:
            raise ValidationError(
                _("A team has at most %(most)d members; here are %(count)d."),
                params={"most": MOST_MEMBERS, "count": len(found)},
            )
        return list(dict.fromkeys(found))

    def _player(self, name: str) -> Player:
        player = one_of(name, self.names.find(name))
        if player is None:
            message = _("“%(name)s” is no player of this league; correct the name, or add the player first.")
            raise ValidationError(message, params={"name": name})
        return player
