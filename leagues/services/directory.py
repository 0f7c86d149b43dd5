"""Reading the leagues of the site, each with its current season."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import get_language

from leagues.models import Entry, Game, League, Player, Season
from leagues.names import fold, sort_key


@dataclass(frozen=True, slots=True)
class ListedLeague:
    """A league with its current season, who is in it and what was played; None where it has no season."""

    league: League
    season: Season | None
    players: int
    games: int
    days_left: int | None  # today counts; None where the season does not run now


def current_season(seasons: Iterable[Season], today: date) -> Season | None:
    """The season a league is about now: the one that runs, else the next to begin, else the last."""

    def rank(season: Season) -> tuple[int, int]:
        day = season.starts_on.toordinal()
        if season.is_open:
            return (0, -day) if season.starts_on <= today else (1, day)
        return (2, -day) if season.is_closed else (3, -day)

    return min(seasons, key=rank, default=None)


def days_left(season: Season, today: date) -> int | None:
    """Days until the season is over, today included; None before its first day, after its last, or closed."""
    if not season.is_open or not season.starts_on <= today <= season.ends_on:
        return None
    return (season.ends_on - today).days + 1


def listed_leagues(user: Any, text: str = "") -> list[ListedLeague]:
    """The public leagues and those this user runs or plays in; with a text, those called so.

    Those with games in their season come first, then by name. Case, accents and script do not count.
    Four queries for any number of leagues.
    """
    mine = League.objects.run_by(user).values("pk")
    played = Player.objects.filter(user=user.pk) if user.is_active else Player.objects.none()
    found = League.objects.filter(
        Q(pk__in=League.objects.listed().values("pk")) | Q(pk__in=mine) | Q(pk__in=played.values("league"))
    )
    leagues = sorted(
        (league for league in found if fold(text) in fold(league.name)),
        key=lambda league: sort_key(league.name, get_language() or ""),
    )
    seasons: dict[int, list[Season]] = defaultdict(list)
    for season in Season.objects.in_leagues(leagues).published():
        seasons[season.league_id].append(season)
    now = timezone.now()
    today = {league.pk: now.astimezone(league.zone).date() for league in leagues}
    current = {league.pk: current_season(seasons[league.pk], today[league.pk]) for league in leagues}
    ids = [season.pk for season in current.values() if season]
    players = _counts(Entry.objects.active().filter(season__in=ids))
    games = _counts(Game.objects.counted().filter(season__in=ids))
    listed = [
        ListedLeague(
            league=league,
            season=season,
            players=players.get(season.pk, 0) if season else 0,
            games=games.get(season.pk, 0) if season else 0,
            days_left=days_left(season, today[league.pk]) if season else None,
        )
        for league, season in ((league, current[league.pk]) for league in leagues)
    ]
    return sorted(listed, key=lambda each: not each.games)  # which keeps the names in order


def _counts(rows: Any) -> dict[int, int]:
    """How many of these rows each season has."""
    return dict(rows.order_by().values_list("season_id").annotate(count=Count("pk")))
