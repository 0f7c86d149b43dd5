"""The page of the ladder: what it shows to whom, and what can be done on it."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leagues.models import Challenge, Entry, Game, GameReport, Role, Season
from leagues.services import add_organizer, update_season
from leagues.services.challenges import accept_challenge
from leagues.services.resting import rest_player
from leagues.tasks import sweep_challenges
from ratings.models import Standing
from ratings.services.challenges import issue_challenge
from tests.factories import (
    make_account,
    make_challenge,
    make_game,
    make_organizer,
    make_season,
    make_user,
    replayed,
)
from tests.ladders import make_ladder, moment, named

pytestmark = pytest.mark.django_db

State = Challenge.State


@pytest.fixture(autouse=True)
def noon(time_machine: Any) -> Any:
    time_machine.move_to(moment("05-04 12:00"), tick=False)
    return time_machine


@pytest.fixture
def season() -> Season:
    return make_ladder({"Ann": 1500, "Bob": 1550, "Cyd": 1590, "Zoe": 1800})


def address(season: Season, name: str = "ladder", **values: Any) -> str:
    return reverse(f"ratings:{name}", kwargs={"league": season.league.slug, "season": season.slug} | values)


def page(client: Client, season: Season, query: str = "", **headers: str) -> str:
    response = client.get(address(season) + query, headers=headers)
    assert response.status_code == 200
    return told(response)


def told(response: Any) -> str:
    """The text of a page in one line, without its markup."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(html.unescape(text).split())


def challenged(season: Season, challenger: str = "Ann", opponent: str = "Bob") -> Challenge:
    players = {"challenger": named(season, challenger), "opponent": named(season, opponent)}
    return issue_challenge(season=season, by=None, **players)


@pytest.fixture
def alice(client: Client, season: Season) -> Client:
    client.force_login(season.league.organizers.get().user)
    return client


