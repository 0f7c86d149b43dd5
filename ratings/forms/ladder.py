"""What is asked of the ladder, and what is done with challenges. Forms clean; services write."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.forms.games import LOCAL_TIME, MomentField
from leagues.forms.sides import PointsField
from leagues.models import Challenge, Player, Season


class LadderForm(forms.Form):
    """Whose ladder is shown, and who is looked for in it. What makes no sense is passed over."""

    player = forms.SlugField(required=False, max_length=80, allow_unicode=False)
    q = forms.CharField(required=False, max_length=100)
    past = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)  # page of former challenges


class IssueForm(forms.Form):
    """A challenge: who challenges, and whom; nobody named, somebody is drawn."""

    player = forms.SlugField(max_length=80)
    opponent = forms.SlugField(max_length=80, required=False)
    draw = forms.BooleanField(required=False)

    def __init__(self, data: Any, *, season: Season) -> None:
        super().__init__(data)
        self.season = season

    def clean(self) -> dict[str, Any]:
        """The players of the addresses, in place of these."""
        cleaned = super().clean() or {}
        names = ("player", "opponent")
        players = Player.objects.in_league(self.season.league_id)
        found = {
            each.slug: each for each in players.filter(slug__in=[cleaned.get(name) or "" for name in names])
        }
        for name in names:
            if cleaned.get(name) and cleaned[name] not in found:
                self.add_error(name, _("This player is unknown in this league."))
        if not self.errors and not cleaned["opponent"] and not cleaned["draw"]:
            self.add_error("opponent", _("Choose whom to challenge."))
        return cleaned | {name: found.get(cleaned.get(name, "")) for name in names}


class DeclineForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), required=False, max_length=200)


class ResultForm(forms.Form):
    """The game of a challenge, as its two players tell it."""

    def __init__(self, data: Any = None, *, challenge: Challenge) -> None:
        super().__init__(data)
        season = challenge.season
        for name, player in (("own", challenge.challenger), ("other", challenge.opponent)):
            self.fields[name] = PointsField(label=player.name)
        now = timezone.now().astimezone(season.league.zone)
        self.fields["played_at"] = MomentField(season, initial=now.strftime(LOCAL_TIME))

    @property
    def points(self) -> tuple[int, int]:
        return self.cleaned_data["own"], self.cleaned_data["other"]


class ForfeitForm(forms.Form):
    """Who did not come, by the player's place in the challenge."""

    absent = forms.ChoiceField(label=_("Who did not come"), widget=forms.RadioSelect)
    reason = forms.CharField(label=_("Reason"), required=False, max_length=200)

    def __init__(self, data: Any = None, *, challenge: Challenge) -> None:
        super().__init__(data)
        self.players = {"challenger": challenge.challenger, "opponent": challenge.opponent}
        self.fields["absent"].choices = [(name, player.name) for name, player in self.players.items()]  # type: ignore[attr-defined]


class RestForm(forms.Form):
    """For how many days a player rests; none: no longer."""

    player = forms.SlugField(max_length=80)
    days = forms.IntegerField(label=_("Days of rest"), min_value=0, max_value=365, required=False)
