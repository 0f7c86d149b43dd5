"""Players of a league, a player over all seasons, and a player in one season."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, F, FilteredRelation, Q, Sum
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.generic import TemplateView

from leagues.models import Entry, Game, League, Player, Season
from leagues.models.player import PlayerQuerySet
from leagues.models.season import SeasonQuerySet
from leagues.tenancy.requests import LeagueMixin
from ratings.charts import Point, curve, thinned
from ratings.engine.standings import bonus_progress
from ratings.forms.players import CurveForm, PlayerSearchForm
from ratings.models import Meeting, Standing
from ratings.services.facts import shown_rules
from ratings.services.history import ListedSide, PlayedGame, best_win, history, listed, streak
from ratings.services.standings import missing_opponents
from ratings.tables.players import MeetingTable, PlayerTable
from ratings.views.files import CHUNK, TableFileView, in_points
from ratings.views.live import LiveMixin

GAMES_A_PAGE = 30
FILE_COLUMNS = (
    "name", "address", "other_names", "season", "place", "season_score", "rating", "games", "seasons",
)  # fmt: skip


def seasons_seen(request: Any, league: League) -> SeasonQuerySet:
    """The seasons of the league this visitor may see."""
    seasons = Season.objects.in_league(league)
    return seasons if request.role else seasons.published()


def players_now(league: League, season: Season | None, seasons: SeasonQuerySet) -> PlayerQuerySet:
    """The league's players in order of their names, with their numbers of this season."""
    now = FilteredRelation("standings", condition=Q(standings__season=season.pk if season else 0))
    return (
        Player.objects.in_league(league)
        .annotate(
            now=now,
            now_place=F("now__place"),
            now_score=F("now__season_score"),
            now_rating=F("now__rating"),
            now_games=F("now__games"),
            seasons=Count("entries", filter=Q(entries__season__in=seasons), distinct=True),
        )
        .order_by("sort_key", "pk")
    )


class PlayerListView(LiveMixin):
    """Everybody who ever was in the league."""

    template_name = "ratings/player_list.html"
    fragment_name = "ratings/_player_list.html"

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.season = seasons_seen(request, self.league).current_first().first()

    def seen(self) -> list[object]:
        seasons = Season.objects.in_league(self.league).aggregate(Count("pk"), Sum("revision"))
        return [*super().seen(), *seasons.values()]

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        form = PlayerSearchForm(self.request.GET)
        form.is_valid()
        players = players_now(self.league, self.season, seasons_seen(self.request, self.league))
        if text := form.cleaned_data.get("q"):
            players = players.named_like(text)
        nobody = _("Nobody is called that.") if text else _("This league has no players yet.")
        table = PlayerTable(players, league=self.league, empty_text=nobody)
        table.show(self.request.GET)
        return super().get_context_data(table=table, q=text or "")


class PlayersFileView(TableFileView):
    """The players of the league as a file."""

    table = "players"

    def rows(self) -> Iterator[Sequence[object]]:
        seasons = seasons_seen(self.request, self.league)
        season = seasons.current_first().first()
        players = players_now(self.league, season, seasons).prefetch_related("aliases")
        return _file_rows(players, season.name if season else "")


def _file_rows(players: Any, season: str) -> Iterator[Sequence[object]]:
    yield FILE_COLUMNS
    for row in players.iterator(CHUNK):
        yield [
            row.name,
            row.slug,
            "; ".join(alias.name for alias in row.aliases.all()),
            "" if row.now_rating is None else season,
            row.now_place,
            in_points(row.now_score),
            in_points(row.now_rating),
            row.now_games,
            row.seasons,
        ]


