"""What a reader may ask of the standings."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leagues.formats import format_day
from leagues.models import Player, Season
from leagues.names import fold
from ratings.models import Standing
from ratings.services.pace import is_over


class StandingsFilterForm(forms.Form):
    """Which rows to show, and of which day. What makes no sense does not narrow them; a wrong day is told.

    Bound and validated at once: what was asked for is read from it.
    """

    q = forms.CharField(label=_("Player"), required=False, max_length=100)
    show = forms.ChoiceField(
        label=_("Show"),
        required=False,
        choices=[("", _("everybody")), ("classified", _("classified")), ("reach", _("still in reach"))],
    )
    on = forms.DateField(
        label=_("As of"), required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, data: Any, *, season: Season) -> None:
        super().__init__(data)
        self.season = season
        self.today = timezone.localdate()
        last = min(season.ends_on, self.today)
        self.fields["on"].widget.attrs |= {"min": season.starts_on.isoformat(), "max": last.isoformat()}
        self.is_valid()

    def clean_on(self) -> date | None:
        day = self.cleaned_data["on"]
        if day and day < self.season.starts_on:
            sentence = gettext("The season began on %(day)s; there are no standings of before.")
            raise forms.ValidationError(sentence % {"day": format_day(self.season.starts_on)})
        if day and day > self.today:
            raise forms.ValidationError(gettext("That day has not come yet; these are the standings now."))
        return day

    @property
    def past_day(self) -> date | None:
        """The day whose standings are asked for, where that is not today."""
        day = self.cleaned_data.get("on")
        return day if day and day < self.today else None

    @property
    def is_over(self) -> bool:
        """Whether on that day nobody could reach a place any more who had none."""
        return self.past_day > self.season.ends_on if self.past_day else is_over(self.season, self.today)

    @property
    def narrows(self) -> bool:
        """Whether it leaves rows out."""
        return bool(self.cleaned_data.get("q") or self.cleaned_data.get("show"))

    def standings(self) -> QuerySet[Standing]:
        """The season's rows that are asked for, with their players."""
        standings = Standing.objects.filter(season=self.season).select_related("player").order_by("position")
        match self.cleaned_data.get("show"):
            case "classified":
                standings = standings.filter(classified=True)
            case "reach" if self.is_over:
                standings = standings.none()
            case "reach":
                standings = standings.filter(classified=False, withdrawn=False)
        if name := self.cleaned_data.get("q"):
            standings = standings.filter(
                player__in=Player.objects.in_league(self.season.league_id).named_like(name)
            )
        return standings

    def narrow(self, standings: list[Standing]) -> list[Standing]:
        """The same of rows of a past day."""
        match self.cleaned_data.get("show"):
            case "classified":
                standings = [row for row in standings if row.classified]
            case "reach":
                standings = [
                    row for row in standings if not (row.classified or row.withdrawn or self.is_over)
                ]
        if name := self.cleaned_data.get("q"):
            standings = [row for row in standings if fold(name) in row.player.search]
        return standings
