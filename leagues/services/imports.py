"""Importing a game file: first a plan of what would happen, then all of it or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from leagues.games_csv import FileError, FileGame, FileSide, GamesFile, with_keys
from leagues.games_csv.values import Form
from leagues.models import Game, League, Player, Season, Side, SideMember
from leagues.models.game import is_rated
from leagues.names import same_name
from leagues.progress import Stage, over
from leagues.services.audit import Actor, leave_audit, lock_season, season_is_changed
from leagues.services.bulk import Values, reserve_ids, write_rows
from leagues.services.game_checks import GameProblem, PlayedSide, check_game
from leagues.services.games import told_of_new
from leagues.services.player_names import PlayerNames, several_of
from leagues.services.players import add_alias, new_players
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
    games: list[PlannedGame] = field(default_factory=list)  # to be stored; none once they are
    new: int = 0  # games that are, or were, to be stored
    revision: int | None = None  # of the season that storing them made
    known: int = 0  # games of the file that the season has already
    players: list[Player] = field(default_factory=list)  # new, unsaved before the import
    unknown: list[str] = field(default_factory=list)  # names that are nobody's
    matched: dict[str, Player] = field(default_factory=dict)  # names of the file that are to mean somebody
    errors: list[FileError] = field(default_factory=list)
    error_count: int = 0

    def refuse(self, error: FileError) -> None:
        self.error_count += 1
        if len(self.errors) < ERRORS_SHOWN:
            self.errors.append(error)


def plan_import(
    season: Season, file: GamesFile, *, create_players: bool, matches: Mapping[str, int] | None = None
) -> ImportPlan:
    """What importing the file into the season would do. Writes nothing.

    ``matches`` says by the ids of players whom names mean that nobody bears. Every error of the file is in
    the plan (the first 100 with their text); a plan with errors
    cannot be carried out.
    """
    plan = ImportPlan(file, errors=list(file.errors), error_count=file.error_count)
    stored = set(Game.objects.filter(season=season).values_list("key", flat=True))
    keys = {key: game for game, key in with_keys(file.games)}
    fresh = {key: game for key, game in keys.items() if key not in stored}
    plan.known = len(keys) - len(fresh)
    names = PlayerNames(season.league)
    plan.matched = names.match(matches or {})
    _find_unknown(plan, names, fresh.values(), season.league, create_players=create_players)
    unmatched = _unmatched(season, [game.played_at for game in fresh.values()], keys)
    known: dict[FileSide, PlayedSide] = {}
    for key, game in over(Stage.CHECKING, fresh.items(), len(fresh)):
        sides = _resolve(plan, game, names, known)
        if sides is None:
            continue
        if unmatched and unmatched[facts := _facts(game.played_at, sides)]:
            unmatched[facts] -= 1
            plan.known += 1
            continue
        for problem in check_game(season, played_at=game.played_at, sides=sides, kind=game.kind):
            plan.refuse(as_file_error(problem, game, file.form))
        plan.games.append(PlannedGame(game, key, sides))
    plan.new = len(plan.games)
    plan.errors.sort(key=lambda error: error.line or 0)
    return plan


def _unmatched(season: Season, times: Sequence[datetime], keys: Collection[str]) -> Counter[Facts]:
    """What those games of the season say today that no game of the file has the identity of.

    So a file written by the site is known again although players were renamed or games corrected.
    ``times`` are those of the games looked for, in order.
    """
    if not times:
        return Counter()
    seats = SideMember.objects.filter(game__season=season, game__played_at__range=(times[0], times[-1]))
    rows = seats.order_by("game_id", "side__position").values_list(
        "game__key", "game__played_at", "side__position", "side__points", "player_id"
    )
    found: Counter[Facts] = Counter()
    # Not by a cursor: for its first rows PostgreSQL would go through the games once per seat where it
    # knows little of them yet, as after another import.
    for (key, played_at), of_game in groupby(rows, key=itemgetter(0, 1)):
        if key not in keys:
            sides = groupby(of_game, key=itemgetter(2, 3))
            found[
                played_at,
                tuple((frozenset(seat[4] for seat in members), side[1]) for side, members in sides),
            ] += 1
    return found


def _facts(played_at: datetime, sides: Iterable[PlayedSide]) -> Facts:
    return played_at, tuple((frozenset(player.pk for player in side.members), side.points) for side in sides)


def _find_unknown(
    plan: ImportPlan, names: PlayerNames, games: Iterable[FileGame], league: League, *, create_players: bool
) -> None:
    unknown: dict[str, str] = {}
    teams = dict.fromkeys(side.members for game in games for side in game.sides)  # each once, in order
    for name in dict.fromkeys(name for members in teams for name in members):
        if not names.find(name):
            unknown.setdefault(same_name(name), name)
    if not create_players:
        plan.unknown = list(unknown.values())
        return
    plan.players = new_players(league, unknown.values())
    for number, player in enumerate(plan.players, 1):
        player.pk = -number  # told apart while planning; the import gives real ones
        names.add(player)


def _resolve(
    plan: ImportPlan, game: FileGame, names: PlayerNames, known: dict[FileSide, PlayedSide]
) -> tuple[PlayedSide, ...] | None:
    """The sides of a game with their players; None, and errors in the plan, where one is not known.

    ``known`` are sides resolved before: most come again and again.
    """
    for number, side in enumerate(game.sides, 1):
        if side not in known and (members := _players(plan, game, names, number)) is not None:
            known[side] = PlayedSide(members, side.points)
    sides = tuple(known[side] for side in game.sides if side in known)
    return sides if len(sides) == len(game.sides) else None


def _players(plan: ImportPlan, game: FileGame, names: PlayerNames, number: int) -> tuple[Player, ...] | None:
    """The players of a side of a game; None, and errors in the plan, where a name is not one player's."""
    members = []
    names_of_side = game.sides[number - 1].members
    for name in names_of_side:
        found = names.find(name)
        if len(found) == 1:
            members.append(found[0])
            continue
        message = several_of(name, found) if found else _nobody(name)
        plan.refuse(FileError(game.line, _column(plan.file.form, "side", number), message))
    return tuple(members) if len(members) == len(names_of_side) else None


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


