"""Ranked Battle: sixty fighters who challenge opponents drawn from a pool around their own rating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

from django.contrib.auth.models import User
from django.utils import timezone

from leagues.games_csv import FileSide
from leagues.models import Challenge, Game, Player, Season
from leagues.models.challenge import ChallengeState as State
from leagues.services import create_league
from leagues.services.players import create_player
from leagues.services.seasons import enter_player
from ratings.demo.season import import_made_up, times_until_now
from ratings.engine.matchmaking import draw_opponent, opponent_pool
from ratings.engine.presets import PRESETS
from ratings.engine.replay import replay
from ratings.engine.types import Game as RatedGame
from ratings.engine.types import PlayerState, Side, Tenths
from ratings.engine.types import State as SeasonState
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers, create_rated_season

SEED = 1600
BATTLES = 1_500
FIRST_WORDS = ("Kara", "Çelik", "Gök", "Ateş", "Yıldız", "Buz", "Demir", "Altın", "Şimşek", "Işık")
SECOND_WORDS = ("Kurt", "Şahin", "Aslan", "Ejder", "Fırtına", "Pençe")
DRAWS = 0.04
PLAYED = 3  # of the latest battles, which came of challenges
# Issued so many hours ago, as they stand now, and the reason given.
CHALLENGES = (
    (3, State.ISSUED, ""),
    (30, State.ISSUED, ""),
    (20, State.ACCEPTED, ""),
    (90, State.ACCEPTED, ""),
    (50, State.DECLINED, "Bu hafta yolculuktayım."),
    (120, State.EXPIRED, ""),
    (28, State.WITHDRAWN, ""),
)
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
    start = PRESETS["ranked-battle"].initial_rating
    state = SeasonState({name: PlayerState.starting_at(start) for name in names})
    import_made_up(season, moments, list(_battles(state, rng)), by=owner)
    _add_challenges(season, {str(name): player.rating for name, player in state.players.items()})
    return season


def _battles(state: SeasonState, rng: Random) -> Iterator[list[FileSide]]:
    """Battles in order, each challenger against an opponent drawn from the pool of that time."""
    rules = PRESETS["ranked-battle"]
    names = [str(name) for name in state.players]
    skill = {name: rng.gauss(0, 1) for name in names}
    for number in range(BATTLES):
        challenger = rng.choice(names)
        others = [(name, player.rating) for name, player in state.players.items() if name != challenger]
        opponent = draw_opponent(opponent_pool(rules, state.players[challenger].rating, others, rng), rng)
        if opponent is None:  # nobody is near: the next one is
            opponent = min(others, key=lambda other: abs(other[1] - state.players[challenger].rating))[0]
        lead = skill[challenger] - skill[str(opponent)] + rng.gauss(0, 1.2)
        points = (1, 1) if rng.random() < DRAWS else (2, 0) if lead > 0 else (0, 2)
        sides = (Side((challenger,), points[0]), Side((opponent,), points[1]))
        replay(rules, state, [RatedGame(number, sides)])
        yield [FileSide((str(side.members[0]),), side.points) for side in sides]


def _add_challenges(season: Season, ratings: Mapping[str, Tenths]) -> None:
    """Challenges between people in every state: neighbours of the leaderboard, and the latest battles.

    Rows, and no acts: most of it is past.
    """
    now = timezone.now()
    players = {player.name: player for player in season.league.players.all()}
    by_rating = sorted(ratings, key=ratings.__getitem__, reverse=True)
    for number, (hours_ago, state, reason) in enumerate(CHALLENGES):
        place = 7 + 3 * number
        row = _challenge(season, ratings, players[by_rating[place + 1]], players[by_rating[place]])
        row.issued_at = max(now - timedelta(hours=hours_ago), season.starts_at)
        row.state, row.reason = state, reason
        _set_times(row, answered_at=row.issued_at)
        row.save()
    for game in Game.objects.filter(season=season).latest_first().with_sides()[:PLAYED]:
        challenger, opponent = (side.members.all()[0].player for side in game.sides.all())
        row = _challenge(season, ratings, challenger, opponent)
        row.issued_at = max(game.played_at - timedelta(days=1), season.starts_at)
        row.state, row.game, row.by_draw = State.PLAYED, game, True
        _set_times(row, answered_at=game.played_at)
        row.save()


def _challenge(
    season: Season, ratings: Mapping[str, Tenths], challenger: Player, opponent: Player
) -> Challenge:
    return Challenge(
        season=season,
        challenger=challenger,
        opponent=opponent,
        challenger_rating=ratings[challenger.name],
        opponent_rating=ratings[opponent.name],
    )


def _set_times(row: Challenge, *, answered_at: datetime) -> None:
    """The deadlines by the limits of the season, and when the challenge was decided."""
    row.respond_by = row.issued_at + timedelta(hours=row.season.answer_hours)
    if row.state in (State.ACCEPTED, State.PLAYED):
        row.play_by = row.issued_at + timedelta(hours=row.season.play_hours)
    row.decided_at = {State.ISSUED: None, State.EXPIRED: row.respond_by}.get(State(row.state), answered_at)


def _tiers() -> list[PrizeTier]:
    return [
        PrizeTier(name="Şampiyonluk kemeri", first_place=1, last_place=1, amount=Decimal(3000), unit="₺"),
        PrizeTier(name="Gümüş eldiven", first_place=2, last_place=2, amount=Decimal(2000), unit="₺"),
        PrizeTier(name="Bronz eldiven", first_place=3, last_place=3, amount=Decimal(1000), unit="₺"),
        PrizeTier(name="Arena rozeti", text="İlk ona giren her dövüşçüye.", first_place=4, last_place=10),
    ]
