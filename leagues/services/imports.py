"""Importing a game file: first a plan of what would happen, then all of it or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from leagues.games_csv import FileError, FileGame, GamesFile, with_keys
from leagues.games_csv.values import Form
from leagues.models import Game, League, Player, Season
from leagues.names import same_name
from leagues.services.audit import Actor, leave_audit, lock_season, season_is_changed
from leagues.services.games import BATCH, GameProblem, PlayedSide, check_game, played_sides, write_sides
from leagues.services.player_names import PlayerNames, several_of
from leagues.services.players import new_players
from leagues.services.seasons import enter_players

ERRORS_SHOWN = 100

# When a game was played; for each side its players and points.
Facts = tuple[datetime, tuple[tuple[frozenset[int], int], ...]]


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """A game of the file that is not in the season yet."""

    game: FileGame
    key: str
    sides: tuple[PlayedSide, ...]


@dataclass(slots=True)
class ImportPlan:
    """What importing a file would do, or did."""

    file: GamesFile
    games: list[PlannedGame] = field(default_factory=list)
    known: int = 0  # games of the file that the season has already
    players: list[Player] = field(default_factory=list)  # new, unsaved before the import
    unknown: list[str] = field(default_factory=list)  # names that are nobody's
    errors: list[FileError] = field(default_factory=list)
    error_count: int = 0

    def refuse(self, error: FileError) -> None:
        self.error_count += 1
        if len(self.errors) < ERRORS_SHOWN:
            self.errors.append(error)


def plan_import(season: Season, file: GamesFile, *, create_players: bool) -> ImportPlan:
    """What importing the file into the season would do. Writes nothing.

    Every error of the file is in the plan (the first 100 with their text); a plan with errors
    cannot be carried out.
    """
    plan = ImportPlan(file, errors=list(file.errors), error_count=file.error_count)
    stored = set(Game.objects.filter(season=season).values_list("key", flat=True))
    keys = {key: game for game, key in with_keys(file.games)}
    fresh = {key: game for key, game in keys.items() if key not in stored}
    plan.known = len(keys) - len(fresh)
    names = PlayerNames(season.league)
    _find_unknown(plan, names, fresh.values(), season.league, create_players=create_players)
    unmatched = _unmatched(season, [game.played_at for game in fresh.values()], keys)
    for key, game in fresh.items():
        sides = _resolve(plan, game, names)
        if sides is None:
            continue
        facts = _facts(game.played_at, sides)
        if unmatched[facts]:
            unmatched[facts] -= 1
            plan.known += 1
            continue
        for problem in check_game(season, played_at=game.played_at, sides=sides):
            plan.refuse(as_file_error(problem, game, file.form))
        plan.games.append(PlannedGame(game, key, sides))
    plan.errors.sort(key=lambda error: error.line or 0)
    return plan


def _unmatched(season: Season, times: Sequence[datetime], keys: Collection[str]) -> Counter[Facts]:
    """What those games of the season say today that no game of the file has the identity of.

    So a file written by the site is known again although players were renamed or games corrected.
    ``times`` are those of the games looked for, in order.
    """
    if not times:
        return Counter()
    games = Game.objects.filter(season=season, played_at__range=(times[0], times[-1])).with_sides()
    return Counter(_facts(game.played_at, played_sides(game)) for game in games if game.key not in keys)


def _facts(played_at: datetime, sides: Iterable[PlayedSide]) -> Facts:
    return played_at, tuple((frozenset(player.pk for player in side.members), side.points) for side in sides)


def _find_unknown(
    plan: ImportPlan, names: PlayerNames, games: Iterable[FileGame], league: League, *, create_players: bool
) -> None:
    unknown: dict[str, str] = {}
    for game in games:
        for side in game.sides:
            for name in side.members:
                if not names.find(name):
                    unknown.setdefault(same_name(name), name)
    if not create_players:
        plan.unknown = list(unknown.values())
        return
    plan.players = new_players(league, unknown.values())
    for number, player in enumerate(plan.players, 1):
        player.pk = -number  # told apart while planning; the import gives real ones
        names.add(player)


def _resolve(plan: ImportPlan, game: FileGame, names: PlayerNames) -> tuple[PlayedSide, ...] | None:
    sides = []
    for number, side in enumerate(game.sides, 1):
        members = []
        for name in side.members:
            found = names.find(name)
            if len(found) == 1:
                members.append(found[0])
                continue
            message = several_of(name, found) if found else _nobody(name)
            plan.refuse(FileError(game.line, _column(plan.file.form, "side", number), message))
        sides.append(PlayedSide(tuple(members), side.points))
    complete = all(len(a.members) == len(b.members) for a, b in zip(sides, game.sides, strict=True))
    return tuple(sides) if complete else None


def _nobody(name: str) -> str:
    message = _("“%(name)s” is no player of this league; correct the name or let new players be created.")
    return message % {"name": name}


def as_file_error(problem: GameProblem, game: FileGame, form: Form = "wide") -> FileError:
    """The problem of a game as an error of the file it stands in."""
    return FileError(game.line, _column(form, problem.field, problem.side or 1), problem.message)


def _column(form: Form, field: str, side: int) -> str:
    """The column of a file that holds this field of a game."""
    if form == "long":
        return {"side": "player", "sides": "side"}.get(field, field)
    return {"side": f"side {side}", "sides": "side 1", "points": f"points {side}"}.get(field, field)


@transaction.atomic
def import_games(*, season: Season, file: GamesFile, by: Actor, create_players: bool = False) -> ImportPlan:
    """Carry out the plan of a file, all of it or, when it has an error, nothing.

    Games the season has already, by the identity they were recorded with, are left alone. Errors are in
    the plan; raises ValidationError for a closed season only.
    """
    season = lock_season(season)
    if create_players:
        # Held, as by touch(): the addresses the plan finds free stay so.
        League.objects.select_for_update(no_key=True).get(pk=season.league_id)
    plan = plan_import(season, file, create_players=create_players)
    if plan.error_count or not plan.games:
        return plan
    for player in plan.players:
        player.pk = None
    Player.objects.bulk_create(plan.players)
    games = _write_games(season, plan.games, by)
    write_sides(games, [planned.sides for planned in plan.games])
    enter_players(
        season, (player for planned in plan.games for side in planned.sides for player in side.members)
    )
    if plan.players:
        season.league.touch()
    leave_audit(
        "import_games",
        season,
        by=by,
        after={
            "games": len(games),
            "first": plan.games[0].game.played_at.isoformat(),
            "known": plan.known,
            "new_players": [p.name for p in plan.players],
        },
        season=season,
    )
    season_is_changed(season, since=plan.games[0].game.played_at)
    return plan


def _write_games(season: Season, planned: Sequence[PlannedGame], by: Actor) -> list[Game]:
    orders = _orders(season, [each.game.played_at for each in planned])
    rows = [
        Game(
            season_id=season.pk,
            played_at=each.game.played_at,
            order=order,
            note=each.game.note,
            key=each.key,
            entered_by=by,
        )
        for each, order in zip(planned, orders, strict=True)
    ]
    return Game.objects.bulk_create(rows, batch_size=BATCH)


def _orders(season: Season, times: Sequence[datetime]) -> Iterator[int]:
    """For games at these times, in this order: the next free ``order`` at each time."""
    last = dict(
        Game.objects.filter(season=season, played_at__range=(times[0], times[-1]))
        .order_by()
        .values("played_at")
        .annotate(last=Max("order"))
        .values_list("played_at", "last")
    )
    for time in times:
        last[time] = last.get(time, 0) + 1
        yield last[time]
