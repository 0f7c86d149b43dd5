"""Forms of the import page."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import FileExtensionValidator
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.games_csv import UnreadableWorkbookError, as_csv, is_workbook
from leagues.games_csv.reading import MOST_CHOSEN
from leagues.models import League, Player
from leagues.names import name_problem
from leagues.services.import_options import ImportOptions
from leagues.services.long_checks import takes_long

_ID = re.compile(r"[0-9]{1,18}")
SIDES = 20  # that columns can be said to hold; a file with more calls them by their names
# What a column can be said to hold, in the groups in which it is offered.
COLUMNS: list[tuple[Promise | str, dict[str, Promise]]] = [
    (
        "",
        {
            "played_at": gettext_lazy("Day, or day and time"),
            "clock": gettext_lazy("Time of day"),
            "note": gettext_lazy("Note"),
            "kind": gettext_lazy("Kind"),
        },
    ),
    (
        gettext_lazy("One game a row"),
        {
            name: text
            for number in range(1, SIDES + 1)
            for name, text in (
                (f"side {number}", format_lazy(gettext_lazy("Side {number}: who"), number=number)),
                (f"points {number}", format_lazy(gettext_lazy("Side {number}: points"), number=number)),
            )
        },
    ),
    (
        gettext_lazy("One participant a row"),
        {
            "game": gettext_lazy("Which game"),
            "side": gettext_lazy("Which side"),
            "player": gettext_lazy("Player"),
            "points": gettext_lazy("Points"),
        },
    ),
]
WORDS = {name: text for _group, names in COLUMNS for name, text in names.items()}
LARGEST_FILE = 10 * 1024 * 1024

ENCODINGS = [
    ("", gettext_lazy("found out by itself")),
    ("utf-8", "UTF-8"),
    ("utf-16", "UTF-16"),
    ("cp1251", gettext_lazy("Windows Cyrillic (cp1251)")),
    ("cp1254", gettext_lazy("Windows Turkish (cp1254)")),
    ("cp1252", gettext_lazy("Windows Western (cp1252)")),
]


class ImportOptionsForm(forms.Form):
    """How a file is read."""

    create_players = forms.BooleanField(
        label=gettext_lazy("Create players the league does not know"), required=False
    )
    encoding = forms.ChoiceField(
        label=gettext_lazy("Encoding"),
        choices=ENCODINGS,
        required=False,
        help_text=gettext_lazy("Choose another one only if the names in the preview look wrong."),
    )


def chosen_options(form: ImportOptionsForm, data: Any, league: League) -> ImportOptions:
    """The choices of the import page, of which those that make no sense are left out. At most one query."""
    options: dict[str, Any] = form.cleaned_data if form.is_valid() else {}
    return ImportOptions(
        encoding=options.get("encoding", ""),
        create_players=options.get("create_players", False),
        columns=tuple(name if name in WORDS else "" for name in data.getlist("column")[:MOST_CHOSEN]),
        order=data["order"] if data.get("order") in ("day", "month") else None,
        matches=_matches(data.getlist("unknown"), data.getlist("match"), league),
    )


def _matches(names: list[str], ids: list[str], league: League) -> dict[str, int]:
    """Whom names mean, by the id of the player, who is one of the league."""
    chosen = {name: int(pk) for name, pk in zip(names, ids, strict=False) if _ID.fullmatch(pk)}
    if not chosen:
        return {}
    known = set(Player.objects.in_league(league).filter(pk__in=chosen.values()).values_list("pk", flat=True))
    return {name: pk for name, pk in chosen.items() if pk in known and name_problem(name) is None}


class ImportForm(ImportOptionsForm):
    """A game file and how it is read."""

    file = forms.FileField(
        label=gettext_lazy("Game file"),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,text/csv"}),
        allow_empty_file=True,  # the reader says it better
        max_length=255,
        validators=[
            FileExtensionValidator(
                ["csv", "tsv", "txt", "xlsx"],
                gettext_lazy("Save the table as CSV or XLSX and choose that file."),
            )
        ],
        error_messages={"required": gettext_lazy("Choose a file.")},
    )
    field_order = ["file", "create_players", "encoding"]

    def clean_file(self) -> bytes:
        """The file, and unless that takes long as CSV: a workbook, which is slow to read, is read once."""
        file: UploadedFile = self.cleaned_data["file"]
        if file.size and file.size > LARGEST_FILE:
            raise ValidationError(_("The file is larger than 10 MB: split it."))
        data = file.read()
        if is_workbook(data) and takes_long(data):
            return data
        try:
            return as_csv(data)
        except UnreadableWorkbookError as unreadable:
            raise ValidationError(str(unreadable)) from unreadable
