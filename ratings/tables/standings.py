"""The standings as a table, and the sentences in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from html import escape
from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext, pgettext_lazy
from django.utils.translation import gettext as _

from leagues.formats import NOTHING, format_change, format_number, format_rating
from leagues.models import Player, Season
from ratings.charts import SPARKLINE_HEIGHT, sparkline
from ratings.engine.types import Rules
from ratings.models import PrizeTier, Standing
from ratings.models.rules import TIE_BREAK_WORDS
from ratings.services.standings import RECENT_GAMES, Details, Tie
from ratings.tables.base import LeagueTable, balance, figures, players_path

NAMES_SHOWN = 2  # of the opponents still to be met
MOST_NAMED = 12  # where there are more of them, two names say nothing
SPARKLINE = (
    f'<svg class="sparkline" viewBox="0 0 {RECENT_GAMES} {SPARKLINE_HEIGHT}" preserveAspectRatio="none"'
    ' aria-hidden="true">'
)

# By column, what it holds.
LEGEND = {
    "place": gettext_lazy(
        "among the classified players; others have none. While nobody has one, the position. Below it the "
        "positions gained or lost in 7 days"
    ),
    "season_score": gettext_lazy("the rating weighted by the games counted: what the season is ranked by"),
    "rating": gettext_lazy(
        "playing strength now; before it the curve of the last ten games, below it what the last 7 days "
        "changed"
    ),
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
        empty_text = gettext_lazy("Nobody is in this season yet. Players appear here with their first game.")

    def __init__(
        self, standings: Any, *, season: Season, rules: Rules, is_over: bool = False, **options: Any
    ) -> None:
        self.rules = rules
        self.is_over = is_over  # who has no place does not reach one any more
        self.details = Details()
        self.tiers: Iterable[PrizeTier] = ()
        self.ranked_by = "season_score" if rules.full_weight_games else "rating"
        self.asks_something = bool(rules.min_games or rules.min_meetings)
        self._players = players_path(season)
        self._language = get_language()
        self._reasons = Reasons()
        super().__init__(standings, exclude=[*options.pop("exclude", ()), *_idle_columns(rules)], **options)

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The columns shown, each with what it holds; then what places go by."""
        columns = [
            (str(column.header), str(LEGEND[column.name])) for column in self.columns if column.name in LEGEND
        ]
        return [*columns, *_rules_of_places(self.rules)]

    def row_attributes(self, record: Standing) -> str:
        if record.place is None:
            return 'class="unclassified"'
        tier = self._tier_of.get(record.place)
        return f'class="tier-{tier}"' if tier else ""

    @cached_property
    def _tier_of(self) -> dict[int, int]:
        return _tier_of_places(self.tiers)

    def render_place(self, record: Standing) -> SafeString:
        moved = self._moved(record)
        if record.place is None:
            return SafeString(f"{self._position(record)}{moved}")
        tie = self.details.ties.get(record.player_id)
        return SafeString(f"{record.place}{'=' if tie and tie.is_shared else ''}{moved}")

    def _position(self, record: Standing) -> str:
        """What stands for a place that is not there: beside places, positions could be taken for some."""
        if not self.details.nobody_placed:
            return NOTHING
        return str(record.position)

    def _moved(self, record: Standing) -> str:
        """How many positions up or down since a week ago."""
        before = self.details.before.get(record.player_id)
        gained = before.position - record.position if before and before.position else 0
        if not gained:
            return ""
        direction, said = ("up", self._rose) if gained > 0 else ("down", self._fell)
        return f'<span class="gained change {direction}" title="{said(abs(gained))}">{abs(gained)}</span>'

    @cached_property
    def _rose(self) -> Callable[[int], str]:
        return cache(lambda count: escape(_rose(count)))

    @cached_property
    def _fell(self) -> Callable[[int], str]:
        return cache(lambda count: escape(_fell(count)))

    def render_player(self, record: Standing) -> SafeString:
        player = record.player
        link = f'<a class="name" href="{self._players}{player.slug}/">{escape(player.name)}</a>'
        if record.withdrawn:
            return SafeString(f"{link} {self._badges['withdrawn']}{self._balance(record)}")
        if record.classified:
            badge = f" {self._badges['classified']}" if self.asks_something else ""
            return SafeString(f"{link}{badge}{self._balance(record)}")
        reasons = [escape(reason) for reason in self._lacks(record)]
        # A phone has room for the first; the player's page tells the rest.
        more = "".join([f'<span class="medium-up">; {reason}</span>' for reason in reasons[1:]])
        reason = f'{reasons[0]}{more}<span class="phone-only">…</span>' if more else "".join(reasons)
        if self.is_over:
            reason = escape(self._out_of_reach) % {"missing": reason}
        return SafeString(f'{link}<span class="sub">{reason}</span>')

    def _balance(self, record: Standing) -> str:
        """The duels under the name on a phone, which has no room for their column."""
        return f'<span class="sub phone-only">{balance(record)}</span>' if self._tells_balance else ""

    @cached_property
    def _tells_balance(self) -> bool:
        return "wins" in self.columns

    def _lacks(self, record: Standing) -> list[str]:
        return self._reasons.missing(record, self.details.missing.get(record.player_id, ()))

    def why_no_place(self, record: Standing) -> str:
        """Of a row without a place, all that its player lacks for one."""
        if record.withdrawn:
            return _("withdrawn")
        lacks = "; ".join(self._lacks(record))
        return self._out_of_reach % {"missing": lacks} if self.is_over else lacks

    @cached_property
    def _out_of_reach(self) -> str:
        return _("no longer in reach: %(missing)s")

    @cached_property
    def _badges(self) -> dict[str, SafeString]:
        words = {"withdrawn": _("withdrawn"), "classified": _("classified")}
        return {
            kind: format_html('<span class="badge {}"><span>{}</span></span>', kind, word)
            for kind, word in words.items()
        }

    def render_season_score(self, record: Standing) -> SafeString:
        return SafeString(format_rating(record.season_score, self._language) + self._decided(record))

    def render_rating(self, record: Standing) -> SafeString:
        rating = self._curve(record) + format_rating(record.rating, self._language)
        if not self.rules.full_weight_games:
            rating += self._decided(record)  # the rating is the season score
        before = self.details.before.get(record.player_id)
        gained = record.rating - before.rating if before else 0
        if not gained:
            return SafeString(rating)
        direction, change = "up" if gained > 0 else "down", format_change(gained, self._language)
        return SafeString(f'{rating} <span class="gained change {direction}">{change}</span>')

    def _curve(self, record: Standing) -> str:
        """The last games as a small curve; the page of the player has it in numbers."""
        recent = self.details.recent.get(record.player_id)
        line = sparkline(recent.ratings, RECENT_GAMES) if recent else ""
        return f'{SPARKLINE}<path d="{line}"/></svg>' if line else ""

    def _decided(self, record: Standing) -> str:
        """What separates from somebody of the same season score."""
        tie = self.details.ties.get(record.player_id)
        said = _tie_told(tie, record) if tie else ""
        return f'<span class="sub">{escape(said)}</span>' if said else ""

    def render_peak(self, record: Standing) -> str:
        return format_rating(record.peak, self._language)

    def render_games(self, record: Standing) -> str | SafeString:
        if not self.rules.min_games:
            return format_number(record.games)
        return meter(record.games, self.rules.min_games)

    def render_wins(self, record: Standing) -> str:
        return balance(record)

    def render_opponents_met(self, record: Standing) -> SafeString:
        return meter(record.opponents_met, record.opponents)

    def render_form(self, record: Standing) -> SafeString:
        recent = self.details.recent.get(record.player_id)
        results = recent.form if recent else ()
        return SafeString(f'<span class="form">{"".join(map(self._chips.__getitem__, results))}</span>')

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


