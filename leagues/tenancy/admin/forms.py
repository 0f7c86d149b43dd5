"""Forms, fields and widgets of the admin: they clean, and suggest rows of the right league."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect, AutocompleteSelectMultiple
from django.core.exceptions import ValidationError

from leagues.models import League

ID_DIGITS = 18  # more do not fit a database's whole number


def is_id(text: Any) -> bool:
    """Whether a text from outside can be a row's id."""
    return str(text).isdecimal() and len(str(text)) <= ID_DIGITS


class LeagueForm(forms.ModelForm):
    """A form that cleans, and shows what a service said against it."""

    refusal: ValidationError | None = None  # set on the class made for one request

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.refusal is None:
            return
        by_field = getattr(self.refusal, "error_dict", {None: self.refusal})
        for name, errors in by_field.items():
            self.add_error(name if name in self.fields else None, errors)


class RowsField(forms.ModelMultipleChoiceField):
    """Rows chosen by id, as a list in the order chosen."""

    def clean(self, value: Any) -> Any:
        for pk in value or ():
            if not is_id(pk):
                raise ValidationError(self.error_messages["invalid_pk_value"], params={"pk": str(pk)[:40]})
        found = {row.pk: row for row in super().clean(value)}
        return [found[pk] for pk in dict.fromkeys(map(int, value or ()))]


class _InLeague:
    """An autocomplete that suggests rows of one league."""

    league: League | None = None

    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        # Shown again as typed, refused or not: only ids may be looked up.
        return super().optgroups(name, [pk for pk in value if is_id(pk)], attr)  # type: ignore[misc]

    def get_url(self) -> str:
        url: str = super().get_url()  # type: ignore[misc]
        return f"{url}?league={self.league.pk}" if self.league else url


class LeagueAutocomplete(_InLeague, AutocompleteSelect):
    pass


class LeagueAutocompleteMultiple(_InLeague, AutocompleteSelectMultiple):
    pass
