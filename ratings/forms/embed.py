"""What another site may ask of the table that it puts in a frame."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

THEMES = [("auto", _("as the reader has it")), ("light", _("light")), ("dark", _("dark"))]
COLUMNS = ("place", "player", "season_score", "rating", "games", "wins")  # unless others are asked for
ALWAYS = "player"
MOST_ROWS = 100  # as on a page of the standings


class EmbedForm(forms.Form):
    """How the table looks. What makes no sense is passed over, so that a frame never shows an error."""

    theme = forms.ChoiceField(label=_("Theme"), required=False, choices=THEMES)
    columns = forms.CharField(label=_("Columns"), required=False, max_length=200)
    rows = forms.IntegerField(label=_("Rows"), required=False, min_value=1, max_value=MOST_ROWS)

    def asked(self, known: Collection[str]) -> dict[str, Any]:
        """``theme``, ``columns``, which are some of those known, and ``rows``."""
        self.is_valid()
        given = self.cleaned_data
        columns = {*known} & {name.strip() for name in given.get("columns", "").split(",")}
        return {
            "theme": given.get("theme") or "auto",
            "columns": columns | {ALWAYS} if columns else {*COLUMNS},
            "rows": given.get("rows") or MOST_ROWS,
        }
