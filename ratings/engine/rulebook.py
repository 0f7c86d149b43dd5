"""The numbers of a rulebook: each table and worked example, played by the rules it explains.

What the two printed texts show for their own settings (docs/rating.md, sections 1 and 4) is computed here
for any. Ratings of examples lie around the initial rating as the printed ones do around 1500, and
their margins and points are those of the text in the game points of the rules' margin unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from ratings.engine.explain import explain
from ratings.engine.formulas import (
    FIDE_NEW_GAMES,
    FIDE_TOP,
    LINEAR_END,
    damped,
    expected_score,
    margin_multiplier,
)
from ratings.engine.matchmaking import Stakes, at_stake
from ratings.engine.replay import replay
from ratings.engine.standings import season_score
from ratings.engine.types import (
    Change,
    Explanation,
    Game,
    KRule,
    PlayerId,
    PlayerState,
    Rules,
    Side,
    State,
    Tenths,
)

MARGINS = (1, 10, 50, 100, 200, 500, 1000, 1500, 2000)
UPSET_MARGINS = (1, 50, 100, 500, 1000, 1500)
UPSETS = (-1_000, -2_000, 1_000)  # tenths by which the winner is rated higher: Tables 2, 3 and 4
DIFFERENCES = (-2_000, -1_000, 0, 1_000, 2_000)  # Table 5
LADDER_DIFFERENCES = (0, 500, 1_000, 2_000, 3_000, 4_000)
FARTHEST: Tenths = 100_000  # so far ahead a favourite gains nothing, whatever K is

Rated = tuple[Sequence[Tenths], int]  # a side: the ratings of its members, and its points
Played = tuple[Explanation, list[int]]  # a game, and the points of its sides


@dataclass(frozen=True, slots=True)
class MarginRow:
    """A win between equals: M, and what the winner and the loser are given for it."""

    margin: int  # game points
    multiplier: float
    won: Tenths
    lost: Tenths
    phase: str  # "linear", "border" where the curve begins, "curve", or "limit"


@dataclass(frozen=True, slots=True)
class UpsetRow:
    """A win of a player who is rated otherwise than the loser."""

    margin: int
    base: Tenths  # the same win between equals
    change: Tenths

    @property
    def bonus(self) -> Tenths:
        """The difference of the two as shown (C16)."""
        return self.change - self.base


@dataclass(frozen=True, slots=True)
class Upsets:
    """Wins of a player rated ``own`` over one rated ``opponent``."""

    own: Tenths
    opponent: Tenths
    percent: float  # by how much more than an even win they count
    rows: tuple[UpsetRow, ...]

    @property
    def difference(self) -> Tenths:
        return self.own - self.opponent


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """What a difference of ratings does to a win."""

    difference: Tenths
    expected: float
    damped: float

    @property
    def against(self) -> float:
        """What the other one can expect."""
        return 1 - self.expected

    @property
    def factor(self) -> float:
        """How many times an even win it counts."""
        return 2 * (1 - self.damped)

    @property
    def percent(self) -> float:
        return 100 * (self.factor - 1)


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """What the season makes of a rating after so many games."""

    games: int
    weight: float  # percent of the distance to the initial rating
    bonus: float  # percent of the rating
    score: Tenths


@dataclass(frozen=True, slots=True)
class LadderRow:
    """A battle at one K: the ratings of challenger and opponent after a win, a draw and a loss."""

    k: float
    reason: str  # as in Explanation
    outcomes: tuple[tuple[float, tuple[Tenths, Tenths]], ...]


@dataclass(frozen=True, slots=True)
class LadderUpset:
    """Battles of two so far apart, at the K of most: what the lower and the higher gain as challengers."""

    difference: Tenths
    underdog: Stakes
    favourite: Stakes


def in_points(rules: Rules, margin: int) -> int:
    """A margin of the text in game points: as it is printed where the margin unit is 100."""
    return max(1, round(margin * rules.margin_unit / 100))


def accepted_margins(rules: Rules, margins: Sequence[int] = MARGINS) -> list[int]:
    """The margins of a table, in game points, that these rules accept."""
    accepted = {in_points(rules, margin) for margin in margins}
    return sorted(margin for margin in accepted if margin <= rules.largest_margin) or [rules.largest_margin]


def example_points(rules: Rules, *points: int) -> list[int]:
    """The points of an example in the size of the season's games; the last are the fewest."""
    fewest = round(points[-1] * rules.margin_unit / 100)
    leads = [min(in_points(rules, each - points[-1]), rules.largest_margin) for each in points[:-1]]
    return [*(fewest + lead for lead in leads), fewest]


def play(rules: Rules, *sides: Rated, played: int = FIDE_NEW_GAMES, peak: Tenths = 0) -> Explanation:
    """A game of players with these ratings, who ``played`` so many before and once had the ``peak``."""
    known: dict[PlayerId, PlayerState] = {}
    seated = []
    for ratings, points in sides:
        members = range(len(known), len(known) + len(ratings))
        known |= {
            player: PlayerState(rating=rating, peak=max(rating, peak), played=played)
            for player, rating in zip(members, ratings, strict=True)
        }
        seated.append(Side(tuple(members), points))
    return explain(rules, known, Game("example", tuple(seated)))


def win(rules: Rules, own: Tenths, opponent: Tenths, margin: int) -> tuple[Tenths, Tenths]:
    """What the winner and the loser of a duel by ``margin`` are given."""
    explained = play(rules, ([own], margin), ([opponent], 0))
    won, lost = (side.after[0] - side.before[0] for side in explained.sides)
    return won, lost


