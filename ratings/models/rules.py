"""Rules as data: what a season is rated by, and what is played for."""

from __future__ import annotations

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import BaseValidator, MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from leagues.models import Fact, Season
from leagues.models.base import NameField
from ratings.engine.formulas import largest_rated_margin
from ratings.engine.presets import PRESETS
from ratings.engine.standings import TIE_BREAKS
from ratings.engine.systems import SYSTEMS
from ratings.engine.types import LIMITS, Curve, DrawMargin, GamesCounted, KRule, Opponents, Rules, ShortSide

# Fields of Rules that are fields of RuleSet, the limits of a game that are columns of Season,
# and those of another type here than there.
RULE_FIELDS = (
    "system", "initial_rating", "k", "k_rule", "keep", "curve", "curve_limit", "margin_unit", "draw_margin",
    "carry_over", "games_counted", "full_weight_games", "bonus", "bonus_games", "min_games", "min_meetings",
    "opponents", "tie_breaks", "pool_size", "pool_deviation", "pool_short_side",
)  # fmt: skip
LIMIT_FIELDS = ("largest_margin", "negative_points", "team_min", "team_max", "teams_max")
TENTHS_FIELDS = ("initial_rating", "pool_deviation")
ENUM_FIELDS = {
    "k_rule": KRule,
    "curve": Curve,
    "draw_margin": DrawMargin,
    "games_counted": GamesCounted,
    "opponents": Opponents,
    "pool_short_side": ShortSide,
}


def within_limits(name: str) -> list[BaseValidator]:
    """Validators of what the engine takes for a field of Rules; of ratings, in rating points."""
    smallest, largest = LIMITS[name]
    if name in TENTHS_FIELDS:
        smallest, largest = Decimal(smallest) / 10, Decimal(largest) / 10
    return [MinValueValidator(smallest), MaxValueValidator(largest)]


# By tie-break, what it compares.
TIE_BREAK_WORDS = {
    "rating": _("rating"),
    "duels_won": _("duels won"),
    "first_places": _("first places"),
    "games": _("games counted"),
}


