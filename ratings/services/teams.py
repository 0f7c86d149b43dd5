"""What teams have played and how strong they are, read from the ledger and the standings.

A side is a team's when its members are exactly the team's: nothing about it is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count

from leagues.models import Season, Team
from ratings.models import RatingChange, Standing

GAMES_AT_ONCE = 5_000  # a query can name no more than some 30,000 ids


class TeamGame(NamedTuple):
    """A rated game of a team, with its duels."""

    season_id: int
    game_id: int
    wins: int
    draws: int
    losses: int
    is_first: bool  # nobody scored more, and somebody scored less


@dataclass(frozen=True, slots=True)
class Record:
    """What a team's games come to."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    first_places: int = 0

    @property
    def balance(self) -> str:
        return f"{self.wins}–{self.draws}–{self.losses}"


def record_of(games: Iterable[TeamGame]) -> Record:
    """The games taken together."""
    told = list(games)
    return Record(
        games=len(told),
        wins=sum(game.wins for game in told),
        draws=sum(game.draws for game in told),
        losses=sum(game.losses for game in told),
        first_places=sum(game.is_first for game in told),
    )


def games_of_teams(teams: Iterable[Team], seasons: Iterable[Season]) -> dict[int, list[TeamGame]]:
    """The rated games of these teams, which come with their members, by the team's id.

    One query, and one more for each 5,000 games in which two members of a team sat on one side.
    """
    members = {team.pk: frozenset(player.pk for player in team.members.all()) for team in teams}
    found: dict[int, list[TeamGame]] = {team: [] for team in members}
    together = (
        RatingChange.objects.filter(season__in=list(seasons), player__teams__in=members)
        .order_by()
        .values("season_id", "game_id", "side", "player__teams")
        .annotate(seated=Count("pk"))
        .filter(seated__gt=1)
        .values_list("season_id", "game_id", "side", "player__teams", "seated")
    )
    # Others may sit with them: of games whose sides hold a whole team, the sides are read as they were.
    whole = [row[:4] for row in together if row[4] == len(members[row[3]])]
    for some in _batches(whole, GAMES_AT_ONCE):
        seated, points = _seats({game for _season, game, _side, _team in some})
        for season, game, side, team in some:
            if seated[game, side] == members[team]:
                found[team].append(_told(season, game, side, points[game]))
    return found


def _batches(rows: Sequence[tuple], size: int) -> Iterator[Sequence[tuple]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _seats(games: set[int]) -> tuple[dict[tuple[int, int], set[int]], dict[int, dict[int, int]]]:
    """Who sat on each side of these games, and the points of each game's sides."""
    seated: dict[tuple[int, int], set[int]] = defaultdict(set)
    points: dict[int, dict[int, int]] = defaultdict(dict)
    rows = RatingChange.objects.filter(game__in=games).values_list("game_id", "side", "player_id", "points")
    for game, side, player, scored in rows:
        seated[game, side].add(player)
        points[game][side] = scored
    return seated, points


def _told(season: int, game: int, side: int, points: dict[int, int]) -> TeamGame:
    own = points[side]
    others = [scored for other, scored in points.items() if other != side]
    wins, losses = sum(own > scored for scored in others), sum(own < scored for scored in others)
    return TeamGame(season, game, wins, len(others) - wins - losses, losses, bool(wins) and not losses)


def mean_ratings(teams: Iterable[Team], season: Season | None) -> dict[int, float]:
    """The mean rating of each team's members in a season, in rating points, by the team's id.

    Of teams whose members are all in the season. One query.
    """
    teams = list(teams)
    players = {player.pk for team in teams for player in team.members.all()}
    rows = Standing.objects.filter(season=season, player__in=players).values_list("player_id", "rating")
    ratings = dict(rows)
    known = {team.pk: [ratings.get(player.pk) for player in team.members.all()] for team in teams}
    return {
        team: sum(each for each in found if each is not None) / len(found) / 10
        for team, found in known.items()
        if found and None not in found
    }
