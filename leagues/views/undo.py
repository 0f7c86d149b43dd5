"""Taking back an act of the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.formats import format_number
from leagues.models import AuditEntry, Player, Role
from leagues.services import undo_change, undo_games, undo_marking, undo_merge
from leagues.services.audit import UNDO, Actor
from leagues.services.rosters import undoable_markings
from leagues.services.undoing import none_left, undoable_games
from leagues.services.undoing_changes import undoable_changes
from leagues.services.unmerging import undoable_merges
from leagues.tenancy.requests import LeagueMixin, require_role

GAME, GAMES, PLAYERS = "ratings:game-detail", "ratings:game-list", "ratings:player-list"


class Undo(NamedTuple):
    """Taking back acts of one kind: what does it and says what came of it, who may, and the page after it."""

    take_back: Callable[[AuditEntry, Actor], str]
    role: Role
    page: str


def undoable(acts: Sequence[AuditEntry]) -> set[int]:
    """The ids of those of these acts, the latest first, that can be taken back. At most seven queries."""
    return undoable_games(acts) | undoable_changes(acts) | undoable_merges(acts) | undoable_markings(acts)


class UndoView(LeagueMixin):
    """Take an act back, as long as nobody has built on it."""

    http_method_names = ["post"]
    role_required = Role.SCORER

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        acts = AuditEntry.objects.in_league(self.league).select_related("league", "season__league")
        act = get_object_or_404(acts, pk=self.kwargs["auditentry"], action__in=UNDOS)
        undo = UNDOS[act.action]
        require_role(request, undo.role)
        try:
            done = undo.take_back(act, request.user)
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
            return HttpResponseRedirect(reverse("leagues:log", kwargs={"league": self.league.slug}))
        messages.success(request, done)
        return HttpResponseRedirect(self.page_after(act, undo.page))

    def page_after(self, act: AuditEntry, page: str) -> str:
        where = {"league": self.league.slug}
        if act.season is None or page == PLAYERS:
            return reverse(PLAYERS, kwargs=where)
        where["season"] = act.season.slug
        if page == GAME:
            where["game"] = act.object_id
        return reverse(page, kwargs=where)


def _undo_games(act: AuditEntry, by: Actor) -> str:
    count = undo_games(act=act, by=by)
    sentence = ngettext("%(count)s game is taken back.", "%(count)s games are taken back.", count)
    return sentence % {"count": format_number(count)}


def _undo_change(act: AuditEntry, by: Actor) -> str:
    undo_change(act=act, by=by)
    return _("The game is as it was before.")


def _undo_merge(act: AuditEntry, by: Actor) -> str:
    undo = (act.before or {})[UNDO]
    gone = Player.with_merged.filter(pk=undo["gone"], merged_into=undo["keep"]).first()
    if gone is None:
        raise none_left()
    undo_merge(gone=gone, by=by)
    return _("%(name)s is a player again.") % {"name": gone.name}


def _undo_marking(act: AuditEntry, by: Actor) -> str:
    count = len(undo_marking(act=act, by=by))
    sentence = ngettext(
        "%(count)d player is marked as before.", "%(count)d players are marked as before.", count
    )
    return sentence % {"count": count}


UNDOS = {
    "record_game": Undo(_undo_games, Role.SCORER, GAMES),
    "import_games": Undo(_undo_games, Role.MANAGER, GAMES),
    "correct_game": Undo(_undo_change, Role.SCORER, GAME),
    "void_game": Undo(_undo_change, Role.SCORER, GAME),
    "restore_game": Undo(_undo_change, Role.SCORER, GAME),
    "delete_game": Undo(_undo_change, Role.SCORER, GAME),
    "merge_players": Undo(_undo_merge, Role.MANAGER, PLAYERS),
    "mark_players": Undo(_undo_marking, Role.MANAGER, PLAYERS),
}
