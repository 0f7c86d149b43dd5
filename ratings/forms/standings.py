"""What a reader may ask of the standings."""

from __future__ import annotations

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from leagues.models import Player, Season
from ratings.models import Standing


class StandingsFilterForm(forms.Form):
    """Which rows to show. What makes no sense does not narrow them."""

    q = forms.CharField(label=_("Player"), required=False, max_length=100)
    show = forms.ChoiceField(
        label=_("Show"), required=False, choices=[("", _("everybody")), ("classified", _("classified"))]
    )

    @property
    def narrows(self) -> bool:
        """Whether it leaves rows out; known once it was asked for them."""
        return any(self.cleaned_data.values())

    def standings(self, season: Season) -> QuerySet[Standing]:
        """The season's rows that are asked for, with their players."""
        self.is_valid()
        standings = Standing.objects.filter(season=season).select_related("player").order_by("position")
        if self.cleaned_data.get("show") == "classified":
            standings = standings.filter(classified=True)
        if name := self.cleaned_data.get("q"):
            standings = standings.filter(
                player__in=Player.objects.in_league(season.league_id).named_like(name)
            )
        return standings
