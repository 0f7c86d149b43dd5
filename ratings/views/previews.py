"""What the game in the entry form would change, while it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.vary import vary_on_headers

from leagues.forms.games import GameForm, ReportForm
from leagues.models import Game, Role, Season
from leagues.models.game import is_rated
from leagues.names import same_name
from leagues.services import GameRefusedError, PlayedSide, check_game
from leagues.tenancy.acting import is_reporting
from leagues.tenancy.requests import LeaguePage
from ratings.services.edit_preview import Edit, Effect, ResultsBehindError, preview_edit
from ratings.services.facts import CannotRateError, UnreadableRulesError, rules_of
from ratings.services.what_if import what_if
from ratings.views.calculator import listed_sides, told
from ratings.views.live import live_context, replay_of

LATER_GAMES_MOST = 2_000  # rated beforehand while somebody types
FRAGMENT = "ratings/_game_preview.html"


@method_decorator(vary_on_headers("HX-Request"), name="dispatch")
class GamePreviewView(LeaguePage):
    """What the game of a form would change; without scripts, the form again with it. Nothing is stored."""

    http_method_names = ["post"]
    role_required = Role.SCORER
    players_too = True
    season: Season

    def post(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = (ReportForm if is_reporting(request) else GameForm)(self.season, request.POST)
        found = {} if self.season.is_closed else _preview(self.season, form)
        where = {"league": self.league.slug, "season": self.season.slug}
        return self.page(
            form=form,
            action=reverse("leagues:game-create", kwargs=where),
            preview=FRAGMENT,
            **live_context(self.season, replay_of(self.season)),
            **found,
        )

    def get_template_names(self) -> list[str]:
        if self.is_fragment:
            return [FRAGMENT]
        return ["leagues/report_form.html" if is_reporting(self.request) else "leagues/game_form.html"]


def _preview(season: Season, form: GameForm) -> dict[str, Any]:
    """What is told of the game of a form; what keeps it from being played goes to its fields."""
    if not form.is_valid():
        return {}
    facts = form.facts()
    sides = _seated(facts["sides"])
    kind = facts.get("kind", Game.Kind.PLAYED)
    if problems := check_game(season, played_at=facts["played_at"], sides=sides, kind=kind):
        form.refuse(GameRefusedError(problems))
        return {"refused": [problem.message for problem in problems]}
    if not is_rated(season, kind):
        return {"unrated": True}
    try:
        found = what_if(season, rules_of(season), sides, stand_ins={})
    except UnreadableRulesError:
        message = _(
            "The rules of this season cannot be read at the moment; the organizers have been told why."
        )
        return {"refused": [message]}
    except ValueError:
        return {"refused": [_("By these rules this game would take ratings beyond all bounds.")]}
    later = Game.objects.filter(season=season, played_at__gt=facts["played_at"]).counted().count()
    if later and (effect := _effect(season, facts | {"sides": sides})):
        return {"effect": effect, "later": later}
    return {
        "sides": listed_sides(sides, found.explanation),
        "what_if": found,
        "in_standings": told(found),
        "later": later,
    }


def _effect(season: Season, facts: dict[str, Any]) -> Effect | None:
    """What a game before others changes with all of them; None where that is not known at the moment."""
    entered = {"played_at": facts["played_at"], "sides": facts["sides"]}
    edit = Edit.entered(season, kind=facts.get("kind", Game.Kind.PLAYED), **entered)
    try:
        return preview_edit(season, edit, most=LATER_GAMES_MOST).effect
    except (ResultsBehindError, CannotRateError):
        return None


def _seated(sides: Sequence[PlayedSide]) -> Sequence[PlayedSide]:
    """The sides, their new players with ids below 0, one for each name, and keys to be sorted by."""
    ids: dict[str, int] = {}
    for player in (player for side in sides for player in side.members if player.pk is None):
        player.pk = ids.setdefault(same_name(player.name), -1 - len(ids))
        player.set_name(player.name)
    return sides
