"""A player's standing as a picture."""

from datetime import timedelta
from xml.etree import ElementTree

import pytest

from leagues.models import Entry, Player, Season
from leagues.services import withdraw_player
from ratings.services.rules import change_rules
from ratings.views.shared import badge
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db

ADDRESS = "/apes/now/players/ann/badge.svg"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def season() -> Season:
    """A season that asks for 2 games and no meetings; Ann has one, and then two."""
    season = make_season(make_league("apes"), slug="now")
    change_rules(season=season, by=None, values={"min_games": 2, "min_meetings": 0})
    season.refresh_from_db()
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5))
    return replayed(season)


def second_game(season: Season) -> None:
    ann, bob = Player.objects.order_by("pk")
    make_game(season, (ann, 10), (bob, 5), played_at=season.starts_at + timedelta(days=1))
    replayed(season)


def texts(answer) -> list[str]:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "image/svg+xml"
    return [element.text or "" for element in ElementTree.fromstring(answer.content).iter(f"{SVG}text")]


def score(season: Season) -> str:
    tenths = season.standings.get(player__name="Ann").season_score  # type: ignore[attr-defined]
    return f"{tenths // 10}.{tenths % 10}"


def test_it_says_place_score_and_games(client, season):
    assert texts(client.get(ADDRESS)) == ["Ann", f"no place yet, {score(season)}, 1 of 2 games"]
    second_game(season)
    assert texts(client.get(ADDRESS)) == ["Ann", f"1st, {score(season)}, 2 of 2 games"]


def test_it_speaks_the_language_of_the_address(client, season):
    second_game(season)
    number = score(season).replace(".", ",")
    assert texts(client.get(f"{ADDRESS}?lang=bg")) == ["Ann", f"1-во, {number}, 2 от 2 игри"]
    assert texts(client.get(f"{ADDRESS}?lang=tr"))[1].startswith(f"1., {number}, 2 / 2")


def test_where_no_more_are_required_it_counts_the_games(client, season):
    change_rules(season=season, by=None, values={"min_games": 0})
    replayed(season)
    assert texts(client.get(ADDRESS))[1] == f"1st, {score(season)}, 1 game"
    change_rules(season=season, by=None, values={"min_games": 1})
    second_game(season)
    assert texts(client.get(ADDRESS))[1] == f"1st, {score(season)}, 2 games"


def test_who_withdrew_or_never_came_is_said_to_have(client, season):
    make_players(season.league, "Cyd")
    assert texts(client.get("/apes/now/players/cyd/badge.svg")) == ["Cyd", "not entered"]
    withdraw_player(entry=Entry.objects.get(player__name="Ann"), by=None)
    replayed(season)
    assert texts(client.get(ADDRESS))[1].startswith("withdrawn, ")
    assert client.get("/apes/now/players/nobody/badge.svg").status_code == 404


def test_xs_01_names_are_text_in_it(client, season):
    Player.objects.filter(name="Ann").update(name='"><script>x</script>&')
    answer = client.get(ADDRESS)
    assert texts(answer)[0] == '"><script>x</script>&'
    assert b"<script" not in answer.content


def test_caches_keep_it_until_the_standing_changes(client, season):
    answer = client.get(ADDRESS)
    assert answer["Cache-Control"] == "public, max-age=60"
    assert not answer.cookies
    assert client.get(ADDRESS, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    second_game(season)
    assert client.get(ADDRESS, headers={"If-None-Match": answer["ETag"]}).status_code == 200


def test_its_texts_lie_inside_it_however_wide_their_letters_are():
    for name in ("A", "Захари", "名前", "e\u0301" * 9):
        made = badge(name, "1st")
        assert made.name.x + made.name.width < made.split < made.standing.x
        assert made.standing.x + made.standing.width < made.width
    assert badge("名前", "1st").width > badge("ab", "1st").width
    assert badge("e\u0301", "1st").width == badge("e", "1st").width