def import_games(
    *,
    season: Season,
    file: GamesFile,
    by: Actor,
    create_players: bool = False,
    matches: Mapping[str, int] | None = None,
) -> ImportPlan:
    """Carry out the plan of a file, all of it or, when it has an error, nothing.

    Games the season has already, by the identity they were recorded with, are left alone. Errors are in
    the plan; raises ValidationError for a closed season only. Names that were matched to players stay with
    them as other names.

    The plan, which takes the longest, is made without any lock, and made again in the transaction that
    carries it out where season or league have changed since.
    """
    with transaction.atomic():
        season = lock_season(season)
    plan = plan_import(season, file, create_players=create_players, matches=matches)
    del file  # the plan has it
    if plan.games and not plan.error_count:
        return _carry_out(plan, season, by, create_players=create_players, matches=matches)
    return plan


@transaction.atomic
def _carry_out(
    plan: ImportPlan,
    planned_for: Season,
    by: Actor,
    *,
    create_players: bool,
    matches: Mapping[str, int] | None,
) -> ImportPlan:
    season = lock_season(planned_for)
    # Held, as by touch(): the addresses the plan finds free stay so, and the players as they are.
    league = League.objects.select_for_update(no_key=True).get(pk=season.league_id)
    if (season.revision, league.version) != (planned_for.revision, planned_for.league.version):
        plan = plan_import(season, plan.file, create_players=create_players, matches=matches)
        if plan.error_count or not plan.games:
            return plan
    for name, player in plan.matched.items():
        add_alias(player=player, name=name, by=by)
    for player in plan.players:
        player.pk = None
    Player.objects.bulk_create(plan.players)
    _write_games(season, plan.games, by)
    enter_players(
        season, (player for planned in plan.games for side in planned.sides for player in side.members)
    )
    if plan.players:
        league.touch()
    leave_audit(
        "import_games",
        season,
        by=by,
        after={
            "games": plan.new,
            "first": plan.games[0].game.played_at.isoformat(),
            "known": plan.known,
            **told_of_new(plan.players),
        },
        season=season,
    )
    season_is_changed(season, since=plan.games[0].game.played_at)
    plan.revision = season.revision + 1
    plan.games, plan.file = [], replace(plan.file, games=())  # the replay to come has use for the memory
    return plan


def _write_games(season: Season, planned: Sequence[PlannedGame], by: Actor) -> None:
    """Store games with their sides and members; the season is locked and open, so no row asks for it."""
    sides = [side for each in planned for side in each.sides]
    seats = sum(len(side.members) for side in sides)
    game_ids, side_ids = reserve_ids(Game, len(planned)), reserve_ids(Side, len(sides))
    # Known before the first row is written: a connection that copies rows answers no query.
    orders = list(_orders(season, [each.game.played_at for each in planned]))
    total = len(planned) + len(sides) + seats
    tables = [
        (Game, GAME_COLUMNS, _game_rows(season, planned, game_ids, orders, by), 0),
        (Side, SIDE_COLUMNS, _side_rows(planned, game_ids, side_ids), len(planned)),
        (SideMember, MEMBER_COLUMNS, _member_rows(planned, game_ids, side_ids), len(planned) + len(sides)),
    ]
    for model, columns, rows, before in tables:
        write_rows(model, columns, over(Stage.STORING, rows, total, before=before))


GAME_COLUMNS = (
    "id", "season", "played_at", "order", "kind", "rated", "note", "key", "version", "revision",
    "void_reason", "by_withdrawal", "entered_at", "entered_by",
)  # fmt: skip
SIDE_COLUMNS = ("id", "game", "position", "points")
MEMBER_COLUMNS = ("side", "game", "player")


def _game_rows(
    season: Season, planned: Sequence[PlannedGame], ids: Sequence[int], orders: Sequence[int], by: Actor
) -> Iterator[Values]:
    entered_at, entered_by = timezone.now(), by.pk if by else None
    rated = {kind: is_rated(season, kind) for kind in Game.Kind.values}
    for pk, order, each in zip(ids, orders, planned, strict=True):
        game = each.game
        kind = (game.kind, rated[game.kind])
        told = (game.note, each.key, 1, season.revision + 1, "", False, entered_at, entered_by)
        yield pk, season.pk, game.played_at, order, *kind, *told


def _side_rows(
    planned: Sequence[PlannedGame], game_ids: Sequence[int], side_ids: Sequence[int]
) -> Iterator[Values]:
    free = iter(side_ids)
    for game, each in zip(game_ids, planned, strict=True):
        for position, side in enumerate(each.sides, 1):
            yield next(free), game, position, side.points


def _member_rows(
    planned: Sequence[PlannedGame], game_ids: Sequence[int], side_ids: Sequence[int]
) -> Iterator[Values]:
    free = iter(side_ids)
    for game, each in zip(game_ids, planned, strict=True):
        for side in each.sides:
            pk = next(free)
            for player in side.members:
                yield pk, game, player.pk


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
