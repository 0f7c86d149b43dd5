"""What a replay writes."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from leagues.models import Adjustment, Game, LeagueQuerySet, Player, Season


class ReplayQuerySet(LeagueQuerySet):
    def stale(self) -> ReplayQuerySet:
        """Seasons whose results lag their facts, without those that failed at their present facts."""
        return self.exclude(revision=F("season__revision")).exclude(failed_revision=F("season__revision"))


class Replay(models.Model):
    """How far the results of a season have come: the revision of its facts they were computed from."""

    league_path = "season__league"
    # What a page reads in one row with its season.
    with_season = (
        "revision", "games", "last_played_at", "adjusted_at", "finished_at", "failed_revision", "error",
        "past_revision",
    )  # fmt: skip

    season = models.OneToOneField(
        Season, on_delete=models.CASCADE, related_name="replay", verbose_name=_("season")
    )
    revision = models.PositiveBigIntegerField(_("revision"), default=0)
    games = models.PositiveIntegerField(_("games"), default=0)
    last_played_at = models.DateTimeField(_("last game"), null=True)
    adjusted_at = models.DateTimeField(_("last adjustment"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    failed_revision = models.PositiveBigIntegerField(_("failed revision"), null=True)
    error = models.TextField(_("error"), blank=True)
    # The last revision that changed more than the latest days: by it is kept where everybody stood before.
    past_revision = models.PositiveBigIntegerField(_("revision of the past"), default=0)
    # What the final results of a closed season were rated by that is no fact of it: an Outside as JSON.
    outside = models.JSONField(_("from outside the season"), null=True, editable=False)

    objects = models.Manager.from_queryset(ReplayQuerySet)()

    class Meta:
        verbose_name = _("replay")
        verbose_name_plural = _("replays")

    def __str__(self) -> str:
        return f"{self.season}: {self.revision}"

    @property
    def last_change_at(self) -> datetime | None:
        """When ratings last changed: the last game, or the last adjustment."""
        return max(filter(None, (self.last_played_at, self.adjusted_at)), default=None)


class Tally(models.Model):
    """The numbers of a player at some time of a season, as in the engine's ``PlayerState``."""

    peak = models.IntegerField(_("highest rating"))
    played = models.PositiveIntegerField(_("games played"))
    games = models.PositiveIntegerField(_("games counted"))
    wins = models.PositiveIntegerField(_("duels won"))
    draws = models.PositiveIntegerField(_("duels drawn"))
    losses = models.PositiveIntegerField(_("duels lost"))
    first_places = models.PositiveIntegerField(_("first places"))

    class Meta:
        abstract = True


class RatingChange(Tally):
    """A row of the ledger: what one game did to one player.

    ``before`` and ``after`` are ratings; the tally is the player's after the game, so that the last
    row of a player tells where the player stood at any time. ``played_at``, ``side`` and ``points``
    are the game's as it was rated: the ledger stays true by itself while its game is corrected or
    deleted, until the next replay.
    """

    league_path = "season__league"

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="changes", verbose_name=_("season"), db_index=False
    )
    game = models.ForeignKey(
        Game,
        on_delete=models.DO_NOTHING,  # the next replay takes the rows of a deleted game away
        db_constraint=False,
        related_name="changes",
        verbose_name=_("game"),
        db_index=False,
    )
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="changes", verbose_name=_("player"), db_index=False
    )
    played_at = models.DateTimeField(_("played at"))
    side = models.PositiveSmallIntegerField(_("side"))
    points = models.IntegerField(_("points"))
    before = models.IntegerField(_("rating before"))
    after = models.IntegerField(_("rating after"))
    # Why K was what it was, as the engine says it; empty where it is the same for all games of the season.
    k_reason = models.CharField(_("reason for the K-factor"), max_length=13, blank=True)

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("rating change")
        verbose_name_plural = _("rating changes")
        constraints = [
            models.UniqueConstraint(fields=["game", "player"], name="one_change_per_game_and_player")
        ]
        # Each index costs a third of a replay's write: one by game (above), one by player.
        indexes = [models.Index(fields=["season", "player", "played"], name="changes_of_a_player")]

    def __str__(self) -> str:
        return f"{self.player}: {self.before} → {self.after}"

    @property
    def change(self) -> int:
        """Tenths of a rating point gained, negative when lost."""
        return self.after - self.before


class AppliedAdjustment(models.Model):
    """A row of the ledger: what one adjustment did to its player's rating.

    Like the rows of games it refers to the fact loosely, and says itself when it took effect.
    """

    league_path = "season__league"

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="applied_adjustments", verbose_name=_("season")
    )
    adjustment = models.ForeignKey(
        Adjustment,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="applied",
        verbose_name=_("adjustment"),
        db_index=False,  # the constraint's index
    )
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="applied_adjustments", verbose_name=_("player")
    )
    at = models.DateTimeField(_("in effect from"))
    before = models.IntegerField(_("rating before"))
    after = models.IntegerField(_("rating after"))
    peak = models.IntegerField(_("highest rating"))

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("applied adjustment")
        verbose_name_plural = _("applied adjustments")
        constraints = [models.UniqueConstraint(fields=["adjustment"], name="one_row_per_adjustment")]

    def __str__(self) -> str:
        return f"{self.player}: {self.before} → {self.after}"

    @property
    def change(self) -> int:
        """Tenths of a rating point given, negative when taken."""
        return self.after - self.before


class Standing(Tally):
    """A row of the standings: an engine ``Row`` as stored."""

    league_path = "season__league"

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="standings", verbose_name=_("season")
    )
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="standings", verbose_name=_("player")
    )
    position = models.PositiveIntegerField(_("position"))
    place = models.PositiveIntegerField(_("place"), null=True)
    season_score = models.IntegerField(_("season score"))
    rating = models.IntegerField(_("rating"))
    classified = models.BooleanField(_("classified"))
    withdrawn = models.BooleanField(_("withdrawn"))
    missing_games = models.PositiveIntegerField(_("games missing"))
    opponents = models.PositiveIntegerField(_("opponents"))
    opponents_met = models.PositiveIntegerField(_("opponents met"))

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("standing")
        verbose_name_plural = _("standings")
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["season", "player"], name="one_standing_per_player")]
        indexes = [
            models.Index(fields=["season", "position"], name="standings_by_position"),
            # Where the score is the rating, it tells at which positions the players near a rating stand.
            models.Index(fields=["season", "rating", "-position"], name="standings_by_rating"),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.player}"


class Meeting(models.Model):
    """How often a player met an opponent, on different sides, and with what results."""

    league_path = "season__league"

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="meetings", verbose_name=_("season"), db_index=False
    )
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="meetings", verbose_name=_("player")
    )
    opponent = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="+", verbose_name=_("opponent")
    )
    games = models.PositiveIntegerField(_("games"))
    wins = models.PositiveIntegerField(_("won"))
    draws = models.PositiveIntegerField(_("drawn"))
    losses = models.PositiveIntegerField(_("lost"))

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("meeting")
        verbose_name_plural = _("meetings")
        constraints = [
            models.UniqueConstraint(fields=["season", "player", "opponent"], name="one_meeting_per_pair")
        ]

    def __str__(self) -> str:
        return f"{self.player} – {self.opponent}: {self.games}"
