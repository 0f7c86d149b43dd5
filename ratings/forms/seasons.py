"""The forms of seasons. They clean; the services write."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from django import forms
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.forms.changing import ChangeForm
from leagues.models import Season
from leagues.models.season import LAST_DAY
from leagues.services.seasons import CHALLENGE_LIMITS, POLICIES, REPORT_FIELDS
from ratings.engine.presets import DEFAULT_PRESET, PRESETS
from ratings.models.rules import LIMIT_FIELDS

PRESET_LABELS = {
    "wsd-2.0": gettext_lazy("games for points: duels, free-for-alls and teams"),
    "wsd-2.0-tables": gettext_lazy("the same, where the rulebook contradicts itself as its tables say"),
    "wsd-2.0-formulas": gettext_lazy("the same, as its formulas say"),
    "ranked-battle": gettext_lazy("a ladder: one challenger against one, only who won matters"),
}
PRESET_CHOICES = [(name, format_lazy("{} ({})", PRESET_LABELS[name], name)) for name in PRESETS]
SHOWN = ("name", "starts_on", "ends_on", "preset", "games_from")
YEAR = re.compile(r"(?<!\d)(?:\d{4}|\d{2})(?!\d)")  # 2026, and the second half of 2026/27


class DayInput(forms.DateInput):
    """A day, by the browser's own calendar."""

    input_type = "date"

    def __init__(self, **options: Any) -> None:
        super().__init__(format="%Y-%m-%d", **options)


class SeasonCreateForm(forms.ModelForm):
    """A new season: made of a preset, or like one of before."""

    preset = forms.ChoiceField(
        label=gettext_lazy("Rules"),
        initial=DEFAULT_PRESET["wsd"],
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Every number of them can be changed afterwards."),
    )

    class Meta:
        model = Season
        fields = ("name", "starts_on", "ends_on", *REPORT_FIELDS, *POLICIES, "state", "slug")
        widgets = {"starts_on": DayInput, "ends_on": DayInput, "games_from": forms.RadioSelect}

    def __init__(self, data: Any = None, *, like: Season | None, today: date) -> None:
        # An instance of its own: the form writes into it.
        kept = {} if like is None else {name: getattr(like, name) for name in (*REPORT_FIELDS, *POLICIES)}
        super().__init__(data, initial=kept | suggested(like, today))
        fields: dict[str, Any] = self.fields
        if like is None:
            fields["preset"].choices = preset_choices()
        else:
            del fields["preset"]
        fields["slug"].required = False
        fields["slug"].help_text = gettext_lazy("its part of the page addresses; empty: made of the name")
        fields["state"].choices = not_closed()
        for name in ("starts_on", "ends_on"):
            fields[name].error_messages["invalid"] = gettext_lazy("Write the day like 2026-09-30.")

    @property
    def folded(self) -> list[forms.BoundField]:
        """The fields that few need."""
        return [self[name] for name in self.fields if name not in SHOWN]


def preset_choices() -> list[tuple[str, str]]:
    """The presets, each with what it is for and what a place takes by it."""
    choices = []
    for name, rules in PRESETS.items():
        purpose = capfirst(str(PRESET_LABELS[name]))
        if name not in DEFAULT_PRESET.values():
            text = "%(purpose)s."
        elif rules.min_games or rules.min_meetings:
            text = _("%(purpose)s. A place takes %(games)s games, and %(meetings)s with every opponent.")
        else:
            text = _("%(purpose)s. Everybody who plays has a place.")
        values = {"purpose": purpose, "games": rules.min_games, "meetings": rules.min_meetings}
        choices.append((name, text % values))
    return choices


def not_closed() -> list[tuple[str, Any]]:
    """The states that a form gives a season; it is closed and reopened by itself."""
    return [(state.value, capfirst(state.label)) for state in Season.State if state != Season.State.CLOSED]


def suggested(like: Season | None, today: date) -> dict[str, Any]:
    """Name and days for a new season: a year from today, or as long as the one before and right after it."""
    if like is None:
        return {"name": str(today.year), "starts_on": today, "ends_on": _year_after(today)}
    starts_on = min(max(like.ends_on + timedelta(days=1), today), LAST_DAY)
    was_a_year = like.ends_on == _year_after(like.starts_on)
    length = (like.ends_on - like.starts_on).days
    last = date.fromordinal(min(starts_on.toordinal() + length, LAST_DAY.toordinal()))
    ends_on = _year_after(starts_on) if was_a_year else last
    years = starts_on.year - like.starts_on.year
    return {"name": _later_name(like, years), "starts_on": starts_on, "ends_on": ends_on}


def _year_after(day: date) -> date:
    """The last day of the year that begins on this day."""
    if day.year == LAST_DAY.year:
        return LAST_DAY
    is_leap_day = (day.month, day.day) == (2, 29)
    return date(day.year + 1, day.month, 28 if is_leap_day else day.day) - timedelta(days=not is_leap_day)


def _later_name(like: Season, years: int) -> str:
    """The season's name with its years so many later; empty where that is no other name."""
    old = {like.starts_on.year, like.ends_on.year}
    known = {str(year): str(year + years) for year in old}
    known |= {f"{year % 100:02}": f"{(year + years) % 100:02}" for year in old}
    name = YEAR.sub(lambda found: known.get(found[0], found[0]), like.name)
    return name if name != like.name else ""


class GroupedForm(ChangeForm):
    """A form of many fields, of which most are folded away under what they are about."""

    groups: tuple[tuple[Any, tuple[str, ...]], ...]

    @property
    def grouped(self) -> list[tuple[Any, list[forms.BoundField]]]:
        """The groups with the fields that the form has of them."""
        found = [
            (title, [self[name] for name in names if name in self.fields]) for title, names in self.groups
        ]
        return [(title, fields) for title, fields in found if fields]


class SeasonSettingsForm(GroupedForm):
    """What a season is set to, but for the rules it is rated by."""

    groups = (
        (gettext_lazy("The season"), ("name", "starts_on", "ends_on", "state", "slug")),
        (gettext_lazy("Who enters games"), REPORT_FIELDS),
        (gettext_lazy("What a game may be"), LIMIT_FIELDS),
        (gettext_lazy("Challenges"), CHALLENGE_LIMITS),
        (gettext_lazy("Forfeits and withdrawals"), POLICIES),
        (gettext_lazy("The rulebook"), ("rules_text",)),
    )

    class Meta:
        model = Season
        fields = (
            "name", "starts_on", "ends_on", "state", "slug", *REPORT_FIELDS, *LIMIT_FIELDS, *CHALLENGE_LIMITS,
            *POLICIES, "rules_text",
        )  # fmt: skip
        widgets = {"starts_on": DayInput, "ends_on": DayInput, "games_from": forms.RadioSelect}

    def __init__(self, data: Any = None, *, instance: Season) -> None:
        super().__init__(data, instance=instance)
        fields: dict[str, Any] = self.fields
        fields["state"].choices = not_closed()
        if instance.duels_only:  # what teams may be is no question there
            for name in ("team_min", "team_max", "teams_max"):
                del fields[name]
        else:
            for name in CHALLENGE_LIMITS:
                del fields[name]
        for name in ("starts_on", "ends_on"):
            fields[name].error_messages["invalid"] = gettext_lazy("Write the day like 2026-09-30.")
