"""What a game must be to be one of its season."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.formats import format_day, format_moment, format_number
from leagues.games_csv import MAX_POINTS
from leagues.models import Game, Player, Season

# Far beyond any table; every side plays a duel with every other one.
SIDES_MAX = 200


@dataclass(frozen=True, slots=True)
class PlayedSide:
    """One side of a game to be recorded. A player without an id is new, and created with the game."""

    members: tuple[Player, ...]
    points: int


@dataclass(frozen=True, slots=True)
class GameProblem:
    """Why a game is refused: a sentence, and the place it concerns.

    ``field`` is "season", "played_at", "sides", "side" or "points"; ``side`` counts from 1.
    """

    message: str
    field: str
    side: int | None = None


class GameRefusedError(ValidationError):
    """A game that breaks the rules of its season; nothing was written."""

    def __init__(self, problems: Sequence[GameProblem]) -> None:
        super().__init__([problem.message for problem in problems], code="refused")
        self.problems = problems


def refuse_game(season: Season, *, played_at: datetime, sides: Sequence[PlayedSide], kind: str) -> None:
    """Raise GameRefusedError with every reason why this game cannot be played in this season."""
    if problems := check_game(season, played_at=played_at, sides=sides, kind=kind):
        raise GameRefusedError(problems)


def check_game(
    season: Season, *, played_at: datetime, sides: Sequence[PlayedSide], kind: str = Game.Kind.PLAYED
) -> list[GameProblem]:
    """Every reason why this game cannot be played in this season, each a sentence.

    Limits are the season's columns: days, largest margin and negative points (game points),
    players in a team, teams (docs/rating.md, section 5).
    """
    if kind == Game.Kind.BYE:
        return [*_problems_of_time(season, played_at), *_problems_of_bye(season, sides)]
    return [
        *_problems_of_time(season, played_at),
        *_problems_of_sides(season, sides),
        *_problems_of_points(season, sides),
    ]


def _problems_of_time(season: Season, played_at: datetime) -> Iterator[GameProblem]:
    if not season.includes(played_at):
        message = _("%(moment)s is outside the season, which runs from %(first)s to %(last)s.") % {
            "moment": format_moment(played_at, zone=season.league.zone),
            "first": format_day(season.starts_on),
            "last": format_day(season.ends_on),
        }
        yield GameProblem(message, "played_at")


def _problems_of_sides(season: Season, sides: Sequence[PlayedSide]) -> Iterator[GameProblem]:
    sizes = [len(side.members) for side in sides]
    if not 2 <= len(sides) <= SIDES_MAX:
        message = ngettext(
            "A game has at least 2 and at most %(most)d sides; this one has %(count)d.",
            "A game has at least 2 and at most %(most)d sides; this one has %(count)d.",
            len(sides),
        )
        yield GameProblem(message % {"count": len(sides), "most": SIDES_MAX}, "sides")
    if season.duels_only and sizes != [1, 1]:
        yield GameProblem(
            _("A game of this season is one player against one: exactly 2 sides of 1 player."), "sides"
        )
    elif max(sizes, default=1) > 1:
        yield from _problems_of_teams(season, sizes)
    yield from _problems_of_players(season, sides)


def _problems_of_bye(season: Season, sides: Sequence[PlayedSide]) -> Iterator[GameProblem]:
    if season.duels_only:
        message = _("A ladder has no byes: each game of this season is one player against one.")
        yield GameProblem(message, "sides")
        return
    if len(sides) != 1:
        message = ngettext(
            "A bye has exactly one side, with nobody against it; this one has %(count)d.",
            "A bye has exactly one side, with nobody against it; this one has %(count)d.",
            len(sides),
        )
        yield GameProblem(message % {"count": len(sides)}, "sides")
    for number, side in enumerate(sides, 1):
        if side.points:
            message = _("A bye has no points: leave them out.")
            yield GameProblem(message, "points", number)
        if len(side.members) > 1:
            yield from _problems_of_teams(season, [len(side.members)])
    yield from _problems_of_players(season, sides)


def _problems_of_teams(season: Season, sizes: Sequence[int]) -> Iterator[GameProblem]:
    if len(sizes) > season.teams_max:
        message = _("A team game has at most %(most)d teams; this one has %(count)d.")
        yield GameProblem(message % {"most": season.teams_max, "count": len(sizes)}, "sides")
    for number, size in enumerate(sizes, 1):
        if size and not season.team_min <= size <= season.team_max:
            message = _("Side %(side)d has %(count)d players; a team has %(least)d to %(most)d.")
            values = {"side": number, "count": size, "least": season.team_min, "most": season.team_max}
            yield GameProblem(message % values, "side", number)


def _problems_of_players(season: Season, sides: Sequence[PlayedSide]) -> Iterator[GameProblem]:
    seen: dict[int, int] = {}
    for number, side in enumerate(sides, 1):
        if not side.members:
            yield GameProblem(_("Side %(side)d has no player.") % {"side": number}, "side", number)
        for player in side.members:
            pk = player.pk
            if player.league_id != season.league_id:
                message = _("Side %(side)d has a player who is unknown in this league.")
                yield GameProblem(message % {"side": number}, "side", number)
            elif pk in seen:
                message = _(
                    "%(name)s is on side %(first)d and on side %(second)d; a player has one seat in a game."
                )
                values = {"name": player.name, "first": seen[pk], "second": number}
                yield GameProblem(message % values, "side", number)
            seen.setdefault(pk, number)


def _problems_of_points(season: Season, sides: Sequence[PlayedSide]) -> Iterator[GameProblem]:
    if too_large := [number for number, side in enumerate(sides, 1) if abs(side.points) > MAX_POINTS]:
        message = _("Side %(side)d has too many points: they lie between −%(most)s and %(most)s.")
        for number in too_large:
            yield GameProblem(message % {"side": number, "most": format_number(MAX_POINTS)}, "points", number)
        return
    for number, side in enumerate(sides, 1):
        if side.points < 0 and not season.negative_points:
            message = _("Side %(side)d has %(points)s points; this season has no points below 0.")
            yield GameProblem(
                message % {"side": number, "points": format_number(side.points)}, "points", number
            )
    points = [side.points for side in sides]
    margin = max(points, default=0) - min(points, default=0)
    if margin > season.largest_margin:
        message = _("The sides are %(margin)s points apart; this season accepts at most %(most)s.")
        values = {"margin": format_number(margin), "most": format_number(season.largest_margin)}
        yield GameProblem(message % values, "points", points.index(max(points)) + 1)
