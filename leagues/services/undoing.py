"""Taking back what was entered: a game, or a file of games.

The games of one act name the revision of their season that it made; players it made stand in its audit entry.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.models import AuditEntry, Challenge, Game, League, Player, Season, Side, SideMember
from leagues.services.audit import UNDO, Actor, leave_audit, lock_season, season_is_changed
from leagues.services.bulk import delete_rows
from leagues.services.games import facts_of
from leagues.services.seasons import drop_idle_entries

ENTERING = ("record_game", "import_games")


@transaction.atomic
def undo_games(*, act: AuditEntry, by: Actor) -> int:
    """Take back what an act entered, one of ENTERING, with the players that it made; how many games went.

    A challenge that was played is to be played again. What was deleted meanwhile is gone already, and
    players who were given something else to do stay. Raises SeasonClosedError, and ValidationError when a
    game was changed since or none is left.
    """
    if act.season is None:
        raise none_left()
    made = players_named(act)
    hold_made(act.league, made)
    season = lock_season(act.season)
    games = Game.objects.filter(season=season, revision=act.revision)
    ids = list(games.order_by("pk").values_list("pk", flat=True))
    if not ids:
        raise none_left()
    _refuse_changed(games)
    first = games.in_play_order()[0]
    is_one = act.action == "record_game"
    before = facts_of(first) if is_one else {"games": len(ids), "first": first.played_at.isoformat()}
    seated = list(SideMember.objects.filter(game__in=games).values_list("player_id", flat=True).distinct())
    leave_audit("undo_games", first if is_one else season, by=by, before=before, season=season)
    played = Challenge.objects.filter(game__in=games, state=Challenge.State.PLAYED)
    played.update(state=Challenge.State.ACCEPTED, game=None)
    _delete(games)
    drop_idle_entries(season, seated)
    delete_unused(act.league, made)
    season_is_changed(season, since=first.played_at)
    return len(ids)


def undoable_games(acts: Sequence[AuditEntry]) -> set[int]:
    """The ids of those of these acts that ``undo_games`` would take back. At most one query."""
    made = {(act.season_id, act.revision): act.pk for act in acts if act.action in ENTERING}
    wanted = [Q(season=season, revision=revision) for season, revision in made if season]
    if not wanted:
        return set()
    games = Game.objects.filter(reduce(or_, wanted)).exclude(season__state=Season.State.CLOSED).order_by()
    rows = games.values_list("season", "revision").annotate(version=Max("version"))
    return {made[season, revision] for season, revision, version in rows if version == 1}


def players_named(act: AuditEntry) -> list[int]:
    """The ids of the players whom an act made, or marked."""
    named: list[int] = (act.after or {}).get(UNDO, {}).get("players", [])
    return named


def none_left() -> ValidationError:
    """Why nothing is taken back."""
    return ValidationError(_("There is nothing left to take back: it is gone already."), code="gone")


def _refuse_changed(games: Any) -> None:
    if changed := games.exclude(version=1).count():
        message = ngettext(
            "%(count)d game was corrected or voided since it was entered, or a player of it merged: "
            "look at it, and delete or void what is wrong by itself.",
            "%(count)d games were corrected or voided since they were entered, or players of them merged: "
            "look at them, and delete or void what is wrong by itself.",
            changed,
        )
        raise ValidationError(message % {"count": changed}, code="conflict")


def hold_made(league: League, players: Collection[int]) -> None:
    """Hold players whom an act made, in the order in which services hold rows: nobody gives them a seat."""
    if players:
        list(Player.with_merged.filter(pk__in=players).order_by("pk").select_for_update(no_key=True))
        list(Season.objects.in_league(league).locked())
        league.touch()


def _delete(games: Any) -> None:
    """Delete games with their sides and members; of a large file not row by row."""
    SideMember.objects.filter(game__in=games).delete()
    delete_rows(Side, Side.objects.filter(game__in=games).values_list("pk", flat=True))
    games.delete()


def delete_unused(league: League, made: Collection[int]) -> None:
    """Delete those of these players whom nothing else speaks of: no seat, entry, name, team, and no act."""
    if not made:
        return
    players = Player.objects.in_league(league).filter(pk__in=made)
    acted_on = AuditEntry.objects.in_league(league).filter(
        object_type="player", object_id__in=[str(pk) for pk in made]
    )
    players = players.exclude(pk__in=[int(pk) for pk in acted_on.values_list("object_id", flat=True)])
    for relation in Player._meta.related_objects:
        model: Any = relation.related_model
        if model._meta.app_label == Player._meta.app_label:  # results follow by a replay
            speaking = model._base_manager.filter(**{relation.field.name: OuterRef("pk")})
            players = players.filter(~Exists(speaking))
    players.delete()