def meter(value: int, least: int) -> SafeString:
    """A number as progress to the least that is needed. The bar says to the eye what the number says."""
    shown = format_number(value) if value > 999 else value  # of most there is nothing to group
    if value >= least:
        needed = escape(_("%(count)s needed") % {"count": format_number(least)})
        return SafeString(f'<span class="meter" title="{needed}">{shown} <span class="of">✓</span></span>')
    return SafeString(
        f'<span class="meter">{shown} <span class="of">/ {least}</span>'
        f'<progress value="{value}" max="{least}" aria-hidden="true"></progress></span>'
    )


class Reasons:
    """Why players have no place, in the language active when it was made.

    A page asks for a hundred of them, and few differ in their numbers: each sentence is put together once.
    """

    def __init__(self) -> None:
        self._with = _("%(count)d more with %(name)s")
        self._games = cache(_more_games)
        self._others = cache(_and_others)
        self._many = cache(_many_opponents)

    def missing(self, standing: Standing, opponents: Sequence[tuple[Player, int]]) -> list[str]:
        """All of it: “13 more games”, and “2 more with Добри and 3 others”."""
        games = [self._games(standing.missing_games)] if standing.missing_games else []
        return [*games, self.meetings(opponents)] if opponents else games

    def meetings(self, opponents: Sequence[tuple[Player, int]]) -> str:
        """Whom to meet again: “2 more with Добри, 1 more with Валя and 3 others”, or how many."""
        if len(opponents) > MOST_NAMED:
            return self._many(len(opponents))
        # One more name is no longer than saying that there is one.
        shown = opponents if len(opponents) == NAMES_SHOWN + 1 else opponents[:NAMES_SHOWN]
        named = ", ".join([self._with % {"count": games, "name": player.name} for player, games in shown])
        others = len(opponents) - len(shown)
        return self._others(others) % {"named": named, "count": others} if others else named