def check_tie_breaks(names: list[str]) -> None:
    """Refuse a list with a name that is no tie-break, or one twice."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValidationError(_("Tie-breaks are a list of names."))
    for name in names:
        if name not in TIE_BREAKS or names.count(name) > 1:
            raise ValidationError(
                _("“%(name)s” is unknown or stands twice; the tie-breaks are: %(known)s."),
                params={"name": name, "known": ", ".join(map(str, TIE_BREAK_WORDS.values()))},
            )


def default_tie_breaks() -> list[str]:
    return list(Rules().tie_breaks)


class RuleSet(Fact):
    """The rules of one season, field by field. Defaults are those of the preset ``wsd-2.0``."""

    class System(models.TextChoices):
        WSD = "wsd", _("World Series of Desperada: margins, free-for-alls, teams")
        LADDER = "ladder", _("Ranked Battle: duels by challenge")

    class Curve(models.TextChoices):
        FORMULA = "formula", _("the printed formula")
        TABLE = "table", _("through the printed table: 1000 gives 10, 1500 gives 15.81, 2000 gives 25")

    class DrawMargin(models.TextChoices):
        FLOOR = "floor", _("0.4, the floor of the printed range")
        FORMULA = "formula", _("0.393, the formula at 0")
        ZERO = "zero", _("0: draws change nothing")

    class GamesCounted(models.TextChoices):
        LITERAL = "literal", _("1, and for a team game the number of teams less 1")
        SIDES = "sides", _("the number of sides less 1")

    class Opponents(models.TextChoices):
        ENTERED = "entered", _("everybody entered and not withdrawn")
        RANKED = "ranked", _("of those, players with the minimum of games")

    class KRule(models.TextChoices):
        FIXED = "fixed", _("the same for everybody")
        FIDE = "fide", _("by FIDE: 40 for the first 30 games, 20 after, 10 once 2400 was reached")
        FIDE_JUNIOR = "fide-junior", _("by FIDE, with 40 for juniors below 2300")

    class ShortSide(models.TextChoices):
        SHORT = "short", _("leave it short")
        FILL = "fill", _("take more from the other side")
        WIDEN = "widen", _("widen the deviation step by step")

    league_path = "season__league"
    season_path = "season"
    with_season = ("system",)  # what a page reads in one row with its season

    season = models.OneToOneField(
        Season, on_delete=models.CASCADE, related_name="rule_set", verbose_name=_("season")
    )
    preset = models.CharField(
        _("preset"),
        max_length=30,
        blank=True,
        choices=[(name, name) for name in PRESETS],
        help_text=_("the named rule set this one started from"),
    )
    system = models.CharField(_("system"), max_length=10, choices=System, default=System.WSD)

    initial_rating = models.DecimalField(
        _("initial rating"),
        max_digits=6,
        decimal_places=1,
        default=Decimal(1500),
        validators=within_limits("initial_rating"),
        help_text=_("rating points every player starts with"),
    )
    k = models.DecimalField(
        _("K-factor"),
        max_digits=6,
        decimal_places=2,
        default=Decimal(10),
        validators=within_limits("k"),
        help_text=_("how much a game moves ratings; a game of n sides divides it by n − 1"),
    )
    k_rule = models.CharField(
        _("rule for the K-factor"),
        max_length=12,
        choices=KRule,
        default=KRule.FIXED,
        help_text=_(
            "in Ranked Battle the challenger’s K counts for both; the bands of FIDE replace the K-factor"
        ),
    )
    keep = models.DecimalField(
        _("damping: share kept"),
        max_digits=4,
        decimal_places=3,
        default=Decimal("0.3"),
        validators=within_limits("keep"),
        help_text=_(
            "share of the distance between the expected score and one half that is kept. The rulebook’s "
            "examples and its parameter 0.3 keep 0.3; its Tables 2–4 were printed with 0.5; its formula, "
            "read literally, keeps 0.7"
        ),
    )
    curve = models.CharField(
        _("margin curve above 500"),
        max_length=10,
        choices=Curve,
        default=Curve.FORMULA,
        help_text=_("the rulebook prints a formula and a table; they differ above a margin of 1000"),
    )
    curve_limit = models.DecimalField(
        _("largest margin multiplier"),
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        validators=within_limits("curve_limit"),
        help_text=_("empty: no limit. One line of the rulebook prints 8.0, two others print none"),
    )
    margin_unit = models.DecimalField(
        _("base margin"),
        max_digits=9,
        decimal_places=2,
        default=Decimal(100),
        validators=within_limits("margin_unit"),
        help_text=_("game points that count as a margin of 100; change it for games counted in other sizes"),
    )
    draw_margin = models.CharField(
        _("margin multiplier of a draw"),
        max_length=10,
        choices=DrawMargin,
        default=DrawMargin.FLOOR,
        help_text=_("the rulebook rates draws and gives no multiplier for a margin of 0"),
    )
    carry_over = models.DecimalField(
        _("carried over"),
        max_digits=4,
        decimal_places=3,
        default=Decimal(0),
        validators=within_limits("carry_over"),
        help_text=_(
            "share of a player’s distance to the initial rating taken over from the last closed season: "
            "0 starts everybody anew, 1 goes on from the last rating"
        ),
    )

    games_counted = models.CharField(
        _("a game counts as"),
        max_length=10,
        choices=GamesCounted,
        default=GamesCounted.LITERAL,
        help_text=_("the rulebook: team games count for the number of teams less 1"),
    )
    full_weight_games = models.PositiveIntegerField(
        _("games for full weight"),
        default=75,
        validators=within_limits("full_weight_games"),
        help_text=_(
            "up to here the season score is pulled towards the initial rating; "
            "0: the season score is the rating"
        ),
    )
    bonus = models.DecimalField(
        _("activity bonus"),
        max_digits=5,
        decimal_places=4,
        default=Decimal("0.05"),
        validators=within_limits("bonus"),
        help_text=_("share of the rating added for playing more; 0.05 is 5%"),
    )
    bonus_games = models.PositiveIntegerField(
        _("games for the whole bonus"),
        default=200,
        validators=within_limits("bonus_games"),
        help_text=_("more than the games for full weight"),
    )
    min_games = models.PositiveIntegerField(
        _("minimum games"),
        default=75,
        validators=within_limits("min_games"),
        help_text=_("games needed for a place. The rulebook says 75, and 50 in one line"),
    )
    min_meetings = models.PositiveIntegerField(
        _("minimum meetings"),
        default=4,
        validators=within_limits("min_meetings"),
        help_text=_("games needed against every opponent for a place"),
    )
    opponents = models.CharField(
        _("opponents that count"), max_length=10, choices=Opponents, default=Opponents.ENTERED
    )
    tie_breaks = models.JSONField(
        _("tie-breaks"),
        default=default_tie_breaks,
        blank=True,
        validators=[check_tie_breaks],
        help_text=_(
            "what decides between equal season scores, in order; who is still equal shares the place"
        ),
    )

    pool_size = models.PositiveIntegerField(
        _("pool size"),
        default=30,
        validators=within_limits("pool_size"),
        help_text=_("opponents a challenger may draw"),
    )
    pool_deviation = models.DecimalField(
        _("pool deviation"),
        max_digits=6,
        decimal_places=1,
        default=Decimal(100),
        validators=within_limits("pool_deviation"),
        help_text=_("rating points between a challenger and an opponent at most"),
    )
    pool_short_side = models.CharField(
        _("where one side of the pool is short"), max_length=10, choices=ShortSide, default=ShortSide.SHORT
    )

    class Meta:
        verbose_name = _("rule set")
        verbose_name_plural = _("rule sets")
        constraints = [
            models.CheckConstraint(
                condition=Q(bonus_games__gt=F("full_weight_games")) | Q(bonus=0),
                name="bonus_is_reached_after_full_weight",
                violation_error_message=_(
                    "The games for the whole bonus must be more than the games for full weight."
                ),
            )
        ]

    def __str__(self) -> str:
        return self.preset or self.system

    def clean(self) -> None:
        """Refuse, at its field, what the engine refuses although each value alone is allowed."""
        system = SYSTEMS.get(self.system)
        if system and self.k_rule not in system.k_rules:
            sentence = _("FIDE’s bands go by the challenger, and this system has none; choose “%(fixed)s”.")
            params = {"fixed": self.KRule.FIXED.label}
            raise ValidationError({"k_rule": ValidationError(sentence, params=params)})
        if system and system.by_margin and self.curve_limit is None:
            self._check_largest_margin()

    def _check_largest_margin(self) -> None:
        rated, accepted = largest_rated_margin(self.margin_unit), self.season.largest_margin
        if accepted > rated:
            sentence = _(
                "By this base margin a margin can be rated up to %(rated)s, and the season accepts "
                "%(accepted)s: take a larger base margin, or limit the margin multiplier."
            )
            params = {"rated": int(rated), "accepted": accepted}
            raise ValidationError({"margin_unit": ValidationError(sentence, params=params)})

    @classmethod
    def from_rules(cls, season: Season, rules: Rules, preset: str = "") -> RuleSet:
        """An unsaved rule set with these values. The limits of a game are the season's own columns."""
        rule_set = cls(season=season, preset=preset)
        for name in RULE_FIELDS:
            value = getattr(rules, name)
            setattr(rule_set, name, Decimal(value) / 10 if name in TENTHS_FIELDS else value)
        rule_set.tie_breaks = list(rules.tie_breaks)
        return rule_set

    def to_rules(self) -> Rules:
        """The values the engine rates by: this rule set and its season's limits of a game."""
        values = {name: getattr(self, name) for name in RULE_FIELDS}
        for name in TENTHS_FIELDS:
            values[name] = int(values[name] * 10)
        for name, kind in ENUM_FIELDS.items():
            values[name] = kind(values[name])
        values["tie_breaks"] = tuple(self.tie_breaks)
        values.update({name: getattr(self.season, name) for name in LIMIT_FIELDS})
        return Rules(**values)