def wins_in_a_row(rules: Rules, margins: Sequence[int]) -> Tenths:
    """What a player gains who beats the same one by these margins, both from the initial rating."""
    games = [Game(number, (Side((1,), margin), Side((2,), 0))) for number, margin in enumerate(margins)]
    changes = [Change._make(row) for row in replay(rules, State(), games)]
    return sum(change.after - change.before for change in changes if change.player == 1)


def margin_rows(rules: Rules) -> list[MarginRow]:
    """The table of the margin curve, and Table 1."""
    rows = []
    for margin in accepted_margins(rules):
        multiplier = margin_multiplier(rules, margin)
        won, lost = win(rules, rules.initial_rating, rules.initial_rating, margin)
        rows.append(MarginRow(margin, multiplier, won, lost, _phase(rules, margin, multiplier)))
    return rows


def _phase(rules: Rules, margin: int, multiplier: float) -> str:
    border = LINEAR_END * rules.margin_unit / 100
    if rules.curve_limit is not None and multiplier >= float(rules.curve_limit):
        return "limit"
    return "border" if margin == border else "linear" if margin < border else "curve"


def upsets(rules: Rules, difference: Tenths) -> Upsets:
    """Tables 2 to 4: wins of somebody rated so many tenths above an opponent, by the margin."""
    initial = rules.initial_rating
    own = initial + difference
    rows = [
        UpsetRow(margin, win(rules, initial, initial, margin)[0], win(rules, own, initial, margin)[0])
        for margin in accepted_margins(rules, UPSET_MARGINS)
    ]
    return Upsets(own, initial, difference_row(rules, difference).percent, tuple(rows))


def difference_row(rules: Rules, difference: Tenths) -> DifferenceRow:
    """A row of Table 5."""
    expected = expected_score(difference, 0)
    return DifferenceRow(difference, expected, damped(expected, rules.keep))


def duel_example(rules: Rules) -> Played:
    """1600 beats 1500 by 500 to 100."""
    return _example(rules, (500, [1_000]), (100, [0]))


def team_example(rules: Rules) -> Played:
    """1100 and 1500 beat 1600 and 1700 by 1200 to 850."""
    return _example(rules, (1200, [-4_000, 0]), (850, [1_000, 2_000]))


def free_for_all_example(rules: Rules) -> Played:
    """1500, 1540 and 1600 score 300, 250 and 40."""
    return _example(rules, (300, [0]), (250, [400]), (40, [1_000]))


def _example(rules: Rules, *sides: tuple[int, Sequence[Tenths]]) -> Played:
    """A game of sides with these points, the fewest last, and ratings so far above the initial one."""
    points = example_points(rules, *(each for each, _above in sides))
    ratings = [[rules.initial_rating + above for above in members] for _points, members in sides]
    return play(rules, *zip(ratings, points, strict=True)), points


def activity_rows(rules: Rules, rating: Tenths) -> list[ActivityRow]:
    """What becomes of a rating up to the whole bonus; nothing where the season score is the rating."""
    full, whole = rules.full_weight_games, rules.bonus_games
    if not full:
        return []
    early = (0, full * 2 // 15, full // 3, full)
    late = ((full + whole) // 2, whole) if rules.bonus and whole > full else ()
    return [
        ActivityRow(
            games=games,
            weight=min(100.0, 100 * games / full),
            bonus=100 * float(rules.bonus) * (games - full) / (whole - full) if games > full else 0.0,
            score=season_score(rules, rating, games),
        )
        for games in sorted({*chain(early, late)})
    ]


def ladder_rows(rules: Rules) -> list[LadderRow]:
    """A challenger on 1500 against 1600, once for each K there is."""
    if rules.k_rule is KRule.FIXED:
        stages = [(FIDE_NEW_GAMES, 0)]
    else:
        stages = [(0, 0), (FIDE_NEW_GAMES, 0), (FIDE_NEW_GAMES, FIDE_TOP)]
    rows = []
    for played, peak in stages:
        battles = [_battle(rules, points, played, peak) for points in ((1, 0), (0, 0), (0, 1))]
        outcomes = tuple(
            (battle.sides[0].duels[0].result, (battle.sides[0].after[0], battle.sides[1].after[0]))
            for battle in battles
        )
        rows.append(LadderRow(float(battles[0].k_base), battles[0].k_reason, outcomes))
    return rows


def _battle(rules: Rules, points: tuple[int, int], played: int, peak: Tenths) -> Explanation:
    initial = rules.initial_rating
    challenger, opponent = points
    return play(rules, ([initial], challenger), ([initial + 1_000], opponent), played=played, peak=peak)


def ladder_upsets(rules: Rules) -> list[LadderUpset]:
    """What battles bring that are farther and farther from even."""
    return [
        LadderUpset(each, _stakes(rules, -each), _stakes(rules, each)) for each in LADDER_DIFFERENCES if each
    ]


def idle_from(rules: Rules) -> Tenths:
    """From how far ahead a favourite gains nothing by winning, at the K of most.

    Gains fall as the lead grows, so it is found by halving.
    """
    first, last = 0, FARTHEST
    while first < last:
        middle = (first + last) // 2
        first, last = (middle + 1, last) if _stakes(rules, middle).won else (first, middle)
    return last


def _stakes(rules: Rules, lead: Tenths) -> Stakes:
    """What a challenger on the initial rating gains, no longer new, who is so far above the opponent."""
    own, other = rules.initial_rating, rules.initial_rating - lead
    challenger = PlayerState.starting_at(own, played=FIDE_NEW_GAMES)
    return at_stake(rules, challenger, PlayerState.starting_at(other))
