"""The rulebook of a season, every number of it computed from the season's rules."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from leagues.models import Season
from ratings.charts import Stakes, stakes_chart
from ratings.engine import rulebook
from ratings.engine.explain import stakes
from ratings.engine.formulas import margin_multiplier
from ratings.engine.systems import SYSTEMS
from ratings.engine.types import Rules, Tenths
from ratings.forms.calculator import query_of
from ratings.models.rules import TIE_BREAK_WORDS
from ratings.services.facts import UnreadableRulesError, rules_of
from ratings.services.prizes import prize_tiers
from ratings.views.live import LiveMixin


class Section(NamedTuple):
    """A part of the rulebook: its anchor, its heading, and the template of its text."""

    anchor: str
    title: Promise
    template: str

    @property
    def path(self) -> str:
        return f"ratings/rulebook/{self.template}.html"


CURVE_POINTS = 60  # computed of the curve of margins
PLACES = Section("places", _("General principles"), "_places")
SEASON_SCORE = Section("season-score", _("Season score"), "_season_score")
PRIZES = Section("prizes", _("Prizes"), "_prizes")
BY_MARGIN = (
    Section("short", _("Key points"), "_short"),
    PRIZES,
    PLACES,
    Section("parameters", _("Main parameters"), "_parameters"),
    Section("formulas", _("Formulas"), "_formulas"),
    Section("margins", _("Table 1: effects of the winning margin (equal ratings)"), "_margins"),
    Section("upsets", _("Tables 2–4: underdogs and favourites"), "_upsets"),
    Section("differences", _("Table 5: effect of the rating difference"), "_differences"),
    Section("free-for-all", _("Games of more than two players"), "_free_for_all"),
    Section("teams", _("Team games"), "_teams"),
    SEASON_SCORE,
    Section("example", _("Worked example"), "_example"),
)
LADDER = (
    Section("short", _("Key points"), "_ladder_short"),
    PRIZES,
    PLACES,
    Section("elo", _("Expected score"), "_elo"),
    Section("update", _("After a battle"), "_update"),
    Section("upsets", _("Underdogs and favourites"), "_ladder_upsets"),
    Section("k-factor", _("The K-factor"), "_k_factor"),
    Section("pool", _("The opponent pool"), "_pool"),
    Section("challenges", _("Challenges"), "_challenges"),
    SEASON_SCORE,
)


class RulesView(LiveMixin):
    """The organizers' own text, and the rulebook of the season's system."""

    template_name = fragment_name = "ratings/rules.html"
    season: Season

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        try:
            rules = rules_of(self.season)
        except UnreadableRulesError:
            return super().get_context_data(rules=None, **kwargs)
        tiers = prize_tiers(self.season)
        by_margin = SYSTEMS[rules.system].by_margin
        left_out = {
            "prizes": not tiers,
            "teams": rules.team_max < 2,
            "season-score": not rules.full_weight_games,
        }
        return super().get_context_data(
            rules=rules,
            by_margin=by_margin,
            tiers=tiers,
            tie_breaks=_tie_breaks(rules),
            sections=[each for each in (BY_MARGIN if by_margin else LADDER) if not left_out.get(each.anchor)],
            activity=rulebook.activity_rows(rules, rules.initial_rating + 1_000),
            activity_rating=rules.initial_rating + 1_000,
            bonus_percent=100 * rules.bonus,
            **(_by_margin(rules) if by_margin else _ladder(rules) | _times(self.season)),
            **kwargs,
        )


def _tie_breaks(rules: Rules) -> list[Promise]:
    """What parts equals, in words; a season score that is the rating is not parted by it."""
    return [TIE_BREAK_WORDS[name] for name in rules.tie_breaks if rules.full_weight_games or name != "rating"]


def _times(season: Season) -> dict[str, str]:
    """The times of challenges in words."""
    return {
        "time_to_answer": _in_words(season.answer_hours),
        "time_to_play": _in_words(season.play_hours),
        "time_to_confirm": _in_words(season.report_hours),
    }


def _in_words(hours: int) -> str:
    """A number of hours; of days where they are more than one and whole."""
    days, rest = divmod(hours, 24)
    if days > 1 and not rest:
        return ngettext("%(days)s day", "%(days)s days", days) % {"days": days}
    return ngettext("%(hours)s hour", "%(hours)s hours", hours) % {"hours": hours}


def _by_margin(rules: Rules) -> dict[str, Any]:
    """The numbers of a rulebook in which margins count."""
    initial = rules.initial_rating
    hundred, fifty = (rulebook.in_points(rules, margin) for margin in (100, 50))
    rows = rulebook.margin_rows(rules)
    return {
        "damped_percent": 100 * (1 - rules.keep),
        "kept_percent": 100 * rules.keep,
        "draw_multiplier": margin_multiplier(rules, 0),
        "margins": [(row, _duel(initial, initial, row.margin)) for row in rows],
        "margin_curve": _margin_curve(rules, rows[-1].margin),
        "upsets": [_with_queries(rulebook.upsets(rules, each)) for each in rulebook.UPSETS],
        "differences": [rulebook.difference_row(rules, each) for each in rulebook.DIFFERENCES],
        "hundred": hundred,
        "fifty": fifty,
        "two_wins": rulebook.wins_in_a_row(rules, [fifty, fifty]),
        "one_win": rulebook.wins_in_a_row(rules, [hundred]),
        "strong": _won_over(rules, initial + 1_000, hundred),
        "weak": _won_over(rules, initial - 4_000, hundred),
        "duel": _example(rulebook.duel_example(rules)),
        "free_for_all": _example(rulebook.free_for_all_example(rules)),
        "team_game": _example(rulebook.team_example(rules)),
        "has_pairs": rules.team_min <= 2 <= rules.team_max,
    }


def _margin_curve(rules: Rules, farthest: int) -> Stakes:
    """What a win between equals brings, by its margin."""
    margins = sorted({max(1, round(farthest * number / CURVE_POINTS)) for number in range(CURVE_POINTS + 1)})
    return stakes_chart(
        [(margin, gain, gain) for margin, gain in stakes(rules, 0, float(rules.k), margins)], lead=0
    )


def _ladder(rules: Rules) -> dict[str, Any]:
    """The numbers of a rulebook of challenges."""
    initial = rules.initial_rating
    half = rules.pool_size // 2
    challenger = initial + 1_000
    battles = rulebook.ladder_rows(rules)
    upsets = rulebook.ladder_upsets(rules)
    hundred, two_hundred = (rulebook.difference_row(rules, each) for each in (1_000, 2_000))
    return {
        "hundred": _expected_wins(hundred),
        "two_hundred": _expected_wins(two_hundred),
        "ladder_upsets": upsets,
        "widest": upsets[-1],
        "idle_from": rulebook.idle_from(rules),
        "worked": battles[min(1, len(battles) - 1)],  # neither new nor of the top
        "expectations": [rulebook.difference_row(rules, each) for each in rulebook.LADDER_DIFFERENCES],
        "lower": rulebook.difference_row(rules, -1_000),
        "higher": rulebook.difference_row(rules, 1_000),
        "ratings": (initial, initial + 1_000),
        "battles": battles,
        "query": query_of([([initial], 1), ([initial + 1_000], 0)]),
        "challenger": challenger,
        "nearest": (challenger - rules.pool_deviation, challenger + rules.pool_deviation),
        "halves": (half, rules.pool_size - half),
    }


def _expected_wins(row: rulebook.DifferenceRow) -> dict[str, Any]:
    return {"difference": row.difference, "percent": 100 * row.expected}


def _duel(own: Tenths, opponent: Tenths, margin: int) -> str:
    return query_of([([own], margin), ([opponent], 0)])


def _with_queries(upsets: rulebook.Upsets) -> dict[str, Any]:
    rows = [(row, _duel(upsets.own, upsets.opponent, row.margin)) for row in upsets.rows]
    return {"table": upsets, "rows": rows}


def _won_over(rules: Rules, opponent: Tenths, margin: int) -> tuple[Tenths, Tenths, str]:
    """An opponent's rating, and what a player rated 100 below the initial rating gains by beating them."""
    own = rules.initial_rating - 1_000
    return opponent, rulebook.win(rules, own, opponent, margin)[0], _duel(own, opponent, margin)


def _example(played: rulebook.Played) -> dict[str, Any]:
    """A played example with its sides, and the address of the calculator that shows it."""
    explanation, points = played
    sides = list(zip(explanation.sides, points, strict=True))
    return {"sides": sides, "query": query_of([(side.before, each) for side, each in sides])}