class TestWhatIsShown:
    def test_only_a_ladder_season_has_one(self, client, season):
        other = make_season(season.league, name="Margins")
        assert client.get(address(other)).status_code == 404
        rules = reverse("ratings:rules", args=[season.league.slug, season.slug])
        assert address(season) in client.get(rules).content.decode()
        rules = reverse("ratings:rules", args=[season.league.slug, other.slug])
        assert address(other) not in client.get(rules).content.decode()

    def test_everybody_sees_the_leaderboard_and_nobody_can_act(self, client, season):
        challenged(season)
        text = page(client, season)
        assert "Ann challenges Bob" in text
        assert re.search(r"1 Zoe .* 1800.0 .* 2 Cyd", text)
        assert "Accept" not in text
        assert "The pool of" not in text

    def test_a_players_pool_with_what_is_at_stake_and_why_not(self, client, season):
        text = page(client, season, "?player=ann")
        assert "The pool of Ann" in text
        # 40 × (1 − E), E = 1 / (1 + 10^(50/400)) = 0.4285, and so on
        assert re.search(r"Bob \+22.9 / \+2.9 / −17.1 1550.0", text)
        assert "can be challenged" in text
        assert re.search(r"Zoe .* out of range", text)
        challenged(season)
        assert "There is an open challenge between the two." in page(client, season, "?player=ann")

    def test_who_may_challenge_nobody_is_led_to_the_calculator_and_to_signing_in(self, client, season):
        text = client.get(f"{address(season)}?player=ann").content.decode()
        assert f'{address(season, "calculator")}?side1=ann&amp;side2=bob"' in text
        assert "Sign in</a> to challenge" in text
        assert "2 possible opponents, 2 of them rated higher." in text

    def test_a_ladder_without_players_says_how_it_begins(self, client):
        text = page(client, make_ladder({}))
        assert "When the organizers have added the players" in text
        assert "Read the rules" in text
        assert "choose a player" not in text
        assert "Open challenges" not in text
        assert "Past challenges" not in text

    def test_a_challenge_tells_what_its_stakes_go_by_and_how_the_two_fared(self, client, season):
        make_game(
            season, (named(season, "Ann"), 2), (named(season, "Bob"), 0), played_at=moment("05-03 12:00")
        )
        text = told(client.get(challenged(replayed(season)).get_absolute_url()))
        assert "Expected score by the ratings: Ann (1520.0) 0.557, Bob (1480.0) 0.443. K is 40" in text
        assert "Games between the two 1–0–0" in text
        assert "Sign in to answer or to enter the result." in text

    def test_r119_each_row_has_the_button_or_the_reason_why_there_is_none(self, alice, noon):
        """In the pool and the leaderboard; a reason of the challenger's own holds for everybody."""
        names = {"Ann": 1500, "Bob": 1550, "Cyd": 1590, "Dan": 1480, "Eve": 1470, "Zoe": 1800}
        season = make_ladder(names, "other", rematch_days=3)
        alice.force_login(season.league.organizers.get().user)
        make_game(
            season, (named(season, "Bob"), 2), (named(season, "Ann"), 0), played_at=moment("05-03 12:00")
        )
        challenged(season, "Cyd", "Ann")
        rest_player(entry=Entry.objects.get(season=season, player__name="Dan"), days=2, by=None)
        reasons = {
            "Bob": "The two played only recently; again from 6 May 2026.",
            "Cyd": "There is an open challenge between the two.",
            "Dan": "Dan rests until 6 May 2026, 12:00.",
            "Eve": None,
            "Zoe": "The ratings are more than 100.0 apart.",
        }
        text = alice.get(f"{address(season)}?player=ann").content.decode()
        rows = [row for row in re.findall(r"<tr.*?</tr>", text, re.DOTALL) if "/players/" in row]
        assert len(rows) == 3 + 6  # who rests is in no pool
        for name, reason in reasons.items():
            own = [html.unescape(row) for row in rows if f"/players/{name.lower()}/" in row]
            assert [(reason in row if reason else True, "<button" in row) for row in own] == [
                (True, reason is None)
            ] * (1 if name in ("Dan", "Zoe") else 2)
        update_season(season=season, by=None, open_challenges_max=1)
        challenged(season, "Ann", "Eve")
        text = alice.get(f"{address(season)}?player=ann").content.decode()
        assert "Ann has 1 open challenge, as many as this season allows." in text
        assert 'form="issue"' not in text

    def test_r124_the_time_left_is_told(self, client, season, noon):
        challenge = challenged(season)
        assert "to be answered by 6 May 2026, 12:00 · 2 days left" in page(client, season)
        accept_challenge(challenge=challenge, by=None)
        noon.move_to(moment("05-11 10:30"), tick=False)
        assert "accepted, to be played by 11 May 2026, 12:00 · 1 hour, 30 minutes left" in page(
            client, season
        )
        noon.move_to(moment("05-11 12:00"), tick=False)  # nobody has swept yet
        text = page(client, season)
        assert "Nobody waits for an answer or a game." in text
        assert "Ann – Bob 4 May 2026 expired" in text
        one = told(client.get(challenge.get_absolute_url()))
        assert "expired: not answered or not played in time" in one

    def test_jump_to_me_is_the_page_with_the_player(self, client):
        season = make_ladder({f"P{number:03}": 2000 - number for number in range(120)})
        response = client.get(f"{address(season)}?player=p070")
        (link,) = re.findall(r'href="([^"]+#p-p070)"', response.content.decode())
        assert "page=2" in link
        rows = client.get(html.unescape(link)).context["table"].records
        assert [row.player.name for row in rows] == [f"P{number:03}" for number in range(50, 100)]

    def test_former_challenges_have_pages(self, client, season, noon):
        for number in range(21):
            reason = {"reason": f"No {number}.", "respond_by": season.ends_at}
            at = {"issued_at": moment("05-01 12:00") + timedelta(hours=number)}
            make_challenge(season, named(season, "Ann"), named(season, "Bob"), **reason, **at)
        first, second = page(client, season), page(client, season, "?player=ann&past=2")
        assert ("No 20." in first, "No 1." in first, "No 0." in first) == (True, True, False)
        assert ("No 20." in second, "No 0." in second) == (False, True)
        assert 'href="?past=2#history" rel="next"' in client.get(address(season)).content.decode()
        assert "No challenge has come to its end" in page(client, season, "?past=99")

    def test_the_search_is_a_fragment_and_keeps_the_player(self, client, season):
        headers = {"HX-Request": "true", "HX-Target": "table"}
        response = client.get(f"{address(season)}?player=ann&q=cyd", headers=headers)
        assert "<html" not in response.content.decode()
        assert [row.player.name for row in response.context["table"].records] == ["Cyd"]
        assert "Nobody here is called “xx”." in page(client, season, "?q=xx", **headers)
        live = client.get(
            f"{address(season)}?player=ann", headers={"HX-Request": "true", "HX-Target": "ladder"}
        )
        assert live.content.decode().lstrip().startswith('<div id="ladder"')
        assert "csrfmiddlewaretoken" not in live.content.decode()  # which would change with every answer

    def test_the_file_has_the_rows_of_the_page_with_what_is_at_stake_around_a_player(self, client, season):
        def rows(query: str = "") -> list[list[str]]:
            content = b"".join(client.get(address(season, "leaderboard-file") + query).streaming_content)
            return list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))

        assert rows() == [
            ["position", "player", "address", "rating", "wins", "draws", "losses"],
            ["1", "Zoe", "zoe", "1800.0", "0", "0", "0"],
            ["2", "Cyd", "cyd", "1590.0", "0", "0", "0"],
            ["3", "Bob", "bob", "1550.0", "0", "0", "0"],
            ["4", "Ann", "ann", "1500.0", "0", "0", "0"],
        ]
        header, _zoe, _cyd, bob, ann = [row[7:] for row in rows("?player=ann")]
        assert header == ["win", "loss"]
        assert bob == ["22.9", "-17.1"]  # as the page tells it
        assert ann == ["", ""]
        # The page leads to the file of what it shows, also where only the table was loaded anew.
        query = "?player=ann&q=cyd"
        assert [row[1] for row in rows(query)] == ["player", "Cyd"]
        for headers in ({}, {"HX-Request": "true", "HX-Target": "table"}):
            text = client.get(address(season) + query, headers=headers).content.decode()
            assert "leaderboard.xlsx?player=ann&amp;q=cyd" in text
        other = make_season(season.league, name="Margins")
        assert client.get(address(other, "leaderboard-file")).status_code == 404

    def test_the_queries_do_not_grow_with_the_season(self, client, season):
        def queries(ladder: Season, challenges: int) -> int:
            for number in range(1, challenges + 1):
                make_challenge(
                    ladder,
                    named(ladder, "P005"),
                    named(ladder, f"P00{number}"),
                    respond_by=moment("05-01 12:00"),
                )
                challenged(ladder, "P005", f"P00{number}")
            with CaptureQueriesContext(connection) as found:
                page(client, ladder, "?player=p005&page=2")
            return len(found)

        small = make_ladder({f"P{number:03}": 1500 + number / 10 for number in range(10)}, "small")
        large = make_ladder({f"P{number:03}": 1500 + number / 10 for number in range(55)}, "large")
        assert queries(small, 1) == queries(large, 3)

    @pytest.mark.parametrize(
        "query", ["?player=nobody", "?player=%00", "?page=x", "?page=99", "?q=%ff", "?player=ann&page=-1"]
    )
    def test_it_bears_any_question(self, client, season, query):
        assert client.get(address(season) + query).status_code in (200, 400)


