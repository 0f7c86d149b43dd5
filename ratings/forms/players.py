"""What a reader may ask of players' pages."""

from __future__ import annotations

from django import forms
from django.core.validators import slug_re
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _


class PlayerSearchForm(forms.Form):
    """Whom to list."""

    q = forms.CharField(label=_("Player"), required=False, max_length=100)


MOST_COMPARED = 4  # beside the player whose page it is


def slugs_asked(query: QueryDict, name: str, most: int) -> list[str]:
    """The players an address names in parameters or between commas: each once, at most so many."""
    asked = [part.strip() for value in query.getlist(name) for part in value[:1000].split(",")]
    fitting = (slug for slug in asked if slug_re.fullmatch(slug))
    return list(dict.fromkeys(fitting))[:most]


class CurveForm(forms.Form):
    """Along what a rating curve runs."""

    by = forms.ChoiceField(
        label=_("Curve"), required=False, choices=[("", _("by game")), ("date", _("by date"))]
    )
