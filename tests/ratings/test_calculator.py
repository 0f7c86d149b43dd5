"""What a game would change, before it is played."""

from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from leagues.models import Entry, Game, Season
from leagues.services import enter_player, withdraw_player
from ratings.models import PrizeTier, RatingChange, Standing
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def ask(client, season, *asked, **headers):
    """The calculator's answer to pairs of a name and a value."""
    address = reverse("ratings:calculator", kwargs={"league": season.league.slug, "season": season.slug})
    response = client.get(f"{address}?{urlencode(asked)}", headers=headers)
    assert response.status_code == 200
    return response


def text_of(response):
    return " ".join(response.content.decode().split())


def played(season, players):
    """Everybody against everybody, once."""
    hour = 0
    for one in players:
        for other in players:
            if one.pk < other.pk:
                hour += 1
                at = season.starts_at + timedelta(hours=hour)
                make_game(season, (one, 100), (other, 40), played_at=at)
    return replayed(season)


def sides(*pairs):
    asked = []
    for number, (members, points) in enumerate(pairs, 1):
        asked += [(f"side{number}", member) for member in members.split("+")]
        asked.append((f"points{number}", points))
    return asked


def test_the_printed_example_with_ratings_in_place_of_players(client, season):
    page = text_of(ask(client, season, *sides(("~1600", 500), ("~1500", 100))))
    assert "10 × 3.279 × (1 − 0.5420) = <strong>+15.015</strong>" in page
    assert "1600.0 + 15.015 = 1615.015 → <strong>1615.0</strong>" in page
    assert "1500.0 − 15.015 = 1484.985 → <strong>1485.0</strong>" in page


def test_the_printed_team_game(client, season):
    page = text_of(ask(client, season, *sides(("~1100+~1500", 1200), ("~1600+~1700", 850))))
    assert "1300.0" in page
    assert "1100.0 + 17.936 = 1117.936 → <strong>1117.9</strong>" in page


@pytest.mark.parametrize("preset", ["wsd-2.0", "ranked-battle"])
def test_r127_what_is_told_is_what_the_game_then_does_and_nothing_is_stored(client, preset):
    season = make_season(make_league(), preset=preset)
    change_rules(season=season, by=None, values={"min_games": 3, "min_meetings": 1})
    tier = PrizeTier(name="Cup", first_place=1, last_place=1)
    change_prize_tiers(season=season, by=None, saved=[tier])
    ann, bob, cyd, dan = make_players(season.league, "Ann", "Bob", "Cyd", "Dan")
    played(season, [ann, bob, cyd])
    make_game(season, (dan, 50), (ann, 10), played_at=season.starts_at + timedelta(days=2))
    make_game(season, (dan, 70), (bob, 10), played_at=season.starts_at + timedelta(days=2))
    replayed(season)
    stored = [list(model.objects.order_by("pk").values()) for model in (Game, Standing, RatingChange)]
    response = ask(client, season, *sides(("dan", 900), ("cyd", 20)))
    assert stored == [list(model.objects.order_by("pk").values()) for model in (Game, Standing, RatingChange)]
    told = {move.player: move.after for move in response.context["what_if"].moves}
    prizes = response.context["what_if"].prizes
    make_game(season, (dan, 900), (cyd, 20), played_at=season.starts_at + timedelta(days=3))
    replayed(season)
    for row in Standing.objects.filter(season=season, player__in=told).select_related("player"):
        after = told[row.player]
        for name in ("place", "position", "rating", "season_score", "games", "classified", "opponents_met"):
            assert getattr(after, name) == getattr(row, name), (row.player, name)
    assert told[dan].classified
    assert [(move.before, move.after) for move in prizes] == [([ann], [dan])]
    assert "would be classified" in text_of(response)


@pytest.mark.parametrize("opponents", ["entered", "ranked"])
def test_meetings_and_opponents_are_counted_on(client, season, players, opponents):
    """A free-for-all lets players meet, a newcomer be entered, and, by games, an opponent count."""
    change_rules(season=season, by=None, values={"min_games": 2, "min_meetings": 1, "opponents": opponents})
    zahari, valya, marina, dobri = players
    make_game(season, (zahari, 10), (valya, 5))
    make_game(season, (zahari, 30), (marina, 5), played_at=season.starts_at + timedelta(hours=5))
    replayed(season)
    asked = sides(("valya", 3), ("marina", 2), ("dobri", 1))
    told = {move.player: move.after for move in ask(client, season, *asked).context["what_if"].moves}
    make_game(season, (valya, 3), (marina, 2), (dobri, 1), played_at=season.starts_at + timedelta(days=1))
    replayed(season)
    assert told.keys() >= {valya, marina, dobri}
    for row in Standing.objects.filter(season=season, player__in=told).select_related("player"):
        after = told[row.player]
        assert (after.opponents, after.opponents_met, after.place, after.season_score) == (
            row.opponents, row.opponents_met, row.place, row.season_score,
        )  # fmt: skip


def test_a_withdrawn_player_stays_withdrawn(client, season, players):
    played(season, players)
    withdraw_player(entry=Entry.objects.get(season=season, player=players[0]), by=None)
    replayed(season)
    response = ask(client, season, *sides((players[0].slug, 9), (players[1].slug, 1)))
    (move,) = (move for move in response.context["what_if"].moves if move.player == players[0])
    assert move.after.withdrawn
    assert not move.after.classified


