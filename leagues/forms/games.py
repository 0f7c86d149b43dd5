"""The form of a game: its time, note and sides. It cleans; the services write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.formats import format_moment, format_number
from leagues.forms.sides import JOINER, TYPED, BaseSides, PlayerChoices, Sides
from leagues.games_csv import instant
from leagues.models import Game, GameReport, Season
from leagues.services import (
    FormUsedError,
    GameChangedError,
    GameRefusedError,
    PlayedSide,
    SimilarGameError,
    SimilarReportError,
)
from leagues.services.game_checks import SIDES_MAX
from leagues.services.games import facts_of, played_sides

LOCAL_TIME = "%Y-%m-%dT%H:%M"
LOADED = "game as loaded"  # the salt of its signature


class MomentField(forms.CharField):
    """A time in the league's zone. A local time that happens twice is its first one, as in files."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL_TIME)

    def __init__(self, season: Season, known: datetime | None = None, **values: Any) -> None:
        super().__init__(label=gettext_lazy("Time"), max_length=40, **values)
        self.season, self.known = season, known

    def clean(self, value: Any) -> datetime:
        text = super().clean(value)
        zone = self.season.league.zone
        # What was not touched stays exact: to the second, and the later of two times of one name.
        if self.known and text == self.known.astimezone(zone).strftime(LOCAL_TIME):
            return self.known
        moment = instant(text, zone)
        if not isinstance(moment, datetime):
            raise ValidationError(str(moment) % {"value": text, "zone": zone.key})
        return moment


class Difference(NamedTuple):
    """A value of a game that somebody else changed while it was corrected, or that is typed otherwise."""

    name: str
    loaded: str | None  # None where it is not known what the form was filled with
    stored: str
    typed: str


