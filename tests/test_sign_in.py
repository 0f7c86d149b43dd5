"""Guessing passwords: slow for strangers, and never the end of the right user. After attacks.md, AU."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.conf import settings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.test import Client, RequestFactory

from tests.factories import make_league, make_user
from wsd_site.limits import LimitReachedError, address_of, take
from wsd_site.sign_in import OF_ADDRESS, OF_DEVICE, OF_NAME

pytestmark = pytest.mark.django_db

PAGES = ["/accounts/login/", "/admin/login/"]
START = datetime(2026, 5, 1, 12, tzinfo=ZoneInfo("UTC"))


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


@pytest.fixture
def alice():
    """Runs a league, so that the admin lets her in as well."""
    user = make_user("alice", email="alice@example.org")
    make_league("club", owner=user)
    return user


def sign_in(
    client: Client,
    username: str = "alice",
    password: str = "secret",
    *,
    form: str = PAGES[0],
    address: str = "192.0.2.1",
    **extra: Any,
) -> Any:
    data = {"username": username, "password": password}
    return client.post(form, data, REMOTE_ADDR=address, **extra)


def guess(times: int, **values: Any) -> list[int]:
    """The status codes of so many wrong passwords from strangers; a value may depend on the number."""
    answers = []
    for number in range(times):
        chosen = {name: value(number) if callable(value) else value for name, value in values.items()}
        answers.append(sign_in(Client(), password=f"guess {number}", **chosen).status_code)
    return answers


@pytest.mark.parametrize("form", PAGES)
def test_au_01_one_name_is_guessed_from_many_addresses(alice, form):
    answers = guess(30, form=form, address=lambda number: f"198.51.100.{number}")
    assert answers == [200] * OF_NAME.times + [429] * (30 - OF_NAME.times)


@pytest.mark.parametrize("form", PAGES)
def test_au_01_many_names_are_guessed_from_one_address(alice, form):
    answers = guess(30, form=form, username=lambda number: f"user-{number}")
    assert answers == [200] * OF_ADDRESS.times + [429] * (30 - OF_ADDRESS.times)
    assert sign_in(Client(), form=form, address="192.0.2.2").status_code == 302


def test_au_01_writing_a_name_otherwise_gives_no_new_guesses(alice):
    guess(OF_NAME.times, address=lambda number: f"198.51.100.{number}")
    for name in ("alice", "ALICE", "ａｌｉｃｅ", " alice "):
        assert sign_in(Client(), name).status_code == 429


def test_au_01_a_forged_address_gives_no_new_guesses(alice):
    forged = {"HTTP_X_FORWARDED_FOR": "203.0.113.9"}
    guess(OF_ADDRESS.times, username=lambda number: f"user-{number}", **forged)
    for header in ("HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_CLIENT_IP", "HTTP_FORWARDED"):
        assert sign_in(Client(), "somebody", "x", **{header: "203.0.113.10"}).status_code == 429


def test_au_01_behind_a_proxy_only_what_the_proxy_has_seen_counts(settings):
    settings.BEHIND_PROXY = True
    request = RequestFactory(REMOTE_ADDR="127.0.0.1").get
    assert (
        address_of(request("/", headers={"X-Forwarded-For": "203.0.113.9, 198.51.100.7"})) == "198.51.100.7"
    )
    assert address_of(request("/")) == "127.0.0.1"


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("", "unknown"),
        ("nonsense", "unknown"),
    ],
)
def test_au_01_addresses_of_one_subscriber_are_one(given, counted):
    assert address_of(RequestFactory().get("/", REMOTE_ADDR=given)) == counted


def test_au_01_a_name_nobody_has_is_refused_with_the_same_words(alice):
    def words(username: str) -> list[str]:
        answers = [sign_in(Client(), username, "wrong", address=f"198.51.100.{n}") for n in range(12)]
        texts = [answer.content.decode().replace(username, "NAME") for answer in answers]
        # What each page has anew: the token of its form.
        return [re.sub(r'(csrfmiddlewaretoken" value=|X-CSRFToken": )"\w+"', "", text) for text in texts]

    assert words("alice") == words("nobody")


def test_au_01_a_name_nobody_has_costs_the_same_work(alice, monkeypatch):
    hashed = []
    encode = MD5PasswordHasher.encode

    def counted(self: Any, password: str, salt: str) -> str:
        hashed.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    for username in ("alice", "nobody"):
        sign_in(Client(), username, "guess")
    assert hashed == ["guess", "guess"]


def test_au_01_a_refusal_is_a_sentence_that_says_how_long(alice, clock):
    clock.move_to(START + timedelta(minutes=2, seconds=30))
    guess(OF_NAME.times)
    answer = sign_in(Client(), password="guess")
    assert (answer.status_code, answer["Retry-After"]) == (429, "750")
    page = answer.content.decode()
    assert "Too many wrong passwords were entered." in page
    assert "Wait 13 minutes" in page
    assert 'href="/accounts/reset/"' in page


@pytest.mark.parametrize("language", ["bg", "tr"])
def test_au_01_a_refusal_is_translated(alice, language):
    guess(OF_NAME.times)
    page = sign_in(Client(headers={"Accept-Language": language})).content.decode()
    assert f'lang="{language}"' in page
    assert "password" not in page


def test_au_01_the_right_user_is_let_in_again_after_a_quarter_of_an_hour(alice, clock):
    guess(30, address=lambda number: f"198.51.100.{number}")
    assert sign_in(Client()).status_code == 429
    clock.move_to(START + timedelta(minutes=15))
    assert sign_in(Client()).status_code == 302


@pytest.mark.parametrize("form", PAGES)
def test_au_01_the_right_user_gets_in_from_a_browser_that_was_in_before(alice, form):
    known = Client()
    assert sign_in(known).status_code == 302
    known.post("/accounts/logout/")
    guess(30, address=lambda number: f"198.51.100.{number}")
    guess(30, address="192.0.2.1", username=lambda number: f"user-{number}")
    assert sign_in(Client(), form=form).status_code == 429
    assert sign_in(known, form=form).status_code == 302


def test_au_01_the_right_user_gets_in_with_a_new_password_by_mail(alice):
    guess(30, address=lambda number: f"198.51.100.{number}")
    browser = Client()
    browser.post("/accounts/reset/", {"email": "alice@example.org"})
    (link,) = re.findall(r"http://\S+?(/accounts/reset/\S+)", str(mail.outbox[0].body))
    form = browser.get(link, follow=True).redirect_chain[0][0]
    browser.post(form, {"new_password1": "a-long-one-42", "new_password2": "a-long-one-42"})
    assert sign_in(browser, password="a-long-one-42").status_code == 302
    assert sign_in(Client(), password="a-long-one-42").status_code == 429


def test_au_01_a_known_browser_has_its_own_limit(alice):
    known = Client()
    sign_in(known)
    known.post("/accounts/logout/")
    answers = [sign_in(known, password="wrong").status_code for _ in range(OF_DEVICE.times + 1)]
    assert answers == [200] * OF_DEVICE.times + [429]
    assert sign_in(Client()).status_code == 302


def test_au_01_a_known_browser_of_one_account_is_a_stranger_to_another(alice):
    make_user("mallory")
    known = Client()
    sign_in(known, "mallory")
    known.post("/accounts/logout/")
    (name,) = (name for name in known.cookies if name.startswith("device-"))
    mallory = known.cookies[name].value
    sign_in(alices := Client())
    (name,) = (name for name in alices.cookies if name.startswith("device-"))
    guess(OF_NAME.times)
    forger = Client()
    for forged in (mallory, "0" * 32, ""):
        forger.cookies[name] = forged
        assert sign_in(forger).status_code == 429


@pytest.mark.parametrize(("victim", "alike"), [("jessica", "jeßica"), ("петър", "ПЕТЪР")])
def test_au_01_an_account_of_almost_the_same_name_gives_no_new_guesses(victim, alike):
    """Who is invited may make such an account; each time it signs in, its browser becomes a known one."""
    make_user(victim)
    make_user(alike)
    answers = []
    for number in range(4):
        known = Client()
        sign_in(known, alike, address=f"198.51.100.{number}")
        known.post("/accounts/logout/")
        answers += [sign_in(known, victim, "guess", address="203.0.113.9").status_code for _ in range(10)]
    assert answers == [200] * OF_NAME.times + [429] * (40 - OF_NAME.times)


def test_au_01_right_passwords_are_not_counted(alice):
    for _ in range(3 * OF_ADDRESS.times):
        assert sign_in(Client()).status_code == 302


def test_au_01_guesses_at_the_same_time_are_counted_too():
    def attempt(_number: int) -> bool:
        try:
            take(OF_NAME, "alice")
        except LimitReachedError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(200))) == OF_NAME.times


def test_au_02_a_session_planted_by_somebody_else_is_not_signed_in(alice):
    planted = Client()
    planted.session.save()  # the client keeps its cookie
    victim = Client()
    victim.cookies[settings.SESSION_COOKIE_NAME] = str(planted.session.session_key)
    assert sign_in(victim).status_code == 302
    assert victim.cookies[settings.SESSION_COOKIE_NAME].value != planted.session.session_key
    assert planted.get("/").context["user"].is_anonymous


def test_au_02_a_new_password_ends_the_other_sessions(alice):
    here, elsewhere = Client(), Client()
    sign_in(here)
    sign_in(elsewhere)
    key = here.cookies[settings.SESSION_COOKIE_NAME].value
    new = {"old_password": "secret", "new_password1": "a-long-one-42", "new_password2": "a-long-one-42"}
    assert here.post("/accounts/password/", new).status_code == 302
    assert here.cookies[settings.SESSION_COOKIE_NAME].value != key
    assert here.get("/").context["user"] == alice
    assert elsewhere.get("/").context["user"].is_anonymous


def test_au_02_signing_out_takes_a_post_and_ends_the_session(alice):
    client = Client()
    sign_in(client)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert client.get("/accounts/logout/").status_code == 405
    assert client.get("/").context["user"] == alice
    client.post("/accounts/logout/")
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    assert client.get("/").context["user"].is_anonymous


def test_au_03_a_link_for_a_new_password_works_once(alice):
    client = Client()
    client.post("/accounts/reset/", {"email": "alice@example.org"})
    (link,) = re.findall(r"http://\S+?(/accounts/reset/\S+)", str(mail.outbox[0].body))
    Client().get(link, follow=True)  # a scanner of the mail server reads it first
    form = client.get(link, follow=True).redirect_chain[0][0]
    new = {"new_password1": "a-long-one-42", "new_password2": "a-long-one-42"}
    assert client.post(form, new)["Location"] == "/accounts/reset/done/"
    again = Client().get(link)
    assert "used already or is too old" in again.content.decode()


def test_au_03_a_link_for_a_new_password_grows_old(alice, clock):
    client = Client()
    client.post("/accounts/reset/", {"email": "alice@example.org"})
    (link,) = re.findall(r"http://\S+?(/accounts/reset/\S+)", str(mail.outbox[0].body))
    clock.move_to(START + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT + 1))
    assert "used already or is too old" in client.get(link).content.decode()


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example"}])
def test_au_04_the_link_leads_to_the_configured_host(alice, settings, headers):
    settings.ALLOWED_HOSTS = ["*"]
    settings.MAIN_HOST = "standings.example.org"
    Client().post("/accounts/reset/", {"email": "alice@example.org"}, headers=headers)
    text = str(mail.outbox[0].body)
    assert "http://standings.example.org/accounts/reset/" in text
    assert "evil" not in text + mail.outbox[0].subject


def test_links_to_one_mailbox_are_few_and_its_owner_is_not_told_apart(alice):
    for email in ("alice@example.org", "nobody@example.org"):
        answers = [
            Client().post("/accounts/reset/", {"email": written}, REMOTE_ADDR=f"198.51.100.{number}")
            for number, written in enumerate([email, email.upper(), email, f" {email}"])
        ]
        assert [answer.status_code for answer in answers] == [302, 302, 302, 429]
    assert len(mail.outbox) == 3


def test_links_from_one_address_are_few():
    answers = [
        Client().post("/accounts/reset/", {"email": f"user{number}@example.org"}).status_code
        for number in range(11)
    ]
    assert answers == [302] * 10 + [429]


def test_the_present_password_cannot_be_guessed_with_a_stolen_session(alice):
    client = Client()
    client.force_login(alice)
    wrong = {"old_password": "wrong", "new_password1": "a-long-one-42", "new_password2": "a-long-one-42"}
    answers = [client.post("/accounts/password/", wrong).status_code for _ in range(11)]
    assert answers == [200] * 10 + [429]


def test_ft_15_a_mail_server_that_is_down_is_no_error(alice, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # nothing listens there
    answer = Client().post("/accounts/reset/", {"email": "alice@example.org"})
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/reset/sent/")
