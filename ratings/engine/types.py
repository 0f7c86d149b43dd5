"""The values the engine takes and gives.

Words: a *side* is one competitor of a game, a player or a team; a *duel* is the comparison
of two sides of a game; *tenths* are tenths of a rating point (15000 is 1500.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, TypeAlias

PlayerId: TypeAlias = int | str
GameId: TypeAlias = int | str
Tenths: TypeAlias = int
Pair: TypeAlias = tuple[PlayerId, PlayerId]


class Curve(StrEnum):
    """How the margin multiplier M grows above 500 points (docs/rating.md, C4)."""

    FORMULA = "formula"
    TABLE = "table"


class DrawMargin(StrEnum):
    """M of a duel with equal points (docs/rating.md, C12)."""

    FLOOR = "floor"
    FORMULA = "formula"
    ZERO = "zero"


class GamesCounted(StrEnum):
    """How many games one game counts as (docs/rating.md, C11)."""

    LITERAL = "literal"  # 1, or for a team game the number of teams - 1
    SIDES = "sides"  # the number of sides - 1, for every game


class Opponents(StrEnum):
    """Which opponents must be met often enough (docs/rating.md, section 2)."""

    ENTERED = "entered"  # everyone entered and not withdrawn
    RANKED = "ranked"  # of those, only players with the minimum of games


class KRule(StrEnum):
    """Where K comes from (docs/rating.md, section 6)."""

    FIXED = "fixed"
    FIDE = "fide"
    FIDE_JUNIOR = "fide-junior"  # FIDE's bands with the junior clause


class ShortSide(StrEnum):
    """What happens when one half of the opponent pool cannot be filled."""

    SHORT = "short"  # leave it short
    FILL = "fill"  # take more from the other side
    WIDEN = "widen"  # widen the deviation, step by step


class TieRule(StrEnum):
    """What players get who tie for the places of a prize tier."""

    SHARE = "share"  # the prizes of the places they cover, divided equally
    EACH = "each"  # each gets the prize of the best place


# The smallest and the largest value of a number in Rules, both allowed.
LIMITS: Mapping[str, tuple[Decimal | int, Decimal | int]] = {
    "initial_rating": (0, 1_000_000),
    "k": (Decimal("0.01"), 1_000),
    "keep": (0, 1),
    "curve_limit": (Decimal("0.4"), 1_000_000),
    "margin_unit": (Decimal("0.01"), 1_000_000),
    "carry_over": (0, 1),
    "largest_margin": (1, 1_000_000),
    "team_min": (1, 100),
    "team_max": (1, 100),
    "teams_max": (2, 100),
    "full_weight_games": (0, 100_000),
    "bonus": (0, 1),
    "bonus_games": (0, 100_000),
    "min_games": (0, 100_000),
    "min_meetings": (0, 1_000),
    "pool_size": (2, 1_000),
    "pool_deviation": (10, 1_000_000),
    "pool_widen_step": (1, 1_000_000),
    "pool_widen_limit": (0, 1_000_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Everything that decides what a game is worth and who is classified.

    Defaults are those of the preset ``wsd-2.0`` (docs/rating.md, sections 2 and 9).
    Raises ValueError for a number outside LIMITS.
    """

    system: str = "wsd"  # a name in systems.SYSTEMS

    # what a game changes
    initial_rating: Tenths = 15_000
    k: Decimal = Decimal(10)  # rating points
    k_rule: KRule = KRule.FIXED
    keep: Decimal = Decimal("0.3")  # share of (E - 0.5) that survives damping
    curve: Curve = Curve.FORMULA
    curve_limit: Decimal | None = None  # largest M
    margin_unit: Decimal = Decimal(100)  # game points that count as a margin of 100
    draw_margin: DrawMargin = DrawMargin.FLOOR
    carry_over: Decimal = Decimal(0)  # share of the distance to initial_rating kept

    # what a game may be
    largest_margin: int = 5_000  # game points
    negative_points: bool = True
    team_min: int = 1  # players in a team
    team_max: int = 3
    teams_max: int = 4

    # what the season makes of it
    games_counted: GamesCounted = GamesCounted.LITERAL
    full_weight_games: int = 75  # 0: the season score is the rating
    bonus: Decimal = Decimal("0.05")  # share of the rating
    bonus_games: int = 200  # games at which the whole bonus is reached
    min_games: int = 75
    min_meetings: int = 4  # games against each opponent
    opponents: Opponents = Opponents.ENTERED
    tie_breaks: tuple[str, ...] = ("rating", "duels_won")  # names in standings.TIE_BREAKS

    # whom a challenger may meet
    pool_size: int = 30
    pool_deviation: Tenths = 1_000
    pool_short_side: ShortSide = ShortSide.SHORT
    pool_widen_step: Tenths = 1_000
    pool_widen_limit: Tenths = 4_000

    def __post_init__(self) -> None:
        for name, (smallest, largest) in LIMITS.items():
            value = getattr(self, name)
            if value is None and name == "curve_limit":
                continue
            if not (Decimal(value).is_finite() and smallest <= value <= largest):
                raise ValueError(f"{name} is {value}; it must be from {smallest} to {largest}.")


