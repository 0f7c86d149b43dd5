"""Why a recorded game changed what it changed, from the ledger and the season's rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.db.models import F, OuterRef, Subquery

from leagues.models import Game
from ratings.engine import types
from ratings.engine.explain import explain
from ratings.engine.formulas import FIDE_K
from ratings.engine.types import Explanation, KRule, PlayerState, Rules, Tenths
from ratings.models import AppliedAdjustment, RatingChange
from ratings.services.facts import UnreadableRulesError, juniors, kept_outside, rules_of


@dataclass(frozen=True, slots=True)
class Basis:
    """What the changes of a battle go by, whatever its result is."""

    own: Tenths  # the challenger's rating
    other: Tenths
    expected: float  # the challenger's expected score
    k: Decimal
    k_reason: str

    @property
    def rest(self) -> float:
        """The opponent's expected score."""
        return 1 - self.expected


def explain_game(game: Game) -> Explanation | None:
    """The game's changes with their reasons, in order of its sides and of their members.

    ``game`` comes ``with_sides``. None while the ledger has no change of it for each of its players:
    a voided game, one that is not rated, or not yet; and where the rules cannot be read. Only for a season
    whose results are level with its facts does the explanation speak of the same rules as the ledger.
    Where K has a junior clause, its reason is "fide" for everybody.
    """
    played = _as_played(game)
    players = {player for side in played.sides for player in side.members}
    states = _states_before(game)
    if game.is_voided or not game.rated or states.keys() != players:
        return None
    try:
        rules = rules_of(game.season)
    except UnreadableRulesError:
        return None
    explanation = explain(rules, states, played)
    return replace(explanation, k_reason=shown_reason(rules, explanation.k_reason))


def shown_reason(rules: Rules, reason: str) -> str:
    """Why K is what it is, as everybody reads it: whether a player is a junior is nobody's business."""
    return "fide" if rules.k_rule is KRule.FIDE_JUNIOR else reason


def k_of(rules: Rules, change: RatingChange) -> tuple[Decimal, str]:
    """K of the game of a change, and the reason for it, as the ledger has them."""
    if not change.k_reason:
        return rules.k, "fixed"
    return FIDE_K[change.k_reason], shown_reason(rules, change.k_reason)


def _states_before(game: Game) -> dict[types.PlayerId, PlayerState]:
    """What K depends on: each player's rating, highest rating and games played before the game."""
    previous = RatingChange.objects.filter(
        season=OuterRef("season"), player=OuterRef("player"), played=OuterRef("played") - 1
    )
    adjusted = AppliedAdjustment.objects.filter(
        season=OuterRef("season"), player=OuterRef("player"), at__lte=OuterRef("played_at")
    )
    rows = RatingChange.objects.filter(game=game).annotate(
        peak_played=Subquery(previous.values("peak")[:1]),
        peak_adjusted=Subquery(adjusted.order_by("-peak").values("peak")[:1]),
    )
    values = ("player_id", "before", "peak_played", "peak_adjusted", F("played") - 1)
    return {
        # Who had neither played before nor was adjusted had the starting rating, and no higher one.
        player: PlayerState(
            before, peak=max([before, *(peak for peak in peaks if peak is not None)]), played=played_before
        )
        for player, before, *peaks, played_before in rows.values_list(*values)
    }


def _as_played(game: Game) -> types.Game:
    sides = [
        types.Side(tuple(seat.player_id for seat in side.members.all()), side.points)
        for side in game.sides.all()
    ]
    return types.Game(id=game.pk, sides=tuple(sides), juniors=_juniors(game))


def _juniors(game: Game) -> frozenset[types.PlayerId]:
    players = [seat.player for side in game.sides.all() for seat in side.members.all()]
    zone = game.season.league.zone
    born: dict[types.PlayerId, int] = {
        player.pk: player.birth_year for player in players if player.birth_year
    }
    if kept := kept_outside(game.season):
        zone = ZoneInfo(kept.zone)
        born = {player.pk: kept.born[player.pk] for player in players if player.pk in kept.born}
    year = game.played_at.astimezone(zone).year
    return juniors(born, year)
