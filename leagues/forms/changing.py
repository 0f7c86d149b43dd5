"""The base of the forms that change a row."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model

from leagues.tenancy.seen import SEEN, refuse_stale, seen_of


class ChangeForm(forms.ModelForm):
    """A form that says what it was filled with, to be refused where that is not what is stored any more."""

    @property
    def seen(self) -> str:
        """What the form was filled with; shown again after an error, what it said then."""
        return self.data.get(SEEN) or seen_of([self.initial])

    def refuse_stale(self, row: Model) -> None:
        """Raise ValidationError where the form was filled with something else than the row says now.

        The row is read under the locks of the service that saves it: see ``leagues.services.holding``.
        """
        now: Any = type(self)(instance=row)
        refuse_stale(self.data.get(SEEN), [now.initial])


def refuse(form: forms.BaseForm, refused: ValidationError) -> None:
    """Show in a form what a service said against it, each sentence at its field where the form has it."""
    by_field = getattr(refused, "error_dict", {None: refused})
    for name, errors in by_field.items():
        form.add_error(name if name in form.fields else None, errors)
