"""The organizers of a league: who may change them, and invitations."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leagues.models import AuditEntry, Invitation, League, Organizer, Role
from leagues.services import (
    accept_invitation,
    add_organizer,
    change_role,
    invite_organizer,
    remove_organizer,
    update_league,
)
from tests.factories import make_league, make_organizer, make_season, make_user

pytestmark = pytest.mark.django_db

PAGE = "/club/organizers/"
PASSWORD = "a-long-enough-word-7"


@pytest.fixture
def alice() -> User:
    return make_user("alice")


@pytest.fixture
def league(alice: User) -> League:
    return make_league("club", name="The club", owner=alice, visibility="private")


@pytest.fixture
def owner(alice: User, league: League) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def link_in(page: str) -> str:
    """The address of the invitation that a page shows, without the host."""
    found = re.search(r'value="http://testserver(/invitations/[\w-]+/)"', page)
    assert found
    return found[1]


def invite(owner: Client, role: Role = Role.SCORER, email: str = "") -> str:
    """An invitation made on the page: its link."""
    return link_in(owner.post(PAGE, {"role": role, "email": email}).content.decode())


@pytest.fixture(autouse=True)
def main_host(settings) -> None:
    settings.MAIN_HOST = "testserver"


# --- The page


def test_an_owner_sees_who_runs_the_league(owner, league):
    make_organizer(league, Role.MANAGER, "bob")
    make_organizer(make_league("other"), Role.OWNER, "stranger")
    page = owner.get(PAGE).content.decode()
    assert "alice" in page
    assert "bob" in page
    assert "stranger" not in page


@pytest.mark.parametrize(("role", "status"), [(Role.MANAGER, 403), (Role.SCORER, 403), (None, 404)])
def test_nobody_else_reaches_any_of_it(owner, league, role, status):
    invite(owner)
    alice, invitation = Organizer.objects.get(), Invitation.objects.get()
    addresses = [PAGE, f"{PAGE}{alice.pk}/", f"{PAGE}invitations/{invitation.pk}/revoke/"]
    client = signed_in(make_organizer(league, role, "bob") if role else make_user("bob"))
    data = {"role": Role.OWNER, "remove": "1"}
    assert [client.post(address, data).status_code for address in addresses] == [status] * 3
    assert client.get(PAGE).status_code == status
    assert client.get(addresses[1]).status_code == status
    assert "Organizers" not in client.get("/club/").content.decode()
    assert Invitation.objects.get() == invitation
    assert Organizer.objects.get(user__username="alice").role == Role.OWNER


def test_xw_09_an_owner_of_another_league_reaches_nothing_by_id(owner, league):
    other = make_league("other")
    bob = make_organizer(other, Role.OWNER, "bob")
    invite(owner)
    before = list(Organizer.objects.values_list("pk", "role")), list(Invitation.objects.values())
    client = signed_in(bob)
    alice, invitation = Organizer.objects.get(user__username="alice"), Invitation.objects.get()
    for address in (
        f"/other/organizers/{alice.pk}/",
        f"/other/organizers/invitations/{invitation.pk}/revoke/",
    ):
        assert client.post(address, {"role": "scorer", "remove": "1"}).status_code == 404
    assert (list(Organizer.objects.values_list("pk", "role")), list(Invitation.objects.values())) == before


def test_an_owner_changes_a_role_and_removes_an_organizer(owner, league):
    bob = Organizer.objects.get(user=make_organizer(league, Role.SCORER, "bob"))
    address = f"{PAGE}{bob.pk}/"
    assert owner.post(address, {"role": Role.MANAGER}).status_code == 302
    bob.refresh_from_db()
    assert bob.role == Role.MANAGER
    assert "valid choice" in owner.post(address, {"role": "superuser"}).content.decode()
    page = owner.post(address, {"remove": "1"}, follow=True).content.decode()
    assert "bob is no organizer any more." in page
    assert owner.post(address, {"remove": "1"}).status_code == 404
    assert [entry.action for entry in AuditEntry.objects.filter(object_name="bob")] == [
        "remove_organizer",
        "change_role",
        "add_organizer",
    ]


def test_pe_02_who_is_removed_is_out_at_the_next_click(owner, league):
    make_season(league, name="Now")
    bob = make_organizer(league, Role.OWNER, "bob")
    client = signed_in(bob)
    addresses = [PAGE, "/club/", "/club/now/games/new/", "/club/now/import/", "/api/v1/leagues/club"]
    assert [client.get(address).status_code for address in addresses] == [200] * 5
    owner.post(f"{PAGE}{Organizer.objects.get(user=bob).pk}/", {"remove": "1"})
    assert [client.get(address).status_code for address in addresses] == [404] * 5
    assert client.post("/club/now/games/new/", {"add": "1"}).status_code == 404
    assert client.get("/admin/").status_code == 302


def test_the_last_owner_stays(owner, league):
    own = Organizer.objects.get()
    for data in ({"remove": "1"}, {"role": Role.SCORER}):
        page = owner.post(f"{PAGE}{own.pk}/", data).content.decode()
        assert "alice is the last owner of the league; make somebody else an owner first." in page
    own.refresh_from_db()
    assert own.role == Role.OWNER


def test_an_owner_whose_account_is_switched_off_is_no_other_owner(owner, league):
    User.objects.filter(pk=make_organizer(league, Role.OWNER, "bob").pk).update(is_active=False)
    own = Organizer.objects.get(user__username="alice")
    page = owner.post(f"{PAGE}{own.pk}/", {"remove": "1"}).content.decode()
    assert "is the last owner of the league" in page
    assert owner.get(PAGE).status_code == 200


def test_an_owner_can_step_down_where_there_is_another(owner, league):
    make_organizer(league, Role.OWNER, "bob")
    own = Organizer.objects.get(user__username="alice")
    assert owner.post(f"{PAGE}{own.pk}/", {"role": Role.SCORER})["Location"] == "/"
    assert owner.get(PAGE).status_code == 403


@pytest.mark.parametrize("role", [Role.MANAGER, Role.SCORER, None])
def test_only_who_is_an_owner_at_that_moment_gives_roles(league, role):
    bob = make_organizer(league, role, "bob") if role else make_user("bob")
    carol = Organizer.objects.get(user=make_organizer(league, Role.SCORER, "carol"))
    for act in (
        lambda: add_organizer(league=league, user=make_user(), role=Role.SCORER, by=bob),
        lambda: change_role(organizer=carol, role=Role.OWNER, by=bob),
        lambda: remove_organizer(organizer=carol, by=bob),
        lambda: invite_organizer(league=league, role=Role.SCORER, by=bob),
    ):
        with pytest.raises(ValidationError, match="Only an owner of the league decides"):
            act()
    assert not Invitation.objects.exists()
    assert Organizer.objects.get(pk=carol.pk).role == Role.SCORER


# --- Invitations


def test_an_invitation_is_accepted_with_an_account(owner, league, alice):
    bob = make_user("bob", is_staff=False)
    client = signed_in(bob)
    link = invite(owner, Role.MANAGER)
    page = client.get(link).content.decode()
    assert "The club" in page
    assert "manager: seasons, players, games and rules" in page
    assert "alice" in page
    assert client.post(link)["Location"] == "/club/"
    assert Organizer.objects.get(user=bob).role == Role.MANAGER
    entry = AuditEntry.objects.filter(action="accept_invitation").get()
    assert (entry.by, entry.after) == (bob, {"role": "manager"})
    assert not Invitation.objects.exists()


def test_au_03_looking_uses_up_nothing_and_accepting_happens_once(owner, league):
    link = invite(owner)
    visitor = Client()
    for _time in range(3):
        assert visitor.get(link).status_code == 200
        assert visitor.head(link).status_code == 200
    assert signed_in(make_user("bob")).post(link).status_code == 302
    for client in (signed_in(make_user("carol")), visitor):
        answer = client.post(link)
        assert answer.status_code == 404
        assert "This invitation is not valid any more." in answer.content.decode()
        assert "The club" not in answer.content.decode()
    assert Organizer.objects.count() == 2


def test_au_03_an_expired_or_revoked_invitation_is_dead(owner, league):
    client = signed_in(make_user("bob"))
    expired, revoked = invite(owner), invite(owner)
    first, second = Invitation.objects.order_by("pk")
    Invitation.objects.filter(pk=first.pk).update(expires_at=timezone.now())
    address = f"{PAGE}invitations/{second.pk}/revoke/"
    assert owner.get(address).status_code == 405
    assert owner.post(address, follow=True).status_code == 200
    for link in (expired, revoked):
        assert client.get(link).status_code == 404
        assert client.post(link).status_code == 404
    assert Organizer.objects.count() == 1
    assert "Invitations that wait" not in owner.get(PAGE).content.decode()


def test_an_invitation_is_valid_for_a_week(owner, league):
    invite(owner)
    left = Invitation.objects.get().expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)


@pytest.mark.parametrize("loss", ["removed", "demoted", "deactivated"])
def test_an_invitation_dies_with_its_makers_role(owner, league, loss):
    bob = make_organizer(league, Role.OWNER, "bob")
    link = invite(signed_in(bob), Role.OWNER)
    organizer = Organizer.objects.get(user=bob)
    if loss == "removed":
        remove_organizer(organizer=organizer, by=None)
    elif loss == "demoted":
        change_role(organizer=organizer, role=Role.MANAGER, by=None)
    else:
        User.objects.filter(pk=bob.pk).update(is_active=False)
    client = signed_in(make_user("carol"))
    assert client.post(link).status_code == 404
    assert not Organizer.objects.filter(user__username="carol").exists()


def test_only_a_hash_of_the_token_is_kept(owner, league):
    token = invite(owner).split("/")[2]
    invitation = Invitation.objects.get()
    assert len(token) >= 43
    kept = [*map(str, Invitation.objects.values_list()), *map(str, AuditEntry.objects.values_list())]
    assert token not in "".join(kept)
    assert invitation.token_hash == Invitation.hash_of(token)
    assert token not in owner.get(PAGE).content.decode()
    page = owner.post(PAGE, {"role": "scorer"})
    assert "no-store" in page["Cache-Control"]


def test_an_organizer_does_not_use_up_an_invitation_by_mistake(owner, league):
    link = invite(owner, Role.SCORER)
    assert "is an organizer of the league already" in owner.post(link).content.decode()
    assert Organizer.objects.get().role == Role.OWNER
    assert signed_in(make_user("bob")).post(link).status_code == 302


def test_an_unknown_token_is_404(client):
    assert client.get("/invitations/none-of-ours/").status_code == 404
    assert client.post("/invitations/none-of-ours/", {"username": "x"}).status_code == 404


def test_xw_09_an_invitation_leads_to_its_own_league_only(owner, league):
    make_league("other")
    link = invite(owner)
    bob = make_user("bob")
    assert signed_in(bob).post(f"{link}?league=other", {"league": "other"}).status_code == 302
    assert [organizer.league for organizer in Organizer.objects.filter(user=bob)] == [league]


# --- Somebody without an account


def test_who_has_no_account_makes_one_and_is_signed_in(owner, league):
    link = invite(owner)
    visitor = Client()
    page = visitor.get(link).content.decode()
    assert f'href="/accounts/login/?next={link}"' in page
    data = {"username": "dora", "email": "dora@example.org", "password1": PASSWORD, "password2": PASSWORD}
    visitor.cookies["sessionid"] = "a" * 32  # AU-02: a key that somebody else planted
    assert visitor.post(link, data)["Location"] == "/club/"
    assert visitor.cookies["sessionid"].value != "a" * 32
    dora = User.objects.get(username="dora")
    assert (dora.is_staff, dora.is_superuser, dora.email) == (False, False, "dora@example.org")
    assert not dora.groups.exists()
    assert Organizer.objects.get(user=dora).role == Role.SCORER
    assert visitor.get("/club/").status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [{"username": "alice"}, {"password2": "other"}, {"password1": "abc", "password2": "abc"}, {"email": "x"}],
)
def test_a_wrong_sign_up_makes_nothing(owner, league, wrong):
    link = invite(owner)
    data = {"username": "dora", "email": "", "password1": PASSWORD, "password2": PASSWORD}
    answer = Client().post(link, data | wrong | {"is_superuser": "on", "is_staff": "on"})
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    assert User.objects.count() == 1
    assert Invitation.objects.count() == 1


def test_pe_04_an_invitation_to_somebodys_mail_address_touches_no_account(owner, league):
    root = make_user("root", email="root@example.org", is_superuser=True, is_staff=True)
    before = User.objects.filter(pk=root.pk).values().get()
    link = invite(owner, Role.SCORER, "root@example.org")
    data = {"username": "dora", "email": "root@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post(link, data | {"is_superuser": "on", "role": "owner"}).status_code == 302
    assert User.objects.filter(pk=root.pk).values().get() == before
    dora = Organizer.objects.get(user__username="dora")
    assert (dora.role, dora.user.is_superuser) == (Role.SCORER, False)
    assert not root.organizer_roles.exists()


# --- Mail


def test_an_invitation_is_mailed_in_the_leagues_language(owner, league, alice):
    update_league(league=league, by=alice, language="tr", name="Kulüp\r\nBcc: x")
    page = owner.post(PAGE, {"role": "scorer", "email": "dora@example.org"}).content.decode()
    (letter,) = mail.outbox
    assert letter.to == ["dora@example.org"]
    assert letter.subject == "Kulüp Bcc: x ligini yönetme daveti"
    assert f"http://testserver{link_in(page)}" in letter.body
    assert "dora@example.org" in owner.get(PAGE).content.decode()
    assert "dora" not in str(list(AuditEntry.objects.values()))


def test_au_04_the_link_leads_to_the_configured_host(owner, league, settings):
    settings.MAIN_HOST = "standings.example.org"
    forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    page = owner.post(PAGE, {"role": "scorer", "email": "dora@example.org"}, headers=forged).content.decode()
    assert "http://standings.example.org/invitations/" in page
    assert "evil" not in page + mail.outbox[0].body


def test_ft_15_without_a_mail_server_the_link_is_there_to_copy(owner, league, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # nobody listens there
    page = owner.post(PAGE, {"role": "scorer", "email": "dora@example.org"}).content.decode()
    assert "The mail could not be sent." in page
    assert signed_in(make_user("dora")).post(link_in(page)).status_code == 302


# --- Other people's accounts


def test_pe_01_no_owner_reaches_accounts_groups_or_permissions(owner, league):
    bob = make_organizer(league, Role.SCORER, "bob")
    before = list(User.objects.order_by("pk").values())
    addresses = [
        reverse("admin:auth_user_changelist"),
        reverse("admin:auth_user_add"),
        reverse("admin:auth_group_changelist"),
        reverse("admin:auth_group_add"),
        *(reverse(f"admin:auth_user_{act}", args=[user.pk])
          for user in User.objects.all() for act in ("change", "delete", "history")),
        *(reverse("admin:auth_user_password_change", args=[user.pk]) for user in User.objects.all()),
    ]  # fmt: skip
    data = {
        "is_superuser": "on",
        "is_staff": "on",
        "username": "x",
        "password1": PASSWORD,
        "password2": PASSWORD,
    }
    for address in addresses:
        assert owner.get(address).status_code in (403, 404), address
        assert owner.post(address, data).status_code in (403, 404), address
    assert list(User.objects.order_by("pk").values()) == before
    assert bob.check_password("secret")


# --- Making a league


@pytest.mark.parametrize("allowed", [True, False])
def test_whoever_is_signed_in_makes_a_league_where_the_site_allows_it(client, settings, allowed):
    settings.USERS_CREATE_LEAGUES = allowed
    user = make_user("dora")
    data = {
        "name": "Шах на двора",
        "slug": "",
        "language": "bg",
        "timezone": "Europe/Sofia",
        "visibility": "unlisted",
    }
    if allowed:
        assert client.post("/leagues/new/", data)["Location"] == "/accounts/login/?next=/leagues/new/"
    client.force_login(user)
    assert ("/leagues/new/" in client.get("/").content.decode()) is allowed
    assert client.get("/leagues/new/").status_code == (200 if allowed else 404)
    answer = client.post("/leagues/new/", data | {"host": "evil.example", "owner": "root"})
    assert answer.status_code == (302 if allowed else 404)
    if allowed:
        league = League.objects.get()
        assert (league.slug, league.host, league.visibility) == ("shah-na-dvora", "", "unlisted")
        assert [(each.user, each.role) for each in league.organizers.all()] == [(user, Role.OWNER)]
        assert client.get(answer["Location"]).status_code == 200
    assert League.objects.count() == allowed


def test_a_superuser_makes_leagues_anyhow_and_is_offered_zones(client):
    client.force_login(make_user("root", is_superuser=True))
    page = client.get("/leagues/new/").content.decode()
    assert "<option>Europe/Sofia</option>" in page
    assert "data-own-zone" in page
    data = {"name": "", "language": "en", "timezone": "Asia/Tokyo", "visibility": "public"}
    page = client.post("/leagues/new/", data).content.decode()
    assert "data-own-zone" not in page  # what was typed stays
    assert 'value="Asia/Tokyo"' in page


@pytest.mark.parametrize(
    ("slug", "sentence"),
    [
        ("admin", "word of the site"),
        ("club", "already exists"),
        ("gone", "is taken"),
        ("A b", "Enter a valid"),
    ],
)
def test_a_new_league_gets_no_address_that_is_taken(client, settings, slug, sentence):
    settings.USERS_CREATE_LEAGUES = True
    update_league(league=make_league("gone"), by=None, slug="club")
    client.force_login(make_user("dora"))
    data = {"name": "Gone", "slug": slug, "language": "en", "timezone": "UTC", "visibility": "public"}
    assert sentence in client.post("/leagues/new/", data).content.decode()
    assert League.objects.count() == 1
    assert client.post("/leagues/new/", data | {"slug": ""})["Location"] == "/gone-2/"


def test_a_token_is_accepted_by_the_service_once(league, alice):
    _invitation, token = invite_organizer(league=league, role=Role.SCORER, by=alice)
    accept_invitation(token=token, by=make_user("bob"))
    with pytest.raises(ValidationError, match="not valid any more"):
        accept_invitation(token=token, by=make_user("carol"))
