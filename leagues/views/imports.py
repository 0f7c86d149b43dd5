"""Importing a game file: upload, preview, confirm."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.formats import format_number
from leagues.forms.imports import (
    COLUMNS,
    WORDS,
    ImportForm,
    ImportOptionsForm,
    chosen_options,
)
from leagues.models import AuditEntry, League, Player, Role, Season
from leagues.services.import_options import ImportOptions, import_file, suggested
from leagues.services.import_preview import Preview, preview_file
from leagues.services.long_checks import state_of_check, takes_long
from leagues.services.long_imports import Outcome, state_of_import
from leagues.services.uploads import forget_upload, is_token, keep_upload, kept_upload
from leagues.tasks import start_check, start_import
from leagues.tenancy.requests import LeaguePage, enter_league, season_of

logger = logging.getLogger(__name__)

POLL_RUNNING, POLL_BROKEN_OFF = 1, 20  # seconds


class ImportView(LeaguePage):
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
        data = form.cleaned_data["file"]
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
        options = chosen_options(form, self.request.POST, self.league)
        # Games are imported as they were seen: who chooses otherwise sees first what becomes of them.
        is_seen = self.request.POST.get("confirm") == options.mark()
        if not form.is_valid() or not is_seen:
            return self.preview(data, token, form)
        if takes_long(data):
            return self.start(token, options)
        try:
            plan = import_file(season=self.season, data=data, options=options, by=self.request.user)
        except ValidationError:  # closed meanwhile: the page says so; or deleted: there is none
            enter_league(self.request, self.league.slug, self.season.slug)
            self.season = season_of(self.request)
            return self.page()
        if plan.error_count:
            return self.preview(data, token, form)
        forget_upload(token)
        undo = _undo_url(self.season, plan.revision)
        done = _imported(plan.new, plan.known, len(plan.players))
        messages.success(self.request, done, extra_tags=undo)
        return HttpResponseRedirect(reverse("ratings:game-list", args=[self.league.slug, self.season.slug]))

    def start(self, token: str, options: ImportOptions) -> HttpResponse:
        """Have a file that takes long imported outside the request, and show how far that has come."""
        try:
            start_import(self.season.pk, self.request.user.pk, token, options)
        except Exception:
            logger.exception("The import of a file could not be started.")
            messages.error(self.request, _("The import could not be started; try again in a minute."))
            return HttpResponseRedirect(self.request.path)
        return self.to("leagues:import-run", token)

    def preview(self, data: bytes, token: str, form: ImportOptionsForm) -> HttpResponse:
        """Show what would happen; what of a file that takes long is found out outside the request."""
        options = chosen_options(form, self.request.POST, self.league)
        if not takes_long(data):
            preview = preview_file(self.season, data, options)
            return self.page(token=token, **preview_context(preview, self.league))
        try:
            start_check(self.season.pk, self.request.user.pk, token, options)
        except Exception:
            logger.exception("The check of a file could not be started.")
            messages.error(self.request, _("The file could not be checked; try again in a minute."))
            return HttpResponseRedirect(self.request.path)
        return self.to("leagues:import-check", token)

    def to(self, name: str, token: str) -> HttpResponse:
        """To the page on which the work on a token's file is watched."""
        return HttpResponseRedirect(reverse(name, args=[self.league.slug, self.season.slug, token]))


class ImportCheckView(LeaguePage):
    """How far the check of a file outside the request has come, and then its preview."""

    role_required = Role.MANAGER
    season: Season

    def get(self, request: Any, *_args: Any, upload: str, **_kwargs: Any) -> HttpResponse:
        if not is_token(upload, season=self.season, by=request.user):
            raise Http404
        step, preview, options = state_of_check(upload)
        asks_every = None if preview else POLL_RUNNING if step else POLL_BROKEN_OFF
        found = preview_context(preview, self.league) if preview else {"again": options}
        response = self.page(step=step, asks_every=asks_every, token=upload, **found)
        response["Cache-Control"] = "no-store"
        return response

    def get_template_names(self) -> list[str]:
        return ["leagues/_import_check.html" if self.is_fragment else "leagues/import_check.html"]


