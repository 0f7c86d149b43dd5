"""Games and players as their pages tell them, read from the ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Literal

from leagues.models import Game, League, Player, Season, Side, Team
from leagues.services.order import Place
from ratings.models import RatingChange

Outcome = Literal["win", "draw", "loss"]


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


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game with its sides in order, and its rows of the ledger by player id: none if it is not rated."""

    game: Game
    sides: tuple[ListedSide, ...]
    ledger: Mapping[int, RatingChange]
    place: Place | None = None  # told to organizers, who can change it


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
    rows = (
        RatingChange.objects.filter(season=season, player=player)
        .order_by("played")
        .values_list(
            "game_id", "played_at", "played", "before", "after", "wins", "draws", "losses", named=True
        )
    )
    games, wins, draws, losses = [], 0, 0, 0
    for row in rows:
        games.append(
            PlayedGame(
                row.game_id,
                row.played_at,
                row.played,
                row.before,
                row.after,
                row.wins - wins,
                row.draws - draws,
                row.losses - losses,
            )
        )
        wins, draws, losses = row.wins, row.draws, row.losses
    return games


@dataclass(frozen=True, slots=True)
class Streak:
    """How many of the latest games in a row ended the same way."""

    outcome: Outcome
    length: int


def streak(games: Sequence[PlayedGame]) -> Streak | None:
    """The streak the player is on; None before the first game."""
    if not games:
        return None
    outcome = games[-1].outcome
    return Streak(outcome, sum(1 for _game in takewhile(lambda g: g.outcome == outcome, reversed(games))))


def best_win(games: Sequence[PlayedGame]) -> PlayedGame | None:
    """The game that brought the most; None where none brought anything."""
    best = max(games, key=lambda game: game.change, default=None)
    return best if best is not None and best.change > 0 else None
