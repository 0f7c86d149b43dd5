"""Noting what a replay changes in games rated before, for the season's public log of corrections."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import QuerySet

from leagues.models import AuditEntry, Season
from leagues.services.seasons import LIMITS
from ratings.engine.types import Change, Tenths
from ratings.models import Correction, RatingChange, Replay
from ratings.services.facts import Facts

# Acts that are told; of those that add games, the ones whose games came after later ones were rated.
CORRECTING = ("correct_game", "void_game", "restore_game", "delete_game", "reorder_games", "change_rules")
ADDING = ("record_game", "import_games")


def log_correction(base: Replay, facts: Facts, changes: Sequence[Change]) -> None:
    """Note what the changes about to be published, all from ``facts.since`` on, differ in from the stored.

    Part of the publishing transaction, before the ledger is written. Where games were only appended it
    reads nothing.
    """
    if not base.revision or base.last_played_at is None:
        return  # nothing was rated before
    stored = RatingChange.objects.filter(season=base.season_id)
    if facts.since is not None:
        if facts.since > base.last_played_at:
            return
        stored = stored.filter(played_at__gte=facts.since)
    acts = _acts(base, facts.revision, base.last_played_at)
    named = {int(act.object_id) for act in acts if act.object_type == "game"}
    later, largest = _differences(stored, changes, named)
    if not later:
        acts = [act for act in acts if act.action not in ADDING]
    if acts or later:
        correction = Correction.objects.create(season_id=base.season_id, games=len(later), largest=largest)
        correction.acts.set(acts)


def _differences(
    stored: QuerySet[RatingChange], changes: Sequence[Change], named: Collection[int]
) -> tuple[set[int], Tenths]:
    """The games, but for those named, whose stored changes are others now, and the largest difference.

    It is the largest of a rating after a game, or what a game that no longer counts had changed.
    """
    new = {(row.game, row.player): (row.before, row.after) for row in changes}
    games, largest = set(), 0
    rows = stored.order_by().values_list("game_id", "player_id", "before", "after")
    for game, player, before, after in rows.iterator(10_000):
        was, now = (before, after), new.pop((game, player), None)
        if now is None:
            largest = max(largest, abs(after - before))
        elif now != was:
            largest = max(largest, abs(now[1] - after))
            games.add(game)
    come = [abs(after - before) for (game, _player), (before, after) in new.items() if game in named]
    return games - {*named}, max([largest, *come])


def _acts(base: Replay, revision: int, last_played_at: datetime) -> list[AuditEntry]:
    """The acts between the published revision and this one that change games rated before."""
    between = AuditEntry.objects.filter(season=base.season_id, revision__gt=base.revision)
    told = between.filter(revision__lte=revision, action__in=(*CORRECTING, *ADDING, "update_season"))
    return [act for act in told.order_by("pk") if _corrects(act, last_played_at)]


def _corrects(act: AuditEntry, last_played_at: datetime) -> bool:
    before, after = act.before or {}, act.after or {}
    if act.action in ADDING:
        return datetime.fromisoformat(after.get("first") or after["played_at"]) < last_played_at
    if act.action == "update_season":
        is_reopened = before["state"] == Season.State.CLOSED
        return is_reopened or any(before[name] != after[name] for name in LIMITS)
    return True
