"""The standings as a table, and the sentences in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from leagues.formats import format_change, format_rating
from leagues.models import Player, Season
from ratings.engine.types import Rules
from ratings.models import PrizeTier, Standing
from ratings.services.standings import Details
from ratings.tables.base import LeagueTable, balance, figures

NAMES_SHOWN = 2  # of the opponents still to be met
COLOURED_TIERS = 3

# By column, what it holds.
LEGEND = {
    "place": gettext_lazy("among the classified players; equal ones share a place, and others have none yet"),
    "season_score": gettext_lazy("the rating weighted by the games counted: what the season is ranked by"),
    "rating": gettext_lazy("playing strength now; below it what the last 7 days changed"),
    "peak": gettext_lazy("the highest rating of the season"),
    "games": gettext_lazy("games counted for the season, and how many a place needs"),
    "wins": gettext_lazy("duels won, drawn and lost; a game of n sides is n − 1 duels for each of them"),
    "opponents_met": gettext_lazy("opponents met often enough, of all who must be met"),
    "form": gettext_lazy("the last five games, the latest at the right: more duels won than lost is a win"),
}


def best_first(accessor: str, header: Any, **options: Any) -> tables.Column:
    """A column of numbers whose first sorting is downwards; equal ones keep the order of the standings."""
    return tables.Column(
        verbose_name=header,
        accessor=accessor,
        order_by=(accessor, "-position"),
        initial_sort_descending=True,
        **options,
    )


class StandingsTable(LeagueTable):
    """Everybody entered. Columns that say nothing under the season's rules are left out."""

    place = tables.Column(
        gettext_lazy("Place"), accessor="position", order_by=("position",), attrs=figures("place")
    )
    player = tables.Column(gettext_lazy("Player"), order_by=("player__sort_key", "position"))
    season_score = best_first("season_score", gettext_lazy("Score"), attrs=figures("score"))
    rating = best_first("rating", gettext_lazy("Rating"), attrs=figures("last-on-phone"))
    peak = best_first("peak", gettext_lazy("Peak"), attrs=figures("medium-up"))
    games = best_first("games", gettext_lazy("Games"), attrs=figures("medium-up"))
    wins = best_first("wins", pgettext_lazy("duels", "W–D–L"), attrs=figures("medium-up"))
    opponents_met = best_first("opponents_met", gettext_lazy("Opponents"), attrs=figures("wide-only"))
    form = tables.Column(
        gettext_lazy("Form"),
        accessor="pk",
        orderable=False,
        attrs={"th": {"class": "wide-only"}, "td": {"class": "wide-only"}},
    )

    class Meta(LeagueTable.Meta):
        empty_text = gettext_lazy(
            "Nobody is entered in this season yet. Whoever plays a game is entered by it."
        )
        row_attrs = {
            "class": lambda table, record: table.class_of(record),
            "data-key": lambda record: record.player_id,
            "data-value": lambda record: record.position,
        }

    def __init__(
        self, standings: Any, *, season: Season, rules: Rules, tiers: Sequence[PrizeTier] = (), **options: Any
    ) -> None:
        self.rules = rules
        self.details = Details()
        self.asks_something = bool(rules.min_games or rules.min_meetings)
        self._tier_of = _tier_of_places(tiers)
        values = {"league": season.league.slug, "season": season.slug, "player": "player"}
        address = reverse("ratings:player-season", kwargs=values)
        self._players = address.removesuffix("player/")
        super().__init__(standings, exclude=[*options.pop("exclude", ()), *_idle_columns(rules)], **options)

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The columns shown, each with what it holds."""
        return [
            (str(column.header), str(LEGEND[column.name])) for column in self.columns if column.name in LEGEND
        ]

    def class_of(self, standing: Standing) -> str:
        if standing.place is None:
            return "unclassified"
        tier = self._tier_of.get(standing.place)
        return f"tier-{tier}" if tier else ""

    def render_place(self, record: Standing) -> str | SafeString:
        if record.place is not None:
            return str(record.place)
        return format_html(
            '<span title="{}">—</span>', _("position %(number)d") % {"number": record.position}
        )

    def render_player(self, record: Standing) -> SafeString:
        link = format_html(
            '<a class="name" href="{}{}/">{}</a>', self._players, record.player.slug, record.player.name
        )
        if record.withdrawn:
            return format_html('{} <span class="badge withdrawn">{}</span>', link, _("withdrawn"))
        if record.classified:
            badge = _("classified")
            return (
                format_html('{} <span class="badge classified">{}</span>', link, badge)
                if self.asks_something
                else link
            )
        reason = missing(record, self.details.missing.get(record.player_id, ()))
        return format_html('{}<span class="sub">{}</span>', link, reason)

    def render_season_score(self, value: int) -> str:
        return format_rating(value)

    def render_rating(self, record: Standing) -> str | SafeString:
        gained = self.details.gained.get(record.player_id)
        if not gained:
            return format_rating(record.rating)
        return format_html(
            '{} <span class="gained change {}">{}</span>',
            format_rating(record.rating),
            "up" if gained > 0 else "down",
            format_change(gained),
        )

    def render_peak(self, value: int) -> str:
        return format_rating(value)

    def render_games(self, value: int) -> str | SafeString:
        return meter(value, self.rules.min_games, _("Games counted")) if self.rules.min_games else str(value)

    def render_wins(self, record: Standing) -> str:
        return balance(record)

    def render_opponents_met(self, record: Standing) -> SafeString:
        return meter(record.opponents_met, record.opponents, _("Opponents met"))

    def render_form(self, record: Standing) -> SafeString:
        results = self.details.form.get(record.player_id, ())
        return format_html(
            '<span class="form">{}</span>', SafeString("".join(self._chips[one] for one in results))
        )

    @cached_property
    def _chips(self) -> dict[str, SafeString]:
        words = {
            "win": (_("win"), pgettext("result", "W")),
            "draw": (_("draw"), pgettext("result", "D")),
            "loss": (_("loss"), pgettext("result", "L")),
        }
        return {
            result: format_html('<span class="{}" title="{}">{}</span>', result, *texts)
            for result, texts in words.items()
        }


def meter(value: int, least: int, label: str) -> SafeString:
    """A number as progress to the least that is needed."""
    return format_html(
        '<span class="meter"><span>{0} <span class="of">/ {1}</span></span>'
        '<progress{2} value="{0}" max="{1}" aria-label="{3}">{0} / {1}</progress></span>',
        str(value),
        str(max(least, 1)),
        SafeString(' class="full"') if value >= least else "",
        label,
    )


def missing(standing: Standing, opponents: Sequence[tuple[Player, int]]) -> str:
    """Why a player has no place: “13 more games; 2 more with Добри and 3 others”."""
    reasons = []
    if standing.missing_games:
        text = ngettext("%(count)d more game", "%(count)d more games", standing.missing_games)
        reasons.append(text % {"count": standing.missing_games})
    if opponents:
        reasons.append(missing_meetings(opponents))
    return "; ".join(reasons)


def missing_meetings(opponents: Sequence[tuple[Player, int]]) -> str:
    """Whom to meet again: “2 more with Добри, 1 more with Валя and 3 others”."""
    shown = opponents[:NAMES_SHOWN]
    if len(opponents) == NAMES_SHOWN + 1:
        shown = opponents  # one more name is no longer than saying that there is one
    named = [
        _("%(count)d more with %(name)s") % {"count": games, "name": player.name} for player, games in shown
    ]
    others = len(opponents) - len(shown)
    if not others:
        return ", ".join(named)
    text = ngettext("%(named)s and %(count)d other", "%(named)s and %(count)d others", others)
    return text % {"named": ", ".join(named), "count": others}


def _idle_columns(rules: Rules) -> list[str]:
    idle = ["season_score"] if not rules.full_weight_games else []
    if not rules.min_meetings:
        idle.append("opponents_met")
    if rules.system != "ladder":
        idle.append("peak")
    return idle


def _tier_of_places(tiers: Sequence[PrizeTier]) -> dict[int, int]:
    """For the places that hold a prize, which tier it is, of those that have a colour."""
    places: dict[int, int] = {}
    for number, tier in enumerate(tiers[:COLOURED_TIERS], 1):
        for place in range(tier.first_place, tier.last_place + 1):
            places.setdefault(place, number)
    return places
