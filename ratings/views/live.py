"""Pages of results: whole or as a fragment that polls itself, and not sent twice to the same reader."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import Any

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpResponseBase
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.views.generic.base import TemplateResponseMixin

from leagues.models import Season
from leagues.tenancy.hosts import canonical_address
from leagues.tenancy.requests import LeagueMixin
from ratings.models import Replay

POLL_BEHIND, POLL_LEVEL = 2, 20  # seconds


def _release() -> int:
    """A number that every installed release changes, the same in all its processes."""
    folders = [settings.BASE_DIR / name for name in ("leagues", "ratings", "templates", "locale", "static")]
    files = (path for folder in folders for path in folder.rglob("*") if path.suffix != ".pyc")
    return max((path.stat().st_mtime_ns for path in files if path.is_file()), default=0)


RELEASE = _release()


class LiveMixin(LeagueMixin, TemplateResponseMixin):
    """A page of results, ``template_name``, with a live part of it, ``fragment_name``.

    Both carry an ETag of all they follow from: an unchanged poll is a 304 that read a season's two
    numbers and nothing else. A view whose page shows more than its season adds to ``seen``.
    """

    fragment_name: str

    def get_template_names(self) -> list[str]:
        return [self.fragment_name] if self.is_fragment else super().get_template_names()

    @cached_property
    def replay(self) -> Replay:
        """How far the season's results have come."""
        return replay_of(self.season)

    def seen(self) -> list[object]:
        """The numbers of the data shown: each rises with every change of it."""
        return seen_of(self.season) if self.season else []

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponseBase:
        tag = self._etag()
        response = get_conditional_response(request, etag=tag)
        if response is None:
            response = self.render_to_response(self.get_context_data())
        if tag:
            response["ETag"] = tag
        patch_cache_control(response, private=True, no_cache=True)
        patch_vary_headers(response, ["HX-Request", "Cookie"])
        return response

    def _etag(self) -> str | None:
        request = self.request
        if not self.is_fragment and len(get_messages(request)):
            return None  # a message is shown once
        reader = [request.user.pk, request.COOKIES.get(settings.CSRF_COOKIE_NAME), self.is_fragment]
        if not self.is_fragment:
            reader.append(self.reports_waiting)  # no report raises a number of the season
        return quote_etag(digest([*self._followed, *reader]))

    @cached_property
    def _followed(self) -> list[object]:
        """All that what is shown follows from, but for the reader's name and cookies."""
        shown = [self.league.pk, self.league.version, timezone.localdate(), get_language()]
        return [RELEASE, *shown, self.request.role, self.request.build_absolute_uri(), *self.seen()]

    @property
    def kept_key(self) -> str:
        """The key for {% cache %} around what is dear to render and names no reader."""
        return digest(self._followed)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        if self.season is not None:
            kwargs = live_context(self.season, self.replay) | {"is_fragment": self.is_fragment} | kwargs
        return super().get_context_data(
            kept_key=self.kept_key,
            canonical=canonical_address(self.request, self.league, self.request.path),
            **kwargs,
        )


def digest(parts: list[object]) -> str:
    """A short text that is the same for the same parts."""
    return blake2b(repr(parts).encode(), digest_size=12).hexdigest()


def replay_of(season: Season | None) -> Replay:
    """The season's replay; one that has seen nothing where none has run yet."""
    return getattr(season, "replay", None) or Replay(season=season)


def seen_of(season: Season) -> list[object]:
    """The numbers of a season, one of which changes with every change of its facts and results."""
    replay = replay_of(season)
    # The time too: a database brought back from a copy comes to the same numbers once more.
    numbers = [season.revision, replay.revision, replay.failed_revision]
    return [season.pk, *numbers, replay.finished_at]


def live_context(season: Season, replay: Replay) -> dict[str, Any]:
    """How the results stand to the facts, and after how many seconds a page asks again."""
    failed = replay.failed_revision == season.revision
    behind = replay.revision != season.revision and not failed
    is_final = season.is_closed and not behind
    return {
        "replay": replay,
        "failed": failed,
        "behind": behind,
        "live_every": None if is_final else POLL_BEHIND if behind else POLL_LEVEL,
    }
