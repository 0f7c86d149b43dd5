"""Two connections fight battles of one fighter at once: python -m tests.faults fighters. Prints JSON.

Both draw with the same keys, so each pair of draws is one battle; then each tells another result of it.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

from django.db import connection
from django.utils import timezone

from leagues.models import Game
from leagues.services import create_api_token
from ratings.services.battles import BattleRefusedError, draw_battle, report_battle
from ratings.services.check import check_season
from ratings.services.rules import change_rules
from tests.factories import replayed
from tests.ladders import make_ladder

BATTLES = 8


def main() -> None:
    today = timezone.now().date()
    days = {"starts_on": today - timedelta(days=9), "ends_on": today + timedelta(days=9)}
    season = make_ladder({"Ann": 1500, "Bob": 1500, "Cyd": 1500}, **days)
    change_rules(season=season, by=None, values={"pool_deviation": "1000"})  # whoever wins in a row
    owner = season.league.organizers.get().user
    token, _secret = create_api_token(league=season.league, name="Arena", scope="write", by=owner)
    both = Barrier(2, timeout=60)

    def fight(points: tuple[int, int]) -> list[tuple[str, str]]:
        told = []
        for number in range(BATTLES):
            both.wait()
            battle = draw_battle(season=season, challenger="ann", key=f"k{number}", by=token)
            both.wait()
            try:
                report_battle(season=season, battle=battle.challenge.uuid, points=points, by=token)
                told.append((str(battle.challenge.uuid), "recorded"))
            except BattleRefusedError as refused:
                told.append((str(battle.challenge.uuid), refused.code))
        connection.close()
        return told

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(fight, [(1, 0), (0, 1)]))
    games = Game.objects.filter(season=season).count()
    problems = check_season(replayed(season).pk)
    print(json.dumps({"answers": answers, "games": games, "problems": problems}))  # noqa: T201
