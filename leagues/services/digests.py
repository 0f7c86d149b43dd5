"""Who gets letters on a league. A reader's own mail is no act on the league, and is not in its log."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.utils import timezone

from leagues.models import Digest, League

SALT = "digest"


@transaction.atomic
def follow_league(*, league: League, user: User, every: str) -> Digest:
    """Send a user letters from the next period on, or so often from now on."""
    now = timezone.now()
    # Of two clicks at once one makes it.
    asked = {"since": now, "due_at": now}
    digest, _is_new = Digest.objects.select_for_update().get_or_create(
        league=league, user=user, defaults=asked
    )
    digest.every = every
    digest.league = league
    digest.due_at = digest.next_period(now)
    digest.full_clean(validate_unique=False, validate_constraints=False)
    digest.save()
    return digest


def unfollow_league(*, league: League, user: User) -> None:
    """Send a user no letters any more; who gets none is left alone."""
    Digest.objects.in_league(league).filter(user=user).delete()


def unsubscribe_token(digest: Digest) -> str:
    """What a letter's link to get no more of them says; nobody else can make one."""
    return signing.dumps([digest.league_id, digest.user_id], salt=SALT)


def digest_of(token: str) -> tuple[League, Digest | None] | None:
    """The league of a token, and the digest unless it is ended already; None for no token of ours."""
    try:
        league_id, user_id = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    league = League.objects.filter(pk=league_id).first()
    if league is None:
        return None
    return league, Digest.objects.in_league(league).filter(user=user_id).select_related("user").first()
