"""A program that brings a token of the API: it is that token's, whatever cookies came along."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils import timezone

from leagues.models import ApiToken, Role
from leagues.tenancy.reach import Reach

SCHEME = "bearer"


class TokenReach(Reach):
    """What a token reaches: its league, as a scorer sees it. Whether it may write is its scope's to say."""

    def __init__(self, token: ApiToken) -> None:
        self.everywhere = False
        self.roles = {token.league_id: Role.SCORER}
        self.players = {}


class TokenRefusedError(Exception):
    """An Authorization header that opens nothing; ``expired`` is the token whose time is over."""

    def __init__(self, expired: ApiToken | None) -> None:
        super().__init__()
        self.expired = expired


def enter_token(request: HttpRequest) -> None:
    """Let a request with an Authorization header be its token's and nobody's else; no query without one.

    Sets ``request.api_token``. Raises TokenRefusedError for what is no valid token.
    """
    authorization = request.headers.get("Authorization")
    request.api_token = None  # type: ignore[attr-defined]
    if authorization is None:
        return
    scheme, _space, secret = authorization.partition(" ")
    if scheme.lower() != SCHEME:
        raise TokenRefusedError(None)
    known = ApiToken.objects.by_secret(secret.strip()).select_related("created_by")
    token = known.valid().first()
    if token is None:
        raise TokenRefusedError(known.filter(revoked_at=None, expires_at__lte=timezone.now()).first())
    request.api_token = token  # type: ignore[attr-defined]
    request.user = AnonymousUser()
    request.reach = TokenReach(token)  # type: ignore[attr-defined]
    _keep_day(token)


def token_of(request: HttpRequest) -> ApiToken | None:
    """The token that a request came with."""
    return getattr(request, "api_token", None)


def _keep_day(token: ApiToken) -> None:
    """Write down the day of the last use, once a day."""
    today = timezone.now().date()
    if token.last_used_on != today:
        ApiToken.objects.filter(pk=token.pk).update(last_used_on=today)
