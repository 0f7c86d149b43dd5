"""Games that players report, until they count.

A report is no game: nothing rates or lists it. Once it counts it has become one, by ``record_game``.
"""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leagues.models.base import Fact, FactQuerySet
from leagues.models.challenge import Challenge
from leagues.models.game import Game, GameKind
from leagues.models.player import Player
from leagues.models.season import Season, Unanswered


class ReportState(models.TextChoices):
    WAITING = "waiting", pgettext_lazy("report", "waiting for an answer")
    DISPUTED = "disputed", pgettext_lazy("report", "disputed")
    CONFIRMED = "confirmed", pgettext_lazy("report", "confirmed")
    ACCEPTED = "accepted", pgettext_lazy("report", "accepted")
    DROPPED = "dropped", pgettext_lazy("report", "dropped")
    WITHDRAWN = "withdrawn", pgettext_lazy("report", "withdrawn")


OPEN = (ReportState.WAITING.value, ReportState.DISPUTED.value)
COUNTED = (ReportState.CONFIRMED.value, ReportState.ACCEPTED.value)


class GameReportQuerySet(FactQuerySet):
    def open(self) -> GameReportQuerySet:
        """Those that somebody has to answer or decide."""
        return self.filter(state__in=OPEN)

    def due(self) -> GameReportQuerySet:
        """Those nobody answered in time, in the order in which their time ended."""
        waiting = self.filter(state=ReportState.WAITING, answer_by__lte=timezone.now())
        return waiting.filter(season__state=Season.State.OPEN).order_by("answer_by", "pk")

    def of_player(self, player: Player | int) -> GameReportQuerySet:
        """Those of games that the player played."""
        return self.filter(pk__in=ReportSeat.objects.filter(player=player).values("report"))

    def with_seats(self) -> GameReportQuerySet:
        """With the players, in two queries for any number of reports."""
        return self.select_related("reporter", "answered_by").prefetch_related("seats__player")


class GameReport(Fact):
    """A game as one of its players reports it.

    One player of another side confirms or disputes it, by ``answer_by``; after that it counts or is dropped,
    as the season said when it was reported. What is disputed an organizer decides. It goes with its game.
    """

    State = ReportState
    league_path = "season__league"
    season_path = "season"

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="reports", verbose_name=_("season")
    )
    reporter = models.ForeignKey(
        Player, on_delete=models.RESTRICT, related_name="+", verbose_name=_("reported by")
    )
    played_at = models.DateTimeField(_("played at"))
    kind = models.CharField(_("kind"), max_length=10, choices=GameKind, default=GameKind.PLAYED)
    note = models.CharField(_("note"), max_length=200, blank=True)
    challenge = models.ForeignKey(
        Challenge,
        on_delete=models.DO_NOTHING,  # both go with their season, and with nothing else
        null=True,
        blank=True,
        related_name="reports",
        verbose_name=_("challenge"),
        help_text=_("whose game it is"),
    )
    token = models.UUIDField(null=True, editable=False)  # of the form: sent twice, it makes one report
    reported_at = models.DateTimeField(_("reported"), default=timezone.now, editable=False)
    answer_by = models.DateTimeField(_("answer by"))
    unanswered = models.CharField(_("unanswered"), max_length=10, choices=Unanswered)
    state = models.CharField(_("state"), max_length=10, choices=ReportState, default=ReportState.WAITING)
    answered_by = models.ForeignKey(
        Player,
        on_delete=models.RESTRICT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("answered by"),
    )
    reason = models.CharField(_("reason"), max_length=200, blank=True)  # why it is disputed
    decided_at = models.DateTimeField(_("decided"), null=True, blank=True)
    game = models.OneToOneField(
        Game, on_delete=models.CASCADE, null=True, blank=True, related_name="report", verbose_name=_("game")
    )

    objects = models.Manager.from_queryset(GameReportQuerySet)()  # type: ignore[misc]

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "answer_by"], name="reports_by_deadline")]
        constraints = [
            models.UniqueConstraint(fields=["season", "token"], name="one_report_per_token"),
            models.CheckConstraint(
                condition=Q(state__in=OPEN, decided_at=None)
                | (~Q(state__in=OPEN) & Q(decided_at__isnull=False)),
                name="decided_reports_say_when",
            ),
            models.CheckConstraint(
                condition=Q(state__in=COUNTED, game__isnull=False) | (~Q(state__in=COUNTED) & Q(game=None)),
                name="reports_that_count_are_games",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"  # in no language, as the log keeps it

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def is_waiting(self) -> bool:
        return self.state == ReportState.WAITING

    @property
    def is_due(self) -> bool:
        """Whether its time to be answered is over and nobody has."""
        return self.is_waiting and self.answer_by <= timezone.now()

    @property
    def is_decided_by_time(self) -> bool:
        """Whether it was decided because nobody answered; the moment is then the one its time ended."""
        return self.decided_at == self.answer_by


class ReportSeat(Fact):
    """A player of a reported game, with the number and the points of the side."""

    league_path = "report__season__league"
    season_path = "report__season"

    report = models.ForeignKey(
        GameReport,
        on_delete=models.CASCADE,
        related_name="seats",
        verbose_name=_("report"),
        db_index=False,  # the constraint's index begins with it
    )
    side = models.PositiveSmallIntegerField(_("side"), validators=[MinValueValidator(1)])
    points = models.IntegerField(_("points"))
    player = models.ForeignKey(
        Player, on_delete=models.RESTRICT, related_name="report_seats", verbose_name=_("player")
    )

    class Meta:
        verbose_name = _("player of a report")
        verbose_name_plural = _("players of reports")
        ordering = ["side", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["report", "player"], name="one_report_seat_per_player")
        ]

    def __str__(self) -> str:
        return str(self.player)
