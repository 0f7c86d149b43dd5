"""Games and players as their pages tell them, read from the ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal

from django.db.models import Avg, F
from django.utils.translation import gettext as _

from leagues.formats import format_change, format_number
from leagues.models import Game, League, Player, Season, Side, Team
from leagues.services.order import Place
from ratings.models import RatingChange

Outcome = Literal["win", "draw", "loss"]
DUELS = ("wins", "draws", "losses")


@dataclass(frozen=True, slots=True)
class ListedSide:
    """A side with what the game brought it."""

    members: tuple[Player, ...]
    team: Team | None  # the team whose members are exactly these
    points: int
    won: bool  # nobody scored more, and somebody scored less
    changes: tuple[int, ...]  # tenths: one, or two where rounding told members apart; none if not rated

    @property
    def name(self) -> str:
        """The team's name, or those of the members."""
        return self.team.name if self.team else " + ".join(player.name for player in self.members)

    @property
    def told_changes(self) -> str:
        """What the game changed: “+5.6”; empty if it is not rated."""
        return " / ".join(format_change(change) for change in self.changes)


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game with its sides in order, and its rows of the ledger by player id: none if it is not rated."""

    game: Game
    sides: tuple[ListedSide, ...]
    ledger: Mapping[int, RatingChange]
    place: Place | None = None  # told to organizers, who can change it

    @property
    def title(self) -> str:
        """Who played and with which points: “Захари 500 – Добри 100”; or who had a bye."""
        if self.game.is_bye:
            return _("%(name)s: bye") % {"name": " – ".join(side.name for side in self.sides)}
        return " – ".join(f"{side.name} {format_number(side.points)}" for side in self.sides)

    @property
    def told_changes(self) -> str:
        """What the game changed: “Захари +5.6, Добри −5.6”; empty if it is not rated."""
        return ", ".join(f"{side.name} {side.told_changes}" for side in self.sides if side.changes)


def listed(games: Sequence[Game], league: League) -> list[ListedGame]:
    """These games, which come ``with_sides``, with team names and changes: two queries for all of them."""
    ledger: dict[int, dict[int, RatingChange]] = defaultdict(dict)
    for row in RatingChange.objects.filter(game__in=games):
        ledger[row.game_id][row.player_id] = row
    teams = _teams(games, league)
    return [
        ListedGame(
            game,
            tuple(_listed_side(side, game, teams, ledger[game.pk]) for side in game.sides.all()),
            ledger[game.pk],
        )
        for game in games
    ]


def _teams(games: Iterable[Game], league: League) -> dict[str, Team]:
    keys = {
        Team.key_of(seat.player_id for seat in side.members.all())
        for game in games
        for side in game.sides.all()
    }
    named = Team.objects.in_league(league).filter(member_key__in=[key for key in keys if "," in key])
    return {team.member_key: team for team in named}


def _listed_side(
    side: Side, game: Game, teams: Mapping[str, Team], ledger: Mapping[int, RatingChange]
) -> ListedSide:
    members = tuple(seat.player for seat in side.members.all())
    points = [each.points for each in game.sides.all()]
    return ListedSide(
        members=members,
        team=teams.get(Team.key_of(player.pk for player in members)),
        points=side.points,
        won=side.points == max(points) > min(points),
        changes=tuple(sorted({ledger[p.pk].change for p in members if p.pk in ledger}, reverse=True)),
    )


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game as one player's ledger tells it; duels are those of this game alone."""

    game_id: int
    played_at: datetime
    number: int  # of the player's games in the season, from 1
    side: int
    before: int  # tenths
    after: int
    wins: int
    draws: int
    losses: int

    @property
    def change(self) -> int:
        return self.after - self.before

    @property
    def outcome(self) -> Outcome:
        """The duels of the game taken together."""
        return "win" if self.wins > self.losses else "loss" if self.wins < self.losses else "draw"


def history(season: Season, player: Player) -> list[PlayedGame]:
    """The player's rated games of the season in order of play, in one query."""
    return histories(season, [player.pk]).get(player.pk, [])


def histories(season: Season, players: Collection[int]) -> dict[int, list[PlayedGame]]:
    """The same of several players, by id: those who played none are left out. One query."""
    rows: Any = (
        RatingChange.objects.filter(season=season, player__in=players)
        .order_by("player_id", "played")
        .values_list("player_id", "game_id", "played_at", "played", "side", "before", "after", *DUELS)
    )
    found: dict[int, list[PlayedGame]] = {}
    duels = (0, 0, 0)
    for player, game, at, number, side, first, last, wins, draws, losses in rows:
        if player not in found:
            found[player], duels = [], (0, 0, 0)
        # The ledger counts duels up to each game.
        own = (wins - duels[0], draws - duels[1], losses - duels[2])
        found[player].append(PlayedGame(game, at, number, side, first, last, *own))
        duels = (wins, draws, losses)
    return found


def against(games: Sequence[PlayedGame], season: Season, opponent: Player) -> list[PlayedGame]:
    """Those of a player's games in which this opponent sat on another side. One query."""
    theirs = RatingChange.objects.filter(season=season, player=opponent).values_list("game_id", "side")
    sides = dict(theirs)
    return [game for game in games if sides.get(game.game_id, game.side) != game.side]


@dataclass(frozen=True, slots=True)
class Streak:
    """Games in a row that ended the same way."""

    outcome: Outcome
    length: int
    first: PlayedGame
    last: PlayedGame


def streak(games: Sequence[PlayedGame]) -> Streak | None:
    """The streak the player is on; None before the first game."""
    return max(_streaks(games), key=lambda each: each.last.number, default=None)


def longest_streak(games: Sequence[PlayedGame], outcome: Outcome) -> Streak | None:
    """The longest streak of this outcome, the first of equal ones; None where there is none."""
    fitting = (each for each in _streaks(games) if each.outcome == outcome)
    return max(fitting, key=attrgetter("length"), default=None)


def _streaks(games: Sequence[PlayedGame]) -> Iterator[Streak]:
    for outcome, group in groupby(games, attrgetter("outcome")):
        row = list(group)
        yield Streak(outcome, len(row), row[0], row[-1])


def best_win(games: Sequence[PlayedGame]) -> PlayedGame | None:
    """The game that brought the most; None where none brought anything."""
    best = max(games, key=lambda game: game.change, default=None)
    return best if best is not None and best.change > 0 else None


@dataclass(frozen=True, slots=True)
class StrongestBeaten:
    """A duel won against a side of this mean rating, in rating points, as it was before the game."""

    game_id: int
    side: int  # from 1
    rating: float


def strongest_beaten(season: Season, player: Player) -> StrongestBeaten | None:
    """The side with the highest rating before the game that the player won a duel against.

    The first of equal ones. One query; None where no duel was won.
    """
    beaten = (
        RatingChange.objects.filter(season=season, player=player, game__changes__points__lt=F("points"))
        .values("game_id", "played", "game__changes__side")
        .annotate(rating=Avg("game__changes__before"))
        .order_by("-rating", "played", "game__changes__side")
        .first()
    )
    if not beaten:
        return None
    return StrongestBeaten(beaten["game_id"], beaten["game__changes__side"], beaten["rating"] / 10)
