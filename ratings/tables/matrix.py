"""Everybody against everybody, as rows of HTML."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from ratings.engine.types import Rules
from ratings.models import Standing
from ratings.services.matrix import Met

HEATS = 5  # steps of colour, from all lost to all won


class Matrix:
    """Players at the left, opponents on top. Written in one go: a page has some thousands of cells."""

    def __init__(
        self,
        players: Sequence[Standing],
        opponents: Sequence[Standing],
        met: Mapping[int, Mapping[int, Met]],
        *,
        must_meet: Collection[int],
        rules: Rules,
    ) -> None:
        self.players, self.opponents = players, opponents
        self._met, self._must_meet = met, must_meet
        self._least = rules.min_meetings

    def head(self) -> SafeString:
        """The row of opponents."""
        cells = [
            f'<th scope="col"><span title="{name}">{name}</span></th>'
            for name in (escape(row.player.name) for row in self.opponents)
        ]
        return SafeString("".join(cells))

    def body(self) -> SafeString:
        """A row for each player. Links are relative: the page lies beside those of the players."""
        return SafeString("\n".join(self._row(row) for row in self.players))

    def _row(self, row: Standing) -> str:
        met = self._met.get(row.player_id, {})
        address = f"../players/{row.player.slug}/"
        name = escape(row.player.name)
        head = f'<th scope="row"><a href="{address}" title="{name}">{name}</a></th>'
        cells = [
            self._cell(row, opponent, met.get(opponent.player_id), address) for opponent in self.opponents
        ]
        return f"<tr>{head}{''.join(cells)}</tr>"

    def _cell(self, row: Standing, opponent: Standing, met: Met | None, address: str) -> str:
        if opponent.player_id == row.player_id:
            return '<td class="self"></td>'
        missing = self._missing(row, opponent, met)
        classes = [f"heat-{heat(met)}"] if met else []
        if missing:
            classes.append("lacks")
        tag = f'<td class="{" ".join(classes)}">' if classes else "<td>"
        lacks = f"<b>+{missing}</b>" if missing else ""
        if met is None:
            return f"{tag}{lacks}</td>"
        score = f"{met.wins}–{met.draws}–{met.losses}"
        link = (
            f'<a href="{address}?opponent={opponent.player.slug}#games">{met.games}<small>{score}</small></a>'
        )
        return f"{tag}{link}{lacks}</td>"

    def _missing(self, row: Standing, opponent: Standing, met: Met | None) -> int:
        """How many more games against this opponent a place takes."""
        if row.withdrawn or opponent.player_id not in self._must_meet:
            return 0
        return max(0, self._least - (met.games if met else 0))

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The colours in words: a class, and what a cell of it says."""
        words = [_("lost nearly all"), _("lost more"), _("about even"), _("won more"), _("won nearly all")]
        return [(f"heat-{number}", word) for number, word in enumerate(words, 1)]


def heat(met: Met) -> int:
    """The share of points won in duels, a draw being half a point, as a step from 1 to 5."""
    won = 2 * met.wins + met.draws
    return min(HEATS, 1 + HEATS * won // (2 * met.games))
