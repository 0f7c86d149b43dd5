"""Game files: CSV in and out, and workbooks in, without a database.

The wide form has one game a row (played_at, side 1, points 1, side 2, points 2, ..., note, kind), the long
form one participant a row (game, played_at, side, player, points, note, kind); a bye has one side and no
points. A file is read to values and
errors; what a league allows (its players, its season, its team sizes) is for the services to check.
"""

from leagues.games_csv.reading import MAX_POINTS, instant, read_games, whole_points
from leagues.games_csv.table import shown
from leagues.games_csv.values import (
    BYE,
    FORFEIT,
    FRIENDLY,
    PLAYED,
    ErrorList,
    FileError,
    FileGame,
    FileSide,
    GamesFile,
    game_key,
    with_keys,
)
from leagues.games_csv.workbook import UnreadableWorkbookError, as_csv, is_workbook
from leagues.games_csv.writing import csv_lines, game_rows, neutral, unguarded, write_games

__all__ = [
    "BYE",
    "FORFEIT",
    "FRIENDLY",
    "MAX_POINTS",
    "PLAYED",
    "ErrorList",
    "FileError",
    "FileGame",
    "FileSide",
    "GamesFile",
    "UnreadableWorkbookError",
    "as_csv",
    "csv_lines",
    "game_key",
    "game_rows",
    "instant",
    "is_workbook",
    "neutral",
    "read_games",
    "shown",
    "unguarded",
    "whole_points",
    "with_keys",
    "write_games",
]
