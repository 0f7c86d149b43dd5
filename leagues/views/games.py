"""Entering, correcting, voiding and deleting games."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Case, QuerySet, When
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.views.decorators.vary import vary_on_headers

from leagues.forms.games import GameForm, SeenForm, VoidForm
from leagues.forms.one_line import LineForm
from leagues.forms.sides import NEW, PlayerSearchForm
from leagues.models import AuditEntry, Game, League, Player, PlayerAlias, Role, Season
from leagues.names import fold, name_problem, same_name, tidy
from leagues.services import (
    GameChangedError,
    correct_game,
    delete_games,
    record_game,
    restore_game,
    shift_games,
    void_game,
)
from leagues.services.order import places_of
from leagues.tenancy.requests import LeagueMixin, LeaguePage, game_of

OPTIONS_SHOWN = 8


class GameActView(LeaguePage):
    """A page on which organizers change games; of a closed season it only says that it is closed."""

    role_required = Role.SCORER
    season: Season

    @cached_property
    def game(self) -> Game:
        return game_of(self.season, self.kwargs["game"])

    def read_anew(self, refused: ValidationError) -> None:
        """Have the page show the game as it is now, where that is why a service refused."""
        if isinstance(refused, GameChangedError):
            del self.game

    def say(self, done: str, action: str, game: int) -> None:
        """Tell what was done to a game, with a button that takes it back."""
        acts = AuditEntry.objects.in_league(self.league).filter(object_type="game", object_id=game)
        messages.success(self.request, done, extra_tags=acts.filter(action=action).undo_url())


@method_decorator(vary_on_headers("HX-Request"), name="dispatch")
class GameCreateView(GameActView):
    """Enter a game, in one line or field by field.

    ``add`` and ``remove`` are answered by the same form with one side more or less.
    """

    template_name = "leagues/game_form.html"

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form, line = self.form(), LineForm(self.season, request.GET)
        line.fill(form)
        return self.page(form=form, line=line)

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if {"add", "remove"} & request.POST.keys():
            return self.page(form=self.form_with_other_sides())
        form = self.form(request.POST)
        if form.is_valid():
            try:
                return self.saved(form)
            except ValidationError as refused:
                form.refuse(refused)
        return self.page(form=form)

    def form(self, data: Any = None) -> GameForm:
        return GameForm(self.season, data)

    def form_with_other_sides(self) -> GameForm:
        return GameForm.with_other_sides(self.season, self.request.POST)

    def saved(self, form: GameForm) -> HttpResponse:
        game = record_game(
            season=self.season,
            by=self.request.user,
            token=form.cleaned_data["token"],
            even_if_similar="anyway" in self.request.POST,
            **form.facts(),
        )
        self.say(_("The game is saved."), "record_game", game.pk)
        if "another" in self.request.POST:
            return HttpResponseRedirect(self.request.path)
        return HttpResponseRedirect(game.get_absolute_url())

    def get_template_names(self) -> list[str]:
        return ["leagues/_game_form.html" if self.is_fragment else self.template_name]


class GameUpdateView(GameCreateView):
    """Correct a game; a correction of what somebody else changed meanwhile shows both."""

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ARG002
        return self.page(form=self.form())

    def form(self, data: Any = None) -> GameForm:
        return GameForm(self.season, data, game=self.game)

    def form_with_other_sides(self) -> GameForm:
        return GameForm.with_other_sides(self.season, self.request.POST, self.game)

    def post(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        if self.is_deleted:
            return self.deleted()
        if "again" in request.POST:  # from the preview, to be changed once more
            return self.page(form=self.form(request.POST))
        return super().post(request, *args, **kwargs)

    @property
    def is_deleted(self) -> bool:
        """Whether somebody deleted the game."""
        pk = self.kwargs["game"]
        if Game.objects.filter(season=self.season, pk=pk).exists():
            return False
        acts = AuditEntry.objects.in_league(self.league).filter(season=self.season, action="delete_game")
        return acts.filter(object_type="game", object_id=pk).exists()

    def deleted(self) -> HttpResponse:
        """What was typed of a game that is gone, as a new one: nothing of it is lost."""
        data = self.request.POST.copy()
        data["token"] = str(uuid4())
        form = GameForm(self.season, data)
        where = {"league": self.league.slug, "season": self.season.slug}
        action = reverse("leagues:game-create", kwargs=where)
        return self.render_to_response(super().get_context_data(form=form, is_deleted=True, action=action))

    def saved(self, form: GameForm) -> HttpResponse:
        correct_game(
            game=self.game, by=self.request.user, version=form.cleaned_data["version"] or 0, **form.facts()
        )
        self.say(_("The game is corrected."), "correct_game", self.game.pk)
        return HttpResponseRedirect(self.game.get_absolute_url())

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        place = places_of(self.season, [self.game]).get(self.game.pk)
        return super().get_context_data(game=self.game, place=place, **kwargs)


class GameOrderView(GameActView):
    """Let a game be rated earlier or later among those played at the same time."""

    http_method_names = ["post"]

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if {"earlier", "later"} & request.POST.keys():
            try:
                shift_games(games=[self.game], earlier="earlier" in request.POST, by=request.user)
                messages.success(request, _("The order is changed."))
            except ValidationError as refused:
                messages.error(request, refused.messages[0])
        if request.POST.get("page") == "edit":
            return redirect("leagues:game-update", self.league.slug, self.season.slug, self.game.pk)
        return HttpResponseRedirect(self.game.get_absolute_url())


class GameVoidView(GameActView):
    """Void a game for a reason, or rate a voided one again."""

    template_name = "leagues/game_void.html"

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(game=self.game, form=VoidForm())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = VoidForm(request.POST)
        try:
            if "restore" in request.POST:
                restore_game(game=self.game, by=request.user, version=SeenForm.version_of(request.POST))
                self.say(_("The game counts again."), "restore_game", self.game.pk)
                return HttpResponseRedirect(self.game.get_absolute_url())
            if form.is_valid():
                void_game(
                    game=self.game,
                    reason=form.cleaned_data["reason"],
                    by=request.user,
                    version=SeenForm.version_of(request.POST),
                )
                self.say(_("The game is voided."), "void_game", self.game.pk)
                return HttpResponseRedirect(self.game.get_absolute_url())
        except ValidationError as refused:
            form.add_error(None, refused.messages)
            self.read_anew(refused)
        return self.page(game=self.game, form=form)


class GameDeleteView(GameActView):
    """Delete a game for good, after a question."""

    template_name = "leagues/game_delete.html"

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(game=self.game)

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        try:
            version = SeenForm.version_of(request.POST)
            pk = self.game.pk
            delete_games(games=[self.game], by=request.user, version=version)
        except ValidationError as refused:
            self.read_anew(refused)
            return self.page(game=self.game, error=refused.messages[0])
        self.say(_("The game is deleted."), "delete_game", pk)
        return HttpResponseRedirect(reverse("ratings:game-list", args=[self.league.slug, self.season.slug]))


class PlayerSearchView(LeagueMixin):
    """The options of the player picker: up to 8 players whose name sounds like what was typed."""

    role_required = Role.SCORER
    players_too = True

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = PlayerSearchForm(request.GET)
        typed = tidy(form.cleaned_data["q"]) if form.is_valid() else ""
        players = list(_called_like(self.league, typed)[:OPTIONS_SHOWN]) if typed else []
        names = Counter(same_name(player.name) for player in players)
        options = [(player, _hint(player, names[same_name(player.name)])) for player in players]
        can_be_new = request.role and typed and same_name(typed) not in names and not name_problem(typed)
        context = {"options": options, "typed": typed, "new": f"{NEW}{typed}" if can_be_new else ""}
        return render(request, "leagues/_player_options.html", context)


def _called_like(league: League, text: str) -> QuerySet[Player]:
    """Players with the text in their name or another name of theirs; those that begin with it first."""
    aliases = PlayerAlias.objects.in_league(league).filter(key__contains=same_name(text))
    begins = Case(When(search__startswith=fold(text), then=0), default=1)
    players = Player.objects.in_league(league)
    named = players.named_like(text) | players.filter(pk__in=aliases.values("player"))
    return named.order_by("inactive", begins, "sort_key", "pk").prefetch_related("aliases")


def _hint(player: Player, namesakes: int) -> str:
    """What tells a player apart: other names, and the address where several have the name."""
    names = [alias.name for alias in player.aliases.all()]
    return ", ".join([player.slug, *names] if namesakes > 1 else names)
