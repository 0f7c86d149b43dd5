"""Addresses of the pages of facts."""

from django.urls import path

from leagues.views import (
    accounts,
    api_tokens,
    digests,
    directory,
    games,
    imports,
    invitations,
    log,
    look,
    organizers,
    players,
    privacy,
    reports,
    rosters,
    teams,
    undo,
    webhooks,
)

app_name = "leagues"

LEAGUE = "<slug:league>/"
SEASON = "<slug:league>/<slug:season>/"

urlpatterns = [
    path("", directory.DirectoryView.as_view(), name="directory"),
    path(f"{LEAGUE}settings/", look.LookView.as_view(), name="look"),
    path(f"{LEAGUE}settings/league/", look.LeagueUpdateView.as_view(), name="league-update"),
    path(f"{LEAGUE}logo.png", look.LogoView.as_view(), name="logo"),
    path(f"{LEAGUE}icon.png", look.LogoView.as_view(size="icon"), name="icon"),
    path(f"{LEAGUE}icon.svg", look.InitialView.as_view(), name="initial"),
    path(f"{LEAGUE}log/", log.LogView.as_view(), name="log"),
    path(f"{LEAGUE}log/<int:auditentry>/undo/", undo.UndoView.as_view(), name="undo"),
    path(f"{LEAGUE}players/<slug:player>/edit/", players.PlayerUpdateView.as_view(), name="player-update"),
    path(f"{LEAGUE}players/<slug:player>/privacy/", privacy.PrivacyView.as_view(), name="player-privacy"),
    path(f"{LEAGUE}players/<slug:player>/account/", accounts.AccountView.as_view(), name="player-account"),
    path(f"{LEAGUE}add-players/", rosters.RosterView.as_view(), name="roster"),
    path(f"{LEAGUE}add-team/", teams.TeamCreateView.as_view(), name="team-create"),
    path(f"{LEAGUE}teams/<slug:team>/edit/", teams.TeamUpdateView.as_view(), name="team-update"),
    path(f"{LEAGUE}inactive-players/", rosters.InactivePlayersView.as_view(), name="inactive-players"),
    path("leagues/new/", directory.LeagueCreateView.as_view(), name="league-create"),
    path("invitations/<slug:token>/", invitations.InvitationView.as_view(), name="invitation"),
    path(f"{LEAGUE}organizers/", organizers.OrganizerListView.as_view(), name="organizer-list"),
    path(
        f"{LEAGUE}organizers/<int:organizer>/",
        organizers.OrganizerUpdateView.as_view(),
        name="organizer-update",
    ),
    path(
        f"{LEAGUE}organizers/invitations/<int:invitation>/revoke/",
        organizers.InvitationRevokeView.as_view(),
        name="invitation-revoke",
    ),
    path(f"{LEAGUE}tokens/", api_tokens.ApiTokenListView.as_view(), name="api-token-list"),
    path(
        f"{LEAGUE}tokens/<int:apitoken>/revoke/",
        api_tokens.ApiTokenRevokeView.as_view(),
        name="api-token-revoke",
    ),
    path(f"{LEAGUE}letters/", digests.DigestView.as_view(), name="digest"),
    path("unsubscribe/<str:letter>/", digests.UnsubscribeView.as_view(), name="unsubscribe"),
    path(f"{LEAGUE}webhooks/", webhooks.WebhookListView.as_view(), name="webhook-list"),
    path(
        f"{LEAGUE}webhooks/<int:webhook>/",
        webhooks.WebhookUpdateView.as_view(),
        name="webhook-update",
    ),
    path(f"{SEASON}players/<slug:player>/entry/", players.EntryView.as_view(), name="entry"),
    path(f"{SEASON}games/new/", reports.enter_game, name="game-create"),
    path(f"{SEASON}reports/", reports.ReportListView.as_view(), name="report-list"),
    path(
        f"{SEASON}reports/<int:gamereport>/answer/", reports.ReportAnswerView.as_view(), name="report-answer"
    ),
    path(f"{SEASON}games/<int:game>/edit/", games.GameUpdateView.as_view(), name="game-update"),
    path(f"{SEASON}games/<int:game>/order/", games.GameOrderView.as_view(), name="game-order"),
    path(f"{SEASON}games/<int:game>/void/", games.GameVoidView.as_view(), name="game-void"),
    path(f"{SEASON}games/<int:game>/delete/", games.GameDeleteView.as_view(), name="game-delete"),
    path(f"{SEASON}games/players/", games.PlayerSearchView.as_view(), name="player-search"),
    path(f"{SEASON}import/", imports.ImportView.as_view(), name="import"),
    path(f"{SEASON}import/<str:upload>/", imports.ImportRunView.as_view(), name="import-run"),
    path(f"{SEASON}import/<str:upload>/check/", imports.ImportCheckView.as_view(), name="import-check"),
]
