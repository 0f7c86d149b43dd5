"""Challenges between people once they are issued: answered, played, or run out.

A deadline is a time. From then on a challenge is over whether the sweep has come by or not: until it does
nobody can act on it any more, and what it writes is as of the deadline. So a late sweep changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leagues.formats import format_moment
from leagues.models import ApiToken, Challenge, Game, Player, Season
from leagues.models.challenge import OPEN_STATES, ChallengeState
from leagues.names import tidy
from leagues.services.audit import Actor, leave_audit, lock_season, read_locked, values_of
from leagues.services.game_checks import PlayedSide
from leagues.services.games import record_game

logger = logging.getLogger(__name__)

TOLD = ("state", "respond_by", "play_by", "reason", "game_id")
REMINDED_BEFORE = timedelta(days=1)  # the deadline
DECLINES_COUNTED = timedelta(days=30)
UNANSWERED = (ChallengeState.ISSUED, ChallengeState.EXPIRED, ChallengeState.FORFEITED)
DECIDED = {
    ChallengeState.ISSUED: gettext_lazy("%(challenge)s: the challenge is not accepted yet."),
    ChallengeState.ACCEPTED: gettext_lazy("%(challenge)s: the challenge was accepted meanwhile."),
    ChallengeState.REPORTED: gettext_lazy("%(challenge)s: the result was reported meanwhile."),
    ChallengeState.DECLINED: gettext_lazy("%(challenge)s: the challenge was declined meanwhile."),
    ChallengeState.WITHDRAWN: gettext_lazy("%(challenge)s: the challenge was withdrawn meanwhile."),
    ChallengeState.EXPIRED: gettext_lazy("%(challenge)s: the challenge ran out on %(moment)s."),
    ChallengeState.PLAYED: gettext_lazy("%(challenge)s: the challenge was played meanwhile."),
    ChallengeState.FORFEITED: gettext_lazy("%(challenge)s: the challenge was forfeited meanwhile."),
}


class ChallengeDecidedError(ValidationError):
    """The challenge is not, or no longer, in a state for this act; nothing was written."""

    def __init__(self, challenge: Challenge, state: str) -> None:
        at = challenge.decided_at if challenge.state == state else challenge.deadline
        values = {"challenge": challenge, "moment": format_moment(at, zone=challenge.season.league.zone)}
        super().__init__(str(DECIDED[ChallengeState(state)]) % values, code="decided")


@transaction.atomic
def accept_challenge(*, challenge: Challenge, by: Actor) -> Challenge:
    """Take a challenge on: the two play until ``play_by``. Raises ChallengeDecidedError."""
    held = _held(challenge, ChallengeState.ISSUED)
    now, season = timezone.now(), held.season
    play_by = min(now + timedelta(hours=season.play_hours), season.ends_at)
    return _become(held, "accept_challenge", ChallengeState.ACCEPTED, by=by, at=now, play_by=play_by)


@transaction.atomic
def decline_challenge(*, challenge: Challenge, reason: str = "", by: Actor) -> Challenge:
    """Refuse a challenge. Raises ChallengeDecidedError, and ValidationError for one too many."""
    held = _held(challenge, ChallengeState.ISSUED)
    now = timezone.now()
    if not may_decline(held.season, held.opponent_id, now):
        message = _("%(name)s has declined as many challenges as this season allows: %(most)d in 30 days.")
        values = {"name": held.opponent.name, "most": held.season.declines_max}
        raise ValidationError(message, code="declines", params=values)
    return _become(held, "decline_challenge", ChallengeState.DECLINED, by=by, at=now, reason=tidy(reason))


@transaction.atomic
def withdraw_challenge(*, challenge: Challenge, by: Actor) -> Challenge:
    """Take back a challenge that nobody has answered. Raises ChallengeDecidedError."""
    held = _held(challenge, ChallengeState.ISSUED)
    return _become(held, "withdraw_challenge", ChallengeState.WITHDRAWN, by=by, at=timezone.now())


@transaction.atomic
def play_challenge(
    *,
    challenge: Challenge,
    played_at: datetime,
    points: tuple[int, int],
    by: Actor,
    note: str = "",
    through: ApiToken | None = None,
) -> Game:
    """Record the game of an accepted challenge, which counts at once: as an organizer, or through a program.

    ``points`` are the challenger's and the opponent's. One played in time may be entered late. Raises
    ChallengeDecidedError, and ValidationError for a game that is not of this challenge or not of this season.
    """
    held = _held_accepted(challenge)
    _refuse_time(held, played_at)
    game = record_game(
        season=held.season,
        played_at=played_at,
        sides=sides_of(held, points),
        note=note,
        by=by,
        through=through or held,
    )
    _become(held, "play_challenge", ChallengeState.PLAYED, by=by, at=timezone.now(), game=game)
    return game


def report_is_in(*, challenge: Challenge, played_at: datetime, by: Actor) -> Challenge:
    """Let an accepted challenge wait until the report of its game is decided; part of ``report_challenge``.

    No deadline of its own runs meanwhile. Raises as ``play_challenge``.
    """
    held = _held_accepted(challenge)
    _refuse_time(held, played_at)
    return _become(held, "report_challenge", ChallengeState.REPORTED, by=by, at=timezone.now())


def report_counts(*, challenge: Challenge, game: Game, by: Actor, at: datetime) -> None:
    """The report of a challenge became its game; part of the services of reports."""
    held = _held(challenge, ChallengeState.REPORTED)
    _become(held, "play_challenge", ChallengeState.PLAYED, by=by, at=at, game=game)


def report_is_off(*, challenge: Challenge, by: Actor, at: datetime) -> None:
    """The report of a challenge was dropped or taken back: it is to be played, by the deadline it had."""
    held = _held(challenge, ChallengeState.REPORTED)
    _become(held, "resume_challenge", ChallengeState.ACCEPTED, by=by, at=at)


def sides_of(challenge: Challenge, points: tuple[int, int]) -> list[PlayedSide]:
    """The sides of its game, the challenger first."""
    players = (challenge.challenger, challenge.opponent)
    return [PlayedSide((player,), each) for player, each in zip(players, points, strict=True)]


def _refuse_time(held: Challenge, played_at: datetime) -> None:
    accepted_from = held.issued_at.replace(second=0, microsecond=0)  # forms know minutes
    if not accepted_from <= played_at <= (held.play_by or played_at):
        message = _("A game of this challenge is played from %(first)s to %(last)s.")
        zone = held.season.league.zone
        values = {
            "first": format_moment(held.issued_at, zone=zone),
            "last": format_moment(held.play_by, zone=zone),
        }
        raise ValidationError({"played_at": message % values})


@transaction.atomic
def forfeit_challenge(*, challenge: Challenge, absent: Player, reason: str = "", by: Actor) -> Challenge:
    """Say that a player did not come: the other one wins by forfeit, which is rated if the season says so.

    Raises ChallengeDecidedError, and ValidationError for a player who is none of the two.
    """
    held = _held_accepted(challenge)
    if absent.pk not in (held.challenger_id, held.opponent_id):
        raise ValidationError({"absent": _("This player has no part in the challenge.")})
    at = min(timezone.now(), held.play_by or timezone.now())
    return _forfeit(held, absent.pk, by=by, at=at, reason=tidy(reason))


def carry_out_deadlines() -> int:
    """Let run out what is due, in order of the deadlines; how many challenges that were."""
    now = timezone.now()
    due = Challenge.objects.due(now).select_related("season__league")
    due = due.order_by(Coalesce("play_by", "respond_by"), "pk")
    return sum(_guarded(_run_out, challenge, now) for challenge in due)


def remind(send: Callable[[Challenge], None]) -> int:
    """Remind of challenges whose deadline is near, once of each deadline; how many that were.

    ``send`` is called with each of them when that is committed. Battles that a program drew are its own.
    """
    now = timezone.now()
    near = Challenge.objects.due(now + REMINDED_BEFORE).between_people().filter(reminded_at=None)
    return sum(_guarded(_remind, challenge, now, send) for challenge in near.select_related("season__league"))


def may_decline(season: Season, player_id: int, now: datetime) -> bool:
    """Whether a player may decline one more; a challenge left unanswered is a declined one."""
    if not season.declines_max:
        return True
    since = now - DECLINES_COUNTED
    # Those run out too that no sweep has seen yet.
    unanswered = Q(play_by=None, respond_by__gt=since, respond_by__lt=now, state__in=UNANSWERED)
    declined = Challenge.objects.filter(
        unanswered | Q(state=ChallengeState.DECLINED, decided_at__gt=since, decided_at__lt=now),
        season=season,
        opponent=player_id,
    )
    return declined.count() < season.declines_max


def _guarded(act: Callable[..., bool], challenge: Challenge, *args: Any) -> bool:
    """What one challenge cannot be done must not keep the others waiting."""
    try:
        return act(challenge, *args)
    except ValidationError as refused:
        logger.warning("Challenge %s: %s", challenge.pk, "; ".join(refused.messages))
        return False


@transaction.atomic
def _run_out(challenge: Challenge, now: datetime) -> bool:
    held = _locked(challenge)
    if held.state_at(now) == held.state:  # somebody was faster
        return False
    deadline = held.ran_out_at or now
    if held.state == ChallengeState.ISSUED and not may_decline(held.season, held.opponent_id, deadline):
        # Silence is no way around the limit.
        _forfeit(held, held.opponent_id, by=None, at=deadline)
    else:
        _become(held, "expire_challenge", ChallengeState.EXPIRED, by=None, at=deadline)
    return True


@transaction.atomic
def _remind(challenge: Challenge, now: datetime, send: Callable[[Challenge], None]) -> bool:
    held = _locked(challenge)
    if held.reminded_at or held.state_at(now) not in OPEN_STATES:
        return False
    held.reminded_at = now
    held.save(update_fields=["reminded_at"])
    transaction.on_commit(lambda: send(held))
    return True


def _locked(challenge: Challenge) -> Challenge:
    """The challenge read afresh, its row and its season's held."""
    season = lock_season(challenge.season)
    rows = Challenge.objects.select_related("challenger", "opponent")
    held = read_locked(rows.select_for_update(of=("self",), no_key=True), challenge)
    held.season = season
    return held


