"""Many players at once: adding them, and marking who plays no longer."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import OuterRef, Subquery
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.forms.rosters import PlayersForm, RosterForm
from leagues.forms.sides import PlayerSearchForm
from leagues.models import AuditEntry, Entry, Player, Role, Season
from leagues.services import add_players, mark_players
from leagues.services.rosters import Roster, read_roster
from leagues.tenancy.requests import LeaguePage

PLAYERS_A_PAGE = 100


class RosterView(LeaguePage):
    """Paste names, look who is new and who is known, and add them."""

    role_required = Role.MANAGER
    template_name = "leagues/roster.html"

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=RosterForm(self.league, season=request.GET.get("season", "")))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = RosterForm(self.league, request.POST)
        if not form.is_valid():
            return self.page(form=form)
        if "save" in request.POST:
            try:
                return self.saved(form)
            except ValidationError as refused:
                form.add_error(None, refused.messages)
        return self.page(form=form, roster=read_roster(self.league, **form.cleaned_data))

    def saved(self, form: RosterForm) -> HttpResponse:
        roster = add_players(league=self.league, by=self.request.user, **form.cleaned_data)
        messages.success(self.request, _added(roster, form.cleaned_data["season"]))
        season = form.cleaned_data["season"]
        if season and not season.games.exists():  # on to the first one
            return HttpResponseRedirect(season.get_absolute_url())
        return HttpResponseRedirect(reverse("ratings:player-list", kwargs={"league": self.league.slug}))


def _added(roster: Roster, season: Season | None) -> str:
    """What adding these did, in words."""
    told, new, entered = [], len(roster.new), len(roster.to_enter)
    if new:
        added = ngettext("%(count)d player is added.", "%(count)d players are added.", new)
        told.append(added % {"count": new})
    if season and entered:
        message = ngettext(
            "%(count)d is entered in “%(season)s”.", "%(count)d are entered in “%(season)s”.", entered
        )
        told.append(message % {"count": entered, "season": season.name})
    if not told and season:
        told.append(_("All of them are in “%(season)s” already.") % {"season": season.name})
    return " ".join(told) or _("All of them are in the league already.")


class InactivePlayersView(LeaguePage):
    """Tick players, and mark that they play no longer, or again."""

    role_required = Role.MANAGER
    template_name = "leagues/inactive_players.html"

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=PlayersForm(self.league))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = PlayersForm(self.league, request.POST)
        if form.is_valid():
            try:
                return self.saved(list(form.cleaned_data["players"]), inactive="active" not in request.POST)
            except ValidationError as refused:
                form.add_error(None, refused.messages)
        return self.page(form=form)

    def saved(self, players: list[Player], *, inactive: bool) -> HttpResponse:
        count = len(
            mark_players(league=self.league, players=players, inactive=inactive, by=self.request.user)
        )
        if inactive:
            told = ngettext("%(count)d player is inactive now.", "%(count)d players are inactive now.", count)
        else:
            told = ngettext("%(count)d player is active again.", "%(count)d players are active again.", count)
        acts = AuditEntry.objects.in_league(self.league).filter(action="mark_players")
        if count:
            messages.success(self.request, told % {"count": count}, extra_tags=acts.undo_url())
        else:
            messages.success(self.request, _("Nothing had to be changed."))
        here = reverse("leagues:inactive-players", kwargs={"league": self.league.slug})
        return HttpResponseRedirect(f"{here}?{self.request.GET.urlencode()}".rstrip("?"))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        search = PlayerSearchForm(self.request.GET)
        search.is_valid()
        text = search.cleaned_data.get("q", "")
        entries = Entry.objects.filter(player=OuterRef("pk")).order_by("-season__starts_on", "-season_id")
        players = (
            Player.objects.in_league(self.league)
            .annotate(last_season=Subquery(entries.values("season__name")[:1]))
            .order_by("inactive", "sort_key", "pk")
        )
        if text:
            players = players.named_like(text)
        page = Paginator(players, PLAYERS_A_PAGE).get_page(self.request.GET.get("page"))
        names = Counter(player.name for player in page)
        return super().get_context_data(
            page=page, q=text, namesakes={name for name, count in names.items() if count > 1}, **kwargs
        )
