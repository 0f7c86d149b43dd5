"""Everybody against everybody, and its file."""

import re
from datetime import timedelta
from urllib.parse import urljoin

import pytest
from django.urls import reverse

from leagues.models import Player, Season
from leagues.services import enter_player, withdraw_player
from ratings.services.matrix import Met
from ratings.services.rules import change_rules
from ratings.tables.matrix import heat
from ratings.views import matrix
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def address(season: Season, name: str = "matrix") -> str:
    return reverse(f"ratings:{name}", args=[season.league.slug, season.slug])


def text_of(response) -> str:
    return " ".join(response.content.decode().split())


def cells_of(response, player: Player) -> list[str]:
    """The texts of a player's cells, in the order of the opponents on top."""
    row = re.search(rf'<tr><th scope="row"><a href="../players/{player.slug}/".*?</tr>', text_of(response))
    assert row
    return [re.sub("<.*?>", " ", cell).strip() for cell in re.findall("<td[^>]*>(.*?)</td>", row[0])]


def on_top(response) -> list[str]:
    """The opponents on top."""
    return re.findall(r'<th scope="col"><span title="(.*?)">', text_of(response))


def test_games_and_score_of_every_pair_and_what_a_place_still_needs(client, season, players):
    """A place needs 2 games with each. Захари beat Валя twice and lost to her once; Марина drew with Валя."""
    zahari, valya, marina, dobri = players
    change_rules(season=season, by=None, values={"min_games": 1, "min_meetings": 2})
    for points in (9, 9, 1):
        make_game(season, (zahari, points), (valya, 5))
    make_game(season, (valya, 5), (marina, 5))
    enter_player(season=season, player=dobri, by=None)
    withdraw_player(entry=season.entries.get(player=dobri), by=None)
    response = client.get(address(replayed(season)))
    met = {player: dict(zip(on_top(response), cells_of(response, player), strict=True)) for player in players}
    assert met[zahari] == {"Захари": "", "Валя": "3 2–0–1", "Марина": "+2", "Добри": ""}
    assert met[valya] == {"Валя": "", "Захари": "3 1–0–2", "Марина": "1 0–1–0   +1", "Добри": ""}
    assert set(met[dobri].values()) == {""}  # who has withdrawn needs nobody
    assert "2 of 6 pairs have met. They met 4 times in all." in text_of(response)
    # Of the three who stay each needs the two others.
    assert "A place needs 2 games with each opponent: done by 1 of 3 pairs." in text_of(response)


def test_where_only_the_ranked_must_be_met_a_pair_counts_once_too(client, season, players):
    zahari, valya, marina, dobri = players
    change_rules(season=season, by=None, values={"min_games": 2, "min_meetings": 2, "opponents": "ranked"})
    for _ in range(2):
        make_game(season, (zahari, 9), (valya, 5))
    make_game(season, (marina, 9), (dobri, 5))
    page = text_of(client.get(address(replayed(season))))
    # The two ranked with each other, and each of them with the two others; these need not meet.
    assert "done by 1 of 5 pairs." in page


def test_a_game_of_several_sides_is_told_beside_its_meetings(client, season, players):
    make_game(season, *((player, number) for number, player in enumerate(players)))
    assert "They met 6 times in all, in 1 game." in text_of(client.get(address(replayed(season))))


def test_a_cell_leads_to_the_games_of_the_pair(client, season, players):
    make_game(season, (players[0], 9), (players[1], 5))
    replayed(season)
    page = text_of(client.get(address(season)))
    assert 'href="../players/zahari/?opponent=valya#games"' in page
    assert client.get(urljoin(address(season), "../players/zahari/?opponent=valya")).status_code == 200


def test_colours_go_from_all_lost_to_all_won():
    assert [heat(Met(4, won, 0, 4 - won)) for won in range(5)] == [1, 2, 3, 4, 5]
    assert heat(Met(2, 0, 2, 0)) == heat(Met(2, 1, 0, 1)) == 3


def test_a_large_season_is_cut_at_both_sides(client, season, players, monkeypatch):
    monkeypatch.setattr(matrix, "PLAYERS", 3)
    make_game(season, *((player, number) for number, player in enumerate(players)))  # Добри is first
    replayed(season)
    first = client.get(address(season))
    assert len(cells_of(first, players[3])) == 3
    assert 'href="../players/zahari/" title' not in text_of(first)
    last = client.get(address(season), {"page": 2, "columns": 2})
    assert cells_of(last, players[0]) == [""]
    assert "Rows: 4–4 of 4" in text_of(last)


def test_numbers_of_many_pages_are_cut_short(client, season, monkeypatch):
    monkeypatch.setattr(matrix, "PLAYERS", 1)
    make_game(season, *((player, 5) for player in make_players(season.league, *map(str, range(12)))))
    page = text_of(client.get(address(replayed(season))))
    rows = page.partition('aria-label="Players"')[2].partition("</nav>")[0]
    assert re.findall("page=([0-9]+)", rows) == ["2", "3", "4", "5", "6", "7", "8", "12"]


