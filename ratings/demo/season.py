"""What both demo seasons need: players, times and the import of the games made up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

from django.contrib.auth.models import User
from django.utils import timezone

from leagues.games_csv import FileGame, FileSide, GamesFile
from leagues.models import Season
from leagues.services import import_games


def times_until_now(season: Season, count: int, rng: Random) -> list[datetime]:
    """Moments since the season's start in order, on whole minutes and mostly in the evening."""
    start = season.starts_at
    now = timezone.now().astimezone(start.tzinfo).replace(second=0, microsecond=0)
    end = max(now, start + timedelta(hours=1))  # on the first day there is little time yet
    minutes = int((end - start) / timedelta(minutes=1))
    moments = []
    for _game in range(count):
        moment = start + timedelta(minutes=rng.randrange(minutes))
        evening = moment.replace(hour=rng.choice((17, 18, 19, 19, 20, 20, 21, 22)))
        moments.append(evening if evening < end else moment)
    return sorted(moments)


def import_made_up(
    season: Season, moments: Sequence[datetime], games: Sequence[Sequence[FileSide]], *, by: User | None
) -> None:
    """Import games as from a file: one act, and one replay."""
    rows = [
        FileGame(line=line, played_at=moment, sides=tuple(sides), note="")
        for line, (moment, sides) in enumerate(zip(moments, games, strict=True), 2)
    ]
    file = GamesFile(games=tuple(rows), errors=(), error_count=0, encoding="utf-8", form="wide")
    import_games(season=season, file=file, by=by)
