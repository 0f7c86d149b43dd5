"""The table of teams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import django_tables2 as tables
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, pgettext_lazy

from leagues.formats import format_decimals, format_number
from leagues.models import League, Team
from ratings.services.teams import Record
from ratings.tables.base import LeagueTable, figures


class TeamTable(LeagueTable):
    """The teams of a league with what they come to in its current season."""

    name = tables.Column(gettext_lazy("Team"), order_by=("name", "pk"))
    members = tables.Column(gettext_lazy("Members"), orderable=False)
    rating = tables.Column(gettext_lazy("Mean rating"), accessor="pk", orderable=False, attrs=figures())
    games = tables.Column(gettext_lazy("Games"), accessor="pk", orderable=False, attrs=figures("medium-up"))
    wins = tables.Column(pgettext_lazy("duels", "W–D–L"), accessor="pk", orderable=False, attrs=figures())

    class Meta(LeagueTable.Meta):
        empty_text = gettext_lazy("This league has no teams yet.")

    def __init__(self, teams: QuerySet[Team], *, league: League, **options: Any) -> None:
        self.league = league
        self.played: Mapping[int, Record] = {}
        self.ratings: Mapping[int, float] = {}
        super().__init__(teams, **options)

    def render_name(self, record: Team) -> SafeString:
        address = reverse("ratings:team", kwargs={"league": self.league.slug, "team": record.slug})
        return format_html('<a class="name" href="{}">{}</a>', address, record.name)

    def render_members(self, record: Team) -> SafeString:
        address = reverse("ratings:player-list", kwargs={"league": self.league.slug})
        members = ((address, player.slug, player.name) for player in record.members.all())
        return format_html_join(", ", '<a class="plain" href="{}{}/">{}</a>', members)

    def render_rating(self, record: Team) -> str:
        return format_decimals(self.ratings.get(record.pk))

    def render_games(self, record: Team) -> str:
        return format_number(self.played[record.pk].games)

    def render_wins(self, record: Team) -> str:
        return self.played[record.pk].balance