class TestActing:
    def test_an_organizer_challenges_accepts_and_enters_the_game(self, alice, season):
        text = alice.post(
            address(season, "challenge-issue"), {"player": "ann", "opponent": "bob"}, follow=True
        ).content.decode()
        assert "Bob is challenged." in text
        challenge = Challenge.objects.get()
        one = challenge.get_absolute_url()
        assert "+22.9" in alice.get(one).content.decode()
        assert "is accepted" in alice.post(one, {"act": "accept"}, follow=True).content.decode()
        wrong = alice.post(one, {"act": "play", "own": "x", "other": "1", "played_at": "2026-05-04T12:00"})
        assert "whole number" in wrong.content.decode()
        result = {"act": "play", "own": "2", "other": "1", "played_at": "2026-05-04T12:00"}
        game = alice.post(one, result)
        assert game["Location"] == Game.objects.get().get_absolute_url()
        replayed(season)
        assert "Ann – Bob 4 May 2026 2 : 1 +20.0" in page(alice, season, "?player=bob")
        late = alice.post(one, {"act": "withdraw"}, follow=True).content.decode()
        assert "Ann – Bob: the challenge was played meanwhile." in late

    @pytest.mark.parametrize(
        ("shown", "back"),
        [
            ({"player": "ann"}, "/club/now/ladder/?player=ann"),
            ({"player": ""}, "/club/now/ladder/"),
            ({"player": "a&b=c//"}, "/club/now/ladder/?player=a%26b%3Dc%2F%2F"),
            ({}, None),  # the page of the challenge itself
        ],
    )
    @pytest.mark.parametrize("act", ["accept", "decline", "withdraw"])
    def test_who_acts_comes_back_to_where_it_was_done(self, alice, season, shown, back, act):
        """Also where that is the ladder around neither of the two, and where it is refused."""
        one = challenged(season).get_absolute_url()
        for _time in ("done", "refused"):
            assert alice.post(one, {"act": act} | shown)["Location"] == (back or one)

    def test_the_page_around_a_player_says_whose_it_is_to_what_is_done_on_it(self, alice, season):
        for query, player in (("", ""), ("?player=cyd", "cyd")):
            text = alice.get(address(season) + query).content.decode()
            (form,) = re.findall(r'<form id="act".*?</form>', text)
            assert f'name="player" value="{player}"' in form

    def test_the_lot_chooses(self, alice, season):
        said = alice.post(address(season, "challenge-issue"), {"player": "ann", "draw": "1"}, follow=True)
        drawn = Challenge.objects.get()
        assert drawn.by_draw
        assert f"Drawn: {drawn.opponent.name} is challenged." in said.content.decode()

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            ({"player": "ann"}, "Choose whom to challenge."),
            ({"player": "ann", "opponent": "nobody"}, "This player is unknown in this league."),
            ({"player": "ann", "opponent": "zoe"}, "The ratings are more than 100.0 apart."),
            ({}, "This field is required."),
        ],
    )
    def test_what_is_refused_is_said(self, alice, season, data, said):
        response = alice.post(address(season, "challenge-issue"), data, follow=True)
        assert said in html.unescape(response.content.decode())
        assert not Challenge.objects.exists()

    def test_declining_forfeiting_and_resting(self, alice, season):
        alice.post(challenged(season).get_absolute_url(), {"act": "decline", "reason": "Ill"})
        assert Challenge.objects.get(state=State.DECLINED).reason == "Ill"
        accepted = accept_challenge(challenge=challenged(season), by=None)
        assert "loses the game" in alice.get(accepted.get_absolute_url()).content.decode()
        alice.post(accepted.get_absolute_url(), {"act": "forfeit", "absent": "opponent"})
        assert [side.points for side in Game.objects.get().sides.all()] == [1, 0]
        rest = address(season, "ladder-rest")
        assert (
            "1 to 30 days" in alice.post(rest, {"player": "ann", "days": "31"}, follow=True).content.decode()
        )
        alice.post(rest, {"player": "ann", "days": "3"})
        assert "Ann rests until 7 May 2026, 12:00" in page(alice, season, "?player=ann")
        alice.post(rest, {"player": "ann", "back": "1"})
        assert Entry.objects.get(player__name="Ann").rests_until is None

    def test_who_may_act(self, client, season):
        challenge = challenged(season)
        acts = [
            (address(season, "challenge-issue"), {"player": "ann", "opponent": "cyd"}),
            (address(season, "ladder-rest"), {"player": "ann", "days": "1"}),
            *(
                (challenge.get_absolute_url(), {"act": act})
                for act in ("accept", "decline", "withdraw", "forfeit")
            ),
        ]
        assert {client.post(*act).status_code for act in acts} == {302}  # to sign in
        client.force_login(make_user("stranger"))
        assert {client.post(*act).status_code for act in acts} == {404}
        assert Challenge.objects.get().state == State.ISSUED
        client.force_login(make_organizer(season.league, Role.SCORER))
        assert "Accept" in page(client, season)
        client.post(challenge.get_absolute_url(), {"act": "accept"})
        assert Challenge.objects.get().state == State.ACCEPTED


