"""Seasons and who is entered in them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Least
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leagues.models.base import CLOSED, Fact, FactQuerySet, NameField, SeasonClosedError, forget_held
from leagues.models.league import League, address
from leagues.models.player import Player
from leagues.prepared import PreparedUpdate

# As for games in files: a year from either end no zone can move a time beyond what a datetime holds.
FIRST_DAY, LAST_DAY = date(2, 1, 1), date(9998, 12, 31)


class SeasonState(models.TextChoices):
    DRAFT = "draft", _("draft: being prepared, seen by organizers only")
    OPEN = "open", _("open: games are entered")
    CLOSED = CLOSED, _("closed: results are final")


class GamesFrom(models.TextChoices):
    """Who may enter the games of a season."""

    ORGANIZERS = "organizers", _("organizers: their games count at once")
    PLAYERS = "players", _("players: they report, and the other side confirms")
    BOTH = "both", _("both: organizers enter, players report")


class Unanswered(models.TextChoices):
    """What becomes of a report that nobody answered in time."""

    ACCEPTED = "accepted", _("accepted: it counts")
    DROPPED = "dropped", _("dropped: it does not count")


class SeasonQuerySet(FactQuerySet):
    def update(self, **values: Any) -> int:
        if "state" in values:
            forget_held()
        return super().update(**values)

    def open(self) -> SeasonQuerySet:
        """Seasons in which games are entered."""
        return self.filter(state=SeasonState.OPEN)

    def published(self) -> SeasonQuerySet:
        """Seasons everybody may see."""
        return self.exclude(state=SeasonState.DRAFT)

    def current_first(self) -> SeasonQuerySet:
        """Open seasons first, then the latest."""
        return self.order_by(
            models.Case(models.When(state=SeasonState.OPEN, then=0), default=1), "-starts_on", "-pk"
        )

    def locked(self) -> SeasonQuerySet:
        """With their leagues, each row held until the transaction ends.

        Always in one order, so that no two transactions can wait for each other. Rows that refer to a
        season can be written meanwhile, as a replay does.
        """
        held = self.select_related("league").select_for_update(of=("self",), no_key=True)
        return held.order_by("starts_on", "pk")


class Season(Fact):
    """A season of a league: from its first day to its last, both inclusive, in the league's zone.

    The limits of a game are columns here, so that facts can be checked without the rating rules.
    """

    State = SeasonState
    GamesFrom, Unanswered = GamesFrom, Unanswered
    league_path = "league"
    season_path = "pk"
    free_fields = frozenset({"state", "revision", "stale_from"})  # what closes and reopens it, and no facts

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="seasons", verbose_name=_("league")
    )
    name = NameField(_("name"), max_length=100)
    slug = models.SlugField(
        _("address"), max_length=60, validators=[address], help_text=_("its part of the page addresses")
    )
    starts_on = models.DateField(_("first day"), validators=[MinValueValidator(FIRST_DAY)])
    ends_on = models.DateField(
        _("last day"),
        validators=[MaxValueValidator(LAST_DAY)],
        help_text=_("games of this day still count"),
    )
    state = models.CharField(_("state"), max_length=10, choices=SeasonState, default=SeasonState.OPEN)

    largest_margin = models.PositiveIntegerField(
        _("largest margin"),
        default=5000,
        validators=[MinValueValidator(1), MaxValueValidator(10_000)],
        help_text=_(
            "games with a larger difference of points are refused, because the margin multiplier has no limit"
        ),
    )
    negative_points = models.BooleanField(
        _("negative points"), default=True, help_text=_("sides may score below 0")
    )
    team_min = models.PositiveSmallIntegerField(
        _("smallest team"), default=1, validators=[MinValueValidator(1)], help_text=_("players in a team")
    )
    team_max = models.PositiveSmallIntegerField(
        _("largest team"), default=3, validators=[MinValueValidator(1), MaxValueValidator(10)]
    )
    teams_max = models.PositiveSmallIntegerField(
        _("most teams"), default=4, validators=[MinValueValidator(2), MaxValueValidator(20)]
    )
    duels_only = models.BooleanField(
        _("duels only"),
        default=False,
        help_text=_("each game is one player against one, the challenger first"),
    )
    # Limits of challenges. They move no rating, so they are the season's and no part of its rule set.
    answer_hours = models.PositiveSmallIntegerField(
        _("hours to answer"),
        default=48,
        validators=[MinValueValidator(1), MaxValueValidator(2160)],
        help_text=_("a challenge that nobody answered by then expires"),
    )
    play_hours = models.PositiveSmallIntegerField(
        _("hours to play"),
        default=168,
        validators=[MinValueValidator(1), MaxValueValidator(2160)],
        help_text=_("from the answer to the game"),
    )
    battle_minutes = models.PositiveSmallIntegerField(
        _("minutes of a battle"),
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(10_080)],
        help_text=_("for how long a program may report the result of a battle it has drawn"),
    )
    open_challenges_max = models.PositiveSmallIntegerField(
        _("most open challenges"),
        default=3,
        validators=[MaxValueValidator(1000)],
        help_text=_(
            "that a player has issued, or received, and that are not played yet; 0: any number. Battles "
            "drawn by a program do not count"
        ),
    )
    declines_max = models.PositiveSmallIntegerField(
        _("most declined challenges"),
        default=0,
        validators=[MaxValueValidator(1000)],
        help_text=_("that a player may decline within 30 days; 0: any number"),
    )
    rematch_days = models.PositiveSmallIntegerField(
        _("days before a rematch"),
        default=0,
        validators=[MaxValueValidator(365)],
        help_text=_("two players challenge each other again after so many days; 0: at once"),
    )
    rematch_games = models.PositiveSmallIntegerField(
        _("games before a rematch"),
        default=0,
        validators=[MaxValueValidator(1000)],
        help_text=_("and after the challenger has played so many games with others; 0: at once"),
    )
    rest_days_max = models.PositiveSmallIntegerField(
        _("longest rest"),
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(365)],
        help_text=_("days for which a player may ask not to be challenged"),
    )
    inactive_days = models.PositiveSmallIntegerField(
        _("days until inactive"),
        default=0,
        validators=[MaxValueValidator(3650)],
        help_text=_("who has played nothing for so many days is in no pool; 0: everybody stays"),
    )
    games_from = models.CharField(
        _("games from"),
        max_length=10,
        choices=GamesFrom,
        default=GamesFrom.ORGANIZERS,
        help_text=_("who may enter games; players report with an account of their own"),
    )
    report_hours = models.PositiveSmallIntegerField(
        _("hours to confirm"),
        default=48,
        validators=[MinValueValidator(1), MaxValueValidator(24 * 60)],
        help_text=_("in which the other side confirms or disputes a game that a player reported"),
    )
    unanswered = models.CharField(
        _("unanswered reports"),
        max_length=10,
        choices=Unanswered,
        default=Unanswered.ACCEPTED,
        help_text=_("what becomes of them when these hours are over"),
    )
    forfeits_rated = models.BooleanField(
        _("forfeits are rated"),
        default=False,
        help_text=_(
            "a game decided without play is rated by its points, as if it had been played; "
            "else it is shown and counts for nothing"
        ),
    )
    withdrawal_voids = models.BooleanField(
        _("withdrawing voids the games"),
        default=False,
        help_text=_(
            "all games of a player who is withdrawn are voided, and count again when that is taken back; "
            "else they stay as they are"
        ),
    )
    rules_text = models.TextField(
        _("text of the rules"),
        blank=True,
        max_length=20_000,
        help_text=_(
            "shown above the rules, whose numbers the site computes from the season’s settings. Markdown: "
            "# heading, **bold**, - list, [text](address), | table |"
        ),
    )

    revision = models.PositiveBigIntegerField(_("revision"), default=0, editable=False)
    stale_from = models.DateTimeField(_("stale from"), null=True, editable=False)

    objects = models.Manager.from_queryset(SeasonQuerySet)()  # type: ignore[misc]

    class Meta:
        verbose_name = _("season")
        verbose_name_plural = _("seasons")
        ordering = ["-starts_on", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["league", "slug"],
                name="one_address_per_season",
                violation_error_message=_("Another season of the league has this address."),
            ),
            models.CheckConstraint(
                condition=Q(ends_on__gte=F("starts_on")),
                name="season_ends_after_its_start",
                violation_error_message=_("The last day is before the first."),
            ),
            models.CheckConstraint(
                condition=Q(team_max__gte=F("team_min")),
                name="largest_team_not_below_smallest",
                violation_error_message=_("The largest team is smaller than the smallest."),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("ratings:standings", kwargs={"league": self.league.slug, "season": self.slug})

    def save(self, *args: Any, **options: Any) -> None:
        forget_held()
        super().save(*args, **options)

    def refuse_save(self, update_fields: Iterable[str] | None) -> None:
        """Raise SeasonClosedError when the season is closed and more than its free fields would change."""
        for stored in Season.objects.filter(pk=self.pk).select_for_update(no_key=True):
            if not stored.is_closed:
                return
            names = update_fields or [field.name for field in self._meta.concrete_fields]
            frozen: Any = map(self._meta.get_field, set(names) - self.free_fields)
            for field in frozen:
                if field.to_python(getattr(self, field.attname)) != getattr(stored, field.attname):
                    raise SeasonClosedError(stored.name)

    @property
    def starts_at(self) -> datetime:
        """The first moment of the season."""
        return datetime.combine(self.starts_on, time(), self.league.zone)

    @property
    def ends_at(self) -> datetime:
        """The first moment after the season."""
        return datetime.combine(self.ends_on + timedelta(days=1), time(), self.league.zone)

    @property
    def is_open(self) -> bool:
        return self.state == SeasonState.OPEN

    @property
    def is_closed(self) -> bool:
        return self.state == SeasonState.CLOSED

    @property
    def takes_reports(self) -> bool:
        """Whether players may report games."""
        return self.games_from != GamesFrom.ORGANIZERS

    @property
    def may_have_reports(self) -> bool:
        """Whether games may wait to be confirmed: in a ladder the players of a challenge report always."""
        return self.takes_reports or self.duels_only

    def includes(self, moment: datetime) -> bool:
        """Whether a game played at this moment belongs to the season."""
        return self.starts_at <= moment < self.ends_at

    def touch(self, since: datetime | None) -> None:
        """Say that facts changed: ratings from the moment ``since`` on, or none of them.

        One UPDATE, which holds the season's row until the transaction ends: writers of one
        season queue up, and writers of two never wait for each other.
        """
        if since is None:
            REVISION_RAISED.update(1, self.pk)
        else:
            STALE_SINCE.update(1, since, since, self.pk)


# Written with every game.
_MOMENT = timezone.now()  # a stand-in
REVISION_RAISED = PreparedUpdate(lambda: Season.objects.filter(pk=0), revision=F("revision") + 1)
STALE_SINCE = PreparedUpdate(
    lambda: Season.objects.filter(pk=0),
    revision=F("revision") + 1,
    stale_from=Least(Coalesce("stale_from", _MOMENT), _MOMENT),
)


class EntryQuerySet(FactQuerySet):
    def active(self) -> EntryQuerySet:
        """Players entered and not withdrawn."""
        return self.filter(withdrawn_at=None)

    def resting(self, now: datetime) -> EntryQuerySet:
        """Players whom nobody challenges for some time."""
        return self.filter(rests_until__gt=now)


class Entry(Fact):
    """A player's place in a season.

    An entry that only a game made goes with the player's last game that counts: a mistyped name
    must not stay as an opponent everybody has to meet.
    """

    league_path = "season__league"
    season_path = "season"

    season = models.ForeignKey(
        Season, on_delete=models.CASCADE, related_name="entries", verbose_name=_("season")
    )
    player = models.ForeignKey(
        Player, on_delete=models.RESTRICT, related_name="entries", verbose_name=_("player")
    )
    entered_at = models.DateTimeField(_("entered"), default=timezone.now)
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True, blank=True)
    rests_until = models.DateTimeField(_("rests until"), null=True, blank=True, editable=False)
    by_playing = models.BooleanField(_("entered by playing"), default=False, editable=False)

    objects = models.Manager.from_queryset(EntryQuerySet)()  # type: ignore[misc]

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["season", "player"],
                name="one_entry_per_player",
                violation_error_message=_("This player is entered already."),
            )
        ]

    def __str__(self) -> str:
        return str(self.player)
