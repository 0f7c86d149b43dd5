"""Addresses of the pages that show results."""

from django.urls import path

from ratings.views import (
    box,
    calculator,
    calendars,
    charts,
    corrections,
    edit_preview,
    feeds,
    games,
    home,
    matrix,
    merging,
    personal,
    players,
    previews,
    prizes,
    progress,
    rules,
    shared,
    sitemaps,
    standings,
    teams,
)
from ratings.views.files import table_file

app_name = "ratings"

LEAGUE = "<slug:league>/"
SEASON = "<slug:league>/<slug:season>/"

urlpatterns = [
    path("sitemap.xml", sitemaps.SitemapIndexView.as_view(), name="sitemap"),
    path("robots.txt", sitemaps.RobotsView.as_view(), name="robots"),
    path(f"embed/{SEASON}", shared.EmbedView.as_view(), name="embed"),
    path(f"{LEAGUE}sitemap.xml", sitemaps.LeagueSitemapView.as_view(), name="league-sitemap"),
    path(f"{LEAGUE}robots.txt", sitemaps.LeagueRobotsView.as_view(), name="league-robots"),
    path(f"{LEAGUE}games.atom", feeds.LeagueGamesFeedView.as_view(), name="league-feed"),
    path(f"{LEAGUE}calendar.ics", calendars.LeagueCalendarView.as_view(), name="league-calendar"),
    path(LEAGUE, home.LeagueHomeView.as_view(), name="league-home"),
    path(f"{LEAGUE}players/", players.PlayerListView.as_view(), name="player-list"),
    *table_file(LEAGUE, players.PlayersFileView),
    path(f"{LEAGUE}players/<slug:player>/", players.PlayerCareerView.as_view(), name="player-career"),
    path(f"{LEAGUE}players/<slug:player>/data.json", personal.PersonalFileView.as_view(), name="player-data"),
    path(f"{LEAGUE}teams/", teams.TeamListView.as_view(), name="team-list"),
    *table_file(LEAGUE, teams.TeamsFileView),
    path(f"{LEAGUE}teams/<slug:team>/", teams.TeamView.as_view(), name="team"),
    path(f"{LEAGUE}box/", box.BoxView.as_view(), name="box"),
    path(f"{LEAGUE}box.zip", box.BoxFileView.as_view(), name="box-file"),
    path(f"{LEAGUE}merge/", merging.PlayerMergeView.as_view(), name="player-merge"),
    path(SEASON, standings.StandingsView.as_view(), name="standings"),
    *table_file(SEASON, standings.StandingsFileView),
    path(f"{SEASON}games/", games.GameListView.as_view(), name="game-list"),
    path(f"{SEASON}games.atom", feeds.GamesFeedView.as_view(), name="games-feed"),
    path(f"{SEASON}calendar.ics", calendars.CalendarView.as_view(), name="calendar"),
    *table_file(SEASON, games.GamesFileView),
    *table_file(SEASON, games.ChangesFileView),
    path(f"{SEASON}games/<int:game>/", games.GameDetailView.as_view(), name="game-detail"),
    path(f"{SEASON}games/<int:game>/preview/", edit_preview.EditPreviewView.as_view(), name="edit-preview"),
    path(f"{SEASON}games/preview/", previews.GamePreviewView.as_view(), name="game-preview"),
    path(f"{SEASON}corrections/", corrections.CorrectionsView.as_view(), name="corrections"),
    path(f"{SEASON}players/<slug:player>/", players.PlayerSeasonView.as_view(), name="player-season"),
    path(f"{SEASON}charts/", charts.ChartsView.as_view(), name="charts"),
    path(f"{SEASON}matrix/", matrix.MatrixView.as_view(), name="matrix"),
    *table_file(SEASON, matrix.MatrixFileView),
    path(f"{SEASON}players/<slug:player>/badge.svg", shared.PlayerBadgeView.as_view(), name="player-badge"),
    path(f"{SEASON}progress/", progress.ReplayProgressView.as_view(), name="replay-progress"),
    path(f"{SEASON}prizes/", prizes.PrizesView.as_view(), name="prizes"),
    *table_file(SEASON, prizes.PrizesFileView),
    path(f"{SEASON}rules/", rules.RulesView.as_view(), name="rules"),
    path(f"{SEASON}calculator/", calculator.CalculatorView.as_view(), name="calculator"),
    path(
        f"{SEASON}calculator/players/",
        calculator.CalculatorPlayersView.as_view(),
        name="calculator-players",
    ),
]