def test_a_player_with_an_account_acts_for_nobody_else(client, season):
    client.force_login(make_account(named(season, "Bob")))
    assert "The pool of Bob" in page(client, season)
    issue = address(season, "challenge-issue")
    assert client.post(issue, {"player": "ann", "opponent": "cyd"}).status_code == 404
    client.post(issue, {"player": "bob", "opponent": "ann"})
    own = Challenge.objects.get()
    assert client.post(own.get_absolute_url(), {"act": "accept"}).status_code == 404
    client.post(own.get_absolute_url(), {"act": "withdraw"})
    received = challenged(season, "Cyd", "Bob").get_absolute_url()
    client.post(received, {"act": "accept"})
    assert "did not come" not in client.get(received).content.decode()  # organizers say that
    assert client.post(received, {"act": "forfeit", "absent": "challenger"}).status_code == 404
    client.post(received, {"act": "play", "own": "0", "other": "1", "played_at": "2026-05-04T12:00"})
    assert [each.state for each in Challenge.objects.order_by("pk")] == [State.WITHDRAWN, State.REPORTED]
    assert "Bob reported the result; the other one confirms or disputes it" in told(client.get(received))
    assert "To the report" in page(client, season)
    client.logout()
    for text in (told(client.get(received)), page(client, season)):
        assert "waits for confirmation" in text
        assert "report the result" not in text
    client.force_login(make_account(named(season, "Cyd")))
    report = GameReport.objects.get()
    answer = reverse("leagues:report-answer", args=[season.league.slug, season.slug, report.pk])
    assert "The game is confirmed, and counts." in told(
        client.post(answer, {"answer": "confirm"}, follow=True)
    )
    assert Challenge.objects.get(challenger__name="Cyd").state == State.PLAYED