def test_two_players_without_points_show_what_is_at_stake(client, season):
    response = ask(client, season, ("side1", "~1400"), ("side2", "~1500"))
    page = text_of(response)
    # 10 × 1.1142 × (1 − 0.4580) = 6.04, and 10 × 1.1142 × (1 − 0.5420) = 5.10
    assert '<td class="num">100</td> <td class="num">+6.0</td> <td class="num">+5.1</td>' in page
    assert '<svg class="chart curve stakes" role="img"' in page
    assert "what_if" not in response.context


def test_a_ladder_shows_the_three_results(client):
    season = make_season(make_league(), preset="ranked-battle")
    page = text_of(ask(client, season, ("side1", "~1500"), ("side2", "~1600")))
    for change, mirror in (("+12.8", "−12.8"), ("+2.8", "−2.8"), ("−7.2", "+7.2")):
        assert f'<td class="num">{change}</td> <td class="num">{mirror}</td>' in page
    # E of 100 less is 1 / (1 + 10^(100/400))
    assert "player with 1500.0 (1500.0) 0.360, player with 1600.0 (1600.0) 0.640. K is 20" in page
    assert "20 × (1 − 0.3599)" in page
    assert 'name="points1"' not in page
    won = "?side1=~1500&amp;side2=~1600&amp;points1=1&amp;points2=0"
    assert won in page
    assert "Why the ratings would change" in text_of(
        ask(client, season, ("side1", "~1500"), ("points1", 1), ("side2", "~1600"), ("points2", 0))
    )


def test_a_calculator_without_players_offers_an_example(client):
    page = text_of(ask(client, make_season(make_league(), preset="ranked-battle")))
    assert "There are no players yet: write ratings, such as 1500 and 1600." in page
    assert "?side1=~1500&amp;side2=~1600" in page


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (sides(("zahari", 10), ("nobody", 1)), "This player is unknown in this league."),
        (sides(("zahari", 10), ("~many", 1)), "“many” is no rating"),
        (sides(("zahari", 10), ("~1e400", 1)), "“1e400” is no rating"),
        (sides(("zahari", 10), ("~NaN", 1)), "“NaN” is no rating"),
        (sides(("zahari", "1e9"), ("valya", 1)), "“1e9” is no whole number"),
        (sides(("zahari", 9000), ("valya", 1)), "this season accepts at most 5,000"),
        (sides(("zahari", 10), ("zahari", 1)), "a player has one seat in a game"),
        (sides(("zahari", 10), ("", 1)), "Side 2 has no player."),
        (sides(("zahari", 10), ("valya", "")), "Write the points."),
        (sides(("zahari+valya+marina+dobri", 10), ("~1500", 1)), "a team has 1 to 3"),
        (sides(("zahari\x00", 10), ("valya", 1)), "This player is unknown in this league."),
        (sides(("+".join(["~1500"] * 30), 10), ("valya", 1)), "A side has at most 20 players here."),
    ],
)
def test_what_makes_no_game_is_said(client, season, players, asked, sentence):
    assert sentence in text_of(ask(client, season, *asked))


def test_rules_that_leave_all_bounds_are_said(client, season):
    change_rules(season=season, by=None, values={"k": Decimal(1000)})
    Season.objects.filter(pk=season.pk).update(largest_margin=6000)
    page = text_of(ask(client, season, *sides(("~1500", 6000), ("~1500", 0))))
    assert "this game would take ratings beyond all bounds" in page


def test_another_leagues_player_is_unknown(client, season, players):
    make_players(make_league("bees"), "Stranger")
    page = text_of(ask(client, season, *sides(("stranger", 1), ("valya", 0))))
    assert "This player is unknown in this league." in page


def test_empty_sides_at_the_end_are_left_out_and_one_more_can_be_added(client, season):
    asked = [*sides(("~1500", 10), ("~1500", 5)), ("side3", ""), ("points3", "")]
    assert len(ask(client, season, *asked).context["sides"]) == 2
    assert len(ask(client, season, *asked, ("more", "1")).context["form"].shown_sides()) == 4


def test_a_fragment_is_the_answer_alone(client, season):
    asked = sides(("~1600", 500), ("~1500", 100))
    response = ask(client, season, *asked, **{"HX-Request": "true", "HX-Target": "answer"})
    assert response.content.strip().startswith(b'<div id="answer"')
    assert b"<form" not in response.content


def test_the_picker_finds_players_of_the_season_and_takes_a_rating(client, season, players):
    make_game(season, (players[0], 10), (players[1], 5))
    replayed(season)
    kwargs = {"league": season.league.slug, "season": season.slug}
    address = reverse("ratings:calculator-players", kwargs=kwargs)
    assert 'data-value="zahari"' in client.get(address, {"q": "zaha"}).content.decode()
    assert 'data-value="~1400.5"' in client.get(address, {"q": "1400,5"}).content.decode()
    for nothing in ("", "dobri", "x" * 200, "\x00"):
        assert b"data-value" not in client.get(address, {"q": nothing}).content


def test_other_pickers_take_only_people_or_only_those_who_have_played(client, season, players):
    make_game(season, (players[0], 10), (players[1], 5))
    enter_player(season=season, player=players[3], by=None)
    replayed(season)
    kwargs = {"league": season.league.slug, "season": season.slug}
    address = reverse("ratings:calculator-players", kwargs=kwargs)

    def offers(text, only):
        return b"data-value" in client.get(address, {"q": text, "only": only}).content

    assert not offers("1400", "entered")
    assert offers("dobri", "entered")
    assert not offers("dobri", "played")
    assert offers("ZAHARI", "played")
