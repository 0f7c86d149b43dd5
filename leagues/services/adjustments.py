"""Penalties and bonuses: rating points given or taken by the organizers."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leagues.formats import format_day, format_moment
from leagues.models import Adjustment, Entry, Player, Season
from leagues.models.adjustment import LARGEST_ADJUSTMENT
from leagues.names import tidy
from leagues.services.audit import Actor, leave_audit, lock_season, refuse_twin, season_is_changed

# Known to be there.
GIVEN = ("season", "player", "entered_by")


@transaction.atomic
def add_adjustment(
    *, season: Season, player: Player, change: int, reason: str, at: datetime, by: Actor
) -> Adjustment:
    """Add ``change`` tenths of a rating point to a player's rating; games from ``at`` on are rated with it.

    Raises ValidationError for who is not entered, a moment outside the season, a change of 0 or above
    10,000.0 points, without a reason, and for what stands already.
    """
    season = lock_season(season)
    problems = {
        "player": _problem_of_player(season, player),
        "change": _problem_of_change(change),
        "at": _problem_of_moment(season, at),
        "reason": "" if tidy(reason) else _("Say why; players will read it."),
    }
    if refused := {name: problem for name, problem in problems.items() if problem}:
        raise ValidationError(refused)
    facts = {"season": season, "player": player, "at": at, "change": change, "reason": tidy(reason)}
    refuse_twin(Adjustment.objects.filter(cancelled_at=None, **facts))
    adjustment = Adjustment(entered_by=by, **facts)
    adjustment.clean_fields(exclude=GIVEN)
    adjustment.save()
    leave_audit("add_adjustment", adjustment, by=by, after=_facts_of(adjustment), season=season)
    season_is_changed(season, since=at)
    return adjustment


@transaction.atomic
def cancel_adjustment(*, adjustment: Adjustment, reason: str, by: Actor) -> Adjustment:
    """Keep an adjustment on record without rating anything by it; one that is cancelled is left alone.

    Raises ValidationError without a reason.
    """
    season = lock_season(adjustment.season)
    stored = Adjustment.objects.select_related("player").filter(pk=adjustment.pk).first()
    if stored is None:
        raise ValidationError(_("This adjustment is gone."), code="deleted")
    stored.season = season
    if stored.is_cancelled:
        return stored
    reason = tidy(reason)
    if not reason:
        raise ValidationError({"reason": _("Say why it is cancelled; players will read it.")})
    before = _facts_of(stored)
    stored.cancelled_at, stored.cancel_reason = timezone.now(), reason
    stored.clean_fields(exclude=GIVEN)
    stored.save(update_fields=["cancelled_at", "cancel_reason"])
    after = before | {"cancel_reason": reason}
    leave_audit("cancel_adjustment", stored, by=by, before=before, after=after, season=season)
    season_is_changed(season, since=stored.at)
    return stored


def _problem_of_player(season: Season, player: Player) -> str:
    if Entry.objects.filter(season=season, player=player).exists():
        return ""
    return _("This player is not entered in the season.")


def _problem_of_change(change: int) -> str:
    if change and abs(change) <= LARGEST_ADJUSTMENT:
        return ""
    return _("An adjustment is from −10000.0 to 10000.0 rating points, and not 0.")


def _problem_of_moment(season: Season, at: datetime) -> str:
    if season.includes(at):
        return ""
    return _("%(moment)s is outside the season, which runs from %(first)s to %(last)s.") % {
        "moment": format_moment(at, zone=season.league.zone),
        "first": format_day(season.starts_on),
        "last": format_day(season.ends_on),
    }


def _facts_of(adjustment: Adjustment) -> dict[str, Any]:
    """What an adjustment says, for an audit row; its size in rating points."""
    return {
        "player": adjustment.player.name,
        "change": str(Decimal(adjustment.change).scaleb(-1)),
        "at": adjustment.at.isoformat(),
        "reason": adjustment.reason,
    }
