"""The pages on which organizers make and change teams."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leagues.models import AuditEntry, League, Role, Team
from leagues.services import create_team, update_team
from tests.factories import make_league, make_organizer, make_players, make_user
from tests.tabs import filled

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

NEW = "/apes/add-team/"
REDS = "/apes/teams/reds/edit/"


@pytest.fixture
def league(client: Client) -> League:
    """A league of Ann, Bob and two called Ivan, with its owner signed in."""
    owner = make_user("owner")
    client.force_login(owner)
    league = make_league("apes", owner=owner)
    make_players(league, "Ann", "Bob", "Ivan", "Ivan")
    return league


def text_of(answer: Any) -> str:
    assert answer.status_code == 200
    return str(answer.content.decode())


def members() -> list[str]:
    return sorted(Team.objects.get().members.values_list("slug", flat=True))


def test_a_team_is_made_changed_and_deleted_on_pages(client: Client, league: League) -> None:
    assert f'href="{NEW}"' in text_of(client.get("/apes/teams/"))
    made = client.post(NEW, {"name": "Reds", "members": "Ann\r\nann\r\n ivan-2 \r\n"})
    assert made["Location"] == "/apes/teams/reds/"
    assert members() == ["ann", "ivan-2"]
    assert f'href="{REDS}"' in text_of(client.get(made["Location"]))
    assert ">\nAnn\nivan-2</textarea>" in text_of(client.get(REDS)), "of namesakes the address"
    tab = filled(client, REDS, name="The Reds", members="Ann\nBob")
    assert client.post(REDS, tab)["Location"] == "/apes/teams/reds/"
    assert (Team.objects.get().name, members()) == ("The Reds", ["ann", "bob"])
    assert "Somebody else changed this meanwhile" in text_of(client.post(REDS, tab))
    assert "is deleted." in text_of(client.post(REDS, {"delete": "1"}, follow=True))
    assert not Team.objects.exists()
    acts = AuditEntry.objects.filter(object_type="team").order_by("pk").values_list("action", flat=True)
    assert list(acts) == ["create_team", "update_team", "delete_team"]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "\u200b"}, "A team needs a name."),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"members": ""}, "This field is required."),
        ({"members": "Ann"}, "A team has at least two players."),
        ({"members": "Ann\nZoe"}, "“Zoe” is no player of this league"),
        ({"members": "Ann\nIvan"}, "“Ivan” is the name of 2 players; write the address of one"),
        ({"members": "Ann\n" * 101}, "at most 100 members; here are 101."),
        ({"members": "Ann\x00"}, "Null characters are not allowed."),
        ({"members": "Bob\nAnn", "name": "Again"}, "Another team has exactly these members."),
    ],
)
def test_what_a_team_cannot_be_is_said_and_nothing_is_made(
    client: Client, league: League, values: dict[str, str], sentence: str
) -> None:
    make_players(make_league("bees"), "Zoe")
    ann, bob = league.players.filter(slug__in=("ann", "bob"))
    create_team(league=league, name="Reds", members=[ann, bob], by=None)
    assert sentence in text_of(client.post(NEW, {"name": "Blues", "members": "Ann\nivan"} | values))
    assert Team.objects.count() == 1


def test_of_two_tabs_on_a_team_the_second_takes_back_nothing(client: Client, league: League) -> None:
    ann, bob, one, _other = league.players.order_by("pk")
    team = create_team(league=league, name="Reds", members=[ann, bob], by=None)
    tab = filled(client, REDS, members="Ann\nBob", name="Blues")
    update_team(team=team, name="Reds", members=[ann, one], by=None)
    assert "Somebody else changed this meanwhile" in text_of(client.post(REDS, tab))
    assert (Team.objects.get().name, members()) == ("Reds", ["ann", "ivan"])


def test_teams_are_managers_to_make_and_of_their_own_league(client: Client, league: League) -> None:
    other = make_league("bees")
    create_team(league=other, name="Reds", members=make_players(other, "Yan", "Zoe"), by=None)
    assert client.get(REDS).status_code == 404
    assert client.post(REDS, {"delete": "1"}).status_code == 404
    client.force_login(make_organizer(league, Role.SCORER))
    assert NEW not in text_of(client.get("/apes/teams/"))
    assert client.get(NEW).status_code == 403
    assert client.post(NEW, {"name": "Blues", "members": "Ann\nBob"}).status_code == 403
    assert Team.objects.count() == 1
