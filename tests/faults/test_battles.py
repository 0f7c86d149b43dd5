"""Fifty draws and results of one fighter at the same moment, on connections of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from leagues.models import Challenge, Game, Season
from leagues.services import create_api_token, enter_player
from ratings.services.check import check_season
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed
from wsd_site import limits

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

AT_ONCE = 50


@pytest.fixture
def season() -> Season:
    today = timezone.localdate()
    days = {"starts_on": today - timedelta(days=1), "ends_on": today + timedelta(days=1)}
    league = make_league("arena", owner=make_user("alice"))
    season = make_season(league, slug="now", preset="ranked-battle", **days)
    # Wins in a row leave nobody within the usual hundred points.
    change_rules(season=season, by=None, values={"pool_deviation": "1000"})
    for player in make_players(season.league, "Ann", "Bob", "Cyd", "Dan", "Eve"):
        enter_player(season=season, player=player, by=None)
    return replayed(season)


@pytest.fixture
def post(season: Season, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Send a body to an address of the season's ladder, as the league's game server."""
    monkeypatch.setattr(limits, "OF_ADDRESSES", {})
    owner = season.league.organizers.get().user
    _token, secret = create_api_token(league=season.league, name="Arena", scope="write", by=owner)

    def send(path: str, body: dict[str, Any], key: str = "-") -> Any:
        headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": key}
        return Client(headers=headers).post(
            f"/api/v1/leagues/arena/seasons/now/{path}", body, content_type="application/json"
        )

    return send


def at_once(acts: Iterable[Callable[[], Any]]) -> list[Any]:
    """What each answers, all let go at the same moment on a thread and a connection of its own."""
    todo = list(acts)
    together = Barrier(len(todo))

    def run(act: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            together.wait(60)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(todo)) as pool:
        return list(pool.map(run, todo))


def result(won: bool) -> dict[str, int]:
    return {"challenger_points": int(won), "opponent_points": int(not won)}


def test_fifty_draws_of_one_fighter_are_as_many_battles_as_keys(season, post):
    """Ten keys, each sent five times: ten battles, each answered five times."""
    body = {"challenger": "ann"}
    keys = [f"key-{number % 10}" for number in range(AT_ONCE)]
    answers = at_once(lambda key=key: post("ladder/draw", body, key) for key in keys)
    assert Counter(answer.status_code for answer in answers) == {201: 10, 200: 40}
    battles = Counter(answer.json()["battle"] for answer in answers)
    assert list(battles.values()) == [5] * 10
    assert Challenge.objects.count() == 10


def test_fifty_results_of_one_battle_are_one_game(season, post):
    battle = post("ladder/draw", {"challenger": "ann"}, "k").json()["battle"]
    answers = at_once(lambda: post(f"battles/{battle}/result", result(won=True)) for _time in range(AT_ONCE))
    assert Counter(answer.status_code for answer in answers) == {201: 1, 200: AT_ONCE - 1}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert Game.objects.count() == 1


def test_two_results_of_one_battle_are_one_and_a_refusal(season, post):
    battle = post("ladder/draw", {"challenger": "ann"}, "k").json()["battle"]
    answers = at_once(
        lambda number=number: post(f"battles/{battle}/result", result(won=number % 2 == 0))
        for number in range(AT_ONCE)
    )
    game = Game.objects.get()
    won = game.sides.get(position=1).points
    statuses = Counter((number % 2, answer.status_code) for number, answer in enumerate(answers))
    assert statuses == {(1 - won, 201): 1, (1 - won, 200): AT_ONCE // 2 - 1, (won, 409): AT_ONCE // 2}


def test_fifty_draws_and_results_of_one_fighter_at_once_lose_nothing(season, post):
    """Half draw, half report; the ledger then says what the games give, and nobody's points are lost."""
    drawn = [
        post("ladder/draw", {"challenger": "ann"}, f"before-{number}").json()["battle"]
        for number in range(AT_ONCE // 2)
    ]
    acts: list[Callable[[], Any]] = [
        lambda number=number: post("ladder/draw", {"challenger": "ann"}, f"now-{number}")
        for number in range(AT_ONCE // 2)
    ]
    acts += [
        lambda battle=battle, number=number: post(f"battles/{battle}/result", result(won=number % 3 > 0))
        for number, battle in enumerate(drawn)
    ]
    answers = at_once(acts)
    assert {answer.status_code for answer in answers} == {201}
    assert Challenge.objects.open().count() == AT_ONCE // 2
    assert Game.objects.count() == AT_ONCE // 2
    assert check_season(replayed(season).pk) == []
    ratings = list(season.standings.values_list("rating", flat=True))
    assert sum(ratings) == 5 * 15_000
    assert season.standings.get(player__slug="ann").played == AT_ONCE // 2


def test_control_without_the_lock_a_battle_has_several_results(season, post):
    """The same steps, of which the first is taken before anybody has taken the last."""
    post("ladder/draw", {"challenger": "ann"}, "k")
    seen = Barrier(3)

    def report_unlocked() -> None:
        challenge = Challenge.objects.select_related("challenger", "opponent").get()
        is_open = challenge.is_open
        seen.wait(60)
        if is_open:
            with transaction.atomic():
                make_game(
                    season, (challenge.challenger, 1), (challenge.opponent, 0), played_at=timezone.now()
                )
                Challenge.objects.filter(pk=challenge.pk).update(state=Challenge.State.PLAYED)

    at_once([report_unlocked] * 3)
    assert Game.objects.count() == 3
