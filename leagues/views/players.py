"""Changing a player, and who is in a season."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Prefetch
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from leagues.forms.changing import refuse
from leagues.forms.players import PlayerForm
from leagues.models import Entry, Game, Player, Role, Season
from leagues.services import (
    add_alias,
    delete_player,
    enter_player,
    reinstate_player,
    remove_alias,
    remove_entry,
    update_player,
    withdraw_player,
)
from leagues.services.holding import hold
from leagues.tenancy.requests import LeaguePage


class PlayerPage(LeaguePage):
    """A page on which managers do something about one player."""

    role_required = Role.MANAGER

    @cached_property
    def player(self) -> Player:
        return get_object_or_404(Player.objects.in_league(self.league), slug=self.kwargs["player"])

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(player=self.player, **kwargs)


class PlayerUpdateView(PlayerPage):
    """What a player is called and is; deleting one who never played; the way to the seasons' entries."""

    template_name = "leagues/player_form.html"

    def stored(self) -> Player:
        """The player as stored, for a form to write into: the page around shows the one that is found."""
        return get_object_or_404(Player.objects.in_league(self.league), pk=self.player.pk)

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=PlayerForm(instance=self.stored()))

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if "delete" in request.POST:
            return self.deleted()
        form = PlayerForm(request.POST, instance=self.stored())
        if form.is_valid():
            try:
                player = self.saved(form)
            except ValidationError as refused:
                refuse(form, refused)
            else:
                messages.success(request, _("It is saved."))
                kwargs = {"league": self.league.slug, "player": player.slug}
                return HttpResponseRedirect(reverse("ratings:player-career", kwargs=kwargs))
        return self.page(form=form)

    @transaction.atomic
    def saved(self, form: PlayerForm) -> Player:
        # Of two who save at once the second is compared with what the first has saved.
        hold(self.player)
        player = self.stored()
        form.refuse_stale(player)
        by, values = self.request.user, form.cleaned_data
        if form.is_player_changed:
            values = {name: values[name] for name in ("name", "birth_year", "inactive")}
            player = update_player(player=player, by=by, **values)
        for alias in form.dropped:
            remove_alias(alias=alias, by=by)
        for name in form.added:
            add_alias(player=player, name=name, by=by)
        return player

    def deleted(self) -> HttpResponse:
        try:
            delete_player(player=self.player, by=self.request.user)
        except ValidationError as refused:
            return self.page(form=PlayerForm(instance=self.stored()), error=refused.messages[0])
        messages.success(self.request, _("%(name)s is deleted.") % {"name": self.player.name})
        return HttpResponseRedirect(reverse("ratings:player-list", kwargs={"league": self.league.slug}))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        own = Prefetch("entries", Entry.objects.filter(player=self.player), to_attr="own")
        seasons = Season.objects.in_league(self.league).exclude(state=Season.State.CLOSED)
        return super().get_context_data(seasons=seasons.current_first().prefetch_related(own), **kwargs)


class EntryView(PlayerPage):
    """Enter a player in a season, withdraw the player, take that back, or take an idle player out."""

    template_name = "leagues/entry.html"
    season: Season

    def entry(self) -> Entry | None:
        """The player's entry as it is now, if there is one."""
        found = Entry.objects.filter(season=self.season, player=self.player).first()
        if found is not None:
            found.season, found.player = self.season, self.player
        return found

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page()

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        try:
            told = self.done(request.POST)
        except ValidationError as refused:
            return self.page(error=refused.messages[0])
        names = {"name": self.player.name, "season": self.season.name}
        messages.success(request, told % names)
        kwargs = {"league": self.league.slug, "season": self.season.slug, "player": self.player.slug}
        return HttpResponseRedirect(reverse("ratings:player-season", kwargs=kwargs))

    def done(self, sent: Any) -> str:
        """Do what a button says; what is told of it. Raises ValidationError where it cannot be done."""
        by, entry = self.request.user, self.entry()
        if "enter" in sent:
            if entry is None:  # who is entered already stays so
                enter_player(season=self.season, player=self.player, by=by)
            return _("%(name)s is entered in “%(season)s”.")
        if entry is None:
            message = _("%(name)s is not entered in %(season)s.")
            raise ValidationError(message, params={"name": self.player.name, "season": self.season.name})
        if "withdraw" in sent:
            withdraw_player(entry=entry, by=by)
            return _("%(name)s is withdrawn from “%(season)s”.")
        if "reinstate" in sent:
            reinstate_player(entry=entry, by=by)
            return _("%(name)s is back in “%(season)s”.")
        if "remove" in sent:
            remove_entry(entry=entry, by=by)
            return _("%(name)s is taken out of “%(season)s”.")
        raise ValidationError(_("Choose what to do."))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        games = Game.objects.filter(season=self.season, seats__player=self.player)
        return super().get_context_data(entry=self.entry(), games=games.not_voided().count(), **kwargs)
