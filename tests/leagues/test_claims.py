"""Accounts of players: claimed by a link, released, and what a player with an account sees."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from leagues.models import Invitation, League, Organizer, Player, Role
from leagues.models.league import Visibility
from leagues.services import (
    anonymise_player,
    claim_player,
    invite_player,
    merge_players,
    release_player,
    remove_organizer,
    undo_merge,
    update_league,
)
from tests.factories import make_league, make_organizer, make_players, make_season, make_user

pytestmark = pytest.mark.django_db

PAGE = "/club/players/ann/account/"


@pytest.fixture
def world() -> SimpleNamespace:
    """Alice owns the club, Mary manages it; Ann and Bob play in it."""
    alice = make_user("alice")
    league = make_league("club", owner=alice)
    ann, bob = make_players(league, "Ann", "Bob")
    return SimpleNamespace(
        alice=alice, mary=make_organizer(league, Role.MANAGER, "mary"), league=league, ann=ann, bob=bob
    )


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def link_for(player: Player, by: User) -> str:
    return f"/invitations/{invite_player(player=player, by=by)[1]}/"


def claimed(player: Player, by: User, name: str) -> User:
    """A new account that is this player."""
    user = make_user(name)
    claim_player(token=invite_player(player=player, by=by)[1], by=user)
    player.refresh_from_db()
    return user


def test_a_manager_makes_a_link_and_the_player_claims_with_a_new_account(world):
    manager = signed_in(world.mary)
    link = manager.post(PAGE, {"invite": "1"}).context["link"]
    link = link[link.index("/invitations/") :]
    assert link not in manager.get(PAGE).content.decode()
    visitor = Client()
    for _time in range(2):  # looking uses up nothing
        assert "Ann" in visitor.get(link).content.decode()
    account = {"username": "annie", "password1": "Zebra-17-Lamp", "password2": "Zebra-17-Lamp"}
    assert visitor.post(link, account)["Location"] == "/club/players/ann/"
    assert Player.objects.get(name="Ann").user == User.objects.get(username="annie")
    assert Organizer.objects.count() == 2  # a player is no organizer
    page = visitor.get("/club/").content.decode()
    assert '<a href="/club/players/ann/">My page</a>' in page
    assert signed_in(make_user("carol")).post(link).status_code == 404
    assert "The account annie is Ann." in manager.get(PAGE).content.decode()


def test_a_link_is_dead_once_it_is_replaced_taken_back_late_or_its_maker_is_out(world):
    carol = signed_in(make_user("carol"))
    replaced = link_for(world.ann, world.alice)
    revoked = link_for(world.ann, world.alice)
    assert carol.post(replaced).status_code == 404
    signed_in(world.mary).post(PAGE, {"release": "1"})
    assert carol.post(revoked).status_code == 404
    late = link_for(world.ann, world.alice)
    Invitation.objects.update(expires_at=timezone.now())
    assert carol.post(late).status_code == 404
    orphaned = link_for(world.ann, world.mary)
    assert carol.get(orphaned).status_code == 200
    remove_organizer(organizer=Organizer.objects.get(user=world.mary), by=None)
    assert carol.post(orphaned).status_code == 404
    assert not Player.objects.exclude(user=None).exists()


def test_an_account_is_one_player_of_a_league_and_a_player_has_one_account(world):
    annie = claimed(world.ann, world.alice, "annie")
    with pytest.raises(ValidationError, match="Ann has an account; release it first"):
        invite_player(player=world.ann, by=world.alice)
    token = invite_player(player=world.bob, by=world.alice)[1]
    answer = signed_in(annie).post(f"/invitations/{token}/")
    assert "Your account is Ann in this league already" in answer.content.decode()
    assert Invitation.objects.filter(player=world.bob).exists()  # and Bob can still use the link
    (elsewhere,) = make_players(make_league("other", owner=make_user("oscar")), "Anna")
    claim_player(
        token=invite_player(player=elsewhere, by=elsewhere.league.organizers.get().user)[1], by=annie
    )
    assert set(annie.players.values_list("name", flat=True)) == {"Ann", "Anna"}


def test_a_released_player_goes_to_another_account(world):
    annie = claimed(world.ann, world.alice, "annie")
    signed_in(world.mary).post(PAGE, {"release": "1"})
    assert "My page" not in signed_in(annie).get("/club/").content.decode()
    second = claimed(world.ann, world.alice, "ann2")
    assert Player.objects.get(name="Ann").user == second


@pytest.mark.parametrize("role", [Role.SCORER, None])
def test_only_owners_and_managers_decide_whose_account_a_player_is(world, role):
    somebody = make_organizer(world.league, role, "sam") if role else make_user("sam")
    claimed(world.bob, world.alice, "bobby")
    for act in (
        lambda: invite_player(player=world.ann, by=somebody),
        lambda: release_player(player=world.bob, by=somebody),
    ):
        with pytest.raises(ValidationError, match="Only an owner or a manager"):
            act()
    assert signed_in(somebody).get(PAGE).status_code == (403 if role else 404)


def test_a_player_sees_the_private_league_and_no_draft_and_acts_in_nothing_else(world):
    update_league(league=world.league, by=None, visibility=Visibility.PRIVATE)
    make_season(world.league, name="Next", slug="next", state="draft")
    make_season(world.league, name="Now", slug="now")
    annie = signed_in(claimed(world.ann, world.alice, "annie"))
    stranger = signed_in(make_user("stranger"))
    for address, to_player in (
        ("/club/", 200),
        ("/club/now/", 200),
        ("/api/v1/leagues/club", 200),
        ("/club/next/", 404),
        ("/club/log/", 404),
        ("/club/now/import/", 404),
        (PAGE, 200),
        ("/club/players/bob/account/", 404),
    ):
        assert annie.get(address).status_code == to_player, address
        assert stranger.get(address).status_code == 404, address
    assert "Club" in annie.get("/").content.decode()
    assert "Club" not in stranger.get("/").content.decode()


class TestMergedPlayers:
    def test_the_account_goes_along_and_comes_back(self, world):
        bobby = claimed(world.bob, world.alice, "bobby")
        invite_player(player=world.ann, by=world.alice)
        merge_players(keep=world.ann, gone=world.bob, by=None)
        assert Player.objects.get(user=bobby).name == "Ann"
        assert not Invitation.objects.exists()  # Ann has an account now
        undo_merge(gone=world.bob, by=None)
        assert Player.objects.get(user=bobby).name == "Bob"

    def test_an_account_released_since_stays_released(self, world):
        bobby = claimed(world.bob, world.alice, "bobby")
        merge_players(keep=world.ann, gone=world.bob, by=None)
        release_player(player=world.ann, by=world.alice)
        undo_merge(gone=world.bob, by=None)
        assert not Player.with_merged.filter(user=bobby).exists()

    def test_of_two_accounts_one_is_released_first(self, world):
        claimed(world.ann, world.alice, "annie")
        claimed(world.bob, world.alice, "bobby")
        with pytest.raises(ValidationError, match="have an account each; release one of them first"):
            merge_players(keep=world.ann, gone=world.bob, by=None)


def test_an_anonymous_player_has_no_account(world):
    bobby = claimed(world.bob, world.alice, "bobby")
    merge_players(keep=world.ann, gone=world.bob, by=None)
    anonymise_player(player=world.ann, by=None)
    assert not Player.with_merged.filter(user=bobby).exists()


def test_a_player_gets_the_own_data_and_nobody_elses(world):
    annie = signed_in(claimed(world.ann, world.alice, "annie"))
    assert "My data" in annie.get("/club/players/ann/").content.decode()
    assert annie.get("/club/players/ann/data.json").json()["account"] == "annie"
    assert "My data" not in annie.get("/club/players/bob/").content.decode()
    assert annie.get("/club/players/bob/data.json").status_code == 404
    assert Client().get("/club/players/ann/data.json").status_code == 302


def test_a_deleted_account_leaves_its_player(world):
    claimed(world.ann, world.alice, "annie").delete()
    world.ann.refresh_from_db()
    assert world.ann.user is None
    assert League.objects.get() == world.league


@pytest.mark.parametrize(
    ("visibility", "leads_to"), [(Visibility.PUBLIC, "/club/"), (Visibility.PRIVATE, "/")]
)
def test_a_player_releases_the_own_account_and_no_other(world, visibility, leads_to):
    update_league(league=world.league, by=None, visibility=visibility)
    user, other = claimed(world.ann, world.alice, "annie"), claimed(world.bob, world.alice, "bobby")
    client = signed_in(user)
    assert "Released, your account is this player no longer" in client.get(PAGE).content.decode()
    assert PAGE in client.get("/club/players/ann/").content.decode()
    assert client.post(PAGE.replace("ann", "bob"), {"release": "1"}).status_code in (403, 404)
    client.post(PAGE, {"invite": "1"})
    assert not Invitation.objects.exists()
    answer = client.post(PAGE, {"release": "1"})
    assert (answer.status_code, answer["Location"]) == (302, leads_to)
    world.ann.refresh_from_db()
    world.bob.refresh_from_db()
    assert (world.ann.user, world.bob.user) == (None, other)
    assert client.post(PAGE, {"release": "1"}).status_code in (403, 404)
