"""Games. One shape for all of them: two or more sides in order, each with points and members.

A duel is two sides of one player, a free-for-all more sides of one, and in a team game at
least one side has several members. A bye alone has a single side, and no points.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.base import Fact, FactQuerySet
from leagues.models.player import Player
from leagues.models.season import Season


class GameKind(models.TextChoices):
    PLAYED = "played", _("played")
    FORFEIT = "forfeit", _("forfeit: decided without play, as when somebody did not come")
    FRIENDLY = "friendly", _("friendly: played, and not rated")
    BYE = "bye", _("bye: no opponent, no points, and not rated")


class GameQuerySet(FactQuerySet):
    def counted(self) -> GameQuerySet:
        """Games that are rated: not voided, no friendly, no bye, a forfeit only if the season says so."""
        return self.filter(voided_at=None, rated=True)

    def not_voided(self) -> GameQuerySet:
        """Games that are not voided, rated or not."""
        return self.filter(voided_at=None)

    def in_play_order(self) -> GameQuerySet:
        """The total order games are rated in."""
        return self.order_by("played_at", "order", "pk")

    def at_time_of(self, game: Game) -> GameQuerySet:
        """The games of its season that were played at the same time, the game itself too, in their order."""
        return self.filter(season=game.season_id, played_at=game.played_at).in_play_order()

    def latest_first(self) -> GameQuerySet:
        """The order games are listed in."""
        return self.order_by("-played_at", "-order", "-pk")

    def with_sides(self) -> GameQuerySet:
        """With sides, members and players, in three queries for any number of games."""
        return self.prefetch_related("sides__members__player")


class Game(Fact):
    """A game as played, or as decided without play, or a bye."""

    Kind = GameKind
    league_path = "season__league"
    season_path = "season"
    free_fields = frozenset({"entered_by"})  # emptied when the account is deleted

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="games", verbose_name=_("season")
    )
    played_at = models.DateTimeField(_("played at"))
    order = models.PositiveIntegerField(
        _("order"), help_text=_("which of several games played at the same time comes first")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=GameKind, default=GameKind.PLAYED)
    # Follows from the kind and from what the season says of forfeits; stored, because every replay asks.
    rated = models.BooleanField(_("rated"), default=True, editable=False)
    note = models.CharField(_("note"), max_length=200, blank=True)
    key = models.CharField(max_length=32, editable=False)  # games_csv.game_key as it was first recorded
    token = models.UUIDField(null=True, editable=False)  # of the form: sent twice, it makes one game
    version = models.PositiveIntegerField(_("version"), default=1, editable=False)
    # The one of the season that the act made which entered the game, and others with it.
    revision = models.PositiveBigIntegerField(_("revision"), null=True, editable=False)
    voided_at = models.DateTimeField(_("voided"), null=True, blank=True, editable=False)
    void_reason = models.CharField(_("reason"), max_length=200, blank=True, editable=False)
    by_withdrawal = models.BooleanField(default=False, editable=False)  # voided because a player withdrew
    entered_at = models.DateTimeField(_("entered"), default=timezone.now, editable=False)
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=_("entered by"),
    )

    objects = models.Manager.from_queryset(GameQuerySet)()  # type: ignore[misc]

    class Meta:
        verbose_name = _("game")
        verbose_name_plural = _("games")
        ordering = ["-played_at", "-order", "-pk"]
        indexes = [models.Index(fields=["season", "played_at", "order"], name="games_in_play_order")]
        constraints = [
            models.UniqueConstraint(fields=["season", "key"], name="one_game_per_key"),
            models.UniqueConstraint(fields=["season", "token"], name="one_game_per_token"),
            models.CheckConstraint(
                condition=Q(voided_at=None, void_reason="")
                | (Q(voided_at__isnull=False) & ~Q(void_reason="")),
                name="voided_games_have_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(kind=GameKind.PLAYED, rated=True)
                | Q(kind__in=[GameKind.FRIENDLY, GameKind.BYE], rated=False)
                | Q(kind=GameKind.FORFEIT),
                name="games_are_rated_by_their_kind",
            ),
            models.CheckConstraint(
                condition=Q(by_withdrawal=False) | Q(voided_at__isnull=False),
                name="a_withdrawal_voids_games",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"  # in no language, as the log keeps it

    def get_absolute_url(self) -> str:
        return reverse(
            "ratings:game-detail",
            kwargs={"league": self.season.league.slug, "season": self.season.slug, "game": self.pk},
        )

    @property
    def is_voided(self) -> bool:
        return self.voided_at is not None

    @property
    def is_bye(self) -> bool:
        """Whether it has one side without points, whose points are stored as 0."""
        return self.kind == GameKind.BYE


def is_rated(season: Season, kind: str) -> bool:
    """Whether games of this kind are rated in the season."""
    return kind == GameKind.PLAYED or (kind == GameKind.FORFEIT and season.forfeits_rated)


class Side(Fact):
    """One competitor of a game: a player or a team, and the points scored."""

    league_path = "game__season__league"
    season_path = "game__season"

    game = models.ForeignKey(
        Game,
        on_delete=models.CASCADE,
        related_name="sides",
        verbose_name=_("game"),
        db_index=False,  # the constraint's index begins with it
    )
    position = models.PositiveSmallIntegerField(_("position"))
    points = models.IntegerField(_("points"))

    class Meta:
        verbose_name = _("side")
        verbose_name_plural = _("sides")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["game", "position"], name="one_side_per_position"),
            models.CheckConstraint(condition=Q(position__gte=1), name="side_positions_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.position}"


class SideMember(Fact):
    """A player on a side. ``game`` repeats the side's, for the constraint: one seat a game."""

    league_path = "game__season__league"
    season_path = "game__season"

    side = models.ForeignKey(Side, on_delete=models.CASCADE, related_name="members", verbose_name=_("side"))
    game = models.ForeignKey(
        Game,
        on_delete=models.CASCADE,
        related_name="seats",
        verbose_name=_("game"),
        db_index=False,  # the constraint's index begins with it
    )
    player = models.ForeignKey(
        Player, on_delete=models.RESTRICT, related_name="seats", verbose_name=_("player")
    )

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["game", "player"], name="one_seat_per_player")]

    def __str__(self) -> str:
        return str(self.player)
