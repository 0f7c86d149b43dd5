"""What an organizer may ask of the league's log."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from leagues.models import AuditEntry, League
from leagues.models.season import FIRST_DAY, LAST_DAY


class LogFilterForm(forms.Form):
    """Which acts to list. What is wrong is said, and does not narrow the list."""

    q = forms.CharField(label=_("Object or person"), required=False, max_length=100)
    action = forms.ChoiceField(label=_("Action"), required=False)
    # The object's kind and id, as its links write them: player-12.
    object = forms.CharField(required=False, max_length=81, validators=[RegexValidator(r"^[a-z]+-\d+\Z")])

    def __init__(self, data: Any, *, league: League, actions: dict[str, Any]) -> None:
        super().__init__(data)
        self.league = league
        choice: Any = self.fields["action"]
        choice.choices = [("", _("Everything")), *actions.items()]
        # Words of the address: "from" cannot be the name of a class attribute.
        for name, label in (("from", _("From")), ("to", _("To"))):
            self.fields[name] = forms.DateField(
                label=label, required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
            )

    def narrow(self, entries: Any) -> QuerySet[AuditEntry]:
        """Those of the entries that were asked for; days are those of the league's zone."""
        asked = self.cleaned_data
        if text := asked.get("q"):
            entries = entries.about(text)
        if action := asked.get("action"):
            entries = entries.filter(action=action)
        if row := asked.get("object"):
            kind, _hyphen, pk = row.partition("-")
            entries = entries.filter(object_type=kind, object_id=pk)
        if first := asked.get("from"):
            entries = entries.filter(at__gte=self._start_of(first))
        if last := asked.get("to"):
            entries = entries.filter(at__lt=self._start_of(last) + timedelta(days=1))
        return entries

    def _start_of(self, day: date) -> datetime:
        # Far days are brought near: the calendar ends where zones are added to its ends.
        return datetime.combine(min(max(day, FIRST_DAY), LAST_DAY), time(), self.league.zone)
