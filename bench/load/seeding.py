"""The leagues that the visitors come to; prints as JSON what they know. Runs in a process of its own."""

import json
from datetime import timedelta
from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User

from bench.seasons import END, bench_season, file_of_duels
from leagues.models import Game, Role, Season
from leagues.services import add_organizer, import_games
from ratings.services.replay import replay_season
from tests.factories import make_league

LEAGUES, GAMES = 4, 500
PASSWORD = "load" * 4


def main(writers: str) -> None:
    print(json.dumps([_season(number, int(writers)) for number in range(LEAGUES)]))


def _season(number: int, writers: int) -> dict[str, Any]:
    """A season with some games, and everybody who may come to it."""
    league = make_league(f"load-{number}")
    season = bench_season(league=league)
    import_games(season=season, file=file_of_duels(GAMES), by=None, create_players=True)
    replay_season(season.pk)
    hashed = make_password(PASSWORD)
    organizers = [
        User.objects.create(username=f"{league.slug}-{each}", password=hashed) for each in range(writers)
    ]
    for user in organizers:
        add_organizer(league=league, user=user, role=Role.SCORER, by=None)
    return {
        "id": season.pk,
        "path": season.get_absolute_url(),
        "pages": _pages(season),
        "players": list(league.players.values_list("pk", flat=True)),
        "organizers": [user.username for user in organizers],
        "password": PASSWORD,
        "after": END.isoformat(),
        "burst_after": (END + timedelta(days=50)).isoformat(),
    }


def _pages(season: Season) -> list[str]:
    """What readers look at besides the standings."""
    path, players = season.get_absolute_url(), season.league.players.values_list("slug", flat=True)
    games = Game.objects.filter(season=season).order_by("-pk")[:10]
    return [
        *[f"/{season.league.slug}/", f"{path}games/", f"{path}games/?page=2", f"{path}prizes/"] * 3,
        *(f"{path}players/{slug}/" for slug in players[:10]),
        *(game.get_absolute_url() for game in games),
    ]
