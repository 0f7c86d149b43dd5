"""The pages on which organizers change a player, and enter and withdraw one."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leagues.models import AuditEntry, Entry, Player, PlayerAlias, Role, Season
from leagues.services import add_alias, create_team, update_player, update_season
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user
from tests.tabs import filled

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

ANN = "/apes/players/ann/edit/"
ENTRY = "/apes/now/players/ann/entry/"


@pytest.fixture
def season(client: Client) -> Season:
    """A season in which Ann and Bob have met, with its league's owner signed in."""
    owner = make_user("owner")
    client.force_login(owner)
    season = make_season(make_league("apes", owner=owner), slug="now")
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 30), (bob, 20))
    return season


def text_of(answer: Any) -> str:
    assert answer.status_code == 200
    return str(answer.content.decode())


def names_of(player: Player) -> list[str]:
    return list(PlayerAlias.objects.filter(player=player).values_list("name", flat=True))


def test_a_player_is_renamed_and_has_other_names_by_the_page(client: Client, season: Season) -> None:
    assert f'href="{ANN}"' in text_of(client.get("/apes/players/ann/"))
    ann = Player.objects.get(name="Ann")
    add_alias(player=ann, name="Annie", by=None)
    assert ">\nAnnie</textarea>" in text_of(client.get(ANN))
    typed = filled(client, ANN) | {
        "name": "Anna",
        "birth_year": "1990",
        "other_names": " Ani \nann\nANI\n\nAnka",
    }
    assert client.post(ANN, typed)["Location"] == "/apes/players/anna/"
    ann.refresh_from_db()
    assert (ann.name, ann.birth_year) == ("Anna", 1990)
    # Two spellings of one name are one; the former name is kept by renaming, and once.
    assert names_of(ann) == ["Ann", "ANI", "Anka"]
    acts = AuditEntry.objects.exclude(by=None).values_list("action", flat=True).order_by("pk")
    assert list(acts) == ["create_league", "update_player", "remove_alias", "add_alias", "add_alias"]
    anna = "/apes/players/anna/edit/"
    assert (
        client.post(anna, filled(client, anna, other_names="Ann\r\nANI\r\nAnka"))["Location"]
        == "/apes/players/anna/"
    )
    assert AuditEntry.objects.exclude(by=None).count() == len(acts), "nothing changed, nothing told"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "\u200b"}, "A name is needed"),
        ({"name": "Ann + Bob"}, "A + between spaces"),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"birth_year": "1"}, "greater than or equal to 1900"),
        ({"birth_year": "nan"}, "Enter a whole number."),
        ({"other_names": "Annie\nAnn + Bob"}, "A + between spaces"),
        ({"other_names": "\n".join(f"Ann {n}" for n in range(51))}, "at most 50 other names; here are 51."),
    ],
)
def test_what_a_player_cannot_be_is_said_and_nothing_is_written(
    client: Client, season: Season, values: dict[str, str], sentence: str
) -> None:
    answer = client.post(ANN, filled(client, ANN, **{"inactive": "on", "other_names": "Annie"} | values))
    assert sentence in text_of(answer)
    ann = Player.objects.get(slug="ann")
    assert (ann.name, ann.birth_year, ann.inactive, names_of(ann)) == ("Ann", None, False, [])


def test_of_two_tabs_on_a_player_the_second_takes_back_nothing(client: Client, season: Season) -> None:
    ann = Player.objects.get(name="Ann")
    tab = filled(client, ANN, name="Anne")
    add_alias(player=ann, name="Annie", by=None)
    assert "Somebody else changed this meanwhile" in text_of(client.post(ANN, tab))
    assert (Player.objects.get(pk=ann.pk).name, names_of(ann)) == ("Ann", ["Annie"])
    tab = filled(client, ANN, name="Anne")
    update_player(player=ann, name="Ann", birth_year=1980, by=None)
    assert "Somebody else changed this meanwhile" in text_of(client.post(ANN, tab))
    assert Player.objects.get(pk=ann.pk).birth_year == 1980


def test_only_who_never_played_is_deleted(client: Client, season: Season) -> None:
    assert "has played 1 games and cannot be deleted" in text_of(client.post(ANN, {"delete": "1"}))
    make_players(season.league, "Anm")
    answer = client.post("/apes/players/anm/edit/", {"delete": "1"}, follow=True)
    assert "Anm is deleted." in text_of(answer)
    assert not Player.objects.filter(name="Anm").exists()
    cyd, dan = make_players(season.league, "Cyd", "Dan")
    create_team(league=season.league, name="Two", members=[cyd, dan], by=None)
    assert "is in the team “Two”" in text_of(client.post("/apes/players/cyd/edit/", {"delete": "1"}))


def test_a_player_is_withdrawn_and_comes_back_by_the_page(client: Client, season: Season) -> None:
    update_season(season=season, by=None, withdrawal_voids=True)
    assert f'href="{ENTRY}"' in text_of(client.get("/apes/now/players/ann/"))
    assert "1 game is voided" in text_of(client.get(ENTRY))
    assert "is withdrawn from" in text_of(client.post(ENTRY, {"withdraw": "1"}, follow=True))
    assert season.games.get().voided_at
    assert "Games that the withdrawal voided count again." in text_of(client.get(ENTRY))
    assert "is back in" in text_of(client.post(ENTRY, {"reinstate": "1"}, follow=True))
    assert season.games.get().voided_at is None
    assert "withdraw the player instead" in text_of(client.post(ENTRY, {"remove": "1"}))
    assert "Choose what to do." in text_of(client.post(ENTRY, {}))


def test_a_player_is_entered_once_and_taken_out_again(client: Client, season: Season) -> None:
    make_players(season.league, "Cyd")
    page = ENTRY.replace("ann", "cyd")
    assert f'href="{page}"' in text_of(client.get("/apes/players/cyd/edit/"))
    assert f'href="{page}"' in text_of(client.get("/apes/now/players/cyd/"))
    assert "is not entered in" in text_of(client.post(page, {"withdraw": "1"}))
    client.post(page, {"enter": "1"})
    assert "is entered in" in text_of(client.post(page, {"enter": "1"}, follow=True)), "sent twice"
    assert Entry.objects.filter(player__name="Cyd").count() == 1
    client.post(page, {"remove": "1"})
    assert not Entry.objects.filter(player__name="Cyd").exists()


def test_players_are_managers_to_change_and_a_closed_season_takes_no_entry(
    client: Client, season: Season
) -> None:
    other = make_league("bees")
    make_players(other, "Zoe")
    for address in ("/apes/players/zoe/edit/", "/apes/now/players/zoe/entry/"):
        assert client.get(address).status_code == 404
        assert client.post(address, {"delete": "1", "enter": "1"}).status_code == 404
    update_season(season=season, by=None, state="closed")
    assert "takes no changes" in text_of(client.get(ENTRY))
    assert "takes no changes" in text_of(client.post(ENTRY, {"withdraw": "1"}))
    assert ENTRY not in text_of(client.get("/apes/now/players/ann/"))
    assert Entry.objects.filter(withdrawn_at=None).count() == 2
    client.force_login(make_organizer(season.league, Role.SCORER))
    assert ANN not in text_of(client.get("/apes/players/ann/"))
    for address in (ANN, ENTRY):
        assert client.get(address).status_code == 403
        assert client.post(address, {"name": "Anne", "withdraw": "1"}).status_code == 403