def _tie_told(tie: Tie, row: Standing) -> str:
    match tie.decided_by:
        case "rating":
            return _("by rating %(rating)s") % {"rating": format_rating(row.rating)}
        case "duels_won":
            return ngettext("by %(count)d duel won", "by %(count)d duels won", row.wins) % {"count": row.wins}
        case "first_places":
            text = ngettext("by %(count)d first place", "by %(count)d first places", row.first_places)
            return text % {"count": row.first_places}
        case "games":
            return ngettext("by %(count)d game", "by %(count)d games", row.games) % {"count": row.games}
    return ""


def _rules_of_places(rules: Rules) -> list[tuple[str, str]]:
    """What decides about places, as words and sentences for the legend."""
    equals = _("who has the same score shares the place: 1=, 1=, 3")
    if rules.tie_breaks:
        chain = pgettext("between tie-breaks", ", then ").join(
            str(TIE_BREAK_WORDS[name]) for name in rules.tie_breaks
        )
        equals = _("separated by %(chain)s; who is equal in all of it shares the place: 1=, 1=, 3")
        equals %= {"chain": chain}
    told = [(_("Equal scores"), equals)]
    if rules.min_games or rules.min_meetings:
        reach = _(
            "until the season’s last day everybody who is not withdrawn can still get a place; afterwards "
            "nobody gets one any more"
        )
        told.append((_("Still in reach"), reach))
    return told


def _rose(count: int) -> str:
    return ngettext("%(count)d position up in 7 days", "%(count)d positions up in 7 days", count) % {
        "count": count
    }


def _fell(count: int) -> str:
    return ngettext("%(count)d position down in 7 days", "%(count)d positions down in 7 days", count) % {
        "count": count
    }


def _more_games(count: int) -> str:
    return ngettext("%(count)d more game", "%(count)d more games", count) % {"count": count}


def _and_others(count: int) -> str:
    return ngettext("%(named)s and %(count)d other", "%(named)s and %(count)d others", count)


def _many_opponents(count: int) -> str:
    text = ngettext("%(count)d more opponent", "%(count)d more opponents", count)
    return text % {"count": count}


def _idle_columns(rules: Rules) -> list[str]:
    idle = ["season_score"] if not rules.full_weight_games else []
    if not rules.min_meetings:
        idle.append("opponents_met")
    if rules.system != "ladder":
        idle.append("peak")
    return idle


def _tier_of_places(tiers: Iterable[PrizeTier]) -> dict[int, int]:
    """For the places that hold a prize, which tier it is."""
    places: dict[int, int] = {}
    for number, tier in enumerate(tiers, 1):
        for place in range(tier.first_place, tier.last_place + 1):
            places.setdefault(place, number)
    return places
