"""World Series of Desperada: friends in Sofia, free-for-alls and team games, prizes of the rulebook."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from random import Random

from django.contrib.auth.models import User
from django.utils import timezone

from leagues.games_csv import FileSide
from leagues.models import League, Season
from leagues.services import create_league, create_player, create_team, enter_player
from ratings.demo.season import import_made_up, times_until_now
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers, create_rated_season

SEED = 2025
GAMES = 600

# Name, skill in game points, and how often the player turns up.
PLAYERS = (
    ("Захари", 20, 1.0),
    ("Валя", 30, 1.0),
    ("Марина", 50, 0.9),
    ("Добри", 0, 1.0),
    ("Щерьо Хаджийски", 10, 0.8),
    ("Цветелина", 40, 0.8),
    ("Юлиян", -15, 0.7),
    ("Жоро Ъгъла", -30, 0.2),
    ("Ася", 5, 0.14),
    ("Емо", -5, 0.05),
)
TEAMS = (("Лъвовете", ("Захари", "Валя")), ("Вещиците", ("Марина", "Цветелина")))
ABOUT = "Световната лига по Десперада се провежда под егидата на Федерацията по Десперада."
RULES_TEXT = """\
Правилата са одобрени от УС на Федерацията.

- Идеята е да се **насърчава игра**, но да има шанс да спечели и човек с минималния брой игри.
- Победа срещу по-силен играч носи много повече точки.
- Всеки е свободен сам да определи фисовете си.
"""


def create_wsd(*, owner: User | None) -> Season:
    """The league ``wsd`` with its season from the last 25 December to the next 24 December."""
    league = create_league(
        by=owner,
        owner=owner,
        slug="wsd",
        name="World Series of Desperada",
        about=ABOUT,
        language="bg",
        timezone="Europe/Sofia",
        accent_hue=165,
    )
    today = timezone.now().astimezone(league.zone).date()
    year = today.year if (today.month, today.day) >= (12, 25) else today.year - 1
    season = create_rated_season(
        league=league,
        by=owner,
        preset="wsd-2.0",
        name=f"Сезон {year}–{year + 1}",
        slug=f"{year}-{year + 1}",
        starts_on=date(year, 12, 25),
        ends_on=date(year + 1, 12, 24),
        rules_text=RULES_TEXT,
    )
    _enter_everybody(league, season, owner)
    change_prize_tiers(season=season, by=owner, saved=_tiers())
    rng = Random(SEED)  # noqa: S311 - made-up games, no secret
    games = [_game(rng) for _number in range(GAMES)]
    import_made_up(season, times_until_now(season, GAMES, rng), games, by=owner)
    return season


def _enter_everybody(league: League, season: Season, owner: User | None) -> None:
    players = {name: create_player(league=league, name=name, by=owner) for name, _skill, _presence in PLAYERS}
    for player in players.values():
        enter_player(season=season, player=player, by=owner)
    for name, members in TEAMS:
        create_team(league=league, name=name, members=[players[member] for member in members], by=owner)


def _game(rng: Random) -> list[FileSide]:
    """A duel, a free-for-all or a team game; the better ones tend to score more."""
    present = [player for player in PLAYERS if rng.random() < player[2]]
    while len(present) < 2:
        present = [player for player in PLAYERS if rng.random() < player[2]]
    rng.shuffle(present)
    kind = rng.random()
    if kind < 0.15 and len(present) >= 4:
        sides = [present[:2], present[2:4]] if kind < 0.1 or len(present) < 6 else [present[:3], present[3:6]]
    else:
        sides = [[player] for player in present[: rng.choice((2, 2, 3, 3, 4, 4, 5))]]
    return [FileSide(tuple(name for name, _skill, _p in side), _points(side, rng)) for side in sides]


def _points(side: list[tuple[str, int, float]], rng: Random) -> int:
    skill = sum(player[1] for player in side) / len(side)
    return max(0, round(rng.gauss(420 + skill, 170) / 5) * 5)


def _tiers() -> list[PrizeTier]:
    """The prizes of the rulebook, in its words."""
    return [
        PrizeTier(
            name="Самолетен билет",
            text="Двупосочен (или еднопосочен по желание) самолетен билет до разстояние: "
            "1000 км × брой участници.",
            first_place=1,
            last_place=1,
            amount=Decimal(1000),
            per_participant=True,
            unit="км",
        ),
        PrizeTier(
            name="Spa Weekend или Gambling Weekend",
            text="В Лас Велинграс, по желание на сребърния медалист, с включен транспорт.",
            first_place=2,
            last_place=2,
        ),
        PrizeTier(
            name="Бар-хопинг по улиците на София",
            text="All Expenses Paid. До 1 бутилка обаче, че Захари може да ни фалира 😅",
            first_place=3,
            last_place=3,
        ),
    ]