def _held(challenge: Challenge, state: ChallengeState) -> Challenge:
    held = _locked(challenge)
    now_in = held.state_at(timezone.now())
    if now_in != state:
        raise ChallengeDecidedError(held, now_in)
    return held


def _held_accepted(challenge: Challenge) -> Challenge:
    """One that was accepted and is neither reported, played nor forfeited; its time may have run out."""
    held = _locked(challenge)
    is_late = held.state == ChallengeState.EXPIRED and held.play_by is not None
    if held.state != ChallengeState.ACCEPTED and not is_late:
        raise ChallengeDecidedError(held, held.state_at(timezone.now()))
    return held


def _forfeit(held: Challenge, absent: int, *, by: Actor, at: datetime, reason: str = "") -> Challenge:
    last = held.season.ends_at - timedelta(seconds=1)
    game = record_game(
        season=held.season,
        played_at=min(at, last),
        sides=sides_of(held, (0, 1) if absent == held.challenger_id else (1, 0)),
        note=reason,
        kind=Game.Kind.FORFEIT,
        by=by,
        through=held,
    )
    return _become(
        held, "forfeit_challenge", ChallengeState.FORFEITED, by=by, at=at, game=game, reason=reason
    )


def _become(
    held: Challenge, action: str, state: ChallengeState, *, by: Actor, at: datetime, **values: Any
) -> Challenge:
    before = values_of(held, TOLD)
    for name, value in values.items():
        setattr(held, name, value)
    held.state, held.decided_at, held.reminded_at = state, at, None
    held.full_clean(exclude=["season", "challenger", "opponent", "game"])
    held.save()
    leave_audit(action, held, by=by, before=before, after=values_of(held, TOLD))
    return held
