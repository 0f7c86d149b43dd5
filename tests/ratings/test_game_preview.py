"""What the game in the entry form would change, before it is saved."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.test import Client
from django.urls import reverse

from leagues.models import Game, Player, Role, Season
from leagues.services import add_organizer, update_season
from ratings.models import PrizeTier, Standing
from ratings.services.rules import change_prize_tiers, change_rules
from ratings.views import previews
from tests.factories import (
    make_account,
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_user,
    replayed,
)

HTMX = {"HX-Request": "true"}


def address(season: Season, name: str = "ratings:game-preview") -> str:
    return reverse(name, kwargs={"league": season.league.slug, "season": season.slug})


def typed(*sides: tuple[Any, Any], played_at: str = "2026-05-01T15:00", **values: Any) -> dict[str, Any]:
    data = {
        "played_at": played_at,
        "note": "",
        "side-TOTAL_FORMS": str(len(sides)),
        "side-INITIAL_FORMS": "0",
    }
    for number, (who, points) in enumerate(sides):
        chosen = who if isinstance(who, list) else [who]
        data[f"side-{number}-members"] = [each.pk if isinstance(each, Player) else each for each in chosen]
        data[f"side-{number}-points"] = str(points)
    return data | values


def preview(client: Client, season: Season, *sides: tuple[Any, Any], **values: Any) -> Any:
    response = client.post(address(season), typed(*sides, **values), headers=HTMX)
    assert response.status_code == 200
    assert "<form" not in response.content.decode()
    return response


def text_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_what_is_told_is_what_the_game_then_does_and_nothing_is_stored(scorer, season, players):
    """A new player takes the first place and its prize from whoever has them."""
    zahari, valya, *_others = players
    change_rules(season=season, by=None, values={"min_games": 0, "min_meetings": 0})
    change_prize_tiers(season=season, by=None, saved=[PrizeTier(name="Cup", first_place=1, last_place=1)])
    make_game(season, (zahari, 500), (valya, 100))
    replayed(season)
    response = preview(scorer, season, (["new:Нели"], 2000), (zahari, 0), (valya, 0))
    told = {move.player.name: move.after for move in response.context["what_if"].moves}
    page = text_of(response)
    assert "Захари → <strong>Нели</strong>" in page
    assert "would be classified" in page
    assert (Player.objects.filter(name="Нели").exists(), Game.objects.count()) == (False, 1)
    scorer.post(address(season, "leagues:game-create"), typed((["new:Нели"], 2000), (zahari, 0), (valya, 0)))
    replayed(season)
    rows = {row.player.name: row for row in Standing.objects.filter(season=season).select_related("player")}
    assert told.keys() == rows.keys() - {"Марина", "Добри"}
    for name, after in told.items():
        row = rows[name]
        assert (after.place, after.rating, after.season_score) == (row.place, row.rating, row.season_score)
    assert rows["Нели"].place == 1


def test_the_change_of_each_side_is_shown(scorer, season, players):
    # Equals, 400 apart: 10 × 3.279 × (1 − 0.5) = 16.4, as the printed table has it for 400.
    page = text_of(preview(scorer, season, (players[0], 500), (players[1], 100)))
    assert '<span class="change up">+16.4</span>' in page
    assert '<span class="change down">−16.4</span>' in page


def test_two_new_players_are_two_and_one_name_is_one(scorer, season, players):
    response = preview(scorer, season, (["new:A", "new:B"], 5), (["new:C"], 3))
    assert len(response.context["what_if"].moves) == 3
    page = text_of(preview(scorer, season, (["new:A"], 5), (["new:a"], 3)))
    assert "a is on side 1 and on side 2; a player has one seat in a game." in page


def test_a_game_before_others_is_told_with_all_that_follows(scorer, season, players):
    """Zahari and Valya met in July; that they and a new player played in May is entered now."""
    zahari, valya, *_others = players
    change_rules(season=season, by=None, values={"min_games": 0, "min_meetings": 0})
    make_game(season, (zahari, 500), (valya, 100), played_at=season.starts_at + timedelta(days=200))
    replayed(season)
    sides = ((["new:Нели"], 900), (valya, 400), (zahari, 0))
    response = preview(scorer, season, *sides)
    assert "1 game was played later and would be rated anew." in text_of(response)
    told = {each.player.name: each for each in response.context["effect"].seated}
    assert list(told) == ["Нели", "Валя", "Захари"]
    places = {each.player.name: each.places[1] for each in response.context["effect"].places}
    scorer.post(address(season, "leagues:game-create"), typed(*sides))
    replayed(season)
    rows = {row.player.name: row for row in Standing.objects.filter(season=season).select_related("player")}
    for name, moved in told.items():
        assert (moved.after.rating, moved.after.place) == (rows[name].rating, rows[name].place)
    assert places == {name: rows[name].place for name in places} != {}


def test_games_played_later_are_counted_where_they_are_too_many_to_rate(scorer, season, players, monkeypatch):
    monkeypatch.setattr(previews, "LATER_GAMES_MOST", 0)
    make_game(season, (players[0], 5), (players[1], 3), played_at=season.starts_at + timedelta(days=200))
    replayed(season)
    page = text_of(preview(scorer, season, (players[0], 5), (players[1], 3)))
    assert "1 game was played later and will be rated anew after this one." in page
    later = preview(scorer, season, (players[0], 5), (players[1], 3), played_at="2026-12-01T10:00")
    assert "played later" not in text_of(later)


def test_results_that_lag_are_told(scorer, season, players):
    make_game(season, (players[0], 5), (players[1], 3))
    page = text_of(preview(scorer, season, (players[0], 5), (players[1], 3), played_at="2026-12-01T10:00"))
    assert "the ratings are being recomputed" in page


def test_what_is_not_whole_yet_gets_a_sentence(scorer, season, players):
    for sides in (
        [([], ""), ([], "")],
        [(players[0], "5"), (players[1], "")],
        [(["name:zoe"], 5), (players[1], 3)],
    ):
        assert "Once the players and points are there" in text_of(preview(scorer, season, *sides))
    assert "Once the players" in text_of(scorer.post(address(season), {}, headers=HTMX))


def test_what_the_season_refuses_is_said_before_saving(scorer, season, players):
    page = text_of(preview(scorer, season, (players[0], 9000), (players[1], 0)))
    assert "this season accepts at most 5,000" in page


def test_without_scripts_the_form_comes_back_with_the_preview_and_saves(scorer, season, players):
    data = typed((players[0], 500), (players[1], 100), note="hm")
    page = scorer.post(address(season), data).content.decode()
    assert "What would change" in page
    assert 'value="hm"' in page
    assert f'<form method="post" action="{address(season, "leagues:game-create")}"' in page
    assert "selected>Захари</option>" in page
    refused = scorer.post(address(season), typed((players[0], 9000), (players[1], 0)))
    assert "The game is not saved yet." in refused.content.decode()
    assert not Game.objects.exists()


def test_xw_01_players_of_another_league_are_unknown(scorer, season, players):
    (stranger,) = make_players(make_league(), "Canary")
    page = scorer.post(address(season), typed((players[0], 5), (stranger, 3))).content.decode()
    assert "This player is unknown in this league." in page
    assert "Canary" not in page
    assert "Canary" not in text_of(preview(scorer, season, (players[0], 5), (stranger, 3)))


def test_only_scorers_ask(client, season, players):
    data = typed((players[0], 5), (players[1], 3))
    assert client.post(address(season), data).status_code == 302
    client.force_login(make_user("erin"))
    assert client.post(address(season), data).status_code == 404
    client.force_login(make_organizer(make_league(), Role.OWNER))
    assert client.post(address(season), data).status_code == 404


def test_a_player_who_reports_a_game_sees_what_it_would_change(client, season, players):
    update_season(season=season, by=None, games_from="both")
    make_organizer(season.league, Role.OWNER)
    client.force_login(make_account(players[0]))
    assert "What would change" in text_of(preview(client, season, (players[0], 500), (players[1], 100)))
    page = client.post(address(season), typed((players[0], 500), (players[1], 100))).content.decode()
    assert "Report a game" in page
    assert "What would change" in page
    written = client.get(address(season, "leagues:game-create"), {"line": "zahari 5, zoe 3"})
    assert "Nobody is called “zoe”." in written.content.decode()
    assert "as a new player" not in written.content.decode()


def test_an_organizer_who_plays_reports_where_games_come_from_players_alone(client, season, players):
    """The preview is of the same form as the page it is asked from."""
    make_organizer(season.league, Role.OWNER)
    account = make_account(players[0])
    add_organizer(league=season.league, user=account, role=Role.SCORER, by=None)
    client.force_login(account)
    data = typed((players[0], 500), (players[1], 100))
    for games_from, heading in (("both", "Enter a game"), ("players", "Report a game")):
        update_season(season=season, by=None, games_from=games_from)
        assert f"{heading}</h1>" in client.get(address(season, "leagues:game-create")).content.decode()
        assert f"{heading}</h1>" in client.post(address(season), data).content.decode()


def test_a_closed_season_says_so(scorer, season, players):
    update_season(season=season, by=None, state=Season.State.CLOSED)
    page = scorer.post(address(season), typed((players[0], 5), (players[1], 3))).content.decode()
    assert "is closed and takes no changes" in page
    assert "What would change" not in page


def test_as_many_queries_for_a_large_season(scorer, season, players, django_assert_num_queries):
    where, data = address(season), typed((players[0], 5), (players[2], 3))
    make_game(season, (players[0], 5), (players[1], 3))
    replayed(season)
    with django_assert_num_queries(14):
        scorer.post(where, data, headers=HTMX)
    more = make_players(season.league, *(f"P{number}" for number in range(20)))
    make_game(season, *((player, number) for number, player in enumerate(more)))
    replayed(season)
    with django_assert_num_queries(14):
        scorer.post(where, data, headers=HTMX)
