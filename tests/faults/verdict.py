"""What is stored of a season: python -m tests.faults verdict SEASON. Prints JSON."""

import json

from leagues.models import Game, Season
from ratings.models import Replay
from ratings.services.check import check_season


def main(season_id: str) -> None:
    season, replay = Season.objects.get(pk=season_id), Replay.objects.get(season=season_id)
    level = replay.revision == season.revision
    verdict = {
        "games": list(Game.objects.filter(season=season).values_list("pk", flat=True)),
        "level": level,
        "problems": check_season(season.pk) if level else ["not level"],
    }
    print(json.dumps(verdict))  # noqa: T201
