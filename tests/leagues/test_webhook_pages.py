"""Webhooks on the owner's page, in the admin and in the log: their addresses are secrets."""

import re

import pytest
from django.core.exceptions import ValidationError

from leagues.models import Announcement, AuditEntry, League, Role, Webhook
from leagues.services import create_webhook, delete_webhook, remove_organizer, switch_webhook
from tests.factories import make_league, make_organizer, make_season, make_user

pytestmark = pytest.mark.django_db

PAGE = "/apes/webhooks/"
ADDRESS = "https://discord.com/api/webhooks/1/very-secret"


@pytest.fixture
def league() -> League:
    return make_league("apes", owner=make_user("alice", is_staff=True))


@pytest.fixture
def alice(client, league):
    client.force_login(league.organizers.get().user)
    return client


def make_hook(league: League, kind: str = "discord") -> Webhook:
    return create_webhook(league=league, kind=kind, address=ADDRESS, by=None)


def test_an_owner_adds_one_and_the_address_is_shown_nowhere(alice, league):
    page = alice.post(PAGE, {"kind": "discord", "address": ADDRESS}).content.decode()
    hook = Webhook.objects.get()
    assert (hook.league, hook.host, hook.address) == (league, "discord.com", ADDRESS)
    shown = [page, alice.get(PAGE).content.decode()]
    admin = f"/admin/leagues/webhook/{hook.pk}/"
    shown += [
        alice.get(address).content.decode() for address in ("/admin/leagues/webhook/", f"{admin}change/")
    ]
    shown += [alice.get(address).content.decode() for address in ("/apes/log/", f"{admin}history/")]
    assert all("discord.com" in text for text in shown)
    assert "very-secret" not in "".join(shown)
    assert "very-secret" not in str(list(AuditEntry.objects.values()))


def test_that_of_a_program_shows_its_secret_once(alice):
    page = alice.post(PAGE, {"kind": "json", "address": ADDRESS})
    (secret,) = re.findall(r"whsec_[\w+/]{32}", page.content.decode())
    assert "no-store" in page["Cache-Control"]
    assert Webhook.objects.get().secret == secret
    assert secret not in alice.get(PAGE).content.decode() + str(list(AuditEntry.objects.values()))
    assert "whsec_" not in alice.post(PAGE, {"kind": "slack", "address": ADDRESS}).content.decode()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "post", "address": ADDRESS},
        {"kind": "slack", "address": "http://example.org/"},
        {"kind": "slack", "address": "https://10.0.0.1/"},
        {"kind": "slack", "address": "https://example.org/" + "x" * 500},
        {"kind": "slack", "address": "https://example.org/\0"},
    ],
)
def test_what_is_wrong_is_said_in_the_form(alice, data):
    page = alice.post(PAGE, data)
    assert page.status_code == 200
    assert page.context["form"].errors
    assert not Webhook.objects.exists()


def test_it_is_switched_off_on_again_and_deleted(alice, league):
    hook = make_hook(league)
    address = f"{PAGE}{hook.pk}/"
    off = alice.post(address, {"off": "1"}, follow=True).content.decode()
    assert "Discord (discord.com) is switched off." in off
    assert 'name="on"' in off
    assert 'aria-label="Switch Discord (discord.com) on">Switch on<' in off
    Webhook.objects.update(failures=24, error="The server does not answer.")
    on = alice.post(address, {"on": "1"}, follow=True).content.decode()
    assert "Discord (discord.com) is switched on." in on
    assert 'name="off"' in on
    assert 'aria-label="Switch Discord (discord.com) off">Switch off<' in on
    hook.refresh_from_db()
    assert (hook.is_active, hook.failures, hook.error) == (True, 0, "")
    alice.post(address, {"delete": "1"})
    assert not Webhook.objects.exists()
    assert alice.post(address, {"delete": "1"}).status_code == 404
    acts = list(AuditEntry.objects.filter(object_type="webhook").values_list("action", flat=True))
    assert acts == ["delete_webhook", "switch_webhook", "switch_webhook", "create_webhook"]


def test_an_owner_is_told_what_was_wrong_and_what_was_given_up(alice, league):
    hook = make_hook(league)
    Webhook.objects.update(failures=3, error="The server refused the message (status 500).")
    act = AuditEntry.objects.latest("pk")
    Announcement.objects.create(hook=hook, season=make_season(league), act=act, state="given-up")
    page = alice.get(PAGE).content.decode()
    assert "The server refused the message (status 500)." in page
    assert "1 message was given up" in page
    assert "does not answer" in page


@pytest.mark.parametrize(("role", "status"), [(Role.MANAGER, 403), (Role.SCORER, 403), (None, 404)])
def test_nobody_else_reaches_any_of_it(client, league, role, status):
    hook = make_hook(league)
    client.force_login(make_organizer(league, role) if role else make_user())
    assert client.get(PAGE).status_code == status
    assert client.post(PAGE, {"kind": "slack", "address": ADDRESS}).status_code == status
    assert client.post(f"{PAGE}{hook.pk}/", {"delete": "1"}).status_code == status
    assert "Webhooks" not in client.get("/apes/").content.decode()
    client.logout()
    assert client.get(PAGE).status_code == 302
    assert list(Webhook.objects.values_list("is_active", flat=True)) == [True]


def test_xw_09_an_owner_of_another_league_reaches_nothing_by_id(client, league):
    hook = make_hook(league)
    other = make_league("bees", owner=make_user("bob", is_staff=True))
    client.force_login(other.organizers.get().user)
    for data in ({"off": "1"}, {"delete": "1"}):
        assert client.post(f"/bees/webhooks/{hook.pk}/", data).status_code == 404
    hook.refresh_from_db()
    assert hook.is_active


def test_pe_02_who_is_no_owner_any_more_changes_nothing(league):
    hook, bob = make_hook(league), make_organizer(league, Role.OWNER, "bob")
    remove_organizer(organizer=league.organizers.get(user=bob), by=None)
    for act in (
        lambda: create_webhook(league=league, kind="slack", address=ADDRESS, by=bob),
        lambda: switch_webhook(hook=hook, on=False, by=bob),
        lambda: delete_webhook(hook=hook, by=bob),
    ):
        with pytest.raises(ValidationError, match="Only an owner"):
            act()
    assert Webhook.objects.get().is_active
