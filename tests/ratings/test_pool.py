"""The opponent pool out of the database: the one the engine draws of everybody, and few rows read for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection
from django.db.models.signals import post_init
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leagues.models import Entry, Player, Season
from ratings.engine.matchmaking import draw_opponent, opponent_pool
from ratings.engine.presets import PRESETS
from ratings.engine.types import Rules, ShortSide
from ratings.models import RatingChange, Standing
from ratings.services.pool import FoundPool, find_pool, shuffled
from tests.factories import make_season

pytestmark = pytest.mark.django_db

LADDER = PRESETS["ranked-battle"]
OWN = 16_000


@pytest.fixture
def season() -> Season:
    return make_season(preset="ranked-battle")


def entered(season: Season, number: int) -> list[int]:
    players = Player.objects.bulk_create(
        Player(league=season.league, name=f"P{n}", slug=f"p{n}", search=f"p{n}", sort_key=f"p{n:05}")
        for n in range(number)
    )
    Entry.objects.bulk_create(Entry(season=season, player=player) for player in players)
    return [player.pk for player in players]


def stand(season: Season, players: Sequence[int], ratings: Sequence[int]) -> None:
    """Give the season these standings and no others; the ratings are those of the players in order."""
    Standing.objects.filter(season=season).delete()
    numbers = dict.fromkeys(
        (
            "played", "games", "wins", "draws", "losses", "first_places",
            "missing_games", "opponents", "opponents_met",
        ),
        0,
    )  # fmt: skip
    best_first = sorted(zip(ratings, players, strict=False), reverse=True)
    Standing.objects.bulk_create(
        Standing(
            season=season,
            player_id=player,
            position=position,
            season_score=rating,
            rating=rating,
            peak=rating,
            classified=True,
            withdrawn=False,
            **numbers,
        )
        for position, (rating, player) in enumerate(best_first, 1)
    )


def found(season: Season, rules: Rules, seed: int, without: Sequence[int] = ()) -> FoundPool:
    return find_pool(season, rules, OWN, Random(seed), without)


WORLDS = {
    "spread": lambda rng: [rng.randint(14_500, 17_500) for _player in range(60)],
    "crowded": lambda rng: [rng.randint(15_990, 16_010) for _player in range(60)],
    "equal": lambda rng: [OWN] * 60,
    "the best": lambda rng: [rng.randint(15_000, 16_000) for _player in range(60)],
    "the last but one": lambda rng: [rng.randint(16_000, 16_900) for _player in range(59)] + [15_500],
    "few": lambda rng: [rng.choice([OWN, 15_950, 16_050, 19_000, 12_000]) for _player in range(14)],
    "nobody": lambda rng: [],
}


@pytest.mark.parametrize("short_side", ShortSide)
@pytest.mark.parametrize("name", WORLDS)
def test_the_pool_is_that_of_the_engine_over_everybody(season, name, short_side):
    """The same sizes and deviation whoever is away, of the same players; and where all are read, the same."""
    players = entered(season, 60)
    for seed in range(8):
        rng = Random(seed)
        ratings = WORLDS[name](rng)
        stand(season, players, ratings)
        away = {player for player in players if rng.random() < seed / 8}
        Entry.objects.filter(season=season).update(withdrawn_at=None)
        Entry.objects.filter(season=season, player__in=away).update(withdrawn_at=timezone.now())
        rules = replace(LADDER, pool_size=rng.choice([2, 4, 6, 20]), pool_short_side=short_side)
        own = players[: min(1, len(ratings))]
        near = [(p, r) for p, r in zip(players, ratings, strict=False) if p not in {*away, *own}]
        expected = opponent_pool(rules, OWN, near, Random(1))
        pool = found(season, rules, seed, own).pool
        assert (len(pool.lower), len(pool.upper)) == (len(expected.lower), len(expected.upper)), seed
        assert pool.deviation == expected.deviation
        assert len(set(pool.members)) == len(pool.members)
        rating_of = dict(near)
        assert all(OWN - pool.deviation <= rating_of[player] <= OWN for player in pool.lower)
        assert all(OWN <= rating_of[player] <= OWN + pool.deviation for player in pool.upper)
        assert pool == found(season, rules, seed, own).pool, "the same seed draws the same"


def test_each_is_as_likely_as_by_the_engine(season):
    """Of 6 below, 4 equal and 14 above, each gets into the pool, and is drawn, as often as by the engine."""
    players = entered(season, 24)
    ratings = [15_900] * 6 + [OWN] * 4 + [16_100] * 14
    stand(season, players, ratings)
    rules = replace(LADDER, pool_size=4)
    others = list(zip(players, ratings, strict=True))
    by_database, by_engine, drawn = Counter[Any](), Counter[Any](), Counter[Any]()
    for seed in range(400):
        pool = found(season, rules, seed).pool
        by_database.update(pool.members)
        by_engine.update(opponent_pool(rules, OWN, others, Random(seed)).members)
        drawn.update([draw_opponent(pool, Random(seed))])
    for block in (players[:6], players[6:10], players[10:]):
        # In 400 pools a block of equals comes 286 or 514 times at most, give or take 20.
        assert abs(sum(by_database[p] for p in block) - sum(by_engine[p] for p in block)) < 80
        each = [by_database[player] for player in block]
        assert max(each) - min(each) < 70
    assert set(drawn) == set(players)


@pytest.fixture
def rows_read() -> Iterator[list[Standing]]:
    """The rows of standings that are made into objects."""
    rows: list[Standing] = []

    def count(instance: Standing, **_signal: Any) -> None:
        rows.append(instance)

    post_init.connect(count, sender=Standing)
    yield rows
    post_init.disconnect(count, sender=Standing)


@pytest.mark.parametrize("shape", ["spread", "equal", "the best"])
def test_the_rows_read_grow_with_the_pool_and_not_with_the_season(season, rows_read, shape):
    players = entered(season, 1_200)
    rng = Random(1)
    ratings = {
        "spread": [rng.randint(15_000, 17_000) for _player in players],
        "equal": [OWN] * len(players),
        "the best": [rng.randint(15_000, 15_999) for _player in players],
    }[shape]
    queries = []
    for number in (120, 1_200):
        stand(season, players, ratings[:number])
        Entry.objects.filter(player__in=players[::10]).update(withdrawn_at=timezone.now())
        rows_read.clear()
        with CaptureQueriesContext(connection) as asked:
            pool = found(season, LADDER, 1, players[:1]).pool
        queries.append(len(asked))
        assert len(pool.members) == (15 if shape == "the best" else 30)
        assert len(rows_read) <= 2 * LADDER.pool_size
    assert max(queries) <= 6, "a look at the index, and one or two for each side"


def test_who_is_withdrawn_rests_or_is_not_entered_is_in_no_pool(season):
    gone, resting, back, removed, here = players = entered(season, 5)
    stand(season, players, [OWN] * 5)
    now = timezone.now()
    entries = Entry.objects.filter(season=season)
    entries.filter(player=gone).update(withdrawn_at=now)
    entries.filter(player=resting).update(rests_until=now + timedelta(hours=1))
    entries.filter(player=back).update(rests_until=now - timedelta(seconds=1))
    entries.filter(player=removed).delete()
    assert set(found(season, LADDER, 1).pool.members) == {back, here}


def test_r125_who_has_played_nothing_for_long_leaves_the_pool_and_newcomers_do_not(season):
    idle, active, old, newcomer = players = entered(season, 4)
    stand(season, players, [OWN] * 4)
    now = timezone.now()
    Entry.objects.filter(player__in=[idle, active, old]).update(entered_at=now - timedelta(days=60))
    for player, days in ((idle, 14), (active, 13)):
        changed = dict.fromkeys(["wins", "draws", "losses", "first_places", "games"], 0)
        RatingChange.objects.create(
            season=season,
            game_id=player,
            player_id=player,
            played_at=now - timedelta(days=days),
            played=1,
            side=1,
            points=1,
            before=OWN,
            after=OWN,
            peak=OWN,
            **changed,
        )
    Standing.objects.filter(player__in=[idle, active]).update(played=1)
    season.inactive_days = 14
    assert set(found(season, LADDER, 1).pool.members) == {active, newcomer}
    season.inactive_days = 0
    assert len(found(season, LADDER, 1).pool.members) == 4


def test_where_the_score_is_not_the_rating_everybody_near_is_read(season):
    players = entered(season, 40)
    stand(season, players, [OWN] * 40)
    Standing.objects.filter(player__in=players[:20]).update(season_score=1)
    rules = replace(LADDER, pool_size=4, full_weight_games=10, bonus_games=20)
    everybody = [(row.player_id, row.rating) for row in Standing.objects.order_by("position")]
    assert found(season, rules, 5).pool == opponent_pool(rules, OWN, everybody, Random(5))


def test_the_members_come_with_their_players_and_standings(season):
    players = entered(season, 40)
    stand(season, players, [OWN] * 40)
    pool = found(season, LADDER, 1)
    with CaptureQueriesContext(connection) as queries:
        assert {row.player.name for row in pool.standings.values()} <= {f"P{n}" for n in range(40)}
    assert pool.standings.keys() == set(pool.pool.members)
    assert not queries


def test_every_order_is_as_likely():
    orders = Counter(tuple(shuffled(range(4, 7), Random(seed))) for seed in range(1_200))
    assert len(orders) == 6
    assert min(orders.values()) > 150
