"""The form of a game written in one line: it fills the ordinary form, and asks about names not clear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.forms.games import GameForm, local_text
from leagues.forms.sides import NEW, TYPED, PlayerChoices
from leagues.models import Player, Season
from leagues.names import fold, name_problem, same_name, tidy
from leagues.one_line import LINE_LENGTH, WrittenName, read_line

ANSWERS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Question:
    """What has to be said about a name, and the answers: a label, and the query that gives it."""

    sentence: str
    answers: tuple[tuple[str, str], ...]


class NamesField(forms.Field):
    """Names of new players."""

    widget = forms.MultipleHiddenInput

    def clean(self, value: Any) -> list[str]:
        return [name for name in map(tidy, value or ()) if name]


class LineForm(forms.Form):
    """A line, the names in it that are those of new players, and the note typed beside it."""

    line = forms.CharField(
        label=gettext_lazy("In one line"),
        max_length=LINE_LENGTH,
        help_text=gettext_lazy(
            "Names and points, as in “ann 50, bob 30, cyd 30” or “ann+bob 21 : 15 cyd+dan”. After an @ the "
            "time, as in “@ 21:30”, “@ yesterday 21:30” or “@ 2026-11-29 18:05”; without it the game was "
            "played now. “#forfeit”, “#friendly” or “#bye” at the end says what kind of game it is."
        ),
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "off",
                "spellcheck": "false",
                "enterkeyhint": "go",
            }
        ),
    )
    new = NamesField(required=False)
    note = forms.CharField(max_length=200, required=False)

    def __init__(self, season: Season, data: Any) -> None:
        super().__init__(data if data.get("line", "").strip() else None)
        self.season = season
        self.may_add = False  # whether whoever writes may add players
        self.problems: list[str] = []
        self.questions: list[Question] = []

    def fill(self, form: GameForm) -> None:
        """Write what the line says into an empty form. What is not clear stays there to be refused."""
        if not self.is_bound:
            return
        if not self.is_valid():
            self.problems = [str(error) for errors in self.errors.values() for error in errors]
            return
        line: str = self.cleaned_data["line"]
        self.may_add = "add_players" in form.fields
        game = read_line(line, now=timezone.now(), zone=self.season.league.zone)
        self.problems = list(game.problems)
        sides = [
            {"members": [self._value(name, form.players) for name in side.members], "points": side.points}
            for side in game.sides
        ]
        values = {"note": self.cleaned_data["note"]}
        if game.word:
            # A word that is no kind is shown as it is, so that the form is refused with it.
            form.offer_kind(values.setdefault("kind", game.kind or game.word))
        if game.time:
            # A time that could not be read is shown by no date field, and asked for again.
            values["played_at"] = local_text(self.season, game.played_at) if game.played_at else game.time
        form.fill(sides, **values)

    def _value(self, name: WrittenName, players: PlayerChoices) -> str:
        """The value of the form for a name; one that is not clear is asked about."""
        found = meant_by(name.text, players)
        if len(found) == 1:
            return str(found[0].pk)
        new = self.cleaned_data["new"]
        if not found and same_name(name.text) in map(same_name, new):
            return f"{NEW}{tidy(name.text)}"
        self.questions.append(self._who(name, found, players) if found else self._nobody(name))
        return f"{TYPED}{tidy(name.text)}"

    def _who(self, name: WrittenName, found: list[Player], players: PlayerChoices) -> Question:
        line: str = self.cleaned_data["line"]
        answers = [
            (
                f"{player.name} ({player.slug})",
                self._query(line=f"{line[: name.start]}{player.slug}{line[name.end :]}"),
            )
            for player in found[:ANSWERS_SHOWN]
            if players.names.find(player.slug) == [player]
        ]
        return Question(_("Who is “%(name)s”?") % {"name": tidy(name.text)}, tuple(answers))

    def _nobody(self, name: WrittenName) -> Question:
        text = tidy(name.text)
        sentence = _("Nobody is called “%(name)s”.") % {"name": text}
        if problem := name_problem(text):
            return Question(f"{sentence} {problem}", ())
        if not self.may_add:
            return Question(sentence, ())
        label = _("Add “%(name)s” as a new player") % {"name": text}
        return Question(sentence, ((label, self._query(new=[*self.cleaned_data["new"], text])),))

    def _query(self, **values: Any) -> str:
        told = {name: value for name, value in (self.cleaned_data | values).items() if value}
        return urlencode(told, doseq=True)


def meant_by(name: str, players: PlayerChoices) -> list[Player]:
    """Whom a hastily written name may mean.

    The first of these that finds somebody: the name, another name or the address; the name in another script
    or without accents; whole words of it; the beginnings of words.
    """
    if found := players.names.find(name):
        return found
    if not (key := fold(name)):
        return []
    searched = [(f" {player.search} ", player) for player in players.names.by_id.values()]
    wanted = f" {key} "
    return (
        [player for text, player in searched if text == wanted]
        or [player for text, player in searched if wanted in text]
        or [player for text, player in searched if wanted[:-1] in text]
    )