def preview_context(preview: Preview, league: League) -> dict[str, Any]:
    """What the template of a preview shows, and lets people choose: columns, days, and whom names mean."""
    options = ImportOptions.from_json(preview.options)
    samples = (*preview.sample, *[""] * len(preview.header))
    players = suggested(preview.unknown, league, options.matches) if preview.unknown else []
    return {
        "preview": preview,
        "options": ImportOptionsForm(
            initial={"create_players": options.create_players, "encoding": options.encoding}
        ),
        "mark": options.mark(),
        "errors": [
            (line, _place(column, preview.header, options.columns), sentence)
            for line, column, sentence in preview.errors
        ],
        "more_new": max(0, preview.new_players - len(preview.new_names)),
        "creates": options.create_players,
        "more_unknown": preview.more_unknown,
        "columns": list(zip(preview.header, samples, options.columns, strict=False)),
        "names": COLUMNS,
        "asks_order": preview.asks_order,
        "order": options.order,
        "unknown": [(name, _told_apart(likely), options.matches.get(name)) for name, likely in players],
    }


def _place(column: str, header: Sequence[str], columns: Sequence[str]) -> str:
    """The column of an error as the file calls it, or in words where the file has no such column."""
    if not header:
        return column
    called = dict(zip(columns, header, strict=False))
    return called.get(column) or str(WORDS.get(column, column))


def _told_apart(players: list[Player]) -> list[tuple[int, str]]:
    """Their ids and names, of namesakes with the address."""
    times = Counter(player.name for player in players)
    return [
        (player.pk, player.name if times[player.name] == 1 else f"{player.name} ({player.slug})")
        for player in players
    ]


class ImportRunView(LeaguePage):
    """How far an import outside the request has come, and what came of it."""

    role_required = Role.MANAGER
    season: Season

    def get(self, request: Any, *_args: Any, upload: str, **_kwargs: Any) -> HttpResponse:
        if not is_token(upload, season=self.season, by=request.user):
            raise Http404
        step, outcome = state_of_import(upload)
        asks_every = None if outcome else POLL_RUNNING if step else POLL_BROKEN_OFF
        result = _what_came_of(outcome)
        undo = _undo_url(self.season, outcome.revision) if outcome else ""
        response = self.page(step=step, outcome=outcome, result=result, asks_every=asks_every, undo=undo)
        response["Cache-Control"] = "no-store"
        return response

    def get_template_names(self) -> list[str]:
        return ["leagues/_import_run.html" if self.is_fragment else "leagues/import_run.html"]


def _undo_url(season: Season, revision: int | None) -> str:
    """Where the import is taken back that made this revision; empty where it made none."""
    acts = AuditEntry.objects.filter(season=season, revision=revision)
    return acts.undo_url() if revision else ""


def _what_came_of(outcome: Outcome | None) -> str:
    if outcome and outcome.kind == "done":
        return _imported(outcome.new, outcome.known, outcome.players)
    if outcome and outcome.kind == "changed":
        return _(
            "Since the preview the league has changed, and the file has errors now: nothing of it was "
            "imported. Choose it again to see them."
        )
    if outcome and outcome.kind == "refused":
        return _("The season was closed meanwhile: nothing of the file was imported.")
    return _(
        "The import broke off. A file is imported as a whole or not at all: choose it again, and games that "
        "the season has already are left alone."
    )


def _imported(games: int, known: int, players: int) -> str:
    if not games:
        return _("Nothing new: the season has all games of the file already.")
    sentences = [
        ngettext("%(count)s game is imported.", "%(count)s games are imported.", games)
        % {"count": format_number(games)}
    ]
    if players:
        sentences.append(
            ngettext("%(count)s player is new.", "%(count)s players are new.", players)
            % {"count": format_number(players)}
        )
    if known:
        sentences.append(
            ngettext("%(count)s game was known already.", "%(count)s games were known already.", known)
            % {"count": format_number(known)}
        )
    return " ".join(sentences)
