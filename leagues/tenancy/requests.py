"""Which league a request is about, who is asking, and what they may do there.

The middleware calls ``enter_league`` for every address with a ``league`` in it, pages, files and
JSON alike, so that no view can forget. A stranger gets 404, a lesser role 403.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.generic.base import ContextMixin, TemplateResponseMixin, View
from django_htmx.http import HttpResponseClientRedirect

from leagues.models import Game, GameReport, League, Role, Season
from leagues.models.league import Visibility
from leagues.models.season import SeasonQuerySet
from leagues.prepared import PreparedLookup
from leagues.tenancy.hosts import sign_in_url
from leagues.tenancy.reach import reach_of


class LeagueRequest(HttpRequest):
    """A request after ``enter_league``: for annotations only."""

    league: League
    season: Season | None
    role: Role | None
    player: str | None  # the address of the player whom the user is


def _seasons() -> SeasonQuerySet:
    """Seasons, each with its league and with the rows of other apps that come along with it.

    The text of the rules is long, and one page's: it is read when that page asks.
    """
    others: Any = Season._meta.related_objects
    beside = [other for other in others if hasattr(other.related_model, "with_season")]
    names = [other.name for other in beside]
    left_out = [
        f"{other.name}__{field.name}"
        for other in beside
        for field in other.related_model._meta.concrete_fields
        if field.name not in {"id", other.field.name, *other.related_model.with_season}
    ]
    return Season.objects.select_related("league", *names).defer("rules_text", *left_out).order_by()


_league = PreparedLookup(lambda: League.objects.filter(slug="").order_by())
_season = PreparedLookup(lambda: _seasons().filter(league__slug="", slug=""))


def enter_league(request: HttpRequest, slug: str, season_slug: str | None) -> League:
    """Find the league of an address, its season where it names one, and what the user may do there.

    Sets ``request.league``, ``request.season``, ``request.role`` and ``request.player``. Raises Http404 for
    an unknown league, and for a private one where the user is a stranger. One query, and one for who is
    signed in.
    """
    season = _season.first(slug, season_slug) if season_slug else None
    league = season.league if season else _league.first(slug)
    if league is None:
        raise Http404
    reach = reach_of(request)
    if league.visibility == Visibility.PRIVATE and not reach.is_known_in(league.pk):
        raise Http404
    request.league, request.season = league, season  # type: ignore[attr-defined]
    request.role = reach.role_in(league.pk)  # type: ignore[attr-defined]
    request.player = reach.players.get(league.pk)  # type: ignore[attr-defined]
    return league


def season_of(request: LeagueRequest) -> Season:
    """The season of an address; Http404 where there is none. Drafts exist for organizers only."""
    season = request.season
    if season is None or (season.state == Season.State.DRAFT and request.role is None):
        raise Http404
    return season


def game_of(season: Season, pk: int) -> Game:
    """A game of an address, with its sides; Http404 where the season has none of this id."""
    game = Game.objects.filter(season=season, pk=pk).with_sides().first()
    if game is None:
        raise Http404
    game.season = season
    return game


class LeagueMixin(ContextMixin, View):
    """A view of one league, and of a season where its address names one.

    ``role_required`` is the least role that may use the view: anonymous visitors are asked to sign
    in, strangers get 404 and lesser roles 403. With ``players_too`` the league's players may too.
    """

    request: Any  # a LeagueRequest
    role_required: Role | None = None
    players_too = False
    season: Season | None = None

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.league: League = request.league

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if self.role_required is not None:
            if not request.user.is_authenticated:
                return ask_to_sign_in(request)
            if request.role is not None or not (self.players_too and request.player):
                require_role(request, self.role_required)
        if "season" in kwargs:
            self.season = season_of(request)
        return super().dispatch(request, *args, **kwargs)

    @property
    def is_fragment(self) -> bool:
        return is_fragment(self.request)

    @cached_property
    def reports_waiting(self) -> int:
        """How many reports of the season wait, where an organizer looks at it; 0 for everybody else."""
        season = self.season
        if self.request.role is None or season is None or season.is_closed or not season.may_have_reports:
            return 0
        return GameReport.objects.filter(season=season).open().count()

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        # Last, so that the slugs of the address, which generic views pass on, do not take their place.
        role: Role | None = self.request.role
        of_league = {
            "league": self.league,
            "season": self.season,
            "is_organizer": role is not None,
            "is_manager": role is not None and role.covers(Role.MANAGER),
            "reports_waiting": lambda: self.reports_waiting,  # asked by whole pages alone
        }
        return super().get_context_data(**kwargs | of_league)


class LeaguePage(LeagueMixin, TemplateResponseMixin):
    """A page of a league that its methods answer with, each with what is on it then."""

    def page(self, **context: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(**context))


def is_fragment(request: Any) -> bool:
    """Whether a part of a page is asked for; a page out of the browser's history is a whole one."""
    htmx = request.htmx
    return bool(htmx and not htmx.boosted and not htmx.history_restore_request)


def ask_to_sign_in(request: Any) -> HttpResponse:
    """Lead somebody who is signed out to the sign-in page, and from there back to the page they have open.

    A fragment would take the sign-in page into that page: the whole page goes there instead.
    """
    if request.method == "POST":
        messages.warning(request, _("You are signed out, so nothing was saved. Sign in and do it again."))
    answer = HttpResponseClientRedirect if is_fragment(request) else HttpResponseRedirect
    return answer(sign_in_url(request))


def require_role(request: LeagueRequest, role: Role) -> None:
    """Raise Http404 for a stranger to the league, PermissionDenied for a lesser role."""
    if request.role is None:
        raise Http404
    if not request.role.covers(role):
        raise PermissionDenied(_("Your role in this league does not allow this."))
