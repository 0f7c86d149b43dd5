"""The page, the file and the JSON of the standings tell the same numbers."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.test import Client
from django.urls import reverse

from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def as_in_a_file(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def reached(number: int, needed: int) -> str:
    """How a page tells a number of which so many are needed."""
    return f"{number} ✓" if number >= needed else f"{number} / {needed}"


def test_standings_agree_on_the_page_in_the_file_and_as_json(client: Client) -> None:
    season = make_season(make_league())
    change_rules(season=season, by=None, values={"min_games": 2, "min_meetings": 1})
    anna, boris, vera, galya = make_players(season.league, "Anna", "Boris", "Vera", "Galya")
    make_game(season, (anna, 700), (boris, 20), (vera, 20))
    make_game(season, ([anna, boris], 300), (vera, 200), (galya, -100))
    make_game(season, (vera, 50), (galya, 50))
    replayed(season)
    names = [season.league.slug, season.slug]

    items = client.get(f"/api/v1/leagues/{names[0]}/seasons/{names[1]}/standings").json()["items"]
    text = b"".join(client.get(reverse("ratings:standings-file", args=names))).decode()
    lines = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    page = client.get(reverse("ratings:standings", args=names)).content.decode()
    rows = re.findall(r"<tr[^>]*><td.*?</tr>", page, re.DOTALL)

    # A team game of three sides counts as two.
    assert {item["player"]: item["games"] for item in items} == {"Anna": 3, "Boris": 3, "Vera": 4, "Galya": 3}
    assert len(items) == len(lines) == len(rows) == 4
    for item, line, row in zip(items, lines, rows, strict=True):
        assert line["address"] == item["slug"]
        for name in line.keys() - {"address"}:
            assert line[name] == as_in_a_file(item[name]), name
        shown = re.sub(r"<[^>]*>", "", row)
        assert item["player"] in shown
        assert f"{item['season_score']}" in shown
        assert f"{item['rating']}" in shown
        assert f"{item['wins']}–{item['draws']}–{item['losses']}" in shown
        assert reached(item["games"], 2) in shown
        assert reached(item["opponents_met"], item["opponents"]) in shown
