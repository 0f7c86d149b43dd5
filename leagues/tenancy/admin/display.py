"""What lists and filters of the admin show alike."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib.admin import EmptyFieldListFilter
from django.utils import timezone
from django.utils.translation import gettext

from leagues.formats import format_moment
from leagues.models import League


def in_zone(moment: datetime | None, league: League) -> str:
    """A time as the league's clocks showed it."""
    with timezone.override(league.zone):
        return format_moment(moment)


class YesNoFilter(EmptyFieldListFilter):
    """Whether there is a time at which something was withdrawn or voided."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        names = (gettext("All"), gettext("no"), gettext("yes"))
        for name, choice in zip(names, super().choices(changelist), strict=True):
            yield {**choice, "display": name}
