"""Letters on what happened in a league."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from leagues.models import Digest, Game, Player, Role, Season
from leagues.services import decide_report, remove_organizer, update_season
from leagues.services.digests import follow_league, unsubscribe_token
from ratings.services.digests import PAUSE, send_digest, send_due_digests
from tests.factories import (
    make_account,
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_report,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db

PAGE = "/apes/letters/"
SATURDAY = datetime(2026, 5, 30, 12, tzinfo=UTC)
SUNDAY, MONDAY, TUESDAY = (SATURDAY + timedelta(days=days) for days in (1, 2, 3))


@pytest.fixture
def season(settings: Any) -> Season:
    settings.MAIN_HOST = "games.example"
    owner = make_user("alice", email="alice@apes.example")
    season = make_season(
        make_league("apes", name="Apes", owner=owner, timezone="Asia/Tokyo"), slug="now", name="Now"
    )
    make_players(season.league, "Ann", "Bob")
    return season


def follow(season: Season, every: str = "day") -> Digest:
    return follow_league(league=season.league, user=season.league.organizers.get().user, every=every)


def play(season: Season, points: int, at: datetime) -> Game:
    ann, bob = Player.objects.filter(league=season.league).order_by("pk")[:2]
    game = make_game(season, (ann, points), (bob, 20), played_at=at)
    replayed(season)
    return game


def sent() -> list[Any]:
    letters, mail.outbox[:] = list(mail.outbox), []
    return letters


def test_a_letter_tells_of_the_games_since_the_last_one_and_of_who_moved(season):
    with time_machine.travel(SATURDAY, tick=False) as clock:
        play(season, 30, SATURDAY - timedelta(days=2))
        play(season, 40, SATURDAY - timedelta(days=1))
        clock.shift(1)
        follow(season)
        game = play(season, 5, SATURDAY - timedelta(hours=1))
        assert send_due_digests() == 0
        assert sent() == [], "it is due at midnight"
        clock.move_to(SUNDAY)
        assert send_due_digests() == 1
    (letter,) = sent()
    assert letter.to == ["alice@apes.example"]
    assert letter.subject == "Apes: games since 30 May 2026"
    change = game.changes.get(player__name="Bob").change / 10  # type: ignore[attr-defined]
    assert f"- 30 May 2026, 20:00: Ann 5 – Bob 20 (Ann −{change}, Bob +{change})\n" in letter.body
    assert "Ann 30" not in letter.body
    rating = season.standings.get(player__name="Bob").rating / 10  # type: ignore[attr-defined]
    assert f"Bob {rating} (+{change})" in letter.body
    assert "http://games.example/apes/now/" in letter.body
    assert letter.content_subtype == "plain"


def test_a_letter_says_who_rose_and_who_fell(season):
    (cyd,) = make_players(season.league, "Cyd")
    ann, _bob = Player.objects.filter(name__in=["Ann", "Bob"]).order_by("pk")
    with time_machine.travel(SATURDAY, tick=False) as clock:
        make_game(season, (ann, 500), (cyd, 0), played_at=SATURDAY - timedelta(days=3))
        replayed(season)
        clock.shift(1)
        follow(season)
        for minute in range(1, 4):
            make_game(season, (cyd, 500), (ann, 0), played_at=SATURDAY + timedelta(minutes=minute))
        replayed(season)
        clock.move_to(SUNDAY)
        send_due_digests()
    body = sent()[0].body
    lines = [line for line in body.splitlines() if line[:2] in ("1.", "2.", "3.")]
    assert lines[0].startswith("1. Cyd")
    assert lines[0].endswith("↑1")
    assert any(line.startswith("2. Ann") and line.endswith("↓1") for line in lines)


def test_organizers_are_told_that_reports_wait_and_players_are_not(season):
    update_season(season=season, by=None, games_from="both", report_hours=240)
    ann, bob = Player.objects.filter(league=season.league).order_by("pk")[:2]
    with time_machine.travel(SATURDAY, tick=False) as clock:
        follow(season)
        annie = make_account(ann, "annie")
        User.objects.filter(pk=annie.pk).update(email="annie@apes.example")
        follow_league(league=season.league, user=annie, every="day")
        report = make_report(season, (ann, 3), (bob, 1), played_at=SATURDAY)
        clock.move_to(SUNDAY)
        send_due_digests()
        (letter,) = sent()
        assert letter.to == ["alice@apes.example"]
        assert "1 reported game waits for an answer or for your decision: http://" in letter.body
        assert "/apes/now/reports/" in letter.body
        decide_report(report=report, accept=False, by=None)
        clock.shift(timedelta(days=1))
        send_due_digests()
        assert sent() == []


def test_one_letter_a_period_and_none_when_nothing_happened(season):
    with time_machine.travel(SATURDAY, tick=False) as clock:
        follow(season)
        play(season, 30, SATURDAY)
        clock.move_to(SUNDAY)
        send_due_digests()
        assert len(sent()) == 1
        assert send_due_digests() == 0
        clock.move_to(MONDAY)
        assert send_due_digests() == 1
        assert sent() == []
        play(season, 40, MONDAY)
        clock.move_to(TUESDAY)
        send_due_digests()
        (letter,) = sent()
    assert "Ann 40" in letter.body
    assert "Ann 30" not in letter.body


def test_a_weekly_letter_comes_on_monday_in_the_leagues_zone(season):
    with time_machine.travel(SATURDAY, tick=False) as clock:
        digest = follow(season, "week")
        assert digest.due_at == datetime(2026, 5, 31, 15, tzinfo=UTC)  # midnight in Tokyo
        play(season, 30, SATURDAY)
        clock.move_to(digest.due_at - timedelta(seconds=1))
        send_due_digests()
        assert sent() == []
        clock.move_to(digest.due_at)
        send_due_digests()
        assert len(sent()) == 1
        digest.refresh_from_db()
        assert digest.due_at == datetime(2026, 6, 7, 15, tzinfo=UTC)


def test_two_who_send_at_once_send_one_letter(season):
    with time_machine.travel(SATURDAY, tick=False) as clock:
        follow(season)
        play(season, 30, SATURDAY)
        clock.move_to(SUNDAY)
        one, other = (Digest.objects.select_related("league", "user").get() for _process in range(2))
        assert send_digest(one)
        assert send_digest(other)
        assert len(sent()) == 1


def test_a_letter_that_the_mail_server_does_not_take_comes_later_with_what_came_meanwhile(season, settings):
    with time_machine.travel(SATURDAY, tick=False) as clock:
        follow(season)
        play(season, 30, SATURDAY)
        clock.move_to(SUNDAY)
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # nobody listens there
        assert send_due_digests() == 0
        settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
        assert send_due_digests() == 0
        assert sent() == []
        clock.move_to(SUNDAY + PAUSE)
        assert send_due_digests() == 1
        assert "Ann 30" in sent()[0].body


@pytest.mark.parametrize("reason", ["removed", "switched off", "no address", "MESSAGES=0"])
def test_who_should_get_none_gets_none(season, settings, reason):
    bob = make_organizer(season.league, Role.SCORER, "bob")
    bob.email = "" if reason == "no address" else "bob@apes.example"
    with time_machine.travel(SATURDAY, tick=False) as clock:
        follow_league(league=season.league, user=bob, every="day")
        play(season, 30, SATURDAY)
        bob.is_active = reason != "switched off"
        bob.save()
        if reason == "removed":
            remove_organizer(organizer=season.league.organizers.get(user=bob), by=None)
        settings.MESSAGES = reason != "MESSAGES=0"
        clock.move_to(SUNDAY)
        assert send_due_digests() == 0
        assert sent() == []


def test_drafts_are_not_told_of_and_it_speaks_the_leagues_language(season):
    draft = make_season(season.league, name="Draft")
    update_season(season=draft, by=None, state="draft")
    season.league.language = "bg"
    season.league.save()
    with time_machine.travel(SATURDAY, tick=False) as clock:
        follow(season)
        play(season, 30, SATURDAY)
        play(draft, 40, SATURDAY)
        clock.move_to(SUNDAY)
        send_due_digests()
    (letter,) = sent()
    assert letter.subject == "Apes: игри от 30 май 2026 г."
    assert "Draft" not in letter.body


# --- Asking for them, and ending them


def test_an_organizer_asks_for_letters_and_ends_them(client, season):
    client.force_login(season.league.organizers.get().user)
    assert "They go to alice@apes.example" in client.get(PAGE).content.decode()
    for every in ("week", "day"):
        assert (
            "You get letters on this league."
            in client.post(PAGE, {"every": every}, follow=True).content.decode()
        )
        assert Digest.objects.get().every == every
    assert "valid choice" in client.post(PAGE, {"every": "hour"}).content.decode()
    client.post(PAGE, {"every": ""})
    assert not Digest.objects.exists()


def test_a_player_with_an_account_gets_letters_until_the_player_is_released(client, season):
    user = make_user("ann", email="ann@apes.example")
    Player.objects.filter(name="Ann").update(user=user)
    client.force_login(user)
    assert f'href="{PAGE}"' in client.get("/apes/").content.decode()
    with time_machine.travel(SATURDAY, tick=False) as clock:
        client.force_login(user)
        assert client.post(PAGE, {"every": "day"}).status_code == 302
        play(season, 30, SATURDAY)
        clock.move_to(SUNDAY)
        send_due_digests()
        assert [letter.to for letter in sent()] == [["ann@apes.example"]]
        play(season, 40, SUNDAY)
        Player.objects.update(user=None)
        clock.move_to(MONDAY)
        assert send_due_digests() == 0
        assert sent() == []


def test_strangers_ask_for_none(client, season):
    assert client.get(PAGE).status_code == 302
    client.force_login(make_user("stranger", email="s@example.org"))
    assert client.post(PAGE, {"every": "day"}).status_code == 404
    assert not Digest.objects.exists()


def test_the_link_in_a_letter_ends_them_without_signing_in(season):
    with time_machine.travel(SATURDAY, tick=False) as clock:
        season.league.visibility = "private"
        season.league.save()
        follow(season)
        play(season, 30, SATURDAY)
        clock.move_to(SUNDAY)
        send_due_digests()
    (letter,) = sent()
    link = letter.extra_headers["List-Unsubscribe"].strip("<>")
    assert letter.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link in letter.body
    path = link.removeprefix("http://games.example")
    client = Client(enforce_csrf_checks=True)  # mail programs send no token of a form
    assert "Send me no more" in client.get(path).content.decode()
    assert Digest.objects.exists(), "looking at it ends nothing"
    answer = client.post(path, {"List-Unsubscribe": "One-Click"})
    assert "You get no letters on this league any more." in answer.content.decode()
    assert not Digest.objects.exists()
    assert client.post(path).status_code == 200, "a second click is no error"


def test_a_link_of_ones_own_making_ends_nothing(client, season):
    token = unsubscribe_token(follow(season))
    for made in (f"{token[:-1]}{'A' if token[-1] != 'A' else 'B'}", "x", "W1sxXQ:x:y"):
        assert client.post(f"/unsubscribe/{made}/").status_code == 404
    assert Digest.objects.exists()
