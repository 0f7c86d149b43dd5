"""Tokens of the API: made and revoked by owners, on their page and in the admin; the secret is shown once."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.urls import reverse

from leagues.models import ApiToken, AuditEntry, League, Role
from leagues.services import create_api_token, remove_organizer, revoke_api_token
from tests.factories import make_league, make_organizer, make_user

pytestmark = pytest.mark.django_db

PAGE = "/apes/tokens/"
ADMIN = "/admin/leagues/apitoken/"
SECRET = re.compile(r"wsd_[\w-]{43}")


@pytest.fixture
def league() -> League:
    return make_league("apes", owner=make_user("alice", is_staff=True))


@pytest.fixture
def alice(client, league):
    client.force_login(league.organizers.get().user)
    return client


def make_token(league: League, name: str = "Bot") -> ApiToken:
    return create_api_token(league=league, name=name, scope="read", by=league.organizers.earliest("pk").user)[
        0
    ]


def test_an_owner_makes_one_and_sees_the_secret_once(alice, league):
    page = alice.post(PAGE, {"name": "Score board", "scope": "write"})
    (secret,) = SECRET.findall(page.content.decode())
    token = ApiToken.objects.get()
    assert (token.league, token.name, token.writes) == (league, "Score board", True)
    assert "no-store" in page["Cache-Control"]
    again = alice.get(PAGE).content.decode()
    assert "Score board" in again
    assert "never used" in again
    assert secret not in again


def test_only_a_hash_of_the_secret_is_kept(alice):
    (secret,) = SECRET.findall(alice.post(PAGE, {"name": "Bot", "scope": "read"}).content.decode())
    stored = str([list(model.objects.values()) for model in (ApiToken, AuditEntry)])
    assert secret not in stored
    assert secret.removeprefix("wsd_") not in stored


@pytest.mark.parametrize(
    "data",
    [{}, {"name": "", "scope": "read"}, {"name": "x" * 61, "scope": "read"}, {"name": "x", "scope": "all"}],
)
def test_what_is_wrong_is_said_in_the_form(alice, data):
    page = alice.post(PAGE, data)
    assert (page.status_code, page.context["form"].is_valid()) == (200, False)
    assert not ApiToken.objects.exists()


def test_an_owner_revokes_one_and_what_it_was_stays(alice, league):
    token = make_token(league)
    answer = alice.post(f"{PAGE}{token.pk}/revoke/", follow=True)
    page = answer.content.decode()
    assert "The token “Bot” is revoked." in page
    assert f"{token.pk}/revoke/" not in page
    assert AuditEntry.objects.latest("pk").action == "revoke_api_token"
    assert alice.post(f"{PAGE}{token.pk}/revoke/").status_code == 302
    assert AuditEntry.objects.filter(action="revoke_api_token").count() == 1


MADE = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(("days", "expires"), [("", None), ("30", datetime(2026, 3, 31, 12, tzinfo=UTC))])
def test_one_expires_when_its_maker_said_so_or_never(alice, days, expires):
    with time_machine.travel(MADE, tick=False):
        alice.post(PAGE, {"name": "Bot", "scope": "read", "days": days})
        page = alice.get(PAGE).content.decode()
    assert ApiToken.objects.get().expires_at == expires
    assert ("never expires" in page) == (expires is None)
    assert ("expires 31 March 2026" in page) == (expires is not None)


@pytest.mark.parametrize("days", ["31", "-1", "never", "9" * 400])
def test_other_times_are_refused_in_the_form(alice, days):
    page = alice.post(PAGE, {"name": "Bot", "scope": "read", "days": days})
    assert page.context["form"].errors["days"]
    assert not ApiToken.objects.exists()


def test_one_that_expired_opens_nothing_from_that_moment_on_and_says_so(client, alice, league):
    owner = league.organizers.get().user
    address = "/api/v1/leagues/apes/seasons"
    with time_machine.travel(MADE, tick=False) as clock:
        token, secret = create_api_token(league=league, name="Bot", scope="read", by=owner, days=30)
        headers = {"Authorization": f"Bearer {secret}"}
        clock.move_to(MADE + timedelta(days=30, seconds=-1))
        assert client.get(address, headers=headers).status_code == 200
        assert f"{token.pk}/revoke/" in alice.get(PAGE).content.decode()
        clock.move_to(MADE + timedelta(days=30))
        answer = client.get(address, headers=headers)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        expected = "This token expired on 2026-03-31 at 12:00 UTC; an owner of the league can make a new one."
        assert answer.json() == {"detail": expected}
        page = alice.get(PAGE).content.decode()
        assert "expired 31 March 2026" in page
        assert "rests:" not in page
        assert f"{token.pk}/revoke/" not in page
        create_api_token(league=league, name="Bot", scope="read", by=owner)  # its name is free again
        # Who revoked it meant it to be gone, and nobody is told more of it.
        revoke_api_token(token=token, by=owner)
        assert "unknown, revoked" in client.get(address, headers=headers).json()["detail"]


def test_one_whose_maker_is_no_owner_any_more_is_said_to_rest(client, league):
    make_token(league)
    client.force_login(make_organizer(league, Role.OWNER))
    assert "rests:" not in client.get(PAGE).content.decode()
    remove_organizer(organizer=league.organizers.get(user__username="alice"), by=None)
    assert "rests:" in client.get(PAGE).content.decode()


@pytest.mark.parametrize(("role", "status"), [(Role.MANAGER, 403), (Role.SCORER, 403), (None, 404)])
def test_others_make_and_revoke_none(client, league, role, status):
    token = make_token(league)
    client.force_login(make_organizer(league, role) if role else make_user())
    assert client.get(PAGE).status_code == status
    assert client.post(PAGE, {"name": "Mine", "scope": "write"}).status_code == status
    assert client.post(f"{PAGE}{token.pk}/revoke/").status_code == status
    assert ApiToken.objects.get().revoked_at is None


def test_xw_09_a_token_of_another_league_is_not_there(alice):
    token = make_token(make_league("bees", owner=make_user("bob")))
    assert alice.post(f"{PAGE}{token.pk}/revoke/").status_code == 404
    assert alice.get(f"{ADMIN}{token.pk}/change/").status_code == 404
    alice.post(ADMIN, {"action": "revoke", "_selected_action": [token.pk]})
    token.refresh_from_db()
    assert token.revoked_at is None
    assert "bees" not in alice.get(ADMIN).content.decode()


def test_services_ask_for_an_owner_at_that_moment(league):
    token, scorer = make_token(league), make_organizer(league)
    with pytest.raises(ValidationError, match="Only an owner"):
        create_api_token(league=league, name="Mine", scope="write", by=scorer)
    with pytest.raises(ValidationError, match="Only an owner"):
        revoke_api_token(token=token, by=scorer)


class TestTheAdmin:
    def test_makes_one_and_shows_the_secret_once(self, alice, league):
        form = {"league": league.pk, "name": "Bot", "scope": "write", "days": "90"}
        page = alice.post(f"{ADMIN}add/", form, follow=True).content.decode()
        (secret,) = SECRET.findall(page)
        token = ApiToken.objects.by_secret(secret).valid().get()
        assert (token.league, (token.expires_at - token.created_at).days) in [(league, 89), (league, 90)]
        assert alice.get(f"{ADMIN}{token.pk}/change/").status_code == 200
        assert secret not in alice.get(ADMIN).content.decode()
        assert "Bot" in alice.get(ADMIN).content.decode()

    def test_revokes_and_never_changes_or_deletes(self, alice, league):
        token = make_token(league)
        change = reverse("admin:leagues_apitoken_change", args=[token.pk])
        assert alice.post(change, {"name": "Other", "scope": "write"}).status_code == 403
        assert alice.post(f"{ADMIN}{token.pk}/delete/", {"post": "yes"}).status_code == 403
        alice.post(ADMIN, {"action": "revoke", "_selected_action": [token.pk]})
        token.refresh_from_db()
        assert (token.name, token.revoked_at is None) == ("Bot", False)

    def test_shows_nothing_to_lesser_roles(self, client, league):
        make_token(league)
        manager = make_organizer(league, Role.MANAGER)
        client.force_login(manager)
        assert client.get(ADMIN).status_code == 403
