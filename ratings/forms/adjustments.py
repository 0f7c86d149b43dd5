"""The forms of an adjustment. They clean; the services write."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy

from leagues.formats import MINUS
from leagues.forms.games import LOCAL_TIME, MomentField
from leagues.models import Season
from leagues.services.player_names import PlayerNames
from ratings.forms.merging import NAMES_LISTED, PlayerField


class RatingPointsField(forms.DecimalField):
    """A number of rating points with its sign, which may be a typed minus or a printed one."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.replace(MINUS, "-") if isinstance(value, str) else value)


class AdjustmentForm(forms.Form):
    """What is added to whose rating, from when on, and why."""

    player = PlayerField(label=gettext_lazy("Player"), max_length=100)
    change = RatingPointsField(
        label=gettext_lazy("Rating points"),
        max_digits=6,
        decimal_places=1,
        localize=True,
        help_text=gettext_lazy("a bonus as 10, a penalty as −10"),
        widget=forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off"}),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        help_text=gettext_lazy("Players will read it."),
        error_messages={"required": gettext_lazy("Say why; players will read it.")},
    )

    def __init__(self, season: Season, data: Any = None, *, player: str = "") -> None:
        initial = {"player": player, "at": _now_in(season)} if data is None else None
        super().__init__(data, initial=initial)
        self.names = PlayerNames(season.league)
        self.fields["player"].names = self.names  # type: ignore[attr-defined]
        moment = MomentField(
            season, help_text=gettext_lazy("Games of this time and later are rated with it.")
        )
        moment.label = gettext_lazy("In effect from")
        self.fields["at"] = moment
        self.order_fields(["player", "change", "at", "reason"])

    def listed(self) -> list[tuple[str, str]]:
        """Address and name of everybody, as suggestions; nothing in a large league."""
        players = self.names.by_id.values()
        return [(player.slug, player.name) for player in players] if len(players) <= NAMES_LISTED else []

    def facts(self) -> dict[str, Any]:
        """What was typed, as the service takes it: in tenths."""
        return {**self.cleaned_data, "change": int(Decimal(self.cleaned_data["change"]).scaleb(1))}


def _now_in(season: Season) -> str:
    """Now, or the moment of the season that is nearest to it, to the minute."""
    last = season.ends_at - timedelta(minutes=1)
    moment = min(max(timezone.now(), season.starts_at), last)
    return moment.astimezone(season.league.zone).strftime(LOCAL_TIME)


class CancelForm(forms.Form):
    """Why an adjustment is cancelled."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        help_text=gettext_lazy("Players will read it."),
        error_messages={"required": gettext_lazy("Say why it is cancelled; players will read it.")},
    )