@dataclass(frozen=True, slots=True)
class Side:
    """One competitor of a game: its members and the points it scored."""

    members: tuple[PlayerId, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Game:
    """A game as played. In a ladder game the first side is the challenger."""

    id: GameId
    sides: tuple[Side, ...]
    juniors: frozenset[PlayerId] = frozenset()  # players in FIDE's junior clause at that time


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Rating points that organizers give or take between games."""

    id: int
    player: PlayerId
    change: Tenths


@dataclass(slots=True)
class PlayerState:
    """What a season knows of a player so far. The fold changes it in place."""

    rating: Tenths
    peak: Tenths
    played: int = 0  # games played, each as one
    games: int = 0  # games counted for the season
    wins: int = 0  # duels
    draws: int = 0
    losses: int = 0
    first_places: int = 0  # games in which nobody scored more

    @classmethod
    def starting_at(cls, rating: Tenths, *, played: int = 0) -> PlayerState:
        """One who never stood higher than this rating."""
        return cls(rating=rating, peak=rating, played=played)


@dataclass(slots=True)
class Meetings:
    """Games of a player against one opponent, on different sides."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0


@dataclass(slots=True)
class State:
    """A season at one point of its history."""

    players: dict[PlayerId, PlayerState] = field(default_factory=dict)
    meetings: dict[Pair, Meetings] = field(default_factory=dict)


# A Change without the names of its fields, which cost seven times as much to make.
ChangeRow: TypeAlias = tuple[GameId, PlayerId, Tenths, Tenths, Tenths, int, int, int, int, int, int]


class Change(NamedTuple):
    """What one game did to one player: a row of the ledger.

    ``before`` and ``after`` are ratings; the rest is the player's state after the game.
    ``Change._make(row)`` names the fields of a ChangeRow.
    """

    game: GameId
    player: PlayerId
    before: Tenths
    after: Tenths
    peak: Tenths
    played: int
    games: int
    wins: int
    draws: int
    losses: int
    first_places: int


class Adjusted(NamedTuple):
    """What one adjustment did to one player: a row of the ledger beside those of games."""

    adjustment: int
    player: PlayerId
    before: Tenths
    after: Tenths
    peak: Tenths  # after it


@dataclass(frozen=True, slots=True)
class Duel:
    """One duel as a side sees it, every factor of its change laid open."""

    opponent: int  # index of the other side
    difference: Tenths | float  # own rating - opponent's rating
    expected: float  # E
    damped: float  # E after damping; E itself where nothing is damped
    margin: int  # game points, never negative
    multiplier: float  # M
    k: float  # K of this duel, in rating points
    result: float  # 1, 0.5 or 0
    change: float  # rating points, unrounded


@dataclass(frozen=True, slots=True)
class SideExplanation:
    """Why a side's members gained or lost what they did."""

    rating: float  # the unrounded mean of its members', in rating points
    duels: tuple[Duel, ...]
    change: float  # the sum of its duels, in rating points, unrounded
    before: tuple[Tenths, ...]  # members' ratings, in order of the side's members
    after: tuple[Tenths, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A game's changes with their reasons, in order of its sides."""

    sides: tuple[SideExplanation, ...]
    k_base: Decimal
    k_reason: str  # "fixed", "fide-2400", "fide-junior", "fide-new" or "fide-standard"


class Row(NamedTuple):
    """A row of the standings: a tuple, as each appended game makes one for everybody."""

    player: PlayerId
    position: int  # among everybody, 1, 2, 3, ...
    place: int | None  # among the classified, equal ones share it: 1, 2, 2, 4
    season_score: Tenths
    rating: Tenths
    peak: Tenths
    played: int
    games: int
    wins: int
    draws: int
    losses: int
    first_places: int
    classified: bool
    withdrawn: bool
    missing_games: int
    opponents: int  # how many opponents count for the minimum of meetings
    opponents_met: int  # how many of them were met often enough
