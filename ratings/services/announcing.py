"""Telling webhooks of games: what happened is noted, and sent until it arrives or is given up.

Nothing is written with a game. What is to be told follows from the log and from the revision that the
published results belong to: acts up to it that a hook was not told of, at any time, by whoever looks. So a
save and a replay do the same with ten webhooks as with none, a lost nudge loses no message, and each message
has the changes and places that the game led to.

A hook is served by one process at a time, which has claimed it for a while; while a server is waited for, no
transaction is open and no row held.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from http import HTTPStatus

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Case, Exists, F, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from leagues.hosts import organizers_address
from leagues.mail import send_letter
from leagues.models import (
    AnnouncedSeason,
    Announcement,
    AuditEntry,
    Organizer,
    Role,
    Season,
    Webhook,
)
from leagues.outgoing import Answer, NoAnswerError, send
from ratings.models import Replay
from ratings.services.webhook_messages import IMPORTED, TAKEN_BACK, letter, told

AT_ONCE = 8  # hooks that are served at the same time
MESSAGES_A_TURN = 5
TURN = timedelta(seconds=40)  # after which no further message is begun
CLAIM = timedelta(seconds=90)  # longer than a turn with one more message, however slowly a name is found
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=1)
ATTEMPTS = 8  # for one message: two hours
FAILURES = 24  # in a row, after which a hook is switched off: most of a day
REMOTE_ID = re.compile(r"[0-9]{1,30}")


def announce_due(at_once: int = AT_ONCE) -> int:
    """Serve every hook that has something to be told, several at a time; how many there were.

    Those that answered last come first, so that dead ones keep nobody waiting.
    """
    if not settings.MESSAGES:
        return 0
    hooks = list(_with_work().order_by("failures", "not_before").values_list("pk", flat=True))
    if hooks:
        with ThreadPoolExecutor(at_once, "webhook") as pool:
            list(pool.map(_serve_apart, hooks))
    return len(hooks)


def is_something_due() -> bool:
    """Whether a hook has something to be told now. One query."""
    return settings.MESSAGES and _with_work().exists()


def _with_work() -> QuerySet[Webhook]:
    """The hooks that may be served now and have something to be told."""
    known = AnnouncedSeason.objects.filter(hook=OuterRef(OuterRef("pk")), season=OuterRef("season"))
    told_of = Coalesce(Subquery(known.values("revision")), Value(0))
    behind = Replay.objects.filter(season__league=OuterRef("league"), revision__gt=told_of)
    waiting = Announcement.objects.due().filter(hook=OuterRef("pk"))
    return Webhook.objects.awake().filter(Exists(waiting.order_by()) | Exists(behind))


def _serve_apart(hook_id: int) -> None:
    """In a thread, which has a connection of its own."""
    try:
        serve(hook_id)
    finally:
        connection.close()


def serve(hook_id: int) -> None:
    """Tell a hook of what it has to know, unless another process does; a few messages at most."""
    now = timezone.now()
    # Exactly one of those who try changes the row.
    if not Webhook.objects.awake().filter(pk=hook_id).update(not_before=now + CLAIM):
        return
    hook = Webhook.objects.select_related("league").get(pk=hook_id)
    take_up(hook)
    due = hook.announcements.due().select_related("season", "act")
    with _speaking_of(hook):
        for announcement in due[:MESSAGES_A_TURN]:
            if timezone.now() > now + TURN:
                break
            announcement.season.league = hook.league
            if not _deliver(hook, announcement):
                return
    Webhook.objects.filter(pk=hook.pk).update(not_before=timezone.now())


@contextmanager
def _speaking_of(hook: Webhook) -> Iterator[None]:
    with translation.override(hook.league.language), timezone.override(hook.league.zone):
        yield


# --- What is to be told


def take_up(hook: Webhook) -> None:
    """Note what the published results have come to since the hook was told last."""
    replays = Replay.objects.filter(season__league=hook.league_id).select_related("season")
    announced = dict(hook.announced.values_list("season_id", "revision"))
    for replay in replays:
        known = announced.get(replay.season_id, 0)
        if known < replay.revision:
            with transaction.atomic():
                _note_acts(hook, replay.season, known, replay.revision)
                hook.announced.update_or_create(season=replay.season, defaults={"revision": replay.revision})


def _note_acts(hook: Webhook, season: Season, known: int, revision: int) -> None:
    """Note the acts between these revisions: of each game the latest, and each file; none of drafts."""
    if season.state == Season.State.DRAFT:
        return
    acts = AuditEntry.objects.filter(season=season, revision__gt=known, revision__lte=revision).order_by("pk")
    of_games = acts.filter(object_type="game").values_list("object_id", "pk")
    latest = {int(game): act for game, act in of_games}
    for announcement in hook.announcements.filter(game__in=list(latest)):
        announcement.act_id = latest.pop(announcement.game_id or 0)
        announcement.state, announcement.attempts = Announcement.State.DUE, 0
        announcement.save(update_fields=["act", "state", "attempts"])
    new = [Announcement(hook=hook, season=season, game_id=game, act_id=act) for game, act in latest.items()]
    of_files = acts.filter(object_type="season", action__in=(IMPORTED, TAKEN_BACK))
    files = of_files.values_list("pk", flat=True)
    new += [Announcement(hook=hook, season=season, act_id=act) for act in files]
    Announcement.objects.bulk_create(new)


# --- Sending


def _deliver(hook: Webhook, announcement: Announcement) -> bool:
    """Send one message; whether the next one may follow at once."""
    message = told(announcement)
    if message is None:
        announcement.delete()
        return True
    each = letter(hook, announcement, message)
    try:
        answer = send(each.method, each.address, each.body, each.headers)
    except NoAnswerError as error:
        _note_failure(hook, announcement, str(error), "")
        return False
    is_gone = each.method == "PATCH" and answer.status == HTTPStatus.NOT_FOUND  # somebody deleted the message
    if not (HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES or is_gone):
        _note_failure(hook, announcement, _refusal(answer), answer.retry_after)
        return False
    _note_success(hook, announcement, _remote_id(hook, answer) or announcement.remote_id)
    return True


def _refusal(answer: Answer) -> str:
    if answer.status in range(300, 400):
        return _("The server leads elsewhere (status %(status)s), where nothing is sent.") % {
            "status": answer.status
        }
    return _("The server refused the message (status %(status)s).") % {"status": answer.status}


def _remote_id(hook: Webhook, answer: Answer) -> str:
    """What Discord calls the message, so that it can be edited; empty elsewhere."""
    if hook.kind != Webhook.Kind.DISCORD:
        return ""
    try:
        name = json.loads(answer.body).get("id", "")
    except (ValueError, AttributeError):
        return ""
    return name if isinstance(name, str) and REMOTE_ID.fullmatch(name) else ""


def _note_success(hook: Webhook, announcement: Announcement, remote_id: str) -> None:
    now = timezone.now()
    # An act that came meanwhile waits for the next turn: only what was told is marked as sent.
    same = Announcement.objects.filter(pk=announcement.pk, act=announcement.act_id)
    with transaction.atomic():
        same.update(state=Announcement.State.SENT, attempts=0)
        Announcement.objects.filter(pk=announcement.pk).update(sent_at=now, remote_id=remote_id)
        Webhook.objects.filter(pk=hook.pk).update(failures=0, error="", sent_at=now)
    hook.failures = 0


def _note_failure(hook: Webhook, announcement: Announcement, sentence: str, retry_after: str) -> None:
    """Let the hook rest, longer each time; in the end give up the message, and then the hook."""
    is_last = announcement.attempts + 1 >= ATTEMPTS
    state = Announcement.State.GIVEN_UP if is_last else Announcement.State.DUE
    pause = min(FIRST_PAUSE * 2 ** min(hook.failures, 10), LONGEST_PAUSE)
    if re.fullmatch(r"[0-9]{1,4}", retry_after):
        pause = min(timedelta(seconds=max(int(retry_after), 1)), LONGEST_PAUSE)
    with transaction.atomic():
        same = Announcement.objects.filter(pk=announcement.pk, act=announcement.act_id)
        same.update(state=state, attempts=F("attempts") + 1)
        Webhook.objects.filter(pk=hook.pk).update(
            failures=F("failures") + 1,
            error=sentence,
            not_before=timezone.now() + pause,
            is_active=Case(When(failures__gte=FAILURES - 1, then=False), default=F("is_active")),
        )
    if hook.failures + 1 >= FAILURES:
        _tell_owners(hook.pk)


def _tell_owners(hook_id: int) -> None:
    """Write to the owners that a hook is switched off, in the league's language."""
    hook = Webhook.objects.select_related("league").get(pk=hook_id)
    path = reverse("leagues:webhook-list", kwargs={"league": hook.league.slug})
    text = render_to_string("ratings/webhook_off_email.txt", {"hook": hook, "page": organizers_address(path)})
    subject = _("%(server)s is told nothing of %(league)s any more") % {
        "server": hook.host,
        "league": hook.league,
    }
    owners = Organizer.objects.filter(league=hook.league_id, role=Role.OWNER, user__is_active=True)
    for address in owners.exclude(user__email="").values_list("user__email", flat=True):
        send_letter(address, subject, text)
