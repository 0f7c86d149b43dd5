"""Real results, in and out again: nothing of them is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from leagues.games_csv import read_games
from leagues.services import import_games
from ratings.services.check import check_season
from tests.factories import make_league, make_season, replayed

# Every 165th of 49,520 international football results from 1872 on, in the public domain.
SLICE = Path(__file__).parent.parent / "data" / "international_football.csv"
FOOTBALL = Path(os.environ.get("REAL_FILE") or SLICE)


@pytest.mark.django_db
def test_football_results_come_out_as_they_went_in(client: Client) -> None:
    data = FOOTBALL.read_bytes()
    season = make_season(make_league("football"), slug="all", starts_on="1872-01-01", ends_on="2099-12-31")
    season.refresh_from_db()
    read = read_games(data, timezone=season.league.zone)
    assert not read.errors
    games = len(read.games)
    assert games == data.count(b"\n") - 1 > 0
    assert import_games(season=season, file=read, by=None, create_players=True).new == games
    replayed(season)
    address = reverse("ratings:games-file", args=["football", "all"])
    written = read_games(b"".join(client.get(address).streaming_content), timezone=season.league.zone)
    assert [(each.played_at, each.sides, each.note) for each in written.games] == [
        (each.played_at, each.sides, each.note) for each in read.games
    ]
    assert import_games(season=season, file=written, by=None).new == 0
    assert check_season(season.pk) == []
