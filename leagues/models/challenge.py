"""Challenges: who asked whom for a game, until when it may be answered and played, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leagues.models.base import Fact, FactQuerySet
from leagues.models.game import Game
from leagues.models.player import Player
from leagues.models.season import Season


class ChallengeState(models.TextChoices):
    ISSUED = "issued", _("issued: waits for an answer")
    ACCEPTED = "accepted", _("accepted: to be played")
    REPORTED = "reported", _("reported: the result waits for confirmation")
    DECLINED = "declined", _("declined")
    WITHDRAWN = "withdrawn", pgettext_lazy("challenge", "withdrawn")
    EXPIRED = "expired", _("expired: not answered or not played in time")
    PLAYED = "played", _("played")
    FORFEITED = "forfeited", _("forfeited: one side did not turn up")


OPEN_STATES = (ChallengeState.ISSUED, ChallengeState.ACCEPTED, ChallengeState.REPORTED)
PLAYED_STATES = (ChallengeState.PLAYED, ChallengeState.FORFEITED)


def _with_time_left(now: datetime) -> Q:
    in_time = Q(state=ChallengeState.ISSUED, respond_by__gt=now)
    in_time |= Q(state=ChallengeState.ACCEPTED, play_by__gt=now)
    return in_time | Q(state=ChallengeState.REPORTED)  # the report has a deadline of its own


class ChallengeQuerySet(FactQuerySet):
    def open(self) -> ChallengeQuerySet:
        """Those that wait for an answer, for a game, or for its confirmation."""
        return self.filter(state__in=OPEN_STATES)

    def between_people(self) -> ChallengeQuerySet:
        """All but the battles that programs drew, which nobody has to answer."""
        return self.filter(respond_by__isnull=False)

    def open_at(self, now: datetime) -> ChallengeQuerySet:
        """Those that still can be answered, played or confirmed: with time left."""
        return self.open().filter(_with_time_left(now))

    def over_at(self, now: datetime) -> ChallengeQuerySet:
        """All others: decided, or run out."""
        return self.exclude(_with_time_left(now))

    def due(self, now: datetime) -> ChallengeQuerySet:
        """Those of seasons that are not closed whose time is over."""
        return (self.to_answer(now) | self.to_play(now)).exclude(season__state=Season.State.CLOSED)

    def of_players(self, players: Iterable[int]) -> ChallengeQuerySet:
        """Those that one of these players issued or got."""
        ids = list(players)
        return self.filter(Q(challenger__in=ids) | Q(opponent__in=ids))

    def of_player(self, player: Player | Any) -> ChallengeQuerySet:
        """Those that a player, given as one or by id, issued or got."""
        return self.filter(Q(challenger=player) | Q(opponent=player))

    def to_answer(self, now: datetime) -> ChallengeQuerySet:
        """Those whose time to answer is over."""
        return self.filter(state=ChallengeState.ISSUED, respond_by__lte=now)

    def to_play(self, now: datetime) -> ChallengeQuerySet:
        """Those whose time to play is over."""
        return self.filter(state=ChallengeState.ACCEPTED, play_by__lte=now)


class Challenge(Fact):
    """A challenge between two players of a season; accepted, it is a battle to be played.

    Both ratings are those of the moment it was issued: the range is checked then, and whatever ratings do
    later, the challenge stays valid. ``respond_by`` is null where nobody has to answer: a battle drawn by
    a program is accepted from the start, and expires without any forfeit.
    """

    State = ChallengeState
    league_path = "season__league"
    season_path = "season"

    season = models.ForeignKey(
        Season,
        on_delete=models.CASCADE,
        related_name="challenges",
        verbose_name=_("season"),
        db_index=False,  # the constraint's index begins with it
    )
    uuid = models.UUIDField(_("battle"), default=uuid4, editable=False)  # what programs and addresses call it
    challenger = models.ForeignKey(
        Player, on_delete=models.RESTRICT, related_name="challenges_issued", verbose_name=_("challenger")
    )
    opponent = models.ForeignKey(
        Player, on_delete=models.RESTRICT, related_name="challenges_received", verbose_name=_("opponent")
    )
    state = models.CharField(_("state"), max_length=10, choices=ChallengeState, default=ChallengeState.ISSUED)
    by_draw = models.BooleanField(_("drawn from the pool"), default=False)
    challenger_rating = models.IntegerField(_("rating of the challenger"))  # tenths, when it was issued
    opponent_rating = models.IntegerField(_("rating of the opponent"))
    issued_at = models.DateTimeField(_("issued"), default=timezone.now)
    respond_by = models.DateTimeField(_("to be answered by"), null=True, blank=True)
    play_by = models.DateTimeField(_("to be played by"), null=True, blank=True)
    reminded_at = models.DateTimeField(_("reminded"), null=True, blank=True)
    decided_at = models.DateTimeField(_("decided"), null=True, blank=True)  # when it got its present state
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    game = models.OneToOneField(
        Game,
        on_delete=models.SET_NULL,  # the game may be deleted; that it was played stays
        null=True,
        blank=True,
        related_name="challenge",
        verbose_name=_("game"),
    )

    objects = models.Manager.from_queryset(ChallengeQuerySet)()  # type: ignore[misc]

    class Meta:
        verbose_name = _("challenge")
        verbose_name_plural = _("challenges")
        ordering = ["-issued_at", "-pk"]
        indexes = [
            models.Index(
                fields=["season", "challenger"],
                condition=Q(state__in=OPEN_STATES),
                name="open_challenges_issued",
            ),
            models.Index(
                fields=["season", "opponent"],
                condition=Q(state__in=OPEN_STATES),
                name="open_challenges_received",
            ),
            models.Index(
                fields=["season", "-issued_at"],
                condition=Q(respond_by__isnull=False),
                name="challenges_between_people",
            ),
            models.Index(
                fields=["respond_by"],
                condition=Q(state=ChallengeState.ISSUED),
                name="challenges_to_answer",
            ),
            models.Index(
                fields=["play_by"], condition=Q(state=ChallengeState.ACCEPTED), name="challenges_to_play"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["season", "uuid"], name="one_challenge_per_battle"),
            models.CheckConstraint(
                condition=~Q(challenger=F("opponent")),
                name="nobody_challenges_oneself",
                violation_error_message=_("Nobody can challenge oneself."),
            ),
            models.CheckConstraint(
                condition=Q(game=None) | Q(state__in=PLAYED_STATES),
                name="challenges_with_a_game_were_played",
            ),
            models.CheckConstraint(
                condition=Q(decided_at__isnull=False) | Q(state=ChallengeState.ISSUED),
                name="answered_challenges_have_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.challenger} – {self.opponent}"

    def get_absolute_url(self) -> str:
        values = {"league": self.season.league.slug, "season": self.season.slug, "challenge": self.uuid}
        return reverse("ratings:challenge", kwargs=values)

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES

    @property
    def deadline(self) -> datetime | None:
        """Until when something has to be done about it; null where nothing has."""
        return {ChallengeState.ISSUED: self.respond_by, ChallengeState.ACCEPTED: self.play_by}.get(
            ChallengeState(self.state)
        )

    @property
    def ran_out_at(self) -> datetime | None:
        """The last deadline it had, whatever came of it."""
        return self.play_by or self.respond_by

    def state_at(self, now: datetime) -> str:
        """The state: one whose deadline has come is expired, whether that is written down or not."""
        deadline = self.deadline
        return ChallengeState.EXPIRED if deadline and deadline <= now else self.state
