"""What a game would change, before it is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from leagues.models import Player, Season
from leagues.names import tidy
from leagues.services import PlayedSide
from leagues.tenancy.requests import LeagueMixin
from ratings.charts import stakes_chart
from ratings.engine.explain import stakes
from ratings.engine.rulebook import accepted_margins, in_points
from ratings.engine.systems import SYSTEMS
from ratings.engine.types import Explanation, Rules
from ratings.forms.calculator import CalculatorForm, PlayerSearchForm, rated, read_rating, stand_in_name
from ratings.models import Standing
from ratings.services.explain import Basis
from ratings.services.facts import UnreadableRulesError, rules_of
from ratings.services.history import ListedSide
from ratings.services.what_if import WhatIf, what_if
from ratings.views.games import explained_sides
from ratings.views.live import LiveMixin

OPTIONS_SHOWN = 8
CHART_MARGIN = 1000  # on the curve: as far as most games come
CHART_POINTS = 60


class CalculatorView(LiveMixin):
    """The form, and what the game of the address would change. Nothing is stored."""

    template_name = "ratings/calculator.html"
    fragment_name = "ratings/_calculator.html"
    season: Season

    def get_template_names(self) -> list[str]:
        is_answer = self.is_fragment and self.request.htmx.target == "answer"
        return ["ratings/_calculator_answer.html"] if is_answer else super().get_template_names()

    def seen(self) -> list[object]:
        return [*super().seen(), self.request.htmx.target]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = CalculatorForm(self.request.GET, season=self.season)
        try:
            rules = rules_of(self.season)
        except UnreadableRulesError:
            return super().get_context_data(rules=None, **kwargs)
        answer = _answer(self.season, rules, form) if form.is_asked and form.is_valid() else {}
        return super().get_context_data(
            form=form,
            rules=rules,
            by_margin=SYSTEMS[rules.system].by_margin,
            **answer,
            **kwargs,
        )


def _answer(season: Season, rules: Rules, form: CalculatorForm) -> dict[str, Any]:
    """What the page tells of a game, or of two players before they have points."""
    try:
        found = what_if(season, rules, form.sides, form.stand_ins)
    except ValueError:
        form.add_error(None, _("By these rules this game would take ratings beyond all bounds."))
        return {}
    sides = listed_sides(form.sides, found.explanation)
    pair = _stakes(rules, found.explanation, form.sides) if len(sides) == 2 else {}
    told_of = {"sides": sides, "pair": pair, "pair_query": form.pair_query}
    if form.pair:
        return told_of | {"explanation": found.explanation}
    return told_of | {
        "explanation": found.explanation,
        "explained_sides": explained_sides(sides, found.explanation),
        "what_if": found,
        "in_standings": told(found),
    }


def listed_sides(sides: Sequence[PlayedSide], explanation: Explanation) -> list[ListedSide]:
    points = [side.points for side in sides]
    return [
        ListedSide(
            members=side.members,
            team=None,
            points=side.points,
            won=side.points == max(points) > min(points),
            changes=tuple(
                sorted({after - before for before, after in zip(each.before, each.after, strict=True)})
            ),
        )
        for side, each in zip(sides, explanation.sides, strict=True)
    ]


def told(found: WhatIf) -> list[dict[str, Any]]:
    """The rows that move, each with by how much."""
    return [
        {
            "move": move,
            "score_change": move.after.season_score - move.before.season_score if move.before else None,
            "is_new_in": move.after.classified and not (move.before and move.before.classified),
            "is_out": bool(move.before and move.before.classified and not move.after.classified),
        }
        for move in found.moves
    ]


def _stakes(rules: Rules, explanation: Explanation, sides: Sequence[PlayedSide]) -> dict[str, Any]:
    """What either of two sides would gain by winning, over the margins."""
    duel = explanation.sides[0].duels[0]
    if not SYSTEMS[rules.system].by_margin:
        outcomes = stakes(rules, duel.difference, duel.k, (1, 0, -1))
        own, other = (side.before[0] for side in explanation.sides)
        return {
            "outcomes": [(lead, change, -change) for lead, change in outcomes],
            "basis": Basis(own, other, duel.expected, explanation.k_base, explanation.k_reason),
        }
    lead = abs(sides[0].points - sides[1].points)
    table = sorted({*accepted_margins(rules), lead} - {0})
    farthest = min(rules.largest_margin, max(in_points(rules, CHART_MARGIN), round(lead * 1.25)))
    drawn = sorted({max(1, round(farthest * number / CHART_POINTS)) for number in range(CHART_POINTS + 1)})
    return {
        "draw": stakes(rules, duel.difference, duel.k, [0])[0][1],
        "rows": _gains(rules, duel.difference, duel.k, table),
        "lead": lead,
        "chart": stakes_chart(_gains(rules, duel.difference, duel.k, drawn), lead),
    }


def _gains(
    rules: Rules, difference: float, k: float, margins: Sequence[int]
) -> list[tuple[int, float, float]]:
    """Each margin with what the first and what the second side gains by winning with it."""
    first = stakes(rules, difference, k, margins)
    second = stakes(rules, -difference, k, margins)
    return [(margin, gain, other) for (margin, gain), (_margin, other) in zip(first, second, strict=True)]


class CalculatorPlayersView(LeagueMixin):
    """The options of a picker: players of the season; for the calculator's, a rating for anybody too."""

    season: Season

    def get(self, request: Any, *_args: Any, **_kwargs: Any) -> HttpResponse:
        form = PlayerSearchForm(request.GET)
        form.is_valid()
        typed, only = tidy(form.cleaned_data.get("q", "")), form.cleaned_data.get("only")
        rating = read_rating(typed) if typed and not only else None
        context = {
            "players": _called_like(self.season, typed, played=only == form.PLAYED) if typed else [],
            "typed": typed,
            "stand_in": None if rating is None else (rated(rating), stand_in_name(rating)),
        }
        return render(request, "ratings/_calculator_options.html", context)


def _called_like(season: Season, text: str, *, played: bool) -> list[Standing]:
    """Rows of the season's players of about this name, or of those among them who have played."""
    named = Player.objects.in_league(season.league_id).named_like(text)
    rows = Standing.objects.filter(season=season, player__in=named).select_related("player")
    if played:
        rows = rows.filter(played__gt=0)
    return list(rows.order_by("player__sort_key", "player_id")[:OPTIONS_SHOWN])
