"""What is told of a game file before it is imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, NamedTuple

from leagues.games_csv import GamesFile
from leagues.models import Season
from leagues.models.game import is_rated
from leagues.services.import_options import ImportOptions, likely_players
from leagues.services.imports import ImportPlan, plan_import

NAMES_SHOWN = 50
NAMES_CHOSEN = 300  # that can be matched to players on the way to one import
GAMES_SHOWN = 5


class Preview(NamedTuple):
    """What importing a file would do, in few and plain values however large the file is.

    So it can be kept until somebody comes to see it. Its sentences are in the language it was made in.
    """

    options: dict[str, Any]  # as the file was read: with the columns and the order of days found out
    errors: Sequence[tuple[int | None, str, str]]  # the first ones: line, column and sentence
    error_count: int
    new: int  # games
    known: int  # games
    unrated: int  # of the new games
    encoding: str
    games: Sequence[dict[str, Any]]  # the first ones, as a FileGame has them
    first: datetime | None  # when games of the file were played
    last: datetime | None
    new_players: int
    new_names: Sequence[str]  # the first ones
    unknown: Sequence[tuple[str, Sequence[int]]]  # names that are nobody's, and ids of whom each may mean
    more_unknown: int
    header: Sequence[str]
    sample: Sequence[str]
    asks_order: bool  # whether there are days to be read in two ways


def preview_file(season: Season, data: bytes, options: ImportOptions) -> Preview:
    """What importing a file, read as somebody chose, would do. Writes nothing."""
    file = options.read(data, season.league)
    # What was found out is chosen from here on, so that the import reads the file as it was seen.
    options = replace(options, columns=file.layout.columns, order=file.layout.order)
    plan = plan_import(season, file, create_players=options.create_players, matches=options.matches)
    return _preview(season, file, plan, options)


def _preview(season: Season, file: GamesFile, plan: ImportPlan, options: ImportOptions) -> Preview:
    new_names = [player.name for player in plan.players]
    open_names = [*plan.unknown, *new_names]
    unknown = [*plan.matched, *open_names[:NAMES_SHOWN]][:NAMES_CHOSEN]
    return Preview(
        options=options.as_json(),
        errors=[(error.line, error.column, str(error.message)) for error in plan.errors],
        error_count=plan.error_count,
        new=plan.new,
        known=plan.known,
        unrated=sum(not is_rated(season, each.game.kind) for each in plan.games),
        encoding=file.encoding,
        games=[asdict(game) for game in file.games[:GAMES_SHOWN]],
        first=file.games[0].played_at if file.games else None,
        last=file.games[-1].played_at if file.games else None,
        new_players=len(new_names),
        new_names=new_names[:NAMES_SHOWN],
        unknown=likely_players(unknown, season.league) if unknown else [],
        more_unknown=len(plan.matched) + len(open_names) - len(unknown),
        header=file.header,
        sample=file.sample,
        asks_order=bool(file.either or file.layout.order),
    )
