"""Games that players report: the other side confirms or disputes, and only then one counts.

Each act holds the season's row and reads the report there, so that of two at once only one finds it open.
Whoever answers after the time to answer finds it decided, whether a sweep came by before or not. A report
changes no result, so none of these acts raises the season's revision until ``record_game`` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from leagues.models import Challenge, Game, GameReport, Player, ReportSeat, Season
from leagues.models.report import ReportState
from leagues.names import tidy
from leagues.services.audit import Actor, leave_audit, lock_season, read_locked
from leagues.services.challenges import report_counts, report_is_in, report_is_off, sides_of
from leagues.services.claims import player_of
from leagues.services.game_checks import GameProblem, GameRefusedError, PlayedSide, check_game
from leagues.services.games import SimilarGameError, record_game, seats_and_points, similar_game
from leagues.services.players import refuse_gone

# Of one game two players do not remember the same minute.
SIMILAR_WITHIN = timedelta(hours=12)


class SimilarReportError(ValidationError):
    """Most likely somebody else reported the game; nothing was written."""

    def __init__(self, report: GameReport) -> None:
        message = _("%(name)s reported a game of the same players and points.")
        super().__init__(message, code="similar", params={"name": report.reporter.name})
        self.report = report


class ReportDecidedError(ValidationError):
    """The report is no longer what the actor saw; nothing was written."""

    def __init__(self, report: GameReport) -> None:
        message = _("This report is decided already: %(state)s.")
        super().__init__(message, code="decided", params={"state": report.get_state_display()})
        self.report = report


@transaction.atomic
def submit_report(
    *,
    season: Season,
    played_at: datetime,
    sides: Sequence[PlayedSide],
    by: User,
    note: str = "",
    kind: str = Game.Kind.PLAYED,
    token: UUID | None = None,
    even_if_similar: bool = True,
) -> GameReport:
    """Report a game that the actor's player played; it counts once it is confirmed or accepted.

    A ``token`` that came before in this season answers with the report it made then. Raises
    GameRefusedError, ValidationError for a token whose report is another one, and SimilarGameError or
    SimilarReportError unless ``even_if_similar``.
    """
    season = lock_season(season)
    if token and (made := GameReport.objects.filter(season=season, token=token).with_seats().first()):
        told = _said(played_at, sides, tidy(note), kind)
        if _said(made.played_at, reported_sides(made), made.note, made.kind) != told:
            message = _("This form has reported a game already, and says something else now; open a new one.")
            raise ValidationError(message, code="used")
        return made
    if not season.takes_reports:
        message = _("The games of this season are entered by its organizers.")
        raise GameRefusedError([GameProblem(message, "season")])
    report = GameReport(season=season, played_at=played_at, kind=kind, note=tidy(note), token=token)
    _check(report, sides, by)
    if not even_if_similar:
        _refuse_similar(season, played_at, sides)
    return _store(report, sides, by)


@transaction.atomic
def report_challenge(
    *, challenge: Challenge, played_at: datetime, points: tuple[int, int], by: User, note: str = ""
) -> GameReport:
    """Report the game of an accepted challenge that the actor's player played, whoever else enters games.

    The challenge waits, and is played when the report counts; else it is to be played again. ``points`` are
    the challenger's and the opponent's. Raises ChallengeDecidedError, GameRefusedError, and ValidationError
    for a game that is not of this challenge.
    """
    held = report_is_in(challenge=challenge, played_at=played_at, by=by)
    sides = sides_of(held, points)
    report = GameReport(season=held.season, played_at=played_at, note=tidy(note), challenge=held)
    _check(report, sides, by)
    return _store(report, sides, by)


def _check(report: GameReport, sides: Sequence[PlayedSide], by: User) -> None:
    """Fill in who reports. Raises GameRefusedError, and ValidationError for a player who is gone."""
    season = report.season
    reporter = player_of(season.league, by)
    problems = _problems(reporter, sides, report.kind) or check_game(
        season, played_at=report.played_at, sides=sides, kind=report.kind
    )
    if problems or reporter is None:
        raise GameRefusedError(problems)
    report.reporter = reporter
    refuse_gone(player for side in sides for player in side.members)


def _store(report: GameReport, sides: Sequence[PlayedSide], by: User) -> GameReport:
    """Store a new report with its sides; from now on it waits for its answer."""
    season = report.season
    report.reported_at = timezone.now()
    report.answer_by = report.reported_at + timedelta(hours=season.report_hours)
    report.unanswered = season.unanswered
    report.full_clean()
    report.save()
    ReportSeat.objects.bulk_create(
        [
            ReportSeat(report=report, side=number, points=side.points, player=player)
            for number, side in enumerate(sides, 1)
            for player in side.members
        ]
    )
    leave_audit("submit_report", report, by=by, after=_facts(report, sides))
    return report


def _problems(reporter: Player | None, sides: Sequence[PlayedSide], kind: str) -> list[GameProblem]:
    """Why this player cannot report this game, though it may be played."""
    problems = []
    if kind == Game.Kind.BYE:  # there is no other side to confirm it
        problems.append(GameProblem(_("A bye is entered by an organizer; players report games."), "sides"))
    if reporter is None:
        problems.append(GameProblem(_("Only who is a player of this league reports a game."), "season"))
    elif reporter not in [player for side in sides for player in side.members]:
        message = _("You report games that you played: %(name)s is on none of the sides.")
        problems.append(GameProblem(message % {"name": reporter.name}, "sides"))
    for number, side in enumerate(sides, 1):
        for player in (player for player in side.members if player.pk is None):
            message = _("“%(name)s” is no player of this league; an organizer can add new players.")
            problems.append(GameProblem(message % {"name": player.name}, "side", number))
    return problems


def _refuse_similar(season: Season, played_at: datetime, sides: Sequence[PlayedSide]) -> None:
    if game := similar_game(season, played_at, sides, SIMILAR_WITHIN):
        raise SimilarGameError(game)
    times = (played_at - SIMILAR_WITHIN, played_at + SIMILAR_WITHIN)
    wanted = seats_and_points(sides)
    for report in GameReport.objects.filter(season=season, played_at__range=times).open().with_seats():
        if seats_and_points(reported_sides(report)) == wanted:
            raise SimilarReportError(report)


def confirm_report(*, report: GameReport, by: User) -> GameReport:
    """Let a game count that somebody else reported; one player of any other side is enough.

    Raises ReportDecidedError, ValidationError where the actor is on no other side, and what
    ``record_game`` raises.
    """
    return _answer(report, ReportState.CONFIRMED, by)


def dispute_report(*, report: GameReport, reason: str, by: User) -> GameReport:
    """Say that a reported game was not so; an organizer decides. Raises as ``confirm_report``."""
    reason = tidy(reason)
    if not reason:
        raise ValidationError({"reason": _("Say what is wrong; the reporter and the organizers read it.")})
    return _answer(report, ReportState.DISPUTED, by, reason)


def _answer(report: GameReport, state: ReportState, by: User, reason: str = "") -> GameReport:
    settle_report(report=report)
    with transaction.atomic():
        season, report = _locked(report)
        if not report.is_waiting:
            raise ReportDecidedError(report)
        player = player_of(season.league, by)
        if player is None or not may_answer(report, player):
            raise ValidationError(_("A player of another side answers a report."), code="side")
        report.answered_by = player
        if state == ReportState.CONFIRMED:
            return _count(report, state, by)
        report.state, report.reason = state, reason
        report.full_clean()
        report.save()
        after = {"state": state, "reason": reason}
        leave_audit("dispute_report", report, by=by, after=after)
        return report


def may_answer(report: GameReport, player: Player) -> bool:
    """Whether the player is on another side than the reporter."""
    sides = {seat.player_id: seat.side for seat in report.seats.all()}
    return player.pk in sides and sides[player.pk] != sides.get(report.reporter_id)


def withdraw_report(*, report: GameReport, by: User) -> GameReport:
    """Take a report back that is not decided yet; its reporter alone does. Raises ReportDecidedError."""
    settle_report(report=report)
    with transaction.atomic():
        season, report = _locked(report)
        if not report.is_open:
            raise ReportDecidedError(report)
        if player_of(season.league, by) != report.reporter:
            raise ValidationError(_("Who reported a game takes the report back."), code="side")
        return _close(report, ReportState.WITHDRAWN, "withdraw_report", by)


def decide_report(*, report: GameReport, accept: bool, by: Actor) -> GameReport:
    """Let a report count, or drop it, as an organizer. Raises ReportDecidedError, and as ``record_game``."""
    settle_report(report=report)
    with transaction.atomic():
        _season, report = _locked(report)
        if not report.is_open:
            raise ReportDecidedError(report)
        if accept:
            return _count(report, ReportState.ACCEPTED, by)
        return _close(report, ReportState.DROPPED, "drop_report", by)


def settle_due_reports() -> int:
    """Decide every report whose time to be answered is over; how many there were.

    Run late, it comes to the same: a report keeps until when it waits and what becomes of it then.
    """
    settled = 0
    for report in GameReport.objects.due().select_related("season__league"):
        with suppress(ValidationError):  # gone since, with its season
            settled += settle_report(report=report)
    return settled


def settle_report(*, report: GameReport) -> bool:
    """Decide the report if its time to be answered is over and nobody has; whether it was.

    What cannot count (a game entered meanwhile, say) is disputed, for an organizer to decide.
    """
    if not report.is_due:
        return False
    with transaction.atomic():
        _season, report = _locked(report)
        if not report.is_due:
            return False
        if report.unanswered == Season.Unanswered.DROPPED:
            _close(report, ReportState.DROPPED, "drop_report", None, at=report.answer_by)
            return True
        with override(report.season.league.language):
            _accept_unanswered(report)
        return True


def _accept_unanswered(report: GameReport) -> None:
    try:
        with transaction.atomic():
            _count(report, ReportState.ACCEPTED, None, at=report.answer_by)
    except ValidationError as refused:
        report = GameReport.objects.select_related("season__league").get(pk=report.pk)
        report.state, report.reason = ReportState.DISPUTED, refused.messages[0][:200]
        report.save(update_fields=["state", "reason"])
        after = {"state": report.state, "reason": report.reason}
        leave_audit("dispute_report", report, by=None, after=after)


def _count(report: GameReport, state: ReportState, by: Actor, at: datetime | None = None) -> GameReport:
    """Make the report the game it tells of, and its challenge played. Raises as ``record_game``."""
    report.game = record_game(
        season=report.season,
        played_at=report.played_at,
        sides=reported_sides(report),
        note=report.note,
        kind=report.kind,
        by=by,
        # An organizer sees what there is; others may not know that the game was entered.
        even_if_similar=state == ReportState.ACCEPTED and at is None,
        through=report,
    )
    report.state, report.decided_at = state, at or timezone.now()
    report.save()
    if report.challenge:
        report_counts(challenge=report.challenge, game=report.game, by=by, at=report.decided_at)
    return report


def _close(
    report: GameReport, state: ReportState, action: str, by: Actor, at: datetime | None = None
) -> GameReport:
    """Decide that the report does not count."""
    before = {"state": report.state}
    report.state, report.decided_at = state, at or timezone.now()
    report.save(update_fields=["state", "decided_at"])
    leave_audit(action, report, by=by, before=before, after={"state": state})
    if report.challenge:
        report_is_off(challenge=report.challenge, by=by, at=report.decided_at)
    return report


def _locked(report: GameReport) -> tuple[Season, GameReport]:
    """The report's season, locked, and the report read afresh. Raises ValidationError when it is gone."""
    season = lock_season(report.season)
    stored = read_locked(GameReport.objects.with_seats(), report)
    stored.season = season
    return season, stored


def reported_sides(report: GameReport) -> list[PlayedSide]:
    """The sides of a report, in order, as they would be recorded."""
    return [
        PlayedSide(tuple(seat.player for seat in members), members[0].points)
        for members in (list(seats) for _side, seats in groupby(report.seats.all(), lambda seat: seat.side))
    ]


def _said(played_at: datetime, sides: Sequence[PlayedSide], note: str, kind: str) -> tuple[object, ...]:
    """What makes a report the one it is."""
    return (played_at, note, kind, [(set(side.members), side.points) for side in sides])


def _facts(report: GameReport, sides: Sequence[PlayedSide]) -> dict[str, object]:
    return {
        "played_at": report.played_at.isoformat(),
        "sides": [{"players": [p.name for p in side.members], "points": side.points} for side in sides],
        "note": report.note,
        "kind": report.kind,
        "reported_by": report.reporter.name,
    }
