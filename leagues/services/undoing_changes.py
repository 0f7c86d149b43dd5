"""Taking back the last change of a game: a correction, a voiding, a restoring, a deletion.

Each of these acts keeps what the game was in its entry in the log: what it said stands there for people, and
under ``UNDO`` who sat in it, by ids, and what else its row held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from leagues.models import AuditEntry, Challenge, Game, Player, Season
from leagues.models.game import is_rated
from leagues.services.audit import UNDO, Actor, leave_audit, lock_season, season_is_changed
from leagues.services.game_checks import PlayedSide, refuse_game
from leagues.services.games import GIVEN, ROW_KEPT, facts_of, players_of, write_sides
from leagues.services.seasons import drop_idle_entries, enter_players
from leagues.services.undoing import delete_unused, hold_made, none_left, players_named

CHANGING = ("correct_game", "void_game", "restore_game")
DELETING = "delete_game"


@dataclass(frozen=True, slots=True)
class _Kept:
    """A game as it was before an act."""

    facts: dict[str, Any]
    players: list[int]  # in order of the sides
    row: dict[str, Any]  # ROW_KEPT
    challenge: int | None  # that it came of
    made: list[int]  # players whom the act made

    @property
    def played_at(self) -> datetime:
        return datetime.fromisoformat(self.facts["played_at"])


@transaction.atomic
def undo_change(*, act: AuditEntry, by: Actor) -> Game:
    """Let a game be what it was before an act, one of CHANGING or DELETING; the game.

    A deleted game comes back with its id, and so with its address, its place among those of its time, the
    battle that it came of and its key as a reported one; not as a player's report, which is told by the log.
    Raises SeasonClosedError, GameRefusedError where the season takes such a game no longer, and
    ValidationError when the game was changed since, or a player of it is gone.
    """
    if act.season is None:
        raise none_left()
    kept = _kept(act)
    hold_made(act.league, kept.made)
    season = lock_season(act.season)
    stored = Game.objects.filter(season=season, pk=act.object_id).first()
    game = _deleted(season, act, kept) if act.action == DELETING else _unchanged(stored, kept)
    sides = _sides(season, kept)
    refuse_game(season, played_at=kept.played_at, sides=sides, kind=kept.facts["kind"])
    before = _told(stored) if stored else None
    since = min(kept.played_at, game.played_at) if stored else kept.played_at
    seated = players_of([stored]) if stored else []
    _write(game, season, kept, sides)
    drop_idle_entries(season, seated)
    delete_unused(act.league, kept.made)
    leave_audit("undo_change", game, by=by, before=before, after=_told(game), season=season)
    season_is_changed(season, since=since)
    return game


def undoable_changes(acts: Sequence[AuditEntry]) -> set[int]:
    """The ids of those of these acts that ``undo_change`` would take back. At most three queries."""
    changes = [act for act in acts if act.action in CHANGING and UNDO in (act.before or {})]
    found: set[int] = set()
    if changes:
        games = Game.objects.filter(pk__in=[act.object_id for act in changes])
        versions = dict(games.exclude(season__state=Season.State.CLOSED).values_list("pk", "version"))
        found = {act.pk for act in changes if versions.get(int(act.object_id)) == _version(act) + 1}
    gone = [act for act in acts if act.action == DELETING and UNDO in (act.before or {})]
    if gone:
        latest = _latest_deletions([act.object_id for act in gone])
        found |= {act.pk for act in gone} & set(latest)
    return found


def _latest_deletions(games: Sequence[str]) -> list[int]:
    """Of each of these games that is gone its latest deletion, in seasons that are open."""
    there = set(Game.objects.filter(pk__in=games).values_list("pk", flat=True))
    ids = [game for game in games if int(game) not in there]
    acts = AuditEntry.objects.filter(action=DELETING, object_type="game", object_id__in=ids)
    acts = acts.filter(season__isnull=False).exclude(season__state=Season.State.CLOSED)
    rows = acts.order_by().values("object_id").annotate(latest=Max("pk"))
    return [row["latest"] for row in rows]


def _version(act: AuditEntry) -> int:
    version: int = (act.before or {})[UNDO]["row"]["version"]
    return version


def _kept(act: AuditEntry) -> _Kept:
    """Raises ValidationError for an entry that keeps nothing that can be read."""
    before = dict(act.before or {})
    try:
        undo = before.pop(UNDO)
        row = {name: undo["row"][name] for name in ROW_KEPT}
        return _Kept(before, list(undo["players"]), row, undo["challenge"], players_named(act))
    except (KeyError, TypeError) as error:
        raise none_left() from error


def _unchanged(game: Game | None, kept: _Kept) -> Game:
    """The game as the act left it. Raises ValidationError."""
    if game is None:
        raise none_left()
    if game.version != kept.row["version"] + 1:
        message = _(
            "The game was changed since, or a player of it merged: look at it, and correct it by itself."
        )
        raise ValidationError(message, code="conflict")
    return game


def _deleted(season: Season, act: AuditEntry, kept: _Kept) -> Game:
    """The game that the act deleted, to be stored again. Raises ValidationError."""
    if act.pk not in _latest_deletions([act.object_id]):
        raise none_left()
    if Game.objects.filter(season=season, key=kept.row["key"]).exists():
        message = _("The game was entered again since: there would be two of it.")
        raise ValidationError(message, code="conflict")
    entered = AuditEntry.objects.filter(season=season, revision=kept.row["revision"]).first()
    return Game(pk=int(act.object_id), season=season, entered_by=entered.by if entered else None)


def _sides(season: Season, kept: _Kept) -> list[PlayedSide]:
    """The sides as they were. Raises ValidationError where a player is gone, or another one's since."""
    players = Player.objects.in_league(season.league).in_bulk(kept.players)
    ids = iter(kept.players)
    sides = []
    for side in kept.facts["sides"]:
        names = side["players"]
        members = [players.get(pk) for _name, pk in zip(names, ids, strict=False)]  # as many as names
        for name, member in zip(names, members, strict=True):
            if member is None:
                message = _("“%(name)s” is no player of this league any more.")
                raise ValidationError(message, code="conflict", params={"name": name})
        sides.append(PlayedSide(tuple(member for member in members if member), side["points"]))
    return sides


def _write(game: Game, season: Season, kept: _Kept, sides: Sequence[PlayedSide]) -> None:
    is_new, version = game._state.adding, game.version
    # Where it is not moved, its place among the games of its time may be a newer one.
    is_moved = is_new or kept.played_at != game.played_at
    for name in ROW_KEPT:
        if name != "order" or is_moved:
            field: Any = Game._meta.get_field(name)
            setattr(game, name, field.to_python(kept.row[name]))
    game.version = (kept.row["version"] if is_new else version) + 1
    game.played_at = kept.played_at
    game.note, game.kind = kept.facts["note"], kept.facts["kind"]
    game.rated = is_rated(season, game.kind)
    game.clean_fields(exclude=GIVEN)
    game.save()
    game.sides.all().delete()
    write_sides(game, sides)
    if not game.is_voided:
        enter_players(season, [player for side in sides for player in side.members])
    if is_new:
        played = Challenge.objects.filter(season=season, pk=kept.challenge or 0, game=None)
        played.filter(state=Challenge.State.PLAYED).update(game=game)


def _told(game: Game) -> dict[str, Any]:
    told = facts_of(Game.objects.with_sides().get(pk=game.pk))
    return told | ({"reason": game.void_reason} if game.is_voided else {})
