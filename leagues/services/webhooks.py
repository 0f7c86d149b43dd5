"""The addresses elsewhere that are told of a league's games. Owners decide which."""

from __future__ import annotations

import secrets
from base64 import b64encode

from django.db import transaction
from django.utils import timezone

from leagues.models import AnnouncedSeason, League, Season, Webhook
from leagues.outgoing import host_of
from leagues.services.audit import Actor, leave_audit, read_locked, refuse_twin
from leagues.services.organizers import hold_for_owner

PREFIX = "whsec_"  # of secrets of Standard Webhooks, whose libraries check the signature


@transaction.atomic
def create_webhook(*, league: League, kind: str, address: str, by: Actor) -> Webhook:
    """Have an address told of every game from now on. Raises ValidationError for one that is told already."""
    hold_for_owner(league.pk, by)
    secret = PREFIX + b64encode(secrets.token_bytes(24)).decode()
    hook = Webhook(league=league, kind=kind, address=address, secret=secret)
    hook.full_clean(exclude=["host"])
    refuse_twin(Webhook.objects.in_league(league).filter(kind=kind, address=address))
    hook.host = host_of(address)
    hook.save()
    _begin_now(hook)
    leave_audit("create_webhook", hook, by=by, after=_told(hook))
    return hook


@transaction.atomic
def switch_webhook(*, hook: Webhook, on: bool, by: Actor) -> Webhook:
    """Switch a webhook on or off. What happened while it was off is not told afterwards."""
    hold_for_owner(hook.league_id, by)
    hook = read_locked(Webhook.objects.select_for_update(no_key=True), hook)
    if hook.is_active != on:
        before = _told(hook)
        hook.is_active = on
        if on:
            hook.failures, hook.error, hook.not_before = 0, "", timezone.now()
            _begin_now(hook)
        hook.save()
        leave_audit("switch_webhook", hook, by=by, before=before, after=_told(hook))
    return hook


@transaction.atomic
def delete_webhook(*, hook: Webhook, by: Actor) -> None:
    """Tell an address nothing any more."""
    hold_for_owner(hook.league_id, by)
    hook = read_locked(Webhook.objects.select_for_update(), hook)
    leave_audit("delete_webhook", hook, by=by, before=_told(hook))
    hook.delete()


def _begin_now(hook: Webhook) -> None:
    """Take what has happened in the league until now for told."""
    hook.announced.all().delete()
    hook.announcements.due().delete()
    seasons = Season.objects.in_league(hook.league_id).values_list("pk", "revision")
    AnnouncedSeason.objects.bulk_create(
        AnnouncedSeason(hook=hook, season_id=season, revision=revision) for season, revision in seasons
    )


def _told(hook: Webhook) -> dict[str, object]:
    """What the log is told: never the address, nor the secret."""
    return {"kind": hook.kind, "server": hook.host, "is_active": hook.is_active}