class TieRule(models.TextChoices):
    SHARE = "share", _("tied players divide the prizes of the places they cover")
    EACH = "each", _("each tied player gets the whole prize")


class PrizeTier(Fact):
    """What is played for at one place of the standings, or at several."""

    league_path = "season__league"
    season_path = "season"

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="prize_tiers", verbose_name=_("season")
    )
    name = NameField(_("name"), max_length=100)
    text = models.TextField(_("text"), blank=True, max_length=1000)
    first_place = models.PositiveSmallIntegerField(_("from place"), validators=[MinValueValidator(1)])
    last_place = models.PositiveSmallIntegerField(_("to place"), validators=[MinValueValidator(1)])
    amount = models.DecimalField(
        _("amount"), max_digits=12, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    per_participant = models.BooleanField(
        _("times participants"),
        default=False,
        help_text=_("multiply the amount by the number of players entered and not withdrawn"),
    )
    unit = models.CharField(_("unit"), max_length=20, blank=True, help_text=_("of the amount: km, €"))
    tie_rule = models.CharField(_("on a tie"), max_length=10, choices=TieRule, default=TieRule.SHARE)

    class Meta:
        verbose_name = _("prize tier")
        verbose_name_plural = _("prize tiers")
        ordering = ["first_place", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(last_place__gte=F("first_place")),
                name="prize_places_in_order",
                violation_error_message=_("The last place is before the first."),
            )
        ]

    def __str__(self) -> str:
        return self.name
