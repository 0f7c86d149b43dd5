"""Ladder seasons for tests, with ratings as they are wanted."""

from __future__ import annotations

from datetime import datetime

from leagues.models import Player, Season
from leagues.services import enter_player
from ratings.models import Standing
from tests.factories import make_league, make_players, make_season, make_user, replayed


def make_ladder(ratings: dict[str, float], slug: str = "club", **limits: object) -> Season:
    """A ladder season of a new league, with players of these names and published ratings."""
    league = make_league(slug, owner=make_user(f"owner-of-{slug}"), language="en")
    season = make_season(league, preset="ranked-battle", name="Now", **limits)
    for player in make_players(league, *ratings):
        enter_player(season=season, player=player, by=None)
    replayed(season)
    best_first = sorted(ratings, key=ratings.__getitem__, reverse=True)
    for position, name in enumerate(best_first, 1):
        values = {"rating": round(ratings[name] * 10), "position": position, "place": position}
        Standing.objects.filter(season=season, player__name=name).update(**values)
    return season


def named(season: Season, name: str) -> Player:
    return Player.objects.get(league=season.league, name=name)


def moment(text: str) -> datetime:
    """``"05-04 12:00"`` of 2026 in UTC, as the league's clock shows it."""
    return datetime.fromisoformat(f"2026-{text}+00:00")
