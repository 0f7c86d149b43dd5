"""The pages on which organizers set the prizes of a season."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from leagues.models import AuditEntry, Role, Season
from leagues.services import update_season
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers
from tests.factories import make_league, make_organizer, make_season, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


@pytest.fixture
def managed(client: Client) -> Season:
    """A season of apes, with its owner signed in."""
    owner = make_user("owner")
    client.force_login(owner)
    return make_season(make_league("apes", owner=owner), slug="now")


def typed(**values: Any) -> dict[str, Any]:
    return {"name": "Cup", "first_place": "1", "tie_rule": "share"} | values


PAGES = "/apes/now/prizes/"


def test_prizes_are_added_changed_and_deleted_on_pages(client: Client, managed: Season) -> None:
    assert f'href="{PAGES}new/"' in client.get(PAGES).content.decode()
    made = client.post(f"{PAGES}new/", typed(amount="1000.50", unit="km", per_participant="on"))
    assert made["Location"] == PAGES
    (cup,) = managed.prize_tiers.all()
    assert (cup.first_place, cup.last_place, cup.amount, cup.per_participant) == (
        1,
        1,
        Decimal("1000.50"),
        True,
    )
    add = client.get(f"{PAGES}new/").content.decode()
    assert 'value="2"' in add, "the place after those that have a prize"
    assert 'value="km"' in add
    client.post(f"{PAGES}new/", typed(name="Medals", first_place="2", last_place="3"))
    page = client.get(PAGES).content.decode()
    assert page.index("<h2>Cup") < page.index("<h2>Medals")
    mine = f"{PAGES}{cup.pk}/"
    assert f'href="{mine}"' in page
    seen = re.search(r'name="seen" value="(\w+)"', client.get(mine).content.decode())
    assert seen
    change = typed(name="Great cup", last_place="1", seen=seen[1])
    assert client.post(mine, change)["Location"] == PAGES
    assert "Somebody else changed this meanwhile" in client.post(mine, change).content.decode()
    assert client.post(mine, {"delete": "1"})["Location"] == PAGES
    assert [tier.name for tier in managed.prize_tiers.all()] == ["Medals"]
    acts = AuditEntry.objects.filter(action="change_prize_tiers").order_by("pk")
    assert [len(each.after["tiers"]) for each in acts if each.after] == [1, 2, 2, 1]


def test_a_prize_that_somebody_changed_meanwhile_is_not_deleted(client: Client, managed: Season) -> None:
    cup, medal = (
        PrizeTier(name="Cup", first_place=1, last_place=1),
        PrizeTier(name="Medal", first_place=2, last_place=2),
    )
    change_prize_tiers(season=managed, by=None, saved=[cup, medal])
    mine = f"{PAGES}{cup.pk}/"

    def delete_form() -> dict[str, str]:
        seen = re.findall(r'name="seen" value="(\w+)"', client.get(mine).content.decode())
        assert len(seen) == 2, "the forms that save and delete"
        return {"delete": "1", "seen": seen[1]}

    tab = delete_form()
    cup.amount = Decimal(1000)
    change_prize_tiers(season=managed, by=None, saved=[cup])
    refused = client.post(mine, tab, follow=True)
    assert refused.redirect_chain == [(mine, 302)]
    page = refused.content.decode()
    assert "Somebody else changed this meanwhile" in page
    assert 'value="1000' in page, "as it is now"
    assert managed.prize_tiers.count() == 2
    tab = delete_form()
    change_prize_tiers(season=managed, by=None, saved=[medal])  # another one is nobody's concern
    assert client.post(mine, tab)["Location"] == PAGES
    assert [tier.name for tier in managed.prize_tiers.all()] == ["Medal"]


def test_what_a_prize_cannot_be_is_said_at_its_field(client: Client, managed: Season) -> None:
    for values, sentence in (
        ({"name": ""}, "This field is required."),
        ({"first_place": "3", "last_place": "2"}, "The last place is before the first."),
        ({"first_place": "0"}, "greater than or equal to 1"),
        ({"amount": "much"}, "Enter a number."),
        ({"tie_rule": "lot"}, "Select a valid choice"),
    ):
        answer = client.post(f"{PAGES}new/", typed(**values))
        assert answer.status_code == 200
        assert sentence in answer.content.decode(), values
    assert not managed.prize_tiers.exists()
    change_prize_tiers(
        season=managed,
        by=None,
        saved=[PrizeTier(name=f"Cup {n}", first_place=1, last_place=1) for n in range(50)],
    )
    assert "at most 50 prizes" in client.post(f"{PAGES}new/", typed()).content.decode()
    assert managed.prize_tiers.count() == 50


def test_prizes_are_managers_and_of_their_own_season_and_stay_once_it_is_closed(
    client: Client, managed: Season
) -> None:
    change_prize_tiers(season=managed, by=None, saved=[PrizeTier(name="Cup", first_place=1, last_place=1)])
    mine = f"{PAGES}{managed.prize_tiers.get().pk}/"
    other = make_season(managed.league, name="Other", slug="other")
    assert client.get(mine.replace("now", other.slug)).status_code == 404
    update_season(season=managed, by=None, state="closed")
    assert "takes no changes" in client.get(mine).content.decode()
    for values in ({"delete": "1"}, typed(name="New", last_place="1")):
        assert "takes no changes" in client.post(mine, values, follow=True).content.decode()
    assert mine not in client.get(PAGES).content.decode()
    assert managed.prize_tiers.get().name == "Cup"
    client.force_login(make_organizer(managed.league, Role.SCORER))
    for address in (mine, f"{PAGES}new/"):
        assert client.get(address).status_code == 403
        assert client.post(address, typed()).status_code == 403
