"""The sides of a game in a form: who plays, and the points.

Players come as chosen in the picker, which sends ids and ``new:Name``, or without scripts as one
text, in which the members of a team are joined by `` + `` as in game files.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.formsets import BaseFormSet, formset_factory
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.games_csv import shown, whole_points
from leagues.models import Player, Season
from leagues.names import fold, same_name, tidy
from leagues.services.game_checks import SIDES_MAX
from leagues.services.player_names import PlayerNames, one_of

NEW, TYPED = "new:", "name:"
JOINER = " + "
# So many names to choose from are a help without scripts; more make the page heavy on a phone.
NAMES_LISTED = 400


class PointsField(forms.IntegerField):
    """A whole number, read as in files."""

    widget = forms.NumberInput(attrs={"class": "points", "step": 1, "autocomplete": "off"})

    def to_python(self, value: Any) -> int | None:
        if value in self.empty_values:
            return None
        text = str(value).strip()
        points = whole_points(text)
        if isinstance(points, int):
            return points
        raise ValidationError(str(points) % {"value": shown(text)}, code="invalid")


class PickerInput(forms.Widget):
    """Reads what the picker or, without scripts, the text below it says, as a list of texts."""

    def value_from_datadict(self, data: Any, _files: Any, name: str) -> list[str]:
        text = data.get(f"{name}_names")
        if text is None:
            return [value for value in data.getlist(name) if value]
        return [f"{TYPED}{tidy(each)}" for each in text.split(JOINER) if tidy(each)]

    def use_required_attribute(self, _initial: Any) -> bool:
        return False


class MembersField(forms.Field):
    """The players of a side."""

    widget = PickerInput

    def has_changed(self, _initial: Any, data: Any) -> bool:
        return bool(data)

    def clean(self, value: Any) -> list[str]:
        if not value:
            raise ValidationError(_("Choose at least one player."), code="required")
        return value  # the form knows the players: see SideForm.clean_members


class PlayerChoices:
    """The players of one league as a form names them."""

    def __init__(self, season: Season) -> None:
        self.league = season.league
        self.names = PlayerNames(season.league)
        # As a form sends them; not int(text): thousands of digits and those of other scripts are nobody's id.
        self.by_value = {str(key): player for key, player in self.names.by_id.items()}

    def label(self, player: Player) -> str:
        """What the player is called, with the address where there is a namesake."""
        return f"{player.name} ({player.slug})" if self._has_namesake(player) else player.name

    def written(self, player: Player) -> str:
        """A text by which the player is found again."""
        return player.slug if self._has_namesake(player) else player.name

    def _has_namesake(self, player: Player) -> bool:
        return len(self.names.by_name.get(same_name(player.name), ())) > 1

    def listed(self) -> list[str]:
        """What may be written, as suggestions; nothing in a large league."""
        players = self.names.by_id.values()
        return [self.written(player) for player in players] if len(players) <= NAMES_LISTED else []

    def find(self, value: str, *, may_be_new: bool) -> Player:
        """The player a value of the form means. Raises ValidationError with a sentence."""
        kind, name = next(
            ((kind, value[len(kind) :]) for kind in (NEW, TYPED) if value.startswith(kind)), ("", "")
        )
        if not kind:
            if value not in self.by_value:
                raise ValidationError(_("This player is unknown in this league."))
            return self.by_value[value]
        found = self.names.find(name) or [
            player for player in self.names.by_id.values() if player.search == fold(name)
        ]
        if player := one_of(name, found):
            return player
        if kind == NEW or may_be_new:
            return Player(league=self.league, name=tidy(name))
        message = _("“%(name)s” is no player of this league; correct the name or tick “Add new players”.")
        raise ValidationError(message % {"name": name}, code="unknown")


class SideForm(forms.Form):
    """One side: its players and points."""

    members = MembersField(label=gettext_lazy("Players"))
    points = PointsField(
        label=gettext_lazy("Points"), error_messages={"required": gettext_lazy("Write the points.")}
    )

    def __init__(
        self, *args: Any, players: PlayerChoices, may_be_new: bool, scored: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.players, self.may_be_new = players, may_be_new
        self.fields["points"].required = scored

    def clean_members(self) -> tuple[Player, ...]:
        members = []
        for value in self.cleaned_data["members"]:
            try:
                members.append(self.players.find(value, may_be_new=self.may_be_new))
            except ValidationError as refused:
                self.add_error("members", refused)
        return tuple(members)

    def clean_points(self) -> int:
        """0 where none are needed, and none are written."""
        return self.cleaned_data["points"] or 0

    @cached_property
    def picked(self) -> list[tuple[str, str]]:
        """Value and label of each player that is chosen, known, new or only named."""
        known = self.players.by_value
        return [
            (value, self.players.label(known[value]) if value in known else self._text(value))
            for value in self["members"].value() or ()
            if value in known or value.startswith((NEW, TYPED))
        ]

    @cached_property
    def typed(self) -> str:
        """The same players as a text."""
        return JOINER.join(self._text(value) for value in self["members"].value() or ())

    def _text(self, value: str) -> str:
        if player := self.players.by_value.get(value):
            return self.players.written(player)
        return value.removeprefix(NEW).removeprefix(TYPED)


class BaseSides(BaseFormSet):
    """The sides in order. Empty ones at the end are absent, as in files."""

    played: list[SideForm]  # those that are not, after cleaning

    default_error_messages = {
        "too_many_forms": gettext_lazy("A game has at most %(num)d sides."),
        "missing_management_form": gettext_lazy("The form came back incomplete. Please try again."),
    }

    def initial_form_count(self) -> int:
        return 0 if self.is_bound else super().initial_form_count()

    def clean(self) -> None:
        filled = [number for number, form in enumerate(self.forms, 1) if form.has_changed()]
        self.played = self.forms[: max(filled, default=0)]
        for form in self.played[self.min_num :]:
            if not form.has_changed():
                form.add_error("members", _("The side is empty but a later one is not: leave no side out."))


Sides = formset_factory(
    SideForm,
    formset=BaseSides,
    extra=0,
    min_num=2,
    max_num=SIDES_MAX,
    absolute_max=SIDES_MAX + 1,
    validate_max=True,
)


class PlayerSearchForm(forms.Form):
    """What is typed into the player picker."""

    q = forms.CharField(max_length=100, required=False)
