"""Leagues and the people who run them."""

from __future__ import annotations

import zoneinfo
from functools import cache, cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leagues.hosts import HOST_LENGTH, clean_host
from leagues.links import Link, check_links, links_in
from leagues.models.base import LeagueQuerySet, NameField

# A theme knows one hue for each step; a free choice could not keep the contrast promised.
HUE_STEP = 15

address = RegexValidator(
    r"^[a-z0-9]+(?:-[a-z0-9]+)*$",
    _("An address has small Latin letters and digits, with single hyphens between them."),
)


# Asking the system walks through all its files of zones.
zone_names = cache(zoneinfo.available_timezones)


def zones_of_places() -> list[str]:
    """The zones that are offered: those named after a place."""
    return sorted(name for name in zone_names() if "/" in name and not name.startswith("Etc/"))


def check_timezone(name: str) -> None:
    """Refuse a name that is no time zone."""
    if name not in zone_names():
        raise ValidationError(
            _("“%(name)s” is no time zone; write one like Europe/Sofia or UTC."), params={"name": name}
        )


class Visibility(models.TextChoices):
    PUBLIC = "public", _("public: listed, and open to everybody")
    UNLISTED = "unlisted", _("unlisted: open to everybody who has the address")
    PRIVATE = "private", _("private: open to its organizers and players only")


class LeaguesQuerySet(LeagueQuerySet):
    """Leagues themselves."""

    def listed(self) -> LeaguesQuerySet:
        """The leagues shown to everybody."""
        return self.filter(visibility=Visibility.PUBLIC)

    def run_by(self, user: Any) -> LeaguesQuerySet:
        """The leagues this user is an organizer of; a superuser is one everywhere."""
        if user.is_superuser and user.is_active:
            return self.all()
        return self.filter(organizers__user=user.pk) if user.is_active else self.none()


class League(models.Model):
    """One league, a stranger to all others on the site."""

    league_path = "pk"

    name = NameField(_("name"), max_length=100)
    slug = models.SlugField(
        _("address"),
        max_length=60,
        unique=True,
        validators=[address],
        help_text=_("its part of the page addresses"),
    )
    about = models.TextField(
        _("about"), blank=True, max_length=2000, help_text=_("shown on the league's home")
    )
    start_text = models.TextField(
        _("start text"),
        blank=True,
        max_length=10_000,
        help_text=_("Markdown; shown on the league's home, below what is played now"),
    )
    links = models.TextField(
        _("links"),
        blank=True,
        max_length=2000,
        validators=[check_links],
        help_text=_("one a line, a label and then its address: Our club https://example.org"),
    )
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES, default="en")
    timezone = models.CharField(
        _("time zone"),
        max_length=50,
        default="UTC",
        validators=[check_timezone],
        help_text=_("games are entered and shown in this zone, and seasons begin and end in it"),
    )
    accent_hue = models.PositiveSmallIntegerField(
        _("colour"),
        default=165,
        choices=[(hue, f"{hue}°") for hue in range(0, 360, HUE_STEP)],
        help_text=_("the hue of the league's pages"),
    )
    logo = models.CharField(_("logo"), max_length=16, blank=True, editable=False)  # the digest of its files
    visibility = models.CharField(
        _("visibility"), max_length=10, choices=Visibility, default=Visibility.PUBLIC
    )
    in_search_engines = models.BooleanField(
        _("in search engines"),
        default=True,
        help_text=_("search engines may list the pages; those of a league that is not public they never may"),
    )
    host = models.CharField(
        _("own host name"),
        max_length=HOST_LENGTH,
        blank=True,
        help_text=_(
            "a name that leads to this site, like standings.example.org: the league's pages are there too"
        ),
    )
    version = models.PositiveBigIntegerField(_("version"), default=0, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = models.Manager.from_queryset(LeaguesQuerySet)()

    class Meta:
        verbose_name = _("league")
        verbose_name_plural = _("leagues")
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["host"],
                condition=~models.Q(host=""),
                name="one_league_per_host",
                violation_error_message=_("Another league has this host name."),
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("ratings:league-home", kwargs={"league": self.slug})

    def clean(self) -> None:
        if self.host:
            try:
                self.host = clean_host(self.host)
            except ValidationError as refused:
                raise ValidationError({"host": refused.messages}) from refused

    @property
    def is_indexed(self) -> bool:
        """Whether search engines may list the league's pages."""
        return self.in_search_engines and self.visibility == Visibility.PUBLIC

    @property
    def shown_links(self) -> list[Link]:
        """The league's links elsewhere."""
        return links_in(self.links)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The league's time zone."""
        return ZoneInfo(self.timezone)

    def touch(self) -> None:
        """Say that something shown on many pages changed: a name, a colour, a team.

        One UPDATE, which holds the league's row until the transaction ends: services that look for a
        free address call it first, so that no two can find the same one.
        """
        League.objects.filter(pk=self.pk).update(version=models.F("version") + 1)


class Role(models.TextChoices):
    OWNER = "owner", _("owner: everything, organizers included")
    MANAGER = "manager", _("manager: seasons, players, games and rules")
    SCORER = "scorer", _("scorer: games")

    @property
    def short(self) -> Promise:
        """The role in a word."""
        return {Role.OWNER: _("owner"), Role.MANAGER: _("manager"), Role.SCORER: _("scorer")}[self]

    def covers(self, role: Role) -> bool:
        """Whether an organizer with this role may do what the other one may."""
        order = [Role.SCORER, Role.MANAGER, Role.OWNER]
        return order.index(self) >= order.index(role)


class Organizer(models.Model):
    """A user's role in a league."""

    league_path = "league"

    league = models.ForeignKey(
        League, on_delete=models.CASCADE, related_name="organizers", verbose_name=_("league")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="organizer_roles",
        verbose_name=_("user"),
    )
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.SCORER)

    objects = models.Manager.from_queryset(LeagueQuerySet)()

    class Meta:
        verbose_name = _("organizer")
        verbose_name_plural = _("organizers")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["league", "user"],
                name="one_role_per_organizer",
                violation_error_message=_("This user is an organizer of the league already."),
            )
        ]

    def __str__(self) -> str:
        return str(self.user)
