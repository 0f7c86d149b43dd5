"""Rating a game file without any database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from leagues.games_csv import PLAYED, FileError, FileGame, GamesFile
from leagues.games_csv.values import Form
from leagues.models import League, Player, Season
from leagues.names import same_name, sort_key
from leagues.progress import Stage, over
from leagues.services import PlayedSide, check_game
from leagues.services.imports import as_file_error
from ratings.engine.meetings import count_meetings
from ratings.engine.replay import replay
from ratings.engine.standings import standings
from ratings.engine.types import Game, Row, Rules, Side, State
from ratings.models.rules import LIMIT_FIELDS


@dataclass(frozen=True, slots=True)
class RatedFile:
    """The standings after a file's games, or the reasons why they cannot be rated."""

    rows: list[tuple[str, Row]]  # the player's name, and the row
    errors: list[FileError]


def rate_file(file: GamesFile, rules: Rules, zone: ZoneInfo) -> RatedFile:
    """Rate the games of a file in their order of play; everybody in it is entered.

    A game is checked against the same limits as on the site, in a season of the file's own days.
    """
    games = sorted(file.games, key=lambda game: game.played_at)  # stable: then the file's order
    players = _players(games)
    errors = [*file.errors, *_problems(games, players, rules, zone, file.form)]
    if errors:
        return RatedFile([], sorted(errors, key=lambda error: error.line or 0))
    state = State()
    # No season says that forfeits are rated; who is in a game that is not is entered all the same.
    rated = [_engine_game(game, players) for game in games if game.kind == PLAYED]
    try:
        replay(rules, state, over(Stage.RATING, rated, len(rated)))
        count_meetings(state.meetings, rated)
    except ValueError as error:  # rules under which ratings leave all bounds
        return RatedFile([], [FileError(None, "", str(error))])
    names = {player.pk: player.name for player in players.values()}
    order = sorted(names, key=lambda number: sort_key(names[number]))
    return RatedFile([(names[int(row.player)], row) for row in standings(rules, state, order)], [])


def _players(games: Sequence[FileGame]) -> dict[str, Player]:
    """An unsaved player for each name, whatever its spelling."""
    players: dict[str, Player] = {}
    for game in games:
        for side in game.sides:
            for name in side.members:
                players.setdefault(same_name(name), Player(pk=len(players) + 1, name=name, league_id=1))
    return players


def _problems(
    games: Sequence[FileGame], players: dict[str, Player], rules: Rules, zone: ZoneInfo, form: Form
) -> list[FileError]:
    if not games:
        return []
    season = Season(
        league=League(pk=1, timezone=zone.key),
        starts_on=games[0].played_at.astimezone(zone).date(),
        ends_on=games[-1].played_at.astimezone(zone).date(),
        duels_only=rules.system == "ladder",
        **{name: getattr(rules, name) for name in LIMIT_FIELDS},
    )
    return [
        as_file_error(problem, game, form)
        for game in over(Stage.CHECKING, games, len(games))
        for problem in check_game(
            season,
            played_at=game.played_at,
            sides=[PlayedSide(_members(side.members, players), side.points) for side in game.sides],
            kind=game.kind,
        )
    ]


def _members(names: Sequence[str], players: dict[str, Player]) -> tuple[Player, ...]:
    return tuple(players[same_name(name)] for name in names)


def _engine_game(game: FileGame, players: dict[str, Player]) -> Game:
    sides = [
        Side(tuple(player.pk for player in _members(side.members, players)), side.points)
        for side in game.sides
    ]
    return Game(id=f"of line {game.line}", sides=tuple(sides))
