"""The tables of players' pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import django_tables2 as tables
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy

from leagues.formats import NOTHING, format_number, format_rating
from leagues.models import League, Player, Season
from ratings.models import Meeting
from ratings.tables.base import LeagueTable, balance, figures, players_path


class NowColumn(tables.Column):
    """A number of the current season: who is not in it comes last, whichever way it is sorted."""

    def order(self, players: QuerySet[Player], is_descending: bool) -> tuple[QuerySet[Player], bool]:
        number = F(str(self.accessor))
        by = number.desc(nulls_last=True) if is_descending else number.asc(nulls_last=True)
        return players.order_by(by, "sort_key", "pk"), True


class PlayerTable(LeagueTable):
    """All players of a league, with where they stand in its current season."""

    name = tables.Column(gettext_lazy("Player"), order_by=("sort_key", "pk"))
    place = NowColumn(gettext_lazy("Place"), accessor="now_place", attrs=figures())
    season_score = NowColumn(
        gettext_lazy("Score"), accessor="now_score", attrs=figures("medium-up"), initial_sort_descending=True
    )
    rating = NowColumn(
        gettext_lazy("Rating"), accessor="now_rating", attrs=figures(), initial_sort_descending=True
    )
    games = NowColumn(
        gettext_lazy("Games"), accessor="now_games", attrs=figures(), initial_sort_descending=True
    )
    seasons = tables.Column(
        gettext_lazy("Seasons"),
        attrs=figures("medium-up"),
        initial_sort_descending=True,
        order_by=("seasons", "-sort_key"),
    )

    class Meta(LeagueTable.Meta):
        pass

    def __init__(
        self, players: QuerySet[Player], *, league: League, has_places: bool, **options: Any
    ) -> None:
        """Without places their column is left out, and a phone has room for the score."""
        self.league = league
        super().__init__(players, exclude=[] if has_places else ["place"], **options)
        if not has_places:
            self.columns["season_score"].column.attrs = figures()

    def render_name(self, record: Player) -> SafeString:
        address = reverse("ratings:player-career", kwargs={"league": self.league.slug, "player": record.slug})
        link = format_html('<a class="name" href="{}">{}</a>', address, record.name)
        if not record.inactive:
            return link
        return format_html('{} <span class="sub inline">{}</span>', link, gettext("inactive"))

    def render_place(self, record: Any) -> str:
        return NOTHING if record.now_place is None else str(record.now_place)

    def render_season_score(self, record: Any) -> str:
        return format_rating(record.now_score)

    def render_rating(self, record: Any) -> str:
        return format_rating(record.now_rating)

    def render_games(self, record: Any) -> str:
        return format_number(record.now_games)

    def render_seasons(self, record: Any) -> str:
        return str(record.seasons)


class MeetingTable(LeagueTable):
    """A player's opponents in a season, with the duels against each."""

    opponent = tables.Column(gettext_lazy("Opponent"), order_by=("opponent__sort_key", "opponent_id"))
    games = tables.Column(
        gettext_lazy("Games"),
        attrs=figures(),
        initial_sort_descending=True,
        order_by=("games", "-opponent__sort_key"),
    )
    wins = tables.Column(pgettext_lazy("duels", "W–D–L"), attrs=figures(), initial_sort_descending=True)

    class Meta(LeagueTable.Meta):
        prefix = "met-"
        order_by = "-games"

    def __init__(
        self,
        meetings: QuerySet[Meeting],
        *,
        season: Season,
        player: Player,
        missing: Mapping[int, int],
        **options: Any,
    ) -> None:
        self.missing = missing  # games a place still takes, by opponent's id
        self._players = players_path(season)
        self._address = f"{self._players}{player.slug}/"
        super().__init__(meetings, **options)

    def render_opponent(self, record: Meeting) -> SafeString:
        opponent = record.opponent
        return format_html('<a class="name" href="{}{}/">{}</a>', self._players, opponent.slug, opponent.name)

    def render_games(self, record: Meeting) -> SafeString:
        """The number of games, which leads to them."""
        address = f"{self._address}?opponent={record.opponent.slug}#games"
        link = format_html('<a href="{}">{}</a>', address, format_number(record.games))
        lacks = self.missing.get(record.opponent_id)
        if not lacks:
            return link
        more = ngettext("%(count)d more", "%(count)d more", lacks) % {"count": lacks}
        return format_html('{}<span class="sub">{}</span>', link, more)

    def render_wins(self, record: Meeting) -> str:
        return balance(record)
