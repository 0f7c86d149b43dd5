"""How many queries each page takes: a pinned number, the same for a small league and a larger one."""

from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leagues.models import Game, League, Role, Season
from leagues.pictures import Pictures
from leagues.services import (
    add_adjustment,
    create_team,
    enter_player,
    invite_organizer,
    update_league,
    void_game,
)
from leagues.services.digests import follow_league, unsubscribe_token
from leagues.services.uploads import keep_upload
from leagues.urls import urlpatterns as leagues_urls
from ratings.models import PrizeTier
from ratings.services.long_exports import run_export
from ratings.services.rules import change_prize_tiers
from ratings.urls import urlpatterns as ratings_urls
from tests.factories import (
    make_challenge,
    make_game,
    make_league,
    make_players,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db

# Addresses that only take a POST.
ACTS = {
    *("undo", "game-order", "game-preview", "invitation-revoke", "api-token-revoke", "webhook-update"),
    "report-answer",
}
ACTS |= {"challenge-issue", "ladder-rest"}

ROUTES = {
    f"{app}:{pattern.name}": pattern
    for app, patterns in (("leagues", leagues_urls), ("ratings", ratings_urls))
    for pattern in patterns
    if pattern.name not in ACTS
}

OF_LADDERS = {
    f"ratings:{name}"
    for name in ("ladder", "leaderboard-file", "leaderboard-workbook", "challenge", "prize-update")
}

# For the league's owner: session, user, role, and the league with the season are four of them.
PAGES = {
    "leagues:directory": 7,
    "leagues:log": 8,
    "leagues:look": 4,
    "leagues:league-update": 4,
    "leagues:logo": 5,
    "leagues:icon": 5,
    "leagues:initial": 4,
    "leagues:player-account": 6,
    "leagues:player-update": 9,
    "leagues:entry": 7,
    "leagues:roster": 6,
    "leagues:team-create": 4,
    "leagues:team-update": 9,
    "leagues:inactive-players": 6,
    "leagues:player-privacy": 5,
    "leagues:league-create": 2,
    "leagues:invitation": 3,
    "leagues:organizer-list": 6,
    "leagues:organizer-update": 5,
    "leagues:api-token-list": 5,
    "leagues:digest": 5,
    "leagues:unsubscribe": 4,
    "leagues:webhook-list": 5,
    "leagues:game-create": 6,
    "leagues:report-list": 6,
    "leagues:game-update": 11,
    "leagues:game-void": 8,
    "leagues:game-delete": 8,
    "leagues:player-search": 4,
    "leagues:import": 4,
    "leagues:import-run": 4,
    "leagues:import-check": 4,
    "ratings:sitemap": 1,
    "ratings:robots": 0,
    "ratings:embed": 8,
    "ratings:league-sitemap": 4,
    "ratings:league-robots": 1,
    "ratings:league-feed": 9,
    "ratings:games-feed": 8,
    "ratings:league-calendar": 2,
    "ratings:calendar": 1,
    "ratings:player-badge": 4,
    "ratings:league-home": 25,
    "ratings:player-list": 9,
    "ratings:team-list": 12,
    "ratings:teams-file": 10,
    "ratings:teams-workbook": 10,
    "ratings:team": 20,
    "ratings:box": 4,
    "ratings:box-file": 4,
    "ratings:player-merge": 10,
    "ratings:players-file": 7,
    "ratings:players-workbook": 7,
    "ratings:player-career": 10,
    "ratings:player-data": 20,
    "ratings:season-create": 6,
    "ratings:season-update": 5,
    "ratings:rules-update": 6,
    "ratings:season-close": 7,
    "ratings:standings": 9,
    "ratings:standings-file": 6,
    "ratings:standings-workbook": 6,
    "ratings:game-list": 12,
    "ratings:games-file": 9,
    "ratings:games-workbook": 9,
    "ratings:changes-file": 6,
    "ratings:changes-workbook": 6,
    "ratings:game-detail": 15,
    "ratings:edit-preview": 23,
    "ratings:player-season": 26,
    "ratings:player-games-file": 12,
    "ratings:player-games-workbook": 12,
    "ratings:charts": 8,
    "ratings:matrix": 12,
    "ratings:matrix-file": 5,
    "ratings:matrix-workbook": 5,
    "ratings:corrections": 7,
    "ratings:corrections-file": 6,
    "ratings:corrections-workbook": 6,
    "ratings:adjustments": 7,
    "ratings:adjustments-file": 6,
    "ratings:adjustments-workbook": 6,
    "ratings:adjustment-create": 6,
    "ratings:adjustment-cancel": 5,
    "ratings:replay-progress": 4,
    "ratings:prizes": 6,
    "ratings:prize-create": 5,
    "ratings:prize-update": 6,
    "ratings:prizes-file": 5,
    "ratings:prizes-workbook": 5,
    "ratings:rules": 7,
    "ratings:ladder": 18,
    "ratings:leaderboard-file": 7,
    "ratings:leaderboard-workbook": 7,
    "ratings:challenge": 9,
    "ratings:calculator": 6,
    "ratings:calculator-players": 4,
}

ADMIN_LISTS = {
    "leagues.adjustment": 8,
    "leagues.apitoken": 8,
    "leagues.auditentry": 10,
    "leagues.entry": 8,
    "leagues.game": 12,
    "leagues.league": 7,
    "leagues.organizer": 8,
    "leagues.player": 8,
    "leagues.team": 9,
    "leagues.webhook": 8,
    "leagues.season": 8,
    "ratings.appliedadjustment": 7,
    "ratings.replay": 7,
    "ratings.ratingchange": 7,
    "ratings.standing": 7,
    "ratings.meeting": 7,
}


def season_of(players: int, slug: str) -> Season:
    """A season in which everybody met everybody, with a team game and a voided one."""
    league = make_league(slug, owner=make_user(f"owner-of-{slug}"))
    league = update_league(league=league, by=None, pictures=Pictures(b"icon", b"picture"))
    season = make_season(league, name="Now")
    named = make_players(league, *(f"Player {number}" for number in range(players)))
    for hour, (one, other) in enumerate(combinations(named, 2), 1):
        make_game(season, (one, hour), (other, 2), played_at=season.starts_at + timedelta(hours=hour))
    for one, other in zip(named[::2], named[1::2], strict=False):
        create_team(league=league, name=f"{one} and {other}", members=[one, other], by=None)
    late = season.starts_at + timedelta(days=30)
    make_game(season, (named[:2], 30), (named[2], 20), played_at=late)
    twice = make_game(season, (named[0], 3), (named[1], 2), played_at=late)
    for each in named:
        add_adjustment(season=season, player=each, change=-50, reason="Late", at=late, by=None)
    replayed(season)  # what is voided once it was rated is a correction
    void_game(game=twice, reason="Twice", by=None)
    ladder_of(f"{slug}-ladder", league, players)
    return replayed(season)


def ladder_of(slug: str, league: League, players: int) -> None:
    """A ladder season with a prize and an open challenge, in another league of the same owner."""
    ladder = make_season(
        make_league(slug, owner=league.organizers.get().user), preset="ranked-battle", name="Now"
    )
    named = make_players(ladder.league, *(f"Player {number}" for number in range(players)))
    for player in named:
        enter_player(season=ladder, player=player, by=None)
    change_prize_tiers(season=ladder, by=None, saved=[PrizeTier(name="Cup", first_place=1, last_place=1)])
    make_challenge(replayed(ladder), *named[:2], state="issued", decided_at=None, respond_by=ladder.ends_at)


def address_of(name: str, season: Season) -> str:
    if name in OF_LADDERS:
        season = Season.objects.get(league__slug=f"{season.league.slug}-ladder")
        of_ladder = {"league": season.league.slug, "season": season.slug}
        if name == "ratings:challenge":
            of_ladder["challenge"] = str(season.challenges.get().uuid)
        if name == "ratings:prize-update":
            of_ladder["prizetier"] = str(season.prize_tiers.get().pk)
        return f"{reverse(name, kwargs=of_ladder)}?player=player-1"
    values = {
        "league": season.league.slug,
        "season": season.slug,
        "player": "player-1",
        "team": "player-0-and-player-1",
        "organizer": season.league.organizers.get().pk,
        "upload": keep_upload(b"", season=season, by=season.league.organizers.get().user),
        "adjustment": season.adjustments.all()[0].pk,
        "game": Game.objects.filter(season=season).counted().latest_first()[0].pk,
    }
    if name == "leagues:unsubscribe":
        user = season.league.organizers.get().user
        values["letter"] = unsubscribe_token(follow_league(league=season.league, user=user, every="day"))
    if name == "ratings:box-file":
        run_export(season.league_id)
    if "token" in ROUTES[name].pattern.converters:
        values["token"] = token_for(season.league)
    return reverse(name, kwargs={key: values[key] for key in ROUTES[name].pattern.converters})


def token_for(league: League) -> str:
    """The token of an invitation to the league."""
    owner = league.organizers.get().user
    return invite_organizer(league=league, role=Role.SCORER, by=owner)[1]


def queries_of(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        answer: Any = client.get(address)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert answer.status_code == 200, address
    assert content
    return len(queries)


def test_every_page_has_a_pinned_number():
    assert PAGES.keys() == ROUTES.keys()
    of_leagues = {model for model in admin.site._registry if hasattr(model, "league_path")}
    assert ADMIN_LISTS.keys() == {model._meta.label_lower for model in of_leagues}


@pytest.mark.parametrize(("slug", "players"), [("small", 3), ("large", 8)])
def test_ld_04_queries_of_pages(client, settings, slug, players):
    settings.USERS_CREATE_LEAGUES = True
    season = season_of(players, slug)
    client.force_login(season.league.organizers.get().user)
    assert {name: queries_of(client, address_of(name, season)) for name in ROUTES} == PAGES
    lists = {
        label: queries_of(client, reverse(f"admin:{label.replace('.', '_')}_changelist"))
        for label in ADMIN_LISTS
    }
    assert lists == ADMIN_LISTS
