"""What a reader may ask of a list of games."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from leagues.models import Player, Season, SideMember
from leagues.models.game import GameQuerySet
from leagues.models.player import PlayerQuerySet


class GameFilterForm(forms.Form):
    """Which games of a season to list. What is wrong is said, and does not narrow the list."""

    q = forms.CharField(label=_("Player"), required=False, max_length=100)
    against = forms.CharField(label=_("Opponent"), required=False, max_length=100)

    def __init__(self, data: Any, *, season: Season) -> None:
        super().__init__(data)
        self.season = season
        # Words of the address: "from" cannot be the name of a class attribute.
        for name, label in (("from", _("From")), ("to", _("To"))):
            self.fields[name] = forms.DateField(
                label=label, required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        first, last = cleaned.get("from"), cleaned.get("to")
        if first and last and first > last:
            self.add_error("to", _("The last day is before the first."))
        return cleaned

    @property
    def narrows(self) -> bool:
        """Whether anything is asked for."""
        return any(self.cleaned_data.values())

    def narrow(self, games: GameQuerySet) -> GameQuerySet:
        """Those of the season's games that were asked for; days are those of the league's zone."""
        zone, asked = self.season.league.zone, self.cleaned_data
        # Far days are brought near: the calendar ends where zones are added to its ends.
        if first := asked.get("from"):
            first = max(self.season.starts_on, min(first, self.season.ends_on + timedelta(days=1)))
            games = games.filter(played_at__gte=datetime.combine(first, time(), zone))
        if last := asked.get("to"):
            last = min(self.season.ends_on, max(last, self.season.starts_on - timedelta(days=1)))
            games = games.filter(played_at__lt=datetime.combine(last + timedelta(days=1), time(), zone))
        players, opponents = self._called(asked.get("q")), self._called(asked.get("against"))
        if players is None:
            players, opponents = opponents, None  # one name alone is anybody's in the game
        if players is None:
            return games
        seats = SideMember.objects.filter(game=OuterRef("pk"), player__in=players)
        if opponents is not None:
            others = SideMember.objects.filter(game=OuterRef("game"), player__in=opponents)
            seats = seats.filter(Exists(others.exclude(side=OuterRef("side"))))
        return games.filter(Exists(seats))

    def _called(self, text: str | None) -> PlayerQuerySet | None:
        """Who is called so; None where nobody is asked for."""
        return Player.objects.in_league(self.season.league_id).named_like(text) if text else None
