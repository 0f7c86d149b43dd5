"""Importing a game file: upload, preview, confirm."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.generic.base import TemplateResponseMixin

from leagues.forms.imports import ImportForm, ImportOptionsForm
from leagues.games_csv import GamesFile, read_games
from leagues.models import Role, Season
from leagues.services import ImportPlan, import_games, plan_import
from leagues.services.uploads import forget_upload, keep_upload, kept_upload
from leagues.tenancy.requests import LeagueMixin, enter_league, season_of

NAMES_SHOWN = 50
GAMES_SHOWN = 5


class ImportView(LeagueMixin, TemplateResponseMixin):
    """A file is chosen, then shown as it would be imported, then imported; at each step nothing or all."""

    role_required = Role.MANAGER
    template_name = "leagues/import_form.html"
    season: Season

    def get(self, _request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        return self.page(form=ImportForm())

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        if self.season.is_closed:
            return self.page()
        if "token" in request.POST:
            return self.go_on(request.POST["token"])
        form = ImportForm(request.POST, request.FILES)
        if not form.is_valid():
            return self.page(form=form)
        data = form.cleaned_data["file"].read()
        return self.preview(data, keep_upload(data, season=self.season, by=request.user), form)

    def go_on(self, token: str) -> HttpResponse:
        """From the preview: read the file in another way, or import it."""
        form = ImportOptionsForm(self.request.POST)
        data = kept_upload(token, season=self.season, by=self.request.user)
        if data is None:
            messages.warning(
                self.request, _("The file is no longer here: it was imported, or waited too long.")
            )
            return HttpResponseRedirect(self.request.path)
        if not form.is_valid() or "confirm" not in self.request.POST:
            return self.preview(data, token, form)
        try:
            plan = import_games(
                season=self.season,
                file=self.read(data, form),
                by=self.request.user,
                create_players=form.cleaned_data["create_players"],
            )
        except ValidationError:  # closed meanwhile: the page says so; or deleted: there is none
            enter_league(self.request, self.league.slug, self.season.slug)
            self.season = season_of(self.request)
            return self.page()
        if plan.error_count:
            return self.preview(data, token, form)
        forget_upload(token)
        messages.success(self.request, _imported(plan))
        return HttpResponseRedirect(reverse("ratings:game-list", args=[self.league.slug, self.season.slug]))

    def preview(self, data: bytes, token: str, form: ImportOptionsForm) -> HttpResponse:
        file = self.read(data, form)
        create_players = bool(form.is_valid() and form.cleaned_data["create_players"])
        plan = plan_import(self.season, file, create_players=create_players)
        return self.page(
            plan=plan,
            token=token,
            options=ImportOptionsForm(
                initial={"create_players": create_players, "encoding": form["encoding"].value()}
            ),
            first_games=file.games[:GAMES_SHOWN],
            new_names=[player.name for player in plan.players[:NAMES_SHOWN]],
            unknown_names=plan.unknown[:NAMES_SHOWN],
            more_new=max(0, len(plan.players) - NAMES_SHOWN),
            more_unknown=max(0, len(plan.unknown) - NAMES_SHOWN),
        )

    def read(self, data: bytes, form: ImportOptionsForm) -> GamesFile:
        encoding = form.cleaned_data["encoding"] if form.is_valid() else ""
        return read_games(
            data, timezone=self.league.zone, language=self.league.language, encoding=encoding or None
        )

    def page(self, **context: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(**context))


def _imported(plan: ImportPlan) -> str:
    if not plan.new:
        return _("Nothing new: the season has all games of the file already.")
    games, players = plan.new, len(plan.players)
    sentences = [
        ngettext("%(count)d game is imported.", "%(count)d games are imported.", games) % {"count": games}
    ]
    if players:
        sentences.append(
            ngettext("%(count)d player is new.", "%(count)d players are new.", players) % {"count": players}
        )
    if plan.known:
        sentences.append(
            ngettext("%(count)d game was known already.", "%(count)d games were known already.", plan.known)
            % {"count": plan.known}
        )
    return " ".join(sentences)
