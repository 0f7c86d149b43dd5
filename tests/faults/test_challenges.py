"""Two tabs act on one challenge at the same moment; with the control."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import permutations

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from leagues.models import AuditEntry, Challenge
from leagues.services.challenges import accept_challenge, carry_out_deadlines, withdraw_challenge
from ratings.services.challenges import issue_challenge
from tests.faults.interleaving import WAIT, Stopped
from tests.faults.test_concurrent_writers import is_waiting
from tests.ladders import make_ladder, named
from tests.processes import wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.django_db(transaction=True)]

WRITES = 'UPDATE "leagues_challenge"'
ACTS = {
    "accept": accept_challenge,
    "withdraw": withdraw_challenge,
    "sweep": lambda **_act: carry_out_deadlines(),
}


@pytest.fixture
def challenge() -> Challenge:
    today = timezone.now().date()
    days = {"starts_on": today - timedelta(days=9), "ends_on": today + timedelta(days=9)}
    season = make_ladder({"Ann": 1500, "Bob": 1500}, **days)
    players = {"challenger": named(season, "Ann"), "opponent": named(season, "Bob")}
    return issue_challenge(season=season, by=None, **players)


def told_by(act: str, challenge: Challenge) -> str:
    """What somebody who acts is answered."""
    try:
        ACTS[act](challenge=challenge, by=None)
    except ValidationError as refused:
        return str(refused.messages[0])
    finally:
        connection.close()
    return "done"


def at_once(first: str, second: str, challenge: Challenge, *, locks: bool = True) -> list[str]:
    """Both answers: the second comes while the first has read everything and not yet written."""
    stopped = Stopped(lambda: told_by(first, challenge), before=WRITES)
    if not locks:
        stopped.take_no_locks()
    with ThreadPoolExecutor(1) as pool:
        with stopped:
            other = pool.submit(told_by, second, Challenge.objects.select_related("season").get())
            wait_until(lambda: other.done() or (locks and is_waiting()), "the second act")
        return [stopped.result(), other.result(WAIT)]


@pytest.mark.parametrize(("first", "second"), permutations(["accept", "withdraw"]))
def test_accepted_and_withdrawn_at_once_one_counts_and_the_other_is_told(challenge, first, second):
    state = {"accept": "accepted", "withdraw": "withdrawn"}[first]
    answers = at_once(first, second, challenge)
    assert answers == ["done", f"Ann – Bob: the challenge was {state} meanwhile."]
    assert Challenge.objects.get().state == state
    assert AuditEntry.objects.filter(object_type="challenge").count() == 2


def test_control_without_locks_both_count(challenge):
    assert at_once("accept", "withdraw", challenge, locks=False) == ["done", "done"]
    assert AuditEntry.objects.filter(object_type="challenge").count() == 3
