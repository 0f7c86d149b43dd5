"""Noting what a replay changes in games rated before, for the season's public log of corrections."""

from __future__ import annotations

from datetime import datetime

from leagues.models import AuditEntry, Season
from leagues.services.bulk import Replaced
from leagues.services.seasons import LIMITS
from ratings.engine.types import Tenths
from ratings.models import Correction, Replay
from ratings.services import ledger

# Acts that are told; of those that add games or adjust ratings, the ones that changed games rated before.
CORRECTING = (
    "correct_game", "void_game", "restore_game", "delete_game", "undo_games", "undo_change", "reorder_games",
    "change_rules",
)  # fmt: skip
ADJUSTING = ("add_adjustment", "cancel_adjustment")
WITHDRAWING = ("withdraw_player", "reinstate_player")  # told where that voided games, or let them count again
ADDING = ("record_game", "import_games", *ADJUSTING)


class CorrectionNote:
    """What a replay of games rated before changes in the ledger, noted while it writes.

    Where games are only appended there is none to be made.
    """

    @classmethod
    def of(cls, base: Replay, season: Season) -> CorrectionNote | None:
        """A note of what follows the published results; None where nothing was rated before."""
        return cls(season, _acts(base, season.revision, base.last_played_at)) if base.last_played_at else None

    def __init__(self, season: Season, acts: list[AuditEntry]) -> None:
        self.season, self.acts = season, acts
        self.named = {int(act.object_id) for act in self.acts if act.object_type == "game"}
        self.games = 0  # but for those named
        self.largest: Tenths = 0

    def add(self, replaced: Replaced) -> None:
        """Note the rows that differed of some games, of each all of them.

        What counts is the rating after a game, or what a game that came or went had changed.
        """
        came = {row[GAME_AND_PLAYER]: row[RATINGS] for row in replaced.come}
        games = set()
        for row in replaced.gone:
            before, after = row[RATINGS]
            now = came.pop(row[GAME_AND_PLAYER], None)
            if now is None:
                self.largest = max(self.largest, abs(after - before))
            elif now != (before, after):
                self.largest = max(self.largest, abs(now[1] - after))
                games.add(ledger.GAME(row))
        self.games += len(games - self.named)
        come = [
            abs(after - before) for (game, _player), (before, after) in came.items() if game in self.named
        ]
        self.largest = max([self.largest, *come])

    def save(self) -> None:
        acts = self.acts if self.games else [act for act in self.acts if act.action not in ADDING]
        if acts or self.games:
            correction = Correction.objects.create(season=self.season, games=self.games, largest=self.largest)
            correction.acts.set(acts)


GAME_AND_PLAYER = slice(ledger.COLUMNS.index("game"), ledger.COLUMNS.index("player") + 1)
RATINGS = slice(ledger.COLUMNS.index("before"), ledger.COLUMNS.index("after") + 1)


def _acts(base: Replay, revision: int, last_played_at: datetime) -> list[AuditEntry]:
    """The acts between the published revision and this one that change games rated before."""
    between = AuditEntry.objects.filter(season=base.season_id, revision__gt=base.revision)
    told = between.filter(
        revision__lte=revision, action__in=(*CORRECTING, *ADDING, *WITHDRAWING, "update_season")
    )
    return [act for act in told.order_by("pk") if _corrects(act, last_played_at)]


def _corrects(act: AuditEntry, last_played_at: datetime) -> bool:
    before, after = act.before or {}, act.after or {}
    if act.action in WITHDRAWING:
        return bool(after.get("games"))
    if act.action in ADJUSTING:
        return datetime.fromisoformat(after["at"]) <= last_played_at
    if act.action in ADDING:
        return datetime.fromisoformat(after.get("first") or after["played_at"]) < last_played_at
    if act.action == "update_season":
        is_reopened = before["state"] == Season.State.CLOSED
        return is_reopened or any(before[name] != after[name] for name in (*LIMITS, "forfeits_rated"))
    return True
