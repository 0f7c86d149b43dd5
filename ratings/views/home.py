"""A league's home."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from leagues.formats import format_number, format_rating
from leagues.models import Challenge, Entry, Game, Season
from leagues.services.directory import current_season, days_left
from ratings.models import Replay, Standing
from ratings.services.facts import shown_rules
from ratings.services.history import listed
from ratings.services.pace import is_over
from ratings.services.prizes import HeldTier, nearest_to_a_place, prize_tiers
from ratings.tables.standings import StandingsTable
from ratings.views.charts import race_lines
from ratings.views.ladder import challenges_of, most_urgent
from ratings.views.live import LiveMixin
from ratings.views.standings import with_details

TOP_ROWS = 10
LATEST_GAMES = 6
CHALLENGES_SHOWN = 3


class LeagueHomeView(LiveMixin):
    """The current season at a glance, the next seasons and those of before."""

    template_name = "ratings/league_home.html"
    fragment_name = "ratings/_league_home.html"

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        seasons = Season.objects.in_league(self.league).select_related("rule_set")
        self.seasons = list(seasons if request.role else seasons.published())
        for season in self.seasons:
            season.league = self.league
        self.season = current_season(self.seasons, timezone.localdate())

    def seen(self) -> list[object]:
        # A challenge raises no number of its season.
        challenges = [(each.pk, each.state) for each in self.open_challenges]
        seasons = [(season.pk, season.revision) for season in self.seasons]
        return [*super().seen(), *seasons, *challenges]

    @cached_property
    def open_challenges(self) -> list[Challenge]:
        """The most urgent of the season, where players challenge each other."""
        if self.season is None or not self.season.duels_only:
            return []
        return list(most_urgent(challenges_of(self.season), timezone.now())[:CHALLENGES_SHOWN])

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        if self.season is not None:
            kwargs = _at_a_glance(self.season, self.replay) | kwargs
        others = [season for season in self.seasons if season != self.season]
        return super().get_context_data(
            open_challenges=self.open_challenges,
            next_seasons=[season for season in reversed(others) if not season.is_closed],
            archive=_with_winners([season for season in others if season.is_closed]),
            **kwargs,
        )


def _at_a_glance(season: Season, replay: Replay) -> dict[str, Any]:
    today, rules = timezone.localdate(), shown_rules(season)
    top = Standing.objects.filter(season=season, position__lte=TOP_ROWS).select_related("player")
    table = StandingsTable(
        top.order_by("position"),
        season=season,
        rules=rules,
        is_over=is_over(season, today),
        orderable=False,
        exclude=["form", "opponents_met"],
    )
    with_details(table, table.show_all(), replay)
    tiers = prize_tiers(season)
    games = Game.objects.filter(season=season).not_voided().latest_first().with_sides()[:LATEST_GAMES]
    podium = _podium(season, tiers) if replay.games else []  # before the first one all are equal
    return {
        "table": table,
        "is_empty": not table.records,
        "tiers": tiers,
        "podium": podium,
        "best_unplaced": _best_unplaced(table) if podium else None,
        "nearest": None if podium else nearest_to_a_place(season),
        "lines": race_lines(season, rules, replay),
        "games": listed(list(games), season.league),
        "days_left": days_left(season, today),
        "days_until": (season.starts_on - today).days,
        "days_gone": (today - season.starts_on).days,
        "days_all": (season.ends_on - season.starts_on).days + 1,
        "players": Entry.objects.filter(season=season).active().count(),
    }


def _podium(season: Season, tiers: list[HeldTier]) -> list[dict[str, Any]]:
    """The first three classified players with what they would win."""
    placed = (
        Standing.objects.filter(season=season, place__lte=3).select_related("player").order_by("position")
    )
    return [
        {
            "place": row.place,
            "tier": number,
            "name": row.player.name,
            "url": reverse(
                "ratings:player-season",
                kwargs={"league": season.league.slug, "season": season.slug, "player": row.player.slug},
            ),
            "score": format_rating(row.season_score),
            "detail": _won_by(row, tiers),
        }
        for number, row in enumerate(placed[:3], 1)
    ]


def _best_unplaced(table: StandingsTable) -> dict[str, str] | None:
    """Who is first in the table without a place, and why: the podium has somebody else."""
    first = table.records[0]
    if first.place is not None:
        return None
    return {"name": first.player.name, "why": table.why_no_place(first)}


def _won_by(standing: Standing, tiers: list[HeldTier]) -> str:
    """What somebody holds, as a reader says it: the names of the prizes, and how much of each."""
    won = [
        f"{held.tier.name}, {_amount_of(held, amount)}" if amount is not None else held.tier.name
        for held in tiers
        for holder, amount in held.holders
        if holder == standing
    ]
    return " + ".join(won)


def _amount_of(held: HeldTier, amount: Decimal) -> str:
    return f"{format_number(amount)}\N{NO-BREAK SPACE}{held.tier.unit}".strip()


def _with_winners(seasons: list[Season]) -> list[tuple[Season, list[Standing]]]:
    """Closed seasons, each with who won it."""
    winners: dict[int, list[Standing]] = defaultdict(list)
    for row in (
        Standing.objects.filter(season__in=seasons, place=1).select_related("player").order_by("position")
    ):
        winners[row.season_id].append(row)
    return [(season, winners[season.pk]) for season in seasons]
