"""Teams of a league, and one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404

from leagues.models import Game, Team
from ratings.models import Standing
from ratings.services.history import listed
from ratings.services.teams import games_of_teams, mean_ratings, record_of
from ratings.tables.teams import TeamTable
from ratings.views.files import TableFileView
from ratings.views.players import AllSeasonsMixin, seasons_seen

GAMES_A_PAGE = 30
FILE_COLUMNS = (
    "name", "address", "members", "season", "mean_rating", "games", "wins", "draws", "losses", "first_places",
)  # fmt: skip


class OfTeams(AllSeasonsMixin):
    """A page about teams: it shows all seasons of the league, the current one first."""

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.seasons = list(seasons_seen(request, self.league).current_first())
        self.season = self.seasons[0] if self.seasons else None


class TeamListView(OfTeams):
    """Every team with its members and what it comes to in the current season."""

    template_name = "ratings/team_list.html"
    fragment_name = "ratings/_team_list.html"

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        teams = Team.objects.in_league(self.league).prefetch_related("members").order_by("name", "pk")
        table = TeamTable(teams, league=self.league)
        shown = table.show(self.request.GET)
        games = games_of_teams(shown, [self.season] if self.season else [])
        table.played = {team: record_of(each) for team, each in games.items()}
        table.ratings = mean_ratings(shown, self.season)
        return super().get_context_data(table=table)


class TeamView(OfTeams):
    """A team: its members, its record in every season, and its games in one of them."""

    template_name = "ratings/team.html"
    fragment_name = "ratings/_team.html"

    def get_context_data(self, **_kwargs: Any) -> dict[str, Any]:
        teams = Team.objects.in_league(self.league).prefetch_related("members")
        team = get_object_or_404(teams, slug=self.kwargs["team"])
        by_slug = {season.slug: season for season in self.seasons}
        asked = by_slug.get(self.request.GET.get("season", ""), self.season)
        played = games_of_teams([team], self.seasons)[team.pk]
        of_season = {
            season.pk: [game for game in played if game.season_id == season.pk] for season in self.seasons
        }
        ids = [game.game_id for game in of_season.get(asked.pk, [])] if asked else []
        games = Game.objects.filter(pk__in=ids).latest_first().with_sides()
        page = Paginator(games, GAMES_A_PAGE).get_page(self.request.GET.get("page"))
        return super().get_context_data(
            team=team,
            members=self._members(team),
            mean=mean_ratings([team], self.season).get(team.pk),
            record=record_of(of_season.get(self.season.pk, [])) if self.season else None,
            rows=[
                (season, record_of(of_season[season.pk])) for season in self.seasons if of_season[season.pk]
            ],
            asked=asked,
            page=page,
            games=listed(list(page), self.league),
        )

    def _members(self, team: Team) -> list[tuple[Any, Standing | None]]:
        """The members, each with where the player stands in the current season."""
        members = list(team.members.all())
        rows = Standing.objects.filter(season=self.season, player__in=members)
        standings = {row.player_id: row for row in rows}
        return [(player, standings.get(player.pk)) for player in members]


class TeamsFileView(TableFileView):
    """The teams of the league with what they come to in its current season."""

    table = "teams"

    def rows(self) -> Iterator[Sequence[object]]:
        yield FILE_COLUMNS
        season = seasons_seen(self.request, self.league).current_first().first()
        teams = list(Team.objects.in_league(self.league).prefetch_related("members").order_by("name", "pk"))
        games = games_of_teams(teams, [season] if season else [])
        ratings = mean_ratings(teams, season)
        for team in teams:
            record, mean = record_of(games[team.pk]), ratings.get(team.pk)
            yield [
                team.name,
                team.slug,
                "; ".join(player.name for player in team.members.all()),
                season.name if season else "",
                None if mean is None else round(Decimal(mean), 1),
                record.games,
                record.wins,
                record.draws,
                record.losses,
                record.first_places,
            ]
