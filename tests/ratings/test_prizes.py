"""Who holds which prize, on the page and in the file."""

import csv
import io
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from leagues.models import Role, Season
from leagues.services import update_season, withdraw_player
from ratings.models import PrizeTier
from ratings.services.prizes import prize_tiers
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def address(season: Season, view: str = "prizes") -> str:
    return reverse(f"ratings:{view}", args=[season.league.slug, season.slug])


def season_of(*names: str, min_games: int = 1) -> Season:
    """Each of them beat the next one once by 100; a place takes ``min_games``."""
    season = make_season(make_league())
    change_rules(season=season, by=None, values={"min_games": min_games, "min_meetings": 0})
    players = make_players(season.league, *names)
    for number in range(len(players) - 1):
        winner, loser = players[number : number + 2]
        make_game(season, (winner, 100), (loser, 0), played_at=season.starts_at + timedelta(hours=number))
    return replayed(season)


def tier(first: int, last: int | None = None, amount: str | None = None, **values) -> PrizeTier:
    return PrizeTier(
        name=values.pop("name", f"Tier {first}"),
        first_place=first,
        last_place=last or first,
        amount=None if amount is None else Decimal(amount),
        **values,
    )


def with_tiers(season: Season, *tiers: PrizeTier) -> Season:
    change_prize_tiers(season=season, by=None, saved=list(tiers))
    return replayed(season)


def held(season: Season) -> list[list[tuple[str, Decimal | None]]]:
    return [[(one.standing.player.name, one.amount) for one in each.holders] for each in prize_tiers(season)]


def tied_season() -> Season:
    """Anna and Boris share place 1, and Galya and Vera, whom they beat by 100 each, place 3."""
    season = make_season(make_league(), preset="wsd-2.0")
    change_rules(season=season, by=None, values={"min_games": 1, "min_meetings": 0})
    anna, boris, vera, galya = make_players(season.league, "Anna", "Boris", "Vera", "Galya")
    make_game(season, (anna, 100), (vera, 0))
    make_game(season, (boris, 100), (galya, 0))
    return replayed(season)


def test_an_amount_may_depend_on_the_participants(client: Client) -> None:
    season = with_tiers(
        season_of("Anna", "Boris", "Vera"), tier(1, amount="1000", per_participant=True, unit="km")
    )
    assert held(season) == [[("Anna", Decimal(3000))]]
    page = client.get(address(season)).content.decode()
    assert "3,000 km" in page
    assert "1,000 km × 3 participants" in page


def test_the_withdrawn_do_not_count_as_participants() -> None:
    season = with_tiers(season_of("Anna", "Boris", "Vera"), tier(1, amount="1000", per_participant=True))
    withdraw_player(entry=season.entries.get(player__name="Vera"), by=None)
    assert held(replayed(season)) == [[("Anna", Decimal(2000))]]


def test_who_is_not_classified_is_passed_over_by_name(client: Client) -> None:
    # Anna leads with one game, and a place takes two.
    season = with_tiers(season_of("Anna", "Boris", "Vera", min_games=2), tier(1))
    assert held(season) == [[("Boris", None)]]
    response = client.get(address(season))
    assert [row.player.name for row in response.context["passed_over"]] == ["Anna"]
    assert "Higher, but without a place:" in response.content.decode()


def test_the_runner_up_and_the_distance_are_told(client: Client) -> None:
    season = with_tiers(season_of("Anna", "Boris", "Vera"), tier(1))
    (only,) = prize_tiers(season)
    first, second = season.standings.order_by("position")[:2]
    assert only.runner_up == second
    assert only.distance == first.season_score - second.season_score > 0
    assert f"{only.distance / 10} behind" in client.get(address(season)).content.decode()


def test_tied_players_divide_the_prizes_of_the_places_they_cover() -> None:
    season = with_tiers(tied_season(), tier(1, amount="100"), tier(2, amount="50.01"), tier(3, amount="10"))
    assert held(season) == [
        [("Anna", Decimal("50.00")), ("Boris", Decimal("50.00"))],
        [("Anna", Decimal("25.01")), ("Boris", Decimal("25.00"))],
        [("Galya", Decimal("5.00")), ("Vera", Decimal("5.00"))],
    ]


def test_or_each_gets_the_whole_prize() -> None:
    season = with_tiers(tied_season(), tier(1, amount="100", tie_rule="each"), tier(2, amount="50"))
    assert held(season) == [[("Anna", Decimal(100)), ("Boris", Decimal(100))], []]


def test_before_anybody_is_classified_it_says_who_is_nearest(client: Client) -> None:
    season = with_tiers(season_of("Anna", "Boris", "Vera", min_games=5), tier(1))
    page = client.get(address(season)).content.decode()
    assert "Nobody is classified yet." in page
    assert "Boris is nearest to a place: 3 more games." in page
    assert "Nobody holds this prize yet." in page


def test_a_closed_season_has_awarded(client: Client) -> None:
    season = with_tiers(season_of("Anna", "Boris"), tier(1))
    assert "Held now by" in client.get(address(season)).content.decode()
    update_season(season=season, by=None, state=Season.State.CLOSED)
    page = client.get(address(replayed(season))).content.decode()
    assert "Awarded to" in page
    assert "Held now by" not in page


def test_no_prizes_is_a_sentence_and_leads_managers_to_where_they_are_set(client: Client) -> None:
    season = season_of("Anna", "Boris")
    add = reverse("ratings:prize-create", args=[season.league.slug, season.slug])
    for signed_in, leads in [(None, False), (Role.SCORER, False), (Role.MANAGER, True)]:
        if signed_in:
            client.force_login(make_organizer(season.league, role=signed_in))
        page = client.get(address(season)).content.decode()
        assert "No prizes are set for this season" in page
        assert (add in page) is leads, signed_in


def test_a_season_without_anybody_has_prizes_too(client: Client) -> None:
    season = with_tiers(make_season(), tier(1, amount="1000", per_participant=True, unit="km"))
    assert client.get(address(season)).status_code == 200
    assert held(season) == [[]]


def test_the_fragment_alone_for_a_poll(client: Client) -> None:
    season = with_tiers(season_of("Anna", "Boris"), tier(1))
    fragment = client.get(address(season), headers={"HX-Request": "true"})
    assert fragment.content.decode().strip().startswith('<div id="prizes"')
    again = client.get(address(season), headers={"HX-Request": "true", "If-None-Match": fragment["ETag"]})
    assert again.status_code == 304


def test_queries_do_not_grow_with_tiers_or_players(client: Client, django_assert_num_queries) -> None:
    small = with_tiers(season_of("Anna", "Boris"), tier(1))
    large = with_tiers(
        season_of(*(f"Player {n}" for n in range(12))), *(tier(place) for place in range(1, 9))
    )
    for season in (small, large):
        page, file = address(season), address(season, "prizes-file")
        with django_assert_num_queries(7):
            client.get(page)
        with django_assert_num_queries(5):
            b"".join(client.get(file))


def test_the_file_has_a_row_for_each_holder(client: Client) -> None:
    season = with_tiers(
        tied_season(), tier(1, 2, amount="100", unit="km", name="=Cup"), tier(9, name="Spoon")
    )
    text = b"".join(client.get(address(season, "prizes-file"))).decode()
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert [(row["tier"], row["player"], row["amount"]) for row in rows] == [
        ("'=Cup", "Anna", "100.00"),
        ("'=Cup", "Boris", "100.00"),
        ("Spoon", "", ""),
    ]