def test_an_organizer_who_plays_records_at_once_but_where_games_come_from_players_alone(client, season):
    bob = make_account(named(season, "Bob"))
    add_organizer(league=season.league, user=bob, role=Role.SCORER, by=None)
    client.force_login(bob)
    result = {"act": "play", "own": "0", "other": "1", "played_at": "2026-05-04T12:00"}
    for games_from, state in (("organizers", State.PLAYED), ("players", State.REPORTED)):
        update_season(season=season, by=None, games_from=games_from)
        accepted = accept_challenge(challenge=challenged(season), by=None)
        client.post(accepted.get_absolute_url(), result)
        assert Challenge.objects.get(pk=accepted.pk).state == state


def test_whoever_has_to_answer_is_mailed_once(season, noon, settings, django_capture_on_commit_callbacks):
    for name in ("Ann", "Bob"):
        account = make_account(named(season, name))
        account.email = f"{name}@club.example"
        account.save()
    challenge = challenged(season)
    for time, sends in (("05-05 12:30", False), ("05-05 13:00", True), ("05-05 14:00", True)):
        settings.MESSAGES = sends  # a copy of the site beside the live one reminds nobody
        noon.move_to(moment(time), tick=False)
        with django_capture_on_commit_callbacks(execute=True):
            sweep_challenges()
        assert len(mail.outbox) == sends
    (sent,) = mail.outbox
    assert sent.to == ["Bob@club.example"]
    assert sent.subject == "Ann – Bob: little time left"
    assert "The challenge runs out on 6 May 2026, 12:00." in sent.body
    assert challenge.get_absolute_url() in sent.body
    accept_challenge(challenge=challenge, by=None)
    noon.move_to(moment("05-12 00:00"), tick=False)
    with django_capture_on_commit_callbacks(execute=True):
        sweep_challenges()
    assert {each.to[0] for each in mail.outbox[1:]} == {"Ann@club.example", "Bob@club.example"}


def test_the_sweep_carries_deadlines_out_and_games_that_follow_are_rated(season, noon):
    update_season(season=season, by=None, declines_max=1, forfeits_rated=True)
    for day in ("05-04", "05-07"):
        noon.move_to(moment(f"{day} 12:00"), tick=False)
        challenged(season)
        noon.move_to(moment(f"{day} 12:00") + (moment("05-07 11:00") - moment("05-04 12:00")), tick=False)
        call_command("sweep")
    first, second = Challenge.objects.order_by("pk")
    assert (first.state, second.state) == (State.EXPIRED, State.FORFEITED)
    assert Standing.objects.get(season=season, player__name="Bob").losses == 1
