"""The line that tells organizers how far the replay of a season has come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leagues.models import Role, Season
from leagues.progress import Shown, Stage, Step, shown
from leagues.services import update_season
from ratings.models import RuleSet
from ratings.services.replay import progress_key, replay_season
from tests.factories import (
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_cache(settings: Any, tmp_path: Path) -> None:
    settings.CACHES = settings.CACHES | {
        "progress": settings.CACHES["progress"] | {"LOCATION": tmp_path / "progress"}
    }


@pytest.fixture
def season() -> Season:
    season = make_season(make_league("chess"))
    one, other = make_players(season.league, "Ann", "Bob")
    make_game(season, (one, 3), (other, 1))
    return season


def url(season: Season) -> str:
    return reverse("ratings:replay-progress", args=[season.league.slug, season.slug])


def line(client: Client, season: Season) -> str:
    response = client.get(url(season))
    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    return response.content.decode()


def test_a_replay_that_runs_shows_its_stage_and_percent(scorer, season):
    Shown(progress_key(season.pk)).show(Step(Stage.RATING, 123, 1000))
    text = line(scorer, season)
    assert "Rating the games: 12 %" in text
    assert 'value="12"' in text
    assert 'hx-trigger="every 2s, refresh"' in text


def test_a_season_that_nobody_replays_yet_is_said_to_be_behind(scorer, season):
    text = line(scorer, season)
    assert "being recomputed" in text
    assert "<progress" not in text


def test_a_finished_replay_is_level_and_asked_about_less_often(scorer, season):
    replayed(season)
    Shown(progress_key(season.pk)).show(Step(Stage.RATING, 1, 2))  # of a worker that lost the race
    text = line(scorer, season)
    assert "The results are level with the games." in text
    assert 'hx-trigger="every 20s, refresh"' in text


def test_a_replay_that_failed_says_why(scorer, season):
    RuleSet.objects.filter(season=season).update(curve="spiral")
    replay_season(season.pk)
    assert "The results could not be computed:" in line(scorer, season)
    assert shown(progress_key(season.pk)) is None


def test_a_closed_season_is_not_asked_about(scorer, season):
    replayed(season)
    update_season(season=season, by=None, state=Season.State.CLOSED)
    replayed(season)
    assert "hx-get" not in line(scorer, season)


def test_only_the_leagues_organizers_see_it(client, season):
    assert client.get(url(season)).status_code == 302
    client.force_login(make_user())
    assert client.get(url(season)).status_code == 404
    client.force_login(make_organizer(make_league("other"), Role.OWNER))
    assert client.get(url(season)).status_code == 404


@pytest.mark.parametrize("name", ["ratings:standings", "ratings:league-home"])
def test_pages_show_the_line_to_organizers_while_they_are_behind(scorer, season, name):
    address = reverse(name, args=[season.league.slug, season.slug][: 1 + (name == "ratings:standings")])
    asks = f'hx-get="{url(season)}"'
    page = scorer.get(address).content.decode()
    assert asks in page
    assert "being recomputed" in page  # what is there without JavaScript
    visitor = Client().get(address).content.decode()
    assert asks not in visitor
    assert "being recomputed" in visitor
    replayed(season)
    assert asks not in scorer.get(address).content.decode()


def test_the_admins_page_of_a_season_shows_the_line(scorer, season):
    page = scorer.get(reverse("admin:leagues_season_change", args=[season.pk])).content.decode()
    assert f'hx-get="{url(season)}"' in page
    assert "htmx" in page
