"""Which league a request is about, who is asking, and what they may do there.

The middleware calls ``enter_league`` for every address with a ``league`` in it, pages, files and
JSON alike, so that no view can forget. A stranger gets 404, a lesser role 403.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.mixins import AccessMixin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.generic.base import ContextMixin, View

from leagues.models import League, Role, Season
from leagues.models.league import Visibility
from leagues.tenancy.reach import reach_of


class LeagueRequest(HttpRequest):
    """A request after ``enter_league``: for annotations only."""

    league: League
    role: Role | None


def enter_league(request: HttpRequest, slug: str) -> League:
    """Find the league of an address, and what the user may do in it.

    Sets ``request.league`` and ``request.role``. Raises Http404 for an unknown league, and for a
    private one where the user is a stranger.
    """
    league = get_object_or_404(League, slug=slug)
    role = reach_of(request).role_in(league.pk)
    if league.visibility == Visibility.PRIVATE and role is None:
        raise Http404
    request.league, request.role = league, role  # type: ignore[attr-defined]
    return league


def find_season(request: LeagueRequest, slug: str) -> Season:
    """The season of an address. Drafts exist for organizers only."""
    seasons = Season.objects.in_league(request.league)
    if request.role is None:
        seasons = seasons.published()
    season = get_object_or_404(seasons, slug=slug)
    season.league = request.league
    return season


class LeagueMixin(AccessMixin, ContextMixin, View):
    """A view of one league, and of a season where its address names one.

    ``role_required`` is the least role that may use the view: anonymous visitors are asked to sign
    in, strangers get 404 and lesser roles 403.
    """

    request: Any  # a LeagueRequest
    role_required: Role | None = None
    season: Season | None = None

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.league: League = request.league

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if self.role_required is not None:
            if not request.user.is_authenticated:
                return self.handle_no_permission()
            require_role(request, self.role_required)
        if "season" in kwargs:
            self.season = find_season(request, kwargs["season"])
        return super().dispatch(request, *args, **kwargs)

    @property
    def is_fragment(self) -> bool:
        """Whether a part of the page is asked for; a page out of the browser's history is a whole one."""
        htmx = self.request.htmx
        return bool(htmx and not htmx.boosted and not htmx.history_restore_request)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        # Last, so that the slugs of the address, which generic views pass on, do not take their place.
        role: Role | None = self.request.role
        of_league = {
            "league": self.league,
            "season": self.season,
            "is_organizer": role is not None,
            "is_manager": role is not None and role.covers(Role.MANAGER),
        }
        return super().get_context_data(**kwargs | of_league)


def require_role(request: LeagueRequest, role: Role) -> None:
    """Raise Http404 for a stranger to the league, PermissionDenied for a lesser role."""
    if request.role is None:
        raise Http404
    if not request.role.covers(role):
        raise PermissionDenied(_("Your role in this league does not allow this."))
