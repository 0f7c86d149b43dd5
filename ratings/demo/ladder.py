"""Ranked Battle: sixty fighters who challenge opponents drawn from a pool around their own rating."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from random import Random

from django.contrib.auth.models import User
from django.utils import timezone

from leagues.games_csv import FileSide
from leagues.models import Season
from leagues.services import create_league
from leagues.services.players import create_player
from leagues.services.seasons import enter_player
from ratings.demo.season import import_made_up, times_until_now
from ratings.engine.matchmaking import draw_opponent, opponent_pool
from ratings.engine.presets import PRESETS
from ratings.engine.replay import replay
from ratings.engine.types import Game, PlayerState, Side, State
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers, create_rated_season

SEED = 1600
BATTLES = 1_500
FIRST_WORDS = ("Kara", "Çelik", "Gök", "Ateş", "Yıldız", "Buz", "Demir", "Altın", "Şimşek", "Işık")
SECOND_WORDS = ("Kurt", "Şahin", "Aslan", "Ejder", "Fırtına", "Pençe")
DRAWS = 0.04
RULES_TEXT = """\
Dereceli Savaşa gönderilen her NFT, **global bir liderlik tablosunda** sıralanır.

Dereceli Savaş modu bir Elo puanlama sistemi kullanıyor: iyi performans gösterenin puanı yükselir,
kötü performans gösterenin puanı düşer.
"""


def create_ranked_battle(*, owner: User | None) -> Season:
    """The league ``ranked-battle`` with its season of this year."""
    league = create_league(
        by=owner,
        owner=owner,
        slug="ranked-battle",
        name="Ranked Battle",
        about="Dereceli Savaş: her dövüş sıfır toplamlıdır, meydan okuyanın K-faktörü geçerlidir.",
        language="tr",
        timezone="Europe/Istanbul",
        accent_hue=285,
    )
    today = timezone.now().astimezone(league.zone).date()
    season = create_rated_season(
        league=league,
        by=owner,
        preset="ranked-battle",
        name=f"Sezon {today.year}",
        slug=f"sezon-{today.year}",
        starts_on=date(today.year, 1, 1),
        ends_on=date(today.year, 12, 31),
        rules_text=RULES_TEXT,
    )
    names = [f"{first} {second}" for first in FIRST_WORDS for second in SECOND_WORDS]
    for name in names:
        enter_player(season=season, player=create_player(league=league, name=name, by=owner), by=owner)
    change_prize_tiers(season=season, by=owner, saved=_tiers())
    rng = Random(SEED)  # noqa: S311 - made-up battles, no secret
    moments = times_until_now(season, BATTLES, rng)
    import_made_up(season, moments, list(_battles(names, rng)), by=owner)
    return season


def _battles(names: list[str], rng: Random) -> Iterator[list[FileSide]]:
    """Battles in order, each challenger against an opponent drawn from the pool of that time."""
    rules = PRESETS["ranked-battle"]
    skill = {name: rng.gauss(0, 1) for name in names}
    start = rules.initial_rating
    state = State({name: PlayerState(rating=start, peak=start) for name in names})
    for number in range(BATTLES):
        challenger = rng.choice(names)
        others = [(name, player.rating) for name, player in state.players.items() if name != challenger]
        opponent = draw_opponent(opponent_pool(rules, state.players[challenger].rating, others, rng), rng)
        if opponent is None:  # nobody is near: the next one is
            opponent = min(others, key=lambda other: abs(other[1] - state.players[challenger].rating))[0]
        lead = skill[challenger] - skill[str(opponent)] + rng.gauss(0, 1.2)
        points = (1, 1) if rng.random() < DRAWS else (2, 0) if lead > 0 else (0, 2)
        sides = (Side((challenger,), points[0]), Side((opponent,), points[1]))
        replay(rules, state, [Game(number, sides)])
        yield [FileSide((str(side.members[0]),), side.points) for side in sides]


def _tiers() -> list[PrizeTier]:
    return [
        PrizeTier(name="Şampiyonluk kemeri", first_place=1, last_place=1, amount=Decimal(3000), unit="₺"),
        PrizeTier(name="Gümüş eldiven", first_place=2, last_place=2, amount=Decimal(2000), unit="₺"),
        PrizeTier(name="Bronz eldiven", first_place=3, last_place=3, amount=Decimal(1000), unit="₺"),
        PrizeTier(name="Arena rozeti", text="İlk ona giren her dövüşçüye.", first_place=4, last_place=10),
    ]
