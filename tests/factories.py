"""Plain functions that make what tests need, through the services.

Alice runs league A, Bob league B, Carol scores for A; Erin is a stranger with an account.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from leagues.models import Challenge, Game, GameReport, League, Player, Role, Season
from leagues.services import (
    PlayedSide,
    add_organizer,
    claim_player,
    create_league,
    create_player,
    invite_player,
    record_game,
    submit_report,
)
from ratings.services.replay import replay_season
from ratings.services.rules import create_rated_season

_numbers = count(1)


def make_user(username: str | None = None, **values: Any) -> User:
    return User.objects.create_user(username or f"user{next(_numbers)}", password="secret", **values)


def make_league(slug: str | None = None, *, owner: User | None = None, **values: Any) -> League:
    slug = slug or f"league-{next(_numbers)}"
    return create_league(by=owner, owner=owner, **{"slug": slug, "name": slug.title()} | values)


def make_organizer(league: League, role: Role = Role.SCORER, username: str | None = None) -> User:
    user = make_user(username)
    add_organizer(league=league, user=user, role=role, by=None)
    return user


def make_season(league: League | None = None, *, preset: str = "wsd-2.0", **values: Any) -> Season:
    values = {"name": "Season 2026", "starts_on": date(2026, 1, 1), "ends_on": date(2026, 12, 31)} | values
    return create_rated_season(league=league or make_league(), by=None, preset=preset, **values)


def make_players(league: League, *names: str) -> list[Player]:
    return [create_player(league=league, name=name, by=None) for name in names]


def make_account(player: Player, username: str | None = None) -> User:
    """An account that is this player, claimed by a link of the league's first organizer."""
    user = make_user(username)
    by = player.league.organizers.earliest("pk").user
    claim_player(token=invite_player(player=player, by=by)[1], by=user)
    player.refresh_from_db()
    return user


def make_report(
    season: Season, *sides: tuple[Player, int], played_at: datetime | None = None, **values: Any
) -> GameReport:
    """A game of these sides, each a player and the points, as the first one reports it."""
    user: Any = sides[0][0].user
    return submit_report(
        season=season,
        played_at=played_at or season.starts_at + timedelta(hours=1),
        sides=[PlayedSide((who,), points) for who, points in sides],
        by=user,
        **values,
    )


def make_game(
    season: Season,
    *sides: tuple[Player | Sequence[Player], int],
    played_at: datetime | None = None,
    by: User | None = None,
    **values: Any,
) -> Game:
    """A game of these sides, each a player or several and the points; an hour into the season by default."""
    return record_game(
        season=season,
        played_at=played_at or season.starts_at + timedelta(hours=1),
        sides=[
            PlayedSide((who,) if isinstance(who, Player) else tuple(who), points) for who, points in sides
        ],
        by=by,
        **values,
    )


def make_challenge(season: Season, challenger: Player, opponent: Player, **values: Any) -> Challenge:
    """A challenge that was declined, unless the values say otherwise."""
    now = timezone.now()
    values = {"state": Challenge.State.DECLINED, "issued_at": now, "decided_at": now} | values
    ratings = {"challenger_rating": 15_000, "opponent_rating": 15_000}
    return Challenge.objects.create(
        season=season, challenger=challenger, opponent=opponent, **ratings | values
    )


def replayed(season: Season) -> Season:
    """The season with its results level with its facts."""
    replay_season(season.pk)
    season.refresh_from_db()
    return season
