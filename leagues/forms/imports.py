"""Forms of the import page."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import FileExtensionValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.games_csv import UnreadableWorkbookError, as_csv

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
        """The file as CSV: a workbook, which is slow to read, is read once."""
        file: UploadedFile = self.cleaned_data["file"]
        if file.size and file.size > LARGEST_FILE:
            raise ValidationError(_("The file is larger than 10 MB: split it."))
        try:
            return as_csv(file.read())
        except UnreadableWorkbookError as unreadable:
            raise ValidationError(str(unreadable)) from unreadable
