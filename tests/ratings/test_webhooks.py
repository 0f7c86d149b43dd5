"""What webhooks are told of games, to a server on this machine."""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from leagues.games_csv import read_games
from leagues.models import Announcement, AuditEntry, Game, Player, Season, Webhook
from leagues.services import (
    correct_game,
    create_webhook,
    delete_games,
    import_games,
    restore_game,
    switch_webhook,
    undo_games,
    update_league,
    update_season,
    void_game,
)
from leagues.services.games import played_sides
from ratings.services.announcing import ATTEMPTS, FAILURES, announce_due, serve, take_up
from ratings.services.replay import replay_season
from ratings.services.rules import change_rules
from ratings.tasks import announcer
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed
from tests.processes import Processes, wait_until
from tests.receiver import Got, Receiver, receiver

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def server(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOKS_ANYWHERE, settings.MAIN_HOST = True, "games.example"
    with receiver() as server:
        server.answer = lambda _got: (200, {}, json.dumps({"id": "4711"}).encode())
        yield server


@pytest.fixture
def season() -> Season:
    """A season in which everybody who has played has a place."""
    owner = make_user("alice", email="alice@apes.example")
    season = make_season(make_league("apes", name="Apes", owner=owner), slug="now", name="Now")
    change_rules(season=season, by=None, values={"min_games": 0, "min_meetings": 0})
    make_players(season.league, "Ann", "Bob")
    return season


def make_hook(season: Season, server: Receiver, kind: str = "discord") -> Webhook:
    return create_webhook(league=season.league, kind=kind, address=f"{server.address}/secret?x=1", by=None)


def play(season: Season, points: int = 30, hour: int = 1, **values: Any) -> Game:
    ann, bob = Player.objects.filter(league=season.league).order_by("pk")[:2]
    at = season.starts_at + timedelta(hours=hour)
    return make_game(season, (ann, points), (bob, 20), played_at=at, **values)


def told(season: Season, *hooks: Webhook) -> None:
    """Bring the results level, and tell these hooks."""
    replayed(season)
    for hook in hooks:
        serve(hook.pk)


def corrected(game: Game, **values: Any) -> Game:
    game = Game.objects.with_sides().get(pk=game.pk)
    one, other = played_sides(game)
    return correct_game(game=game, played_at=game.played_at, sides=[other, one], note="", by=None, **values)


# --- What is told


def test_r128_a_game_is_one_message_with_what_it_changed_and_the_places(season, server):
    hook = make_hook(season, server)
    game = play(season, note="the final")
    serve(hook.pk)
    assert server.got == [], "nothing is told before the results are level"
    told(season, hook)
    change = season.changes.get(player__name="Ann").change / 10  # type: ignore[attr-defined]
    assert server.texts() == [
        f"**Apes · Now**\nAnn 30 – Bob 20\nAnn \\+{change}, Bob −{change}\n".replace(".", "\\.")
        + f"Places now\\: Ann 1st, Bob 2nd\nthe final\n<http://games.example/apes/now/games/{game.pk}/>"
    ]
    (got,) = server.got
    assert (got.method, got.path) == ("POST", "/secret?x=1&wait=true")
    assert got.json["allowed_mentions"] == {"parse": []}
    told(season, hook)
    announce_due()
    assert len(server.got) == 1, "once told, a game is not told again"


def test_discord_gets_a_corrected_game_as_an_edited_message(season, server):
    hook, game = make_hook(season, server), play(season)
    told(season, hook)
    corrected(game)
    told(season, hook)
    _first, edited = server.got
    assert (edited.method, edited.path) == ("PATCH", "/secret/messages/4711?x=1")
    assert edited.json["content"].startswith("**Apes · Now**\nCorrected\\: Bob 20 – Ann 30\n")


def test_where_a_message_cannot_be_edited_a_second_one_is_marked(season, server):
    hook, game = make_hook(season, server, "slack"), play(season, 3000)
    told(season, hook)
    corrected(game)
    told(season, hook)
    void_game(game=game, reason="Twice", by=None)
    told(season, hook)
    restore_game(game=game, by=None)
    told(season, hook)
    delete_games(games=[game], by=None)
    told(season, hook)
    assert {(got.method, got.path) for got in server.got} == {("POST", "/secret?x=1")}
    texts = [text.splitlines() for text in server.texts()]
    assert {lines[0] for lines in texts} == {"*Apes · Now*"}
    assert [lines[1] for lines in texts] == [
        "Ann 3,000 – Bob 20",
        "Corrected: Bob 20 – Ann 3,000",
        "Does not count: Bob 20 – Ann 3,000",
        "Counts again: Bob 20 – Ann 3,000",
        "Deleted: Bob 20 – Ann 3,000",
    ]
    assert texts[2][2] == "This game does not count: Twice"
    assert texts[4][2] == "<http://games.example/apes/now/>"


def test_r129_a_game_that_went_before_anybody_was_told_is_not_spoken_of(season, server):
    hook = make_hook(season, server)
    voided, deleted, edited = (play(season, points, points) for points in (1, 2, 3))
    void_game(game=voided, reason="Twice", by=None)
    delete_games(games=[deleted], by=None)
    corrected(edited)
    told(season, hook)
    (text,) = server.texts()
    assert "\nBob 20 – Ann 3\n" in text, "and what was corrected before is told as it is, without a mark"
    assert not Announcement.objects.filter(game__in=[voided.pk, deleted.pk]).exists()


def test_a_program_gets_json_signed_as_standard_webhooks_are(client, season, server):
    with time_machine.travel(NOON, tick=False):
        hook, game = make_hook(season, server, "json"), play(season)
        told(season, hook)
    (got,) = server.got
    assert got.json["type"] == "game.recorded"
    data = got.json["data"]
    assert (data["league"], data["season"]) == ("apes", "now")
    assert data["url"] == f"http://games.example/apes/now/games/{game.pk}/"
    read = client.get(f"/api/v1/leagues/apes/seasons/now/games/{game.pk}").json()
    place = {"ann": 1, "bob": 2}
    for member in (member for side in read["sides"] for member in side["members"]):
        member["place"] = place[member["slug"]]
    del read["explanation"]
    assert data["game"] == read, "the game as the API has it, with places"
    ann = data["game"]["sides"][0]["members"][0]
    change = season.changes.get(player__name="Ann")  # type: ignore[attr-defined]
    assert ann == {
        "slug": "ann", "name": "Ann", "place": 1,
        "before": 1500.0, "after": change.after / 10, "change": change.change / 10,
    }  # fmt: skip
    assert data["game"]["played_at"] == "2026-01-01T01:00:00+00:00"
    name, at = got.headers["webhook-id"], got.headers["webhook-timestamp"]
    assert at == "1772366400"
    key = b64decode(hook.secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{name}.{at}.".encode() + got.body, "sha256").digest()
    assert got.headers["webhook-signature"] == f"v1,{b64encode(digest).decode()}"


def test_a_file_of_games_is_one_message(season, server):
    hook = make_hook(season, server, "json")
    rows = "".join(f"2026-02-{day:02},Ann,{day},Bob,0\n" for day in range(1, 21))
    file = read_games(
        f"played_at,side 1,points 1,side 2,points 2\n{rows}".encode(), timezone=season.league.zone
    )
    import_games(season=season, file=file, by=None)
    told(season, hook)
    undo_games(act=AuditEntry.objects.get(action="import_games"), by=None)
    told(season, hook)
    assert [(got.json["type"], got.json["data"]["games"]) for got in server.got] == [
        ("games.imported", 20),
        ("games.taken-back", 20),
    ]


def test_it_speaks_the_leagues_language_and_leads_to_its_own_host(season, server):
    update_league(league=season.league, by=None, language="bg", host="apes.example")
    hook, game = make_hook(season, server, "slack"), play(season)
    told(season, hook)
    assert server.texts()[0].endswith(f"<http://apes.example/now/games/{game.pk}/>")
    assert "Места сега: Ann 1-во, Bob 2-ро" in server.texts()[0]


def test_xs_01_names_are_no_markup_and_call_nobody(season, server):
    Player.objects.filter(name="Ann").update(name="@everyone **x** <!channel> [a](https://b)")
    hooks = [make_hook(season, server, kind) for kind in ("discord", "slack")]
    play(season)
    told(season, *hooks)
    discord, slack = server.texts()
    assert "\\@everyone \\*\\*x\\*\\* \\<\\!channel\\> \\[a\\]\\(https\\://b\\)" in discord
    assert "@everyone **x** &lt;!channel&gt; [a](https://b)" in slack


def test_what_happened_before_or_while_it_was_switched_off_is_not_told(season, server):
    play(season, 1, 1)
    hook = make_hook(season, server)
    switch_webhook(hook=hook, on=False, by=None)
    play(season, 2, 2)
    told(season, hook)
    switch_webhook(hook=hook, on=True, by=None)
    play(season, 3, 3)
    told(season, hook)
    (text,) = server.texts()
    assert "Ann 3 – Bob 20" in text


def test_drafts_and_a_copy_of_the_site_tell_nothing(season, server, settings):
    hook = make_hook(season, server)
    draft = make_season(season.league, name="Draft")
    update_season(season=draft, by=None, state="draft")
    play(draft)
    told(draft, hook)
    settings.MESSAGES = False
    play(season)
    replayed(season)
    assert announce_due() == 0
    assert server.got == []


# --- When the other side does not take it


def test_a_turn_ends_before_another_process_may_claim_the_hook(season, server):
    with time_machine.travel(NOON, tick=False) as clock:
        hook = make_hook(season, server, "slack")
        for hour in (1, 2, 3):
            play(season, hour=hour)

        def slowly(_got: Got) -> tuple[int, dict[str, str], bytes]:
            clock.shift(timedelta(seconds=30))
            return 200, {}, b""

        server.answer = slowly
        told(season, hook)
        assert len(server.got) == 2, "after a minute no third one is begun"
        serve(hook.pk)
        assert len(server.got) == 3


def test_a_refused_message_is_sent_again_later_each_time_and_then_given_up(season, server):
    server.answer = lambda _got: (500, {}, b"")
    with time_machine.travel(NOON, tick=False) as clock:
        hook = make_hook(season, server)
        play(season)
        told(season, hook)
        pauses: list[float] = []
        for _attempt in range(ATTEMPTS - 1):
            hook.refresh_from_db()
            pauses.append((hook.not_before - NOON).total_seconds())
            serve(hook.pk)
            assert len(server.got) == len(pauses), "while it rests nothing is sent"
            clock.move_to(hook.not_before)
            serve(hook.pk)
        assert len(server.got) == ATTEMPTS
        assert Announcement.objects.get().state == Announcement.State.GIVEN_UP
        hook.refresh_from_db()
        assert hook.error == "The server refused the message (status 500)."
        gaps = [round(later - earlier) for earlier, later in zip([0.0, *pauses], pauses, strict=False)]
        assert gaps == [30, 60, 120, 240, 480, 960, 1920]
        server.answer = lambda _got: (204, {}, b"")
        clock.move_to(hook.not_before)
        play(season, 7, 7)
        told(season, hook)
        assert "Ann 7 – Bob 20" in server.texts()[-1]
        hook.refresh_from_db()
        assert (hook.failures, hook.error) == (0, "")


def test_a_server_that_asks_for_a_pause_gets_it(season, server):
    server.answer = lambda _got: (429, {"Retry-After": "7"}, b"")
    with time_machine.travel(NOON, tick=False):
        hook = make_hook(season, server)
        play(season)
        told(season, hook)
        hook.refresh_from_db()
        assert hook.not_before == NOON + timedelta(seconds=7)


def test_a_hook_that_has_failed_for_long_is_switched_off_and_its_owners_are_told(season, server):
    server.answer = lambda _got: (404, {}, b"")
    hook = make_hook(season, server)
    Webhook.objects.update(failures=FAILURES - 1)
    play(season)
    told(season, hook)
    hook.refresh_from_db()
    assert not hook.is_active
    (letter,) = mail.outbox
    assert letter.to == ["alice@apes.example"]
    assert "status 404" in letter.body
    assert "http://games.example/apes/webhooks/" in letter.body
    assert "secret" not in letter.body
    announce_due()
    assert len(server.got) == 1


def test_a_message_that_somebody_deleted_in_discord_is_no_failure(season, server):
    hook, game = make_hook(season, server), play(season)
    told(season, hook)
    corrected(game)
    server.answer = lambda _got: (404, {}, b"")
    told(season, hook)
    hook.refresh_from_db()
    assert hook.failures == 0


@pytest.mark.parametrize("body", [b"", b"[]", b'{"id": 7}', b'{"id": "../x"}', b"\xff"])
def test_an_answer_that_is_none_of_discords_is_taken_for_received(season, server, body):
    server.answer = lambda _got: (200, {}, body)
    hook, game = make_hook(season, server), play(season)
    told(season, hook)
    corrected(game)
    told(season, hook)
    assert [got.method for got in server.got] == ["POST", "POST"]


@pytest.fixture
def quiet(settings: Any) -> Any:
    """Nothing is sent by itself, as it is after a commit, until the test says so."""
    settings.MESSAGES = False
    return settings


def beside(server: Receiver, act: Callable[[], Any]) -> None:
    """Do something in another thread while the first message is under way."""

    def answer(_got: Got) -> tuple[int, dict[str, str], bytes]:
        if len(server.got) == 1:
            act()
            connection.close()
        return 200, {}, b""

    server.answer = answer


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_an_act_that_comes_while_a_message_is_under_way_is_told_afterwards(season, server, quiet):
    hook, game = make_hook(season, server, "slack"), play(season)

    def correct() -> None:
        corrected(game)
        take_up(hook)

    beside(server, correct)
    told(season, hook)
    assert Announcement.objects.get().state == Announcement.State.DUE
    serve(hook.pk)
    assert [text.splitlines()[1] for text in server.texts()] == [
        "Ann 30 – Bob 20",
        "Corrected: Bob 20 – Ann 30",
    ]
    assert Announcement.objects.get().state == Announcement.State.SENT


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("claim", "messages"), [("held", 1), ("lost", 2)])
def test_while_one_process_serves_a_hook_no_other_does(season, server, quiet, claim, messages):
    """With the control: a claim that nobody holds lets the same message go out twice."""
    hook = make_hook(season, server, "slack")
    play(season)

    def serve_too() -> None:
        if claim == "lost":
            Webhook.objects.update(not_before=season.starts_at)
        serve(hook.pk)

    beside(server, serve_too)
    told(season, hook)
    assert len(server.got) == messages


# --- Nobody waits for it


def test_a_replay_asks_nothing_more_for_a_season_that_is_followed(season, server):
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            replay_season(season.pk)
        assert not any("webhook" in query["sql"] or "announce" in query["sql"] for query in seen)
        return len(seen)

    play(season, 1, 1)
    replayed(season)
    play(season, 2, 2)
    before = queries()
    make_hook(season, server)
    play(season, 3, 3)
    assert queries() == before


@pytest.fixture
def dead(server: Receiver) -> Iterator[Receiver]:
    """A server that takes a message and never answers, until the test lets it."""
    with receiver() as dead:
        dead.silence = Event()
        yield dead


def two_leagues(server: Receiver, dead: Receiver) -> tuple[Season, Season]:
    """One whose hook is dead, and is served first; another whose hook answers."""
    slow, quick = make_season(make_league("slow")), make_season(make_league("quick"))
    for season, each in ((slow, dead), (quick, server)):
        make_players(season.league, "Ann", "Bob")
        make_hook(season, each, "slack")
        play(season)
        replayed(season)
    return slow, quick


@contextmanager
def sending(settings: Any, at_once: int) -> Iterator[Thread]:
    """What is due is being sent in a thread, and nothing else sends by itself."""
    settings.MESSAGES = True

    def send() -> None:
        announce_due(at_once)
        connections.close_all()

    thread = Thread(target=send)
    thread.start()
    yield thread
    thread.join()


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_a_hook_that_never_answers_delays_no_save_no_replay_and_no_other_league(server, dead, quiet):
    slow, quick = two_leagues(server, dead)
    with sending(quiet, at_once=2) as sender:
        wait_until(lambda: dead.got and server.got, "both messages")
        quiet.MESSAGES = False
        play(slow, 3, 3)  # waits for no row that the sender holds
        play(quick, 4, 4)
        for season in (slow, quick):
            replayed(season)
            assert season.replay.revision == season.revision
        wait_until(lambda: Webhook.objects.awake().count() == 1, "the quick hook's turn to end")
        quiet.MESSAGES = True
        assert announce_due() == 1
        assert len(server.got) == 2
        assert sender.is_alive(), "the dead hook is still waited for"
        dead.silence.set()


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_control_one_after_the_other_a_dead_hook_keeps_the_next_one_waiting(server, dead, quiet):
    two_leagues(server, dead)
    with sending(quiet, at_once=1) as sender:
        wait_until(lambda: dead.got, "the message to the dead hook")
        assert server.got == []
        assert sender.is_alive()
        dead.silence.set()
    assert len(server.got) == 1


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_without_a_broker_the_process_that_saved_sends_it_beside_its_requests(season, server):
    make_hook(season, server, "slack")
    play(season)
    wait_until(lambda: Webhook.objects.get().sent_at, "the message")
    announcer.wait()
    assert len(server.got) == 1


@pytest.mark.pg
@pytest.mark.redis
@pytest.mark.django_db(transaction=True)
def test_a_worker_and_beat_send_it(season, server, quiet, redis_url, tmp_path):
    make_hook(season, server, "slack")
    with Processes(folder=tmp_path, redis_url=redis_url) as processes:
        processes.environment |= {"SWEEP_SECONDS": "0.5", "WEBHOOKS_ANYWHERE": "1"}
        worker, beat = processes.worker(), processes.beat()
        play(season)
        wait_until(lambda: Webhook.objects.get().sent_at, "the message", worker, beat)
    assert len(server.got) == 1


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_the_sweep_sends_it_without_any_broker(season, server, quiet, tmp_path):
    make_hook(season, server, "slack")
    play(season)
    with Processes(folder=tmp_path) as processes:
        processes.environment["WEBHOOKS_ANYWHERE"] = "1"
        sweep = processes.manage("sweep", "--every", "0.2")
        wait_until(lambda: Webhook.objects.get().sent_at, "the message", sweep)
    assert len(server.got) == 1
