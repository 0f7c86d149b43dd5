"""Rest: for some days nobody challenges a player. What was accepted before stays to be played."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import ngettext

from leagues.models import Entry, Season
from leagues.services.audit import Actor, leave_audit, season_is_changed, values_of
from leagues.services.seasons import locked_entry


@transaction.atomic
def rest_player(*, entry: Entry, days: int, by: Actor) -> Entry:
    """Let a player rest from now on. Raises ValidationError for more days than the season allows, or none."""
    season, entry = locked_entry(entry)
    if not 1 <= days <= season.rest_days_max:
        message = ngettext(
            "A rest lasts 1 day in this season; %(days)d is not possible.",
            "A rest lasts 1 to %(most)d days in this season; %(days)d is not possible.",
            season.rest_days_max,
        )
        raise ValidationError({"days": message % {"most": season.rest_days_max, "days": days}})
    return _rest("rest_player", season, entry, timezone.now() + timedelta(days=days), by)


@transaction.atomic
def end_rest(*, entry: Entry, by: Actor) -> Entry:
    """Let a player be challenged again; one who does not rest is left alone."""
    season, entry = locked_entry(entry)
    return _rest("end_rest", season, entry, None, by) if entry.rests_until else entry


def _rest(action: str, season: Season, entry: Entry, until: datetime | None, by: Actor) -> Entry:
    before = {"season": season.name} | values_of(entry, ["rests_until"])
    entry.rests_until = until
    entry.save(update_fields=["rests_until"])
    after = {"season": season.name} | values_of(entry, ["rests_until"])
    leave_audit(action, entry, by=by, before=before, after=after, season=season)
    season_is_changed(season, since=None)
    return entry
