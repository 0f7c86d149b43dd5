"""Players, the names they were known by, and teams."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from leagues.models.base import LeagueQuerySet
from leagues.models.league import League, address
from leagues.names import fold, sort_key

SEARCH_LENGTH = 400


class PlayerQuerySet(LeagueQuerySet):
    def named_like(self, text: str) -> PlayerQuerySet:
        """Players whose name contains the text, whatever its case, accents or script."""
        return self.filter(search__contains=fold(text))


class PlayerManager(models.Manager.from_queryset(PlayerQuerySet)):  # type: ignore[misc]
    """The players of the leagues, without those who were merged into another one."""

    def get_queryset(self) -> PlayerQuerySet:
        return super().get_queryset().filter(merged_into=None)


class Player(models.Model):
    """A person who plays in a league. Two players may have one name, never one address.

    Who was merged into another player has nothing left but the address, which leads to the other one,
    the account, which is the other one's now, and the results of before until the next replay.
    """

    league_path = "league"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="players", verbose_name=_("league")
    )
    name = models.CharField(_("name"), max_length=100)
    slug = models.SlugField(_("address"), max_length=80, validators=[address], editable=False)
    search = models.CharField(max_length=SEARCH_LENGTH, editable=False)
    sort_key = models.CharField(max_length=500, editable=False)
    birth_year = models.PositiveSmallIntegerField(
        _("year of birth"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1900), MaxValueValidator(2100)],
        help_text=_("needed only where the K-factor has a junior clause"),
    )
    inactive = models.BooleanField(
        _("inactive"),
        default=False,
        help_text=_(
            "plays no longer: marked in lists, and named last where players are chosen; ratings stay"
        ),
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="players",
        verbose_name=_("account"),
    )
    merged_into = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=_("merged into"),
    )

    objects = PlayerManager()
    with_merged = models.Manager.from_queryset(PlayerQuerySet)()

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        ordering = ["sort_key", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["league", "slug"], name="one_address_per_player"),
            models.UniqueConstraint(
                fields=["league", "user"], condition=Q(merged_into=None), name="one_player_per_account"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def set_name(self, name: str) -> None:
        """Take a name, with the keys by which it is searched and, in the league's language, sorted."""
        # A sign of some scripts is a dozen Latin letters: the search key is cut, as the sort key is.
        self.name, self.search = name, fold(name)[:SEARCH_LENGTH]
        self.sort_key = sort_key(name, self.league.language)


class PlayerAlias(models.Model):
    """Another name a player is known by in files: a former name, another spelling."""

    league_path = "league"

    league = models.ForeignKey(League, on_delete=models.CASCADE, related_name="+", verbose_name=_("league"))
    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="aliases", verbose_name=_("player")
    )
    name = models.CharField(_("name"), max_length=100)
    key = models.CharField(max_length=200, editable=False)  # names.same_name of it

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("other name")
        verbose_name_plural = _("other names")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["player", "key"], name="alias_once_per_player"),
        ]

    def __str__(self) -> str:
        return self.name


class Team(models.Model):
    """A named set of players. A side is this team's when its members are exactly the set."""

    league_path = "league"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="teams", verbose_name=_("league")
    )
    name = models.CharField(_("name"), max_length=100)
    slug = models.SlugField(_("address"), max_length=80, validators=[address], editable=False)
    members = models.ManyToManyField(Player, related_name="teams", verbose_name=_("members"))
    member_key = models.CharField(max_length=200, editable=False)  # see key_of()

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("team")
        verbose_name_plural = _("teams")
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["league", "slug"], name="one_address_per_team"),
            models.UniqueConstraint(
                fields=["league", "member_key"],
                name="one_team_per_set_of_players",
                violation_error_message=_("Another team has exactly these members."),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def key_of(player_ids: Iterable[int]) -> str:
        """The set of players as a text that is equal for equal sets: ``3,17``."""
        return ",".join(map(str, sorted(player_ids)))
