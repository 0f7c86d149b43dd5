"""Signing in and out, and passwords."""

import re

import pytest
from django.core import mail

from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_sign_in_and_out(client):
    make_user("alice")
    answer = client.post("/accounts/login/", {"username": "alice", "password": "secret"}, follow=True)
    assert answer.redirect_chain == [("/", 302)]
    assert answer.context["user"].username == "alice"
    assert client.post("/accounts/logout/", follow=True).context["user"].is_anonymous


def test_a_wrong_password_is_a_sentence(client):
    make_user("alice")
    answer = client.post("/accounts/login/", {"username": "alice", "password": "wrong"})
    assert answer.status_code == 200
    assert "correct username and password" in answer.content.decode()


def test_a_sign_in_leads_to_no_other_site(client):
    make_user("alice")
    data = {"username": "alice", "password": "secret", "next": "https://evil.example/"}
    assert client.post("/accounts/login/", data)["Location"] == "/"


def test_a_password_is_changed(client):
    client.force_login(make_user("alice"))
    new = {"old_password": "secret", "new_password1": "a-long-one-42", "new_password2": "a-long-one-42"}
    answer = client.post("/accounts/password/", new, follow=True)
    assert answer.redirect_chain == [("/accounts/password/changed/", 302)]
    assert client.login(username="alice", password="a-long-one-42")


def test_a_forgotten_password_is_set_anew_by_mail(client):
    make_user("alice", email="alice@example.org")
    client.post("/accounts/reset/", {"email": "alice@example.org"})
    (message,) = mail.outbox
    (link,) = re.findall(r"http://localhost:\d+(/accounts/reset/\S+)", str(message.body))
    form = client.get(link, follow=True)
    address = form.redirect_chain[0][0]
    answer = client.post(
        address, {"new_password1": "a-long-one-42", "new_password2": "a-long-one-42"}, follow=True
    )
    assert answer.redirect_chain == [("/accounts/reset/done/", 302)]
    assert client.login(username="alice", password="a-long-one-42")


def test_an_unknown_address_gets_the_same_answer_and_no_mail(client):
    answer = client.post("/accounts/reset/", {"email": "nobody@example.org"}, follow=True)
    assert answer.redirect_chain == [("/accounts/reset/sent/", 302)]
    assert mail.outbox == []


@pytest.mark.parametrize("address", ["/accounts/login/", "/accounts/reset/"])
@pytest.mark.parametrize("language", ["bg", "en", "tr"])
def test_pages_open_in_every_language(client, address, language):
    assert client.get(address, headers={"Accept-Language": language}).status_code == 200


@pytest.mark.parametrize("key", ["abcdefgh\\000", "abcdefgh\\377", "a" * 5000, "-" * 32])
def test_a_cookie_that_can_be_no_session_is_nobodys(client, key):
    # In quotation marks Python reads the octal codes of a cookie: PostgreSQL refuses the NUL.
    client.cookies.load(f'sessionid="{key}"')
    answer = client.get("/", headers={"cookie": f'sessionid="{key}"'})
    assert answer.status_code == 200
    assert answer.context["user"].is_anonymous
