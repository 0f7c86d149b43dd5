"""A form that was filled in before somebody else changed its row takes nothing back."""

from __future__ import annotations

import pytest
from django.test import Client

from leagues.models import League, Player, Season
from leagues.services import anonymise_player, update_league
from tests.factories import make_league, make_players, make_season, make_user
from tests.tabs import filled

pytestmark = pytest.mark.django_db

REFUSED = "Somebody else changed this meanwhile"


@pytest.fixture
def season(client: Client) -> Season:
    owner = make_user("owner")
    client.force_login(owner)
    return make_season(make_league("apes", owner=owner))


@pytest.mark.parametrize("says", [True, False], ids=["", "control: a form that does not say it"])
def test_pv_01_a_player_form_of_before_brings_no_name_back(client, season, says):
    (player,) = make_players(season.league, "Gosho Kanarkov")
    address = f"/admin/leagues/player/{player.pk}/change/"
    tab = filled(client, address, birth_year="1990")
    assert tab["name"] == "Gosho Kanarkov"
    anonymise_player(player=player, by=None)
    if not says:
        del tab["seen"]
    answer = client.post(address, tab)
    assert (REFUSED in answer.content.decode()) is says
    assert (Player.objects.get().name == f"Anonymous player {player.pk}") is says
    again = client.post(address, tab | {"_continue": "1"})
    assert (again.status_code == 200) is says, "shown again it is as old as before"
    assert client.post(address, filled(client, address, birth_year="1991")).status_code == 302


def test_of_two_tabs_on_a_season_the_second_takes_back_nothing_of_the_rules(client, season):
    address = f"/admin/leagues/season/{season.pk}/change/"
    first = filled(client, address, **{"rule_set-0-k": "20"})
    second = filled(client, address, **{"rule_set-0-base": "1400"})
    assert client.post(address, first).status_code == 302
    assert REFUSED in client.post(address, second).content.decode()
    season.refresh_from_db()
    assert season.rule_set.k == 20
    assert client.post(address, filled(client, address, name="Spring")).status_code == 302


def test_of_two_tabs_on_the_look_the_second_takes_back_nothing(client, season):
    address = "/apes/settings/"
    tab = filled(client, address, about="Mine", accent_hue="165")
    update_league(league=season.league, by=None, start_text="Written meanwhile")
    for _time in range(2):
        assert REFUSED in client.post(address, tab).content.decode()
    assert League.objects.get().start_text == "Written meanwhile"
    now = filled(client, address, about="Mine", start_text="Written meanwhile", accent_hue="165")
    assert client.post(address, now).status_code == 302
    assert League.objects.get().about == "Mine"


@pytest.mark.django_db(transaction=True)
def test_what_is_sent_to_a_history_is_no_form_and_no_error_of_the_site(client, season):
    address = f"/admin/leagues/season/{season.pk}/history/"
    assert client.post(address, {"seen": "x"}).status_code == 200