def test_those_found_have_on_top_only_whom_they_met(client, season, players):
    zahari, valya, marina, dobri = players
    change_rules(season=season, by=None, values={"min_meetings": 0})
    make_game(season, (zahari, 9), (valya, 5))
    make_game(season, (marina, 9), (dobri, 5))
    found = client.get(address(replayed(season)), {"q": "ZAHARI"})
    assert on_top(found) == ["Валя"]
    assert cells_of(found, zahari) == ["1 1–0–0"]
    assert "On top are only the opponents whom the players on the left have met." in text_of(found)
    assert len(on_top(client.get(address(season)))) == 4


def test_whom_one_found_only_has_to_meet_stands_behind_those_met(client, season, players):
    zahari, valya, marina, dobri = players
    change_rules(season=season, by=None, values={"min_games": 1, "min_meetings": 2})
    make_game(season, (valya, 9), (marina, 5))
    make_game(season, (marina, 9), (zahari, 5))
    enter_player(season=season, player=dobri, by=None)
    withdraw_player(entry=season.entries.get(player=dobri), by=None)
    found = client.get(address(replayed(season)), {"q": "zahari"})
    assert on_top(found)[0] == "Марина"
    assert set(on_top(found)) == {"Марина", "Валя", "Захари"}  # whoever has withdrawn must not be met
    assert "then those whom they only have to meet" in text_of(found)
    gone = client.get(address(season), {"q": "dobri"})
    assert on_top(gone) == []
    assert "Nobody here has met an opponent yet." in text_of(gone)


def test_those_found_have_all_their_opponents_on_one_page(client, season, players, monkeypatch):
    monkeypatch.setattr(matrix, "PLAYERS", 3)
    make_game(season, *((player, number) for number, player in enumerate(players)))
    response = client.get(address(replayed(season)), {"q": "zahari"})
    assert len(cells_of(response, players[0])) == 4
    assert "Columns:" not in text_of(response)


@pytest.fixture
def sparse(season, monkeypatch) -> list[Player]:
    """Twelve players of whom two pairs of 66 have met, in a matrix of ten."""
    change_rules(season=season, by=None, values={"min_meetings": 0})
    monkeypatch.setattr(matrix, "PLAYERS", 10)
    many = make_players(season.league, *(f"Player {number:02}" for number in range(12)))
    for player in many:
        enter_player(season=season, player=player, by=None)
    for number in (0, 1):
        make_game(season, (many[number], 9), (many[11 - number], 5))
    replayed(season)
    return many


def test_where_hardly_anybody_has_met_a_page_is_a_few_players_and_their_opponents(client, season, sparse):
    page = client.get(address(season))
    assert [row.player for row in page.context["page"]][:2] == [sparse[0], sparse[1]]
    assert len(page.context["page"]) == 5
    assert set(on_top(page)) == {"Player 10", "Player 11"}
    assert sorted(cells_of(page, sparse[0])) == ["", "1 1–0–0"]
    assert "So few have met that a page shows only some players" in text_of(page)
    assert "Rows: 1–5 of 12" in text_of(page)
    found = client.get(address(season), {"q": "Player 11"})
    assert on_top(found) == ["Player 00"]
    assert "So few have met" not in text_of(found)


def test_a_season_of_one_page_is_whole_however_few_have_met(client, season, sparse, monkeypatch):
    monkeypatch.setattr(matrix, "PLAYERS", 12)
    page = client.get(address(season))
    assert len(on_top(page)) == len(page.context["page"]) == 12


@pytest.mark.parametrize("query", ["page=x", "columns=-1", "columns=999", "q=%00", "q=" + "x" * 200])
def test_odd_parameters_are_harmless(client, season, players, query):
    make_game(season, (players[0], 9), (players[1], 5))
    replayed(season)
    assert client.get(f"{address(season)}?{query}").status_code == 200


def test_without_players_there_is_a_sentence(client, season):
    assert "Nobody is in this season yet." in text_of(client.get(address(season)))


def test_a_fragment_is_the_matrix_alone_and_an_unchanged_one_is_not_sent(client, season, players):
    make_game(season, (players[0], 9), (players[1], 5))
    replayed(season)
    response = client.get(address(season), headers={"HX-Request": "true"})
    assert response.content.decode().strip().startswith('<div id="matrix"')
    headers = {"HX-Request": "true", "If-None-Match": response["ETag"]}
    assert client.get(address(season), headers=headers).status_code == 304


def test_the_file_has_each_pair_from_both_sides(client, season, players):
    for points in (9, 1, 5):
        make_game(season, (players[0], points), (players[1], 5))
    replayed(season)
    lines = b"".join(client.get(address(season, "matrix-file"))).decode().removeprefix("\ufeff").splitlines()
    assert lines == [
        "player,address,opponent,opponent_address,games,wins,draws,losses",
        "Валя,valya,Захари,zahari,3,1,1,1",
        "Захари,zahari,Валя,valya,3,1,1,1",
    ]


def test_it_takes_as_many_queries_for_many(client, django_assert_num_queries):
    season = make_season(make_league("club"))
    for number in range(2):
        new = make_players(season.league, *(f"Player {number} {other}" for other in range(2 + 10 * number)))
        make_game(season, *((p, 1) for p in new), played_at=season.starts_at + timedelta(days=number))
        replayed(season)
        page = address(season)
        # season, rules, players at both sides and their numbers, meetings, their and the players' totals
        with django_assert_num_queries(9):
            client.get(page)
        with django_assert_num_queries(9):
            client.get(page, {"q": "player"})
