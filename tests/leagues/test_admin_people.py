"""Leagues, organizers, players, teams and entries in the admin."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leagues.models import AuditEntry, Entry, League, Organizer, Player, Role, Team
from leagues.services import create_team
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

NO_ALIASES = {"aliases-TOTAL_FORMS": 0, "aliases-INITIAL_FORMS": 0}


@pytest.fixture
def league(client: Client) -> League:
    """League A with Alice, its owner, signed in."""
    alice = make_user("alice")
    client.force_login(alice)
    return make_league("league-a", owner=alice)


def last_act() -> tuple[str, str]:
    entry = AuditEntry.objects.first()
    assert entry is not None
    assert entry.by is not None
    return entry.action, entry.by.username


def test_an_owner_changes_the_league(client: Client, league: League) -> None:
    address = f"/admin/leagues/league/{league.pk}/change/"
    data = {
        "name": "Renamed",
        "slug": "league-a",
        "language": "bg",
        "accent_hue": 165,
        "visibility": "public",
    }
    assert "is no time zone" in client.post(address, data | {"timezone": "Mars"}).content.decode()
    assert client.post(address, data | {"timezone": "Europe/Sofia"}).status_code == 302
    league.refresh_from_db()
    assert (league.name, league.timezone) == ("Renamed", "Europe/Sofia")
    assert last_act() == ("update_league", "alice")
    refused = client.post(address, data | {"timezone": "UTC", "slug": "admin"}).content.decode()
    assert "“admin” is a word of the site itself" in refused


@pytest.mark.parametrize("address", ["add/", "{}/delete/"])
def test_only_superusers_add_and_delete_leagues(client: Client, league: League, address: str) -> None:
    address = "/admin/leagues/league/" + address.format(league.pk)
    assert client.get(address).status_code == 403
    assert client.post(address, {"post": "yes"}).status_code == 403
    assert League.objects.exists()


def test_a_superuser_adds_a_league_with_its_owner(client: Client, league: League) -> None:
    client.force_login(make_user("root", is_superuser=True))
    data = {"name": "New", "slug": "new-one", "language": "en", "timezone": "UTC", "accent_hue": 165}
    data |= {"visibility": "private", "owner": "nobody"}
    page = client.post("/admin/leagues/league/add/", data).content.decode()
    assert "There is no account “nobody”." in page
    assert client.post("/admin/leagues/league/add/", data | {"owner": "alice"}).status_code == 302
    assert Organizer.objects.get(league__slug="new-one").user.username == "alice"


def test_an_owner_adds_an_organizer_by_the_exact_user_name(client: Client, league: League) -> None:
    make_user("carol", is_active=True)
    address = "/admin/leagues/organizer/add/"
    page = client.get(address).content.decode()
    assert "carol" not in page
    for name in ("Carol", "caro", "nobody", "\0"):
        client.post(address, {"league": league.pk, "account": name, "role": "scorer"})
    assert Organizer.objects.count() == 1
    assert (
        client.post(address, {"league": league.pk, "account": "carol", "role": "scorer"}).status_code == 302
    )
    assert Organizer.objects.get(user__username="carol").role == Role.SCORER
    assert last_act() == ("add_organizer", "alice")
    page = client.post(address, {"league": league.pk, "account": "carol", "role": "owner"}).content.decode()
    assert "This user is an organizer of the league already." in page


def test_the_last_owner_stays(client: Client, league: League) -> None:
    alice = Organizer.objects.get()
    address = f"/admin/leagues/organizer/{alice.pk}/"
    sentence = "is the last owner of the league; make somebody else an owner first."
    assert sentence in client.post(f"{address}change/", {"role": "scorer"}).content.decode()
    assert sentence in client.post(f"{address}delete/", {"post": "yes"}, follow=True).content.decode()
    data = {"action": "delete_selected", "_selected_action": [alice.pk], "post": "yes"}
    assert sentence in client.post("/admin/leagues/organizer/", data, follow=True).content.decode()
    assert Organizer.objects.get().role == Role.OWNER


@pytest.mark.parametrize("role", [Role.MANAGER, Role.SCORER])
def test_organizers_are_the_owners_business(client: Client, league: League, role: Role) -> None:
    client.force_login(make_organizer(league, role, "carol"))
    own = Organizer.objects.get(user__username="carol")
    assert client.get("/admin/leagues/organizer/").status_code == 403
    assert client.post(f"/admin/leagues/organizer/{own.pk}/change/", {"role": "owner"}).status_code == 403
    own.refresh_from_db()
    assert own.role == role


def test_a_player_with_other_names(client: Client, league: League) -> None:
    data = {"league": league.pk, "name": "Захари", "birth_year": 1990, "aliases-0-name": "Zaki"}
    data |= {"aliases-TOTAL_FORMS": 1, "aliases-INITIAL_FORMS": 0}
    assert client.post("/admin/leagues/player/add/", data).status_code == 302
    player = Player.objects.get()
    assert (player.slug, player.birth_year) == ("zahari", 1990)
    alias = player.aliases.get()
    assert alias.name == "Zaki"
    data = {"name": "Захари Х.", "birth_year": "", "aliases-TOTAL_FORMS": 1, "aliases-INITIAL_FORMS": 1}
    data |= {"aliases-0-id": alias.pk, "aliases-0-player": player.pk, "aliases-0-DELETE": "on"}
    assert client.post(f"/admin/leagues/player/{player.pk}/change/", data).status_code == 302
    player.refresh_from_db()
    assert (player.name, player.slug, player.birth_year) == ("Захари Х.", "zahari-h", None)
    assert [each.name for each in player.aliases.all()] == ["Захари"]  # the former name
    entry = AuditEntry.objects.get(action="update_player")
    assert entry.before["name"] == "Захари"


@pytest.mark.parametrize("name", ["", " ", "\u200b", "A + B", "x" * 101, "\0"])
def test_no_name_for_a_player(client: Client, league: League, name: str) -> None:
    data = {"league": league.pk, "name": name, **NO_ALIASES}
    assert client.post("/admin/leagues/player/add/", data).status_code == 200
    assert not Player.objects.exists()


def test_di_04_a_player_who_has_played_is_not_deleted(client: Client, league: League) -> None:
    one, two, free = make_players(league, "One", "Two", "Free")
    make_game(make_season(league), (one, 2), (two, 1))
    client.post(f"/admin/leagues/player/{free.pk}/delete/", {"post": "yes"})
    data = {"action": "delete_selected", "_selected_action": [one.pk], "post": "yes"}
    page = client.post("/admin/leagues/player/", data, follow=True).content.decode()
    assert "One has played 1 games and cannot be deleted" in page
    assert set(Player.objects.all()) == {one, two}


def test_a_team(client: Client, league: League) -> None:
    one, two, three = make_players(league, "One", "Two", "Three")
    address = "/admin/leagues/team/add/"
    data: dict[str, Any] = {"league": league.pk, "name": "Pair", "members": [one.pk]}
    assert "A team has at least two players." in client.post(address, data).content.decode()
    assert client.post(address, data | {"members": ["9" * 30]}).status_code == 200
    assert client.post(address, data | {"members": [one.pk, two.pk]}).status_code == 302
    page = client.post(address, data | {"name": "Same", "members": [two.pk, one.pk]}).content.decode()
    assert "Another team has exactly these members." in page
    team = Team.objects.get()
    client.post(f"/admin/leagues/team/{team.pk}/change/", {"name": "Pair", "members": [one.pk, three.pk]})
    assert set(Team.objects.get().members.all()) == {one, three}
    assert last_act() == ("update_team", "alice")
    client.post(f"/admin/leagues/team/{team.pk}/delete/", {"post": "yes"})
    assert not Team.objects.exists()


def test_entries_are_made_withdrawn_and_taken_back(client: Client, league: League) -> None:
    season, (one,) = make_season(league), make_players(league, "One")
    data = {"season": season.pk, "player": one.pk}
    assert client.post("/admin/leagues/entry/add/", data).status_code == 302
    assert (
        "This player is entered already." in client.post("/admin/leagues/entry/add/", data).content.decode()
    )
    assert client.post("/admin/leagues/entry/add/", data | {"player": "x"}).status_code == 200
    entry = Entry.objects.get()
    chosen = {"_selected_action": [entry.pk]}
    client.post("/admin/leagues/entry/", {"action": "withdraw", **chosen})
    assert Entry.objects.get().withdrawn_at is not None
    client.post("/admin/leagues/entry/", {"action": "reinstate", **chosen})
    assert Entry.objects.get().withdrawn_at is None
    assert last_act() == ("reinstate_player", "alice")
    client.post(f"/admin/leagues/entry/{entry.pk}/delete/", {"post": "yes"})
    assert not Entry.objects.exists()


def test_di_03_the_audit_log_is_read_only(client: Client, league: League) -> None:
    create_team(league=league, name="Pair", members=make_players(league, "One", "Two"), by=User.objects.get())
    entry = AuditEntry.objects.get(action="create_team")
    page = client.get(f"/admin/leagues/auditentry/{entry.pk}/change/").content.decode()
    assert "<p>members: – → One, Two</p>" in page
    assert client.post(f"/admin/leagues/auditentry/{entry.pk}/change/", {}).status_code == 403
    assert client.post(f"/admin/leagues/auditentry/{entry.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/leagues/auditentry/add/").status_code == 403


def test_di_04_an_organizer_is_not_deleted_with_the_account(client: Client, league: League) -> None:
    client.force_login(make_user("root", is_superuser=True))
    alice = User.objects.get(username="alice")
    assert client.post(f"/admin/auth/user/{alice.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/auth/user/").status_code == 200