class PlayerCareerView(LeagueMixin, TemplateView):
    """A player over all seasons."""

    template_name = "ratings/player_career.html"

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        player = get_object_or_404(Player.objects.in_league(self.league), slug=self.kwargs["player"])
        seasons = seasons_seen(self.request, self.league)
        self.season = seasons.current_first().first()
        entries = Entry.objects.filter(player=player, season__in=seasons).select_related("season")
        standings = {row.season_id: row for row in Standing.objects.filter(player=player, season__in=seasons)}
        rows = [
            {"season": entry.season, "entry": entry, "standing": standings.get(entry.season_id)}
            for entry in entries.order_by("-season__starts_on", "-season_id")
        ]
        return super().get_context_data(
            player=player,
            rows=rows,
            totals={
                name: sum(getattr(row, name) for row in standings.values())
                for name in ("played", "wins", "draws", "losses", "first_places")
            },
            best_place=min((row.place for row in standings.values() if row.place), default=None),
            peak=max((row.peak for row in standings.values()), default=None),
            aliases=player.aliases.all(),
            teams=player.teams.all(),
        )


class PlayerSeasonView(LiveMixin):
    """A player in a season: the curve, what is still missing, the games, the opponents."""

    template_name = "ratings/player_season.html"
    fragment_name = "ratings/_player_season.html"
    season: Season

    def get_template_names(self) -> list[str]:
        # Sorting the table of opponents asks for that table alone.
        is_table = self.is_fragment and self.request.htmx.target == "met-table"
        return ["ratings/_meetings.html"] if is_table else super().get_template_names()

    def seen(self) -> list[object]:
        return [*super().seen(), self.request.htmx.target]

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        player = get_object_or_404(Player.objects.in_league(self.league), slug=self.kwargs["player"])
        games = history(self.season, player)
        return super().get_context_data(
            player=player,
            entry=Entry.objects.filter(season=self.season, player=player).first(),
            **self._standing(player),
            **self._games(player, games),
            **self._curve(games),
            meetings=self._meetings(player),
        )

    def _standing(self, player: Player) -> dict[str, Any]:
        """Where the player stands, and what is still missing for a place."""
        rules = shown_rules(self.season)
        standing = Standing.objects.filter(season=self.season, player=player).first()
        missing = missing_opponents(self.season, [standing] if standing else [], rules)
        return {
            "rules": rules,
            "standing": standing,
            "bonus_progress": bonus_progress(rules, standing.games) if standing else None,
            "missing": missing.get(player.pk, []),
        }

    def _games(self, player: Player, games: list[PlayedGame]) -> dict[str, Any]:
        """A page of the games, the latest first, and what stands out among all of them."""
        page = Paginator(games[::-1], GAMES_A_PAGE).get_page(self.request.GET.get("page"))
        best = best_win(games)
        shown = {played.game_id: played for played in [*page, *([best] if best else [])]}
        found = listed(list(Game.objects.filter(season=self.season, pk__in=shown).with_sides()), self.league)
        rows = {each.game.pk: _told_by(player, shown[each.game.pk], each.sides) for each in found}
        return {
            "page": page,
            "games": [rows[played.game_id] for played in page],
            "best": rows[best.game_id] if best else None,
            "streak": streak(games),
        }

    def _curve(self, games: list[PlayedGame]) -> dict[str, Any]:
        form = CurveForm(self.request.GET)
        by_date = form.is_valid() and form.cleaned_data["by"] == "date"
        if not games:
            return {"curve": None, "by_date": by_date}
        start = self.season.starts_at.timestamp() if by_date else 0
        points = [Point(start, games[0].before)]
        points += [Point(g.played_at.timestamp() if by_date else g.number, g.after) for g in games]
        return {
            "curve": curve(points),
            "by_date": by_date,
            "start": games[0].before,
            "first": games[0],
            "latest": games[-1],
            "low": min(point.rating for point in points),
            "numbers": [games[int(p.x) - 1] for p in thinned([Point(g.number, g.after) for g in games])],
        }

    def _meetings(self, player: Player) -> MeetingTable:
        meetings = Meeting.objects.filter(season=self.season, player=player).select_related("opponent")
        table = MeetingTable(meetings, season=self.season)
        table.show(self.request.GET)
        return table


def _told_by(player: Player, played: PlayedGame, sides: Sequence[ListedSide]) -> dict[str, Any]:
    """A game as seen from the player's side."""
    (own,) = (side for side in sides if player in side.members)
    return {
        "played": played,
        "own": own,
        "partners": [member for member in own.members if member != player],
        "others": [side for side in sides if side is not own],
    }
