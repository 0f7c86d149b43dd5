"""Two requests at once about who runs a league; each with its control."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection
from django.test import Client

from leagues.models import League, Organizer, Role, Season
from leagues.services import create_season, invite_organizer, invite_player
from tests.factories import make_league, make_organizer, make_players, make_user
from tests.faults.interleaving import WAIT, Stopped
from tests.faults.test_concurrent_writers import is_waiting
from tests.processes import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def league() -> League:
    """A league owned by Alice and Bob."""
    league = make_league("club", owner=make_user("alice"))
    make_organizer(league, Role.OWNER, "bob")
    return league


def sent_by(username: str, address: str, **data: str) -> Callable[[], int]:
    """A form sent by somebody signed in; the status of the answer."""
    client = Client()
    client.force_login(User.objects.get(username=username))

    def send() -> int:
        try:
            return client.post(address, data).status_code
        finally:
            connection.close()

    return send


def at_once(first: Stopped, second: Callable[[], Any]) -> list[Any]:
    """Both answers: the second request comes while the first has checked everything and not yet written."""
    with ThreadPoolExecutor(1) as pool:
        with first:
            other = pool.submit(second)
            # Others may wait too, for locks of other databases; without locks the second is simply done.
            wait_until(lambda: other.done() or (first.locks and is_waiting()), "the second request")
        return [first.result(), other.result(WAIT)]


def owners(league: League) -> list[str]:
    rows = Organizer.objects.filter(league=league, role=Role.OWNER).order_by("pk")
    return [organizer.user.username for organizer in rows]


def each_other(league: League, data: dict[str, str]) -> tuple[Callable[[], int], Callable[[], int]]:
    """Alice acts on Bob, and Bob on Alice."""
    pages = {each.user.username: f"/club/organizers/{each.pk}/" for each in league.organizers.all()}
    return sent_by("alice", pages["bob"], **data), sent_by("bob", pages["alice"], **data)


ACTS = [
    ({"remove": "1"}, 'DELETE FROM "leagues_organizer"'),
    ({"role": "scorer"}, 'UPDATE "leagues_organizer"'),
]


@pytest.mark.parametrize(("data", "write"), ACTS)
def test_two_owners_cannot_put_each_other_out_at_once(league, data, write):
    first, second = each_other(league, data)
    # The first is redirected; the second gets its form back, with the reason.
    assert at_once(Stopped(first, before=write), second) == [302, 200]
    assert owners(league) == ["alice"]


@pytest.mark.parametrize(("data", "write"), ACTS)
def test_control_without_the_leagues_lock_no_owner_is_left(league, data, write):
    first, second = each_other(league, data)
    assert at_once(Stopped(first, before=write).take_no_locks(), second) == [302, 302]
    assert owners(league) == []


def both_accept(league: League) -> tuple[Callable[[], int], Callable[[], int]]:
    _invitation, token = invite_organizer(league=league, role=Role.SCORER, by=league.organizers.first().user)
    for name in ("carol", "dora"):
        make_user(name)
    carol, dora = (sent_by(name, f"/invitations/{token}/") for name in ("carol", "dora"))
    return carol, dora


USES_UP = 'DELETE FROM "leagues_invitation"'


def test_au_03_of_two_who_accept_at_once_one_wins(league):
    first, second = both_accept(league)
    assert at_once(Stopped(first, before=USES_UP), second) == [302, 404]
    assert [each.user.username for each in Organizer.objects.filter(role=Role.SCORER)] == ["carol"]


def test_control_without_the_leagues_lock_both_win(league):
    first, second = both_accept(league)
    assert at_once(Stopped(first, before=USES_UP).take_no_locks(), second) == [302, 302]
    assert Organizer.objects.filter(role=Role.SCORER).count() == 2


NEW_LEAGUE = {"name": "Chess", "slug": "chess", "language": "en", "timezone": "UTC", "visibility": "public"}


def test_an_account_asked_for_twice_at_once_is_made_once(league):
    alice = league.organizers.get(user__username="alice").user
    _invitation, token = invite_organizer(league=league, role=Role.SCORER, by=alice)
    account = {"username": "carol", "password1": "Zebra-17-Lamp", "password2": "Zebra-17-Lamp"}

    def sign_up() -> int:
        try:
            return Client().post(f"/invitations/{token}/", account).status_code
        finally:
            connection.close()

    # Both found the name free. The quicker one used up the invitation, which is what the other reads.
    assert at_once(Stopped(sign_up, before='INSERT INTO "auth_user"'), sign_up) == [404, 302]
    assert [each.user.username for each in Organizer.objects.filter(role=Role.SCORER)] == ["carol"]


def test_a_league_asked_for_twice_at_once_is_made_once(league, settings):
    settings.USERS_CREATE_LEAGUES = True
    first, second = (sent_by(name, "/leagues/new/", **NEW_LEAGUE) for name in ("alice", "bob"))
    assert at_once(Stopped(first, before='INSERT INTO "leagues_league"'), second) == [200, 302]
    assert [each.user.username for each in Organizer.objects.filter(league__slug="chess")] == ["bob"]


def test_a_season_asked_for_twice_at_once_is_made_once(league):
    def make() -> str:
        try:
            season = create_season(
                league=league, by=None, name="Spring", starts_on=date(2026, 1, 1), ends_on=date(2026, 5, 31)
            )
        except ValidationError as refused:
            return " ".join(refused.messages)
        finally:
            connection.close()
        return season.slug

    said, made = at_once(Stopped(make, before='INSERT INTO "leagues_season"'), make)
    assert (made, said) == ("spring", "Another season of the league has this address.")
    assert Season.objects.in_league(league).count() == 1


def claims(league: League, *names: str) -> list[Callable[[], int]]:
    """Carol follows the links of new players of these names."""
    alice = league.organizers.get(user__username="alice").user
    tokens = [invite_player(player=player, by=alice)[1] for player in make_players(league, *names)]
    return [sent_by("carol", f"/invitations/{token}/") for token in tokens]


def test_an_account_that_follows_two_links_at_once_is_one_player(league):
    make_user("carol")
    first, second = claims(league, "Ann", "Bob")
    assert at_once(Stopped(first, before='UPDATE "leagues_player"'), second) == [302, 200]
    assert [player.name for player in league.players.exclude(user=None)] == ["Ann"]


def test_control_without_locks_only_the_constraint_keeps_an_account_one_player(league):
    make_user("carol")
    first, second = claims(league, "Ann", "Bob")
    with pytest.raises(IntegrityError):
        at_once(Stopped(first, before='UPDATE "leagues_player"').take_no_locks(), second)
