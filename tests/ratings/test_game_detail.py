"""One game, explained."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse

from leagues.models import Role, Season
from leagues.models.league import Visibility
from leagues.services import PlayedSide, correct_game, create_team, void_game
from ratings.models import Replay
from ratings.services.rules import change_rules
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


@pytest.fixture
def season():
    return make_season()


@pytest.fixture
def players(season):
    return make_players(season.league, "Marina", "Zahari", "Valya", "Dobri")


def address(game):
    season = game.season
    return reverse("ratings:game-detail", args=[season.league.slug, season.slug, game.pk])


def text_of(response):
    """The page with runs of white space as one."""
    return " ".join(response.content.decode().split())


def test_a_duel_is_told_as_a_sentence_and_in_numbers(client, season, players):
    """1500 against 1500: E = 0.5, M(400) = 0.4 + 3.6 × 399 / 499 = 3.2786, 10 × 3.2786 × 0.5 = 16.393."""
    game = make_game(season, (players[0], 500), (players[1], 100), note="Opening")
    replayed(season)
    page = text_of(client.get(address(game)))
    assert (
        "Marina (1500.0) could expect 0.5000 against Zahari (1500.0), damped to 0.5000, "
        "and won by 400 points, with the multiplier 3.279." in page
    )
    assert "10 × 3.279 × (1 − 0.5000) = <strong>+16.393</strong>" in page
    assert "1500.0 + 16.393 = 1516.393 → <strong>1516.4</strong>" in page
    assert "1500.0 − 16.393 = 1483.607 → <strong>1483.6</strong>" in page
    assert "K is 10 for every game of this season." in page
    assert "Opening" in page


def test_a_favourite_is_damped(client, season, players):
    """After two wins by 400 Marina has 1516.4 + 15.9; the third duel's numbers are worked out by hand.

    E = 1 / (1 + 10^(-Δ/400)), E′ = 0.3 E + 0.35.
    """
    for hours in (1, 2, 3):
        game = make_game(
            season, (players[0], 500), (players[1], 100), played_at=season.starts_at + timedelta(hours=hours)
        )
    replayed(season)
    marina, zahari = client.get(address(game)).context["explanation"].sides
    (duel,) = marina.duels
    difference = (marina.before[0] - zahari.before[0]) / 10
    expected = 1 / (1 + 10 ** (-difference / 400))
    assert difference > 60
    assert duel.expected == pytest.approx(expected)
    assert duel.damped == pytest.approx(0.3 * expected + 0.35)
    assert duel.change == pytest.approx(10 * (0.4 + 3.6 * 399 / 499) * (1 - duel.damped))


def test_a_free_for_all_is_the_sum_of_its_duels(client, season, players):
    """Four sides: K is 10 / 3, and each side plays three duels."""
    game = make_game(
        season, *((player, points) for player, points in zip(players, (400, 300, 200, 100), strict=True))
    )
    replayed(season)
    response = client.get(address(game))
    sides = response.context["explanation"].sides
    assert [len(side.duels) for side in sides] == [3, 3, 3, 3]
    assert sides[0].change == pytest.approx(sum(duel.change for duel in sides[0].duels))
    assert "Divided among 3 duels a side it is 3.333." in text_of(response)


def test_a_teams_rating_is_the_mean_of_its_members(client, season, players):
    """Marina at 1516.4 and Valya at 1500.0 make a side of 1508.2, and both gain the same."""
    create_team(league=season.league, name="The Lions", members=[players[0], players[2]], by=None)
    make_game(season, (players[0], 500), (players[1], 100))
    game = make_game(season, ((players[0], players[2]), 300), (players[3], 100))
    replayed(season)
    response = client.get(address(game))
    page = text_of(response)
    assert "mean 1508.2" in page
    assert "The Lions (1508.2) could expect" in page
    side = response.context["explanation"].sides[0]
    assert [after - before for before, after in zip(side.before, side.after, strict=True)] == [
        round(side.change * 10)
    ] * 2


def test_a_ladder_game_gives_the_reason_for_its_k(client):
    season = make_season(preset="ranked-battle")
    a, b = make_players(season.league, "Kara", "Buz")
    game = make_game(season, (a, 2), (b, 0))
    replayed(season)
    page = text_of(client.get(address(game)))
    assert "K is 40, because the challenger had played fewer than 30 games." in page
    assert "40 × (1 − 0.5000) = <strong>+20.000</strong>" in page
    assert "damped" not in page


def test_a_draw_is_told_as_one(client, season, players):
    game = make_game(season, (players[0], 5), (players[1], 5))
    replayed(season)
    assert "damped to 0.5000, and drew, with the multiplier 0.400." in text_of(client.get(address(game)))


def test_until_it_is_rated_it_says_so_and_polls(client, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    page = text_of(client.get(address(game)))
    assert "this game is being recomputed" in page
    assert "every 2s" in page
    assert "Why the ratings changed" not in page


def test_while_its_season_is_behind_nothing_is_explained_by_rules_that_did_not_rate_it(
    client, season, players
):
    game = make_game(season, (players[0], 500), (players[1], 100))
    replayed(season)
    change_rules(season=season, by=None, values={"k": Decimal(20)})
    response = client.get(address(game))
    assert response.context["explanation"] is None
    assert "+16.4" in text_of(response)
    replayed(season)
    assert "+32.8" in text_of(client.get(address(game)))


def test_a_failed_replay_is_told(client, season, players):
    game = make_game(season, (players[0], 500), (players[1], 100))
    season.refresh_from_db()
    Replay.objects.update_or_create(
        season=season, defaults={"failed_revision": season.revision, "error": "Too much"}
    )
    page = text_of(client.get(address(game)))
    assert "could not be recomputed" in page
    assert "Too much" not in page


def test_a_voided_game_has_its_reason_and_no_explanation(client, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    void_game(game=game, reason="Played twice", by=None)
    replayed(season)
    page = text_of(client.get(address(game)))
    assert "Voided: Played twice." in page
    assert "Why the ratings changed" not in page


def test_organizers_see_what_they_can_do_and_what_was_done(client, season, players):
    scorer = make_organizer(season.league, Role.SCORER, "carol")
    game = make_game(season, (players[0], 1), (players[1], 0), by=scorer)
    sides = [PlayedSide((players[0],), 7), PlayedSide((players[1],), 2)]
    correct_game(game=game, played_at=game.played_at, sides=sides, by=scorer)
    replayed(season)
    public = text_of(client.get(address(game)))
    client.force_login(scorer)
    page = text_of(client.get(address(game)))
    for name in ("game-update", "game-void", "game-delete"):
        link = reverse(f"leagues:{name}", args=[season.league.slug, season.slug, game.pk])
        assert link in page
        assert link not in public
    assert "carol" in page
    assert "carol" not in public
    assert "before: Marina 1, Zahari 0" in page
    assert "after: Marina 7, Zahari 2" in page


def test_a_closed_season_offers_no_change(client, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    Season.objects.filter(pk=season.pk).update(state=Season.State.CLOSED)
    client.force_login(make_organizer(season.league))
    update = reverse("leagues:game-update", args=[season.league.slug, season.slug, game.pk])
    assert update not in text_of(client.get(address(game)))


def test_htmx_gets_the_game_alone(client, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    response = client.get(address(game), headers={"HX-Request": "true"})
    assert "<html" not in text_of(response)
    assert "Marina" in text_of(response)


def test_a_game_of_another_season_league_or_of_none_is_unknown(client, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    other_season = make_season(season.league, name="Other", slug="other")
    other_league = make_season(make_league())
    for elsewhere in (other_season, other_league):
        where = [elsewhere.league.slug, elsewhere.slug]
        assert client.get(reverse("ratings:game-detail", args=[*where, game.pk])).status_code == 404
    for number in (0, game.pk + 1, 10**18, 10**30):
        where = [season.league.slug, season.slug, number]
        assert client.get(reverse("ratings:game-detail", args=where)).status_code == 404


def test_strangers_see_no_game_of_a_draft_or_of_a_private_league(client, season, players):
    game = make_game(season, (players[0], 1), (players[1], 0))
    Season.objects.filter(pk=season.pk).update(state=Season.State.DRAFT)
    assert client.get(address(game)).status_code == 404
    hidden = make_season(make_league(visibility=Visibility.PRIVATE))
    hidden_game = make_game(hidden, *((player, 1) for player in make_players(hidden.league, "A", "B")))
    client.force_login(make_user())
    assert client.get(address(game)).status_code == 404
    assert client.get(address(hidden_game)).status_code == 404


def test_the_number_of_queries_does_not_depend_on_the_sides(
    client, season, players, django_assert_num_queries
):
    small = make_game(season, (players[:2], 1), (players[2], 0))
    large = make_game(season, (players[:2], 9), *((player, 1) for player in players[2:]))
    replayed(season)
    for page in (address(small), address(large)):
        # season, game, sides, members, players, changes, teams, states before, rules twice
        with django_assert_num_queries(10):
            client.get(page)