class GameForm(forms.Form):
    """A game as an organizer types it."""

    note = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    kind = forms.ChoiceField(label=gettext_lazy("Kind of game"), choices=Game.Kind.choices, required=False)
    add_players = forms.BooleanField(label=gettext_lazy("Add new players"), required=False)
    token = forms.UUIDField(widget=forms.HiddenInput, required=False)
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)
    loaded = forms.CharField(widget=forms.HiddenInput, required=False)  # what the game said at that version

    byes = True  # whether they are offered
    data: Any
    sides: BaseSides
    similar: Game | None = None  # what was most likely entered already
    made: Game | None = None  # what this form has made already
    similar_report: GameReport | None = None  # what was most likely reported already
    stored: Game | None = None  # what somebody else made of the game meanwhile

    def __init__(
        self,
        season: Season,
        data: Any = None,
        *,
        game: Game | None = None,
        initial: dict[str, Any] | None = None,
        sides: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        if game:
            initial = {
                "played_at": local_text(season, game.played_at),
                "note": game.note,
                "kind": game.kind,
                "version": game.version,
                "loaded": _signed(game),
            } | (initial or {})
            sides = _typed_sides(game) if sides is None and data is None else sides
        elif data is None:
            initial = {"played_at": local_text(season, _now_in(season)), "token": uuid4()} | (initial or {})
        super().__init__(data, initial=dict(initial or {}))
        self.season = season
        self._offer_kinds()
        self.fields["played_at"] = MomentField(
            season,
            game.played_at if game else None,
            error_messages={"required": _("Say when the game was played.")},
        )
        self.players = PlayerChoices(season)
        self._seat(sides)

    def _offer_kinds(self) -> None:
        """What kinds there are, and which are rated. A bye where there is none is refused in a sentence."""
        field: Any = self.fields["kind"]
        helps = [
            _("Forfeits are rated in this season, friendlies are not.")
            if self.season.forfeits_rated
            else _("Neither forfeits nor friendlies are rated in this season.")
        ]
        if self.byes and not self.season.duels_only:
            helps.append(_("A bye is one side alone, without points; it counts for nothing."))
        elif not self.is_bye:
            field.choices = [choice for choice in field.choices if choice[0] != Game.Kind.BYE]
        field.help_text = " ".join(helps)

    @property
    def is_bye(self) -> bool:
        """Whether a bye was sent."""
        return self.is_bound and self.data.get("kind") == Game.Kind.BYE

    def _seat(self, sides: Sequence[Mapping[str, Any]] | None) -> None:
        may_be_new = self.is_bound and bool(self.data.get("add_players"))
        self.sides = Sides(  # type: ignore[assignment]
            self.data if self.is_bound else None,
            prefix="side",
            initial=sides,
            form_kwargs={"players": self.players, "may_be_new": may_be_new, "scored": not self.is_bye},
        )
        if self.is_bye:
            self.sides.min_num = 1

    @classmethod
    def with_other_sides(cls, season: Season, data: Any, game: Game | None = None) -> GameForm:
        """The form as far as it was filled in, not judged yet.

        With an empty side more at the end, or without the side whose number, from 1, ``remove`` says.
        """
        typed = cls(season, data, game=game)
        initial = {name: typed[name].data for name in typed.fields}
        sides: list[dict[str, Any]] = [
            {name: side[name].data for name in side.fields}
            for number, side in enumerate(typed.sides.forms, 1)
            if str(number) != data.get("remove")
        ]
        if "remove" not in data:
            sides.append({})
        return cls(season, game=game, initial=initial, sides=sides[:SIDES_MAX])

    def fill(self, sides: Sequence[Mapping[str, Any]], **values: Any) -> None:
        """Write into a form that nobody has sent yet."""
        self.initial = {**self.initial, **values}
        self._seat(sides)

    def offer_kind(self, kind: str) -> None:
        """Have what somebody wrote among the kinds to choose; what is none of them is refused when sent."""
        field: Any = self.fields["kind"]
        if kind not in dict(field.choices):
            field.choices = [*field.choices, (kind, dict(Game.Kind.choices).get(kind, kind))]

    @property
    def names_players(self) -> bool:
        """Whether somebody is written by name, who may be new."""
        named = (value for side in self.sides for value in side["members"].value() or ())
        return any(value.startswith(TYPED) for value in named)

    def is_valid(self) -> bool:
        return all([super().is_valid(), self.sides.is_valid()])

    def facts(self) -> dict[str, Any]:
        """What was typed, as the services take it."""
        return {
            "played_at": self.cleaned_data["played_at"],
            "sides": [
                PlayedSide(side.cleaned_data["members"], side.cleaned_data["points"])
                for side in self.sides.played
            ],
            "note": self.cleaned_data["note"],
            # A form that says nothing of it makes no forfeit a game that was played.
            **({"kind": kind} if (kind := self.cleaned_data["kind"]) else {}),
        }

    def refuse(self, refused: ValidationError) -> None:
        """Put what a service says to the place it concerns."""
        if isinstance(refused, GameRefusedError):
            for problem in refused.problems:
                self._refuse_at(problem.field, problem.side, problem.message)
        elif isinstance(refused, SimilarGameError):
            self.similar = refused.game
        elif isinstance(refused, FormUsedError):
            self.made = refused.game
            self.data = self.data.copy()
            self.data["token"] = str(uuid4())  # seen now: saving again is meant
        elif isinstance(refused, SimilarReportError):
            self.similar_report = refused.report
        elif isinstance(refused, GameChangedError):
            self.stored = refused.game
            self.data = self.data.copy()
            self.data["version"] = str(refused.game.version)  # seen now: saving again is meant
            self.data["loaded"] = _signed(refused.game)
        else:
            for message in refused.messages:
                self.add_error(None, message)

    def _refuse_at(self, field: str, side: int | None, message: str) -> None:
        if field in ("side", "points") and side and side <= len(self.sides.played):
            self.sides.played[side - 1].add_error("members" if field == "side" else "points", message)
        else:
            self.add_error("played_at" if field == "played_at" else None, message)

    def problems(self) -> list[tuple[str, str]]:
        """Every error of the form, with the id of the input it is about."""
        if not self.is_bound:
            return []
        found = [("", error) for error in [*self.non_field_errors(), *self.sides.non_form_errors()]]
        for form in [self, *self.sides.forms]:
            for field in form:
                # The picker hides the select it stands on; its surroundings can always be pointed at.
                place = f"{field.id_for_label}_field" if field.name == "members" else field.id_for_label
                found += [(place, error) for error in field.errors]
        return found

    def differences(self) -> list[Difference]:
        """Where the game as it was loaded, as it is stored now and as it is typed are not the same."""
        if self.stored is None:
            return []
        facts = self.facts()
        sides = [([player.name for player in side.members], side.points) for side in facts["sides"]]
        kind = facts.get("kind", self.stored.kind)
        typed = _described(facts["played_at"], sides, facts["note"], kind)
        stored = _described_facts(facts_of(self.stored))
        loaded = self._loaded()
        return [
            Difference(
                name,
                None if loaded is None else loaded.get(name, "–"),
                stored.get(name, "–"),
                typed.get(name, "–"),
            )
            for name in stored | typed
            if not stored.get(name) == typed.get(name) == (loaded or stored).get(name)
        ]

    def _loaded(self) -> dict[str, str] | None:
        """What the form was filled with; None where it does not say so."""
        try:
            return _described_facts(signing.loads(self.cleaned_data["loaded"], salt=LOADED))
        except signing.BadSignature:
            return None


def _signed(game: Game) -> str:
    """What a game says, to be sent along with its form: nobody can make it say anything else."""
    return signing.dumps(facts_of(game), salt=LOADED, compress=True)


class ReportForm(GameForm):
    """A game as one of its players reports it, of players whom the league knows."""

    add_players = None  # type: ignore[assignment] # Django's way to leave a field out
    byes = False


def _described_facts(facts: Mapping[str, Any]) -> dict[str, str]:
    sides = [(side["players"], side["points"]) for side in facts["sides"]]
    return _described(datetime.fromisoformat(facts["played_at"]), sides, facts["note"], facts["kind"])


def _described(
    played_at: datetime, sides: Sequence[tuple[Sequence[str], int]], note: str, kind: str
) -> dict[str, str]:
    described = {_("Time"): format_moment(played_at)}
    for number, (names, points) in enumerate(sides, 1):
        side = _("Side %(number)d") % {"number": number}
        said = JOINER.join(names)
        described[side] = said if kind == Game.Kind.BYE else f"{said}: {format_number(points)}"
    return described | {_("Note"): note or "–", _("Kind of game"): str(Game.Kind(kind).label)}


def _typed_sides(game: Game) -> list[dict[str, Any]]:
    return [
        {
            "members": [str(player.pk) for player in side.members],
            "points": None if game.is_bye else side.points,
        }
        for side in played_sides(game)
    ]


def local_text(season: Season, moment: datetime) -> str:
    """A time as its field takes it."""
    return moment.astimezone(season.league.zone).strftime(LOCAL_TIME)


def _now_in(season: Season) -> datetime:
    """Now, or before and after the season its beginning."""
    now = timezone.now()
    return now if season.includes(now) else season.starts_at


class VoidForm(forms.Form):
    """Why a game is voided."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=200,
        help_text=gettext_lazy("Players will read it next to the game."),
        error_messages={"required": gettext_lazy("Say why the game is voided; players will read it.")},
    )


class SeenForm(forms.Form):
    """Which version of a game somebody saw who voids or deletes it."""

    version = forms.IntegerField(required=False)

    @classmethod
    def version_of(cls, data: Any) -> int | None:
        """The version in what was sent; None where it names none."""
        form = cls(data)
        form.is_valid()
        return form.cleaned_data.get("version")
