"""What correcting, voiding, deleting or restoring a game would change, before it is done."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.views.decorators.vary import vary_on_headers

from leagues.forms.games import GameForm
from leagues.models import Game, Role, Season
from leagues.services import check_game
from leagues.tenancy.requests import LeaguePage, game_of
from ratings.services.edit_preview import Edit, ResultsBehindError, preview_edit
from ratings.services.facts import CannotRateError

CSRF = "csrfmiddlewaretoken"


@method_decorator(vary_on_headers("HX-Request"), name="dispatch")
class EditPreviewView(LeaguePage):
    """A preview as a part of the page that asks for it, or without scripts as a page. Nothing is stored.

    GET is about a game that would be voided or deleted or, with ``act=restore``, count again; POST about
    one that would become what the form of a correction says.
    """

    role_required = Role.SCORER
    season: Season

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        act = request.GET.get("act")
        edit = Edit.restored(self.game) if act == "restore" else Edit.unrated(self.game)
        return self.page(**self.effect_of(edit), act="delete" if act == "delete" else "void")

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = GameForm(self.season, request.POST, game=self.game)
        # Sent on to be saved, or to be changed again, by the page without scripts.
        typed = [(name, value) for name in request.POST for value in request.POST.getlist(name)]
        context = {"act": "update", "typed": [pair for pair in typed if pair[0] != CSRF]}
        if not form.is_valid():
            return self.page(problems=[error for _place, error in form.problems()], **context)
        facts = form.facts()
        wanted = {name: facts[name] for name in ("played_at", "sides")}
        wanted["kind"] = facts.get("kind", self.game.kind)
        if problems := check_game(self.season, **wanted):
            return self.page(problems=[problem.message for problem in problems], **context)
        edit = Edit.corrected(self.game, **wanted)
        return self.page(**self.effect_of(edit), **context)

    @cached_property
    def game(self) -> Game:
        return game_of(self.season, self.kwargs["game"])

    def effect_of(self, edit: Edit) -> dict[str, Any]:
        if self.season.is_closed:
            return {}
        try:
            return {"preview": preview_edit(self.season, edit)}
        except ResultsBehindError:
            replay = getattr(self.season, "replay", None)
            has_failed = replay is not None and replay.failed_revision == self.season.revision
            return {"cannot": True} if has_failed else {"behind": True}
        except CannotRateError:
            return {"cannot": True}
        except ValidationError as refused:  # a name that nobody can have
            return {"problems": refused.messages}

    def page(self, **context: Any) -> HttpResponse:
        response = super().page(game=self.game, is_fragment=self.is_fragment, **context)
        response["Cache-Control"] = "no-store"
        return response

    def get_template_names(self) -> list[str]:
        return ["ratings/_edit_preview.html" if self.is_fragment else "ratings/edit_preview.html"]
