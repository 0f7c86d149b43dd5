"""Tokens by which programs read a league and report games. Owners make and revoke them."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from leagues.models import ApiToken, League
from leagues.names import tidy
from leagues.services.audit import Actor, leave_audit, read_locked, refuse_twin
from leagues.services.organizers import hold_for_owner

# Tells people, and programs that look for secrets in published code, what a text is.
PREFIX = "wsd_"


@transaction.atomic
def create_api_token(
    *, league: League, name: str, scope: str, by: User, days: int | None = None
) -> tuple[ApiToken, str]:
    """Make a token that opens something for so many ``days``, or until it is revoked.

    Returns it with its secret, which nobody can read again. Raises ValidationError where one that is neither
    revoked nor expired has this name and scope.
    """
    hold_for_owner(league.pk, by)
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken(
        league=league,
        name=tidy(name),
        scope=scope,
        created_by=by,
        token_hash=ApiToken.hash_of(secret),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    token.full_clean()
    refuse_twin(ApiToken.objects.in_league(league).lasting().filter(name=token.name, scope=scope))
    token.save()
    after = {"name": token.name, "scope": scope}
    if token.expires_at:
        after["expires_at"] = token.expires_at.isoformat()
    leave_audit("create_api_token", token, by=by, after=after)
    return token, secret


@transaction.atomic
def revoke_api_token(*, token: ApiToken, by: Actor) -> ApiToken:
    """Let a token open nothing from now on; one that is revoked is left alone."""
    hold_for_owner(token.league_id, by)
    token = read_locked(ApiToken.objects.select_for_update(no_key=True), token)
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        leave_audit("revoke_api_token", token, by=by, before={"name": token.name, "scope": token.scope})
    return token
