"""Taking back an act of the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.formats import format_number
from leagues.models import AuditEntry, Player, Role
from leagues.services import undo_change, undo_games, undo_merge
from leagues.services.audit import UNDO, Actor
from leagues.services.undoing import undoable_games
from leagues.services.undoing_changes import undoable_changes
from leagues.services.unmerging import undoable_merges
from leagues.tenancy.requests import LeagueMixin, require_role

# Who may take back what.
ROLES = {
    "record_game": Role.SCORER,
    "correct_game": Role.SCORER,
    "void_game": Role.SCORER,
    "delete_game": Role.SCORER,
    "import_games": Role.MANAGER,
    "merge_players": Role.MANAGER,
}


def undoable(acts: Sequence[AuditEntry]) -> set[int]:
    """The ids of those of these acts, the latest first, that can be taken back. At most five queries."""
    return undoable_games(acts) | undoable_changes(acts) | undoable_merges(acts)


class UndoView(LeagueMixin):
    """Take an act back, as long as nobody has built on it."""

    http_method_names = ["post"]
    role_required = Role.SCORER

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        acts = AuditEntry.objects.in_league(self.league).select_related("league", "season__league")
        act = get_object_or_404(acts, pk=self.kwargs["auditentry"], action__in=ROLES)
        require_role(request, ROLES[act.action])
        try:
            done = UNDOING[act.action](act, request.user)
        except ValidationError as refused:
            messages.error(request, refused.messages[0])
            return HttpResponseRedirect(reverse("leagues:log", kwargs={"league": self.league.slug}))
        messages.success(request, done)
        return HttpResponseRedirect(self.page_after(act))

    def page_after(self, act: AuditEntry) -> str:
        where = {"league": self.league.slug}
        if act.season is None or act.action == "merge_players":
            return reverse("ratings:player-list", kwargs=where)
        if act.action in ("correct_game", "void_game", "delete_game"):
            game = {"season": act.season.slug, "game": act.object_id}
            return reverse("ratings:game-detail", kwargs=where | game)
        return reverse("ratings:game-list", kwargs=where | {"season": act.season.slug})


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
        raise ValidationError(_("There is nothing left to take back: it is gone already."), code="gone")
    undo_merge(gone=gone, by=by)
    return _("%(name)s is a player again.") % {"name": gone.name}


UNDOING: dict[str, Callable[[AuditEntry, Actor], str]] = {
    "record_game": _undo_games,
    "import_games": _undo_games,
    "correct_game": _undo_change,
    "void_game": _undo_change,
    "delete_game": _undo_change,
    "merge_players": _undo_merge,
}
