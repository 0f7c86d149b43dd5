"""The leaderboard of a ladder season."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

import django_tables2 as tables
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from leagues.formats import format_change, format_rating
from leagues.models import Player, Season
from ratings.models import Standing
from ratings.services.challenges import Prospect
from ratings.tables.base import LeagueTable, balance, figures, players_path

ROWS = 50


def leaderboard(season: Season, q: str) -> QuerySet[Standing]:
    """Everybody in the season by position, or those so called."""
    rows = Standing.objects.filter(season=season).select_related("player").order_by("position")
    if not q:
        return rows
    return rows.filter(player__in=Player.objects.in_league(season.league_id).named_like(q))


class LeaderboardTable(LeagueTable):
    """Everybody by rating; around a player, with what a battle is worth and whether it is possible."""

    position = tables.Column(gettext_lazy("Place"), orderable=False, attrs=figures("place"))
    player = tables.Column(gettext_lazy("Player"), orderable=False)
    rating = tables.Column(gettext_lazy("Rating"), orderable=False, attrs=figures())
    wins = tables.Column(pgettext_lazy("duels", "W–D–L"), orderable=False, attrs=figures("wide-only"))
    around = tables.Column(gettext_lazy("Ladder"), accessor="pk", orderable=False, attrs=figures("medium-up"))
    win = tables.Column(gettext_lazy("Win"), accessor="pk", orderable=False, attrs=figures("medium-up"))
    draw = tables.Column(gettext_lazy("Draw"), accessor="pk", orderable=False, attrs=figures("medium-up"))
    loss = tables.Column(gettext_lazy("Loss"), accessor="pk", orderable=False, attrs=figures("medium-up"))
    challenge = tables.Column(gettext_lazy("Challenge"), accessor="pk", orderable=False)

    class Meta(LeagueTable.Meta):
        pass

    def __init__(
        self, standings: Any, *, season: Season, me: Standing | None, is_whole: bool, **options: Any
    ) -> None:
        self.me, self.is_whole = me, is_whole
        self.prospects: Mapping[int, Prospect] = {}
        self.may_act = False
        values = {"league": season.league.slug, "season": season.slug}
        self._ladder = reverse("ratings:ladder", kwargs=values)
        self._players = players_path(season)
        idle = ["around"] if me else ["win", "draw", "loss", "challenge"]
        super().__init__(standings, exclude=idle, **options)

    @classmethod
    def of(cls, season: Season, me: Standing | None, q: str) -> LeaderboardTable:
        """The table of everybody in the season, or of those so called."""
        if q:
            nobody = _("Nobody here is called “%(name)s”.") % {"name": q}
        else:
            nobody = _(
                "Nobody is in this season yet. When the organizers have added the players, "
                "each can challenge whoever is rated near enough."
            )
        return cls(leaderboard(season, q), season=season, me=me, is_whole=not q, empty_text=nobody)

    def show(self, query: QueryDict, *, rows: int = ROWS) -> list[Any]:
        if not self.is_whole:
            return super().show(query, rows=rows)
        # Positions have no gaps: a page of a hundred thousand is found by them, and nobody is counted.
        everybody = self.data.data
        last = everybody.order_by("-position").values_list("position", flat=True).first() or 0
        self.paginator = Paginator(range(1, last + 1), rows)
        self.page = self.paginator.get_page(query.get(self.prefixed_page_field))
        positions = list(self.page)
        self.records = (
            list(everybody.filter(position__range=(positions[0], positions[-1]))) if positions else []
        )
        return self.records

    @staticmethod
    def page_of(row: Standing) -> int:
        """The page on which a row of the whole leaderboard stands."""
        return (row.position - 1) // ROWS + 1

    def row_attributes(self, record: Standing) -> str:
        is_me = self.me is not None and record.player_id == self.me.player_id
        key = f'data-key="{record.player_id}" data-value="{record.position} {record.rating}"'
        key = f'id="p-{record.player.slug}" {key}'
        return f'class="plays" {key}' if is_me else key

    def render_position(self, record: Standing) -> str:
        return str(record.position)

    def render_player(self, record: Standing) -> SafeString:
        name = escape(record.player.name)
        return SafeString(
            f'<a class="name" href="{self._players}{record.player.slug}/">{name}</a>{self._below(record)}'
        )

    def _below(self, record: Standing) -> str:
        """The way to the ladder around a player, where there is no room for a column of its own."""
        if self.me is not None:
            return ""
        return format_html('<span class="sub phone-only">{}</span>', self.render_around(record))

    def render_rating(self, record: Standing) -> str:
        return format_rating(record.rating)

    def render_wins(self, record: Standing) -> str:
        return balance(record)

    def render_around(self, record: Standing) -> SafeString:
        """The way to the ladder around this player."""
        around = f"{self._ladder}?{urlencode({'player': record.player.slug})}"
        return format_html('<a class="link" href="{}">{}</a>', around, _("Possible opponents"))

    def render_win(self, record: Standing) -> str:
        prospect = self.prospects.get(record.player_id)
        return format_change(prospect.stakes.won) if prospect else ""

    def render_draw(self, record: Standing) -> str:
        prospect = self.prospects.get(record.player_id)
        return format_change(prospect.stakes.drawn) if prospect else ""

    def render_loss(self, record: Standing) -> str:
        prospect = self.prospects.get(record.player_id)
        return format_change(prospect.stakes.lost) if prospect else ""

    def render_challenge(self, record: Standing) -> str | SafeString:
        return self.act(record.player_id) if record.player_id in self.prospects else ""

    def act(self, player: int) -> SafeString:
        """The button that challenges a player, or the reason why there is none; a sign where others may."""
        prospect = self.prospects[player]
        if prospect.obstacle:
            return format_html('<span class="sub" title="{}">{}</span>', prospect.obstacle, prospect.brief)
        if not self.may_act:
            return format_html(
                '<span aria-hidden="true">✓</span><span class="visually-hidden">{}</span>',
                _("can be challenged"),
            )
        return format_html(
            '<button class="button quiet small" form="issue" name="opponent" value="{}">{}</button>',
            prospect.standing.player.slug,
            pgettext("verb", "Challenge"),
        )
