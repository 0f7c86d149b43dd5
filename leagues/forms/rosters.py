"""The forms of a list of players."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from leagues.models import League, Player, Season
from leagues.services.rosters import MOST_NAMES


class RosterForm(forms.Form):
    names = forms.CharField(
        label=gettext_lazy("Names"),
        max_length=MOST_NAMES * 110,
        widget=forms.Textarea(attrs={"rows": 12, "autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("one a line, as copied from a sheet or a message"),
        error_messages={"required": gettext_lazy("Write at least one name.")},
    )
    season = forms.ModelChoiceField(
        label=gettext_lazy("Enter them in"),
        queryset=Season.objects.none(),
        required=False,
        empty_label=gettext_lazy("no season: add them to the league alone"),
    )

    def __init__(self, league: League, data: Any = None, *, season: str = "") -> None:
        """``season`` is the address of the one to enter them in, if that is not the current one."""
        seasons = Season.objects.in_league(league).exclude(state=Season.State.CLOSED).current_first()
        asked = sorted(seasons, key=lambda each: each.slug != season)[:1] if data is None else []
        super().__init__(data, initial={"season": asked[0]} if asked else None)
        field: Any = self.fields["season"]
        field.queryset = seasons

    def clean_names(self) -> list[str]:
        lines: list[str] = self.cleaned_data["names"].splitlines()
        return lines


class PlayersForm(forms.Form):
    """Players of a league, ticked in a list."""

    players = forms.ModelMultipleChoiceField(
        queryset=Player.objects.none(),
        error_messages={
            "required": gettext_lazy("Tick at least one player."),
            "invalid_choice": gettext_lazy("One of the players is not in this league any more."),
        },
    )

    def __init__(self, league: League, data: Any = None) -> None:
        super().__init__(data)
        field: Any = self.fields["players"]
        field.queryset = Player.objects.in_league(league)
