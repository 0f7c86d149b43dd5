"""Recording, correcting, voiding and deleting games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leagues.games_csv import FileSide, game_key
from leagues.models import ApiToken, Challenge, Game, GameReport, Player, Season, Side, SideMember
from leagues.models.game import is_rated
from leagues.names import same_name, tidy
from leagues.prepared import PreparedInsert, PreparedRows, PreparedSave
from leagues.services.audit import (
    UNDO,
    Actor,
    leave_audit,
    lock_season,
    refuse_closed,
    season_is_changed,
    values_of,
)
from leagues.services.game_checks import GameProblem, GameRefusedError, PlayedSide, refuse_game
from leagues.services.players import new_players
from leagues.services.seasons import drop_idle_entries, enter_players

# Two people who enter the same game at the same table do so within moments.
SIMILAR_WITHIN = timedelta(minutes=2)
# Known to be there; and under the season's lock nobody takes the key and the order that were free.
GIVEN = ("season", "entered_by")
VOIDING = ("voided_at", "void_reason", "by_withdrawal", "version")
# What a game's row holds besides what the game says, kept so that a change can be taken back.
ROW_KEPT = ("order", "key", "revision", "entered_at", *VOIDING)


# Asked for every game that is recorded.
LAST_ORDER = PreparedRows(
    lambda: (
        Game.objects.filter(season=0)
        .filter(played_at=timezone.now())
        .order_by("-order")
        .values_list("order")[:1]
    )
)
GAMES_OF_KEY = PreparedRows(lambda: Game.objects.filter(season=0).filter(key="").order_by().values_list("pk"))
GAME = PreparedSave(Game)
SIDE = PreparedInsert(Side, "game", "position", "points")
MEMBER = PreparedInsert(SideMember, "side", "game", "player")


class SimilarGameError(ValidationError):
    """Most likely the game is entered already; nothing was written."""

    def __init__(self, game: Game) -> None:
        message = _("A game of the same players and points was entered for about the same time.")
        super().__init__(message, code="similar")
        self.game = game


class FormUsedError(ValidationError):
    """The form has made a game before, and says something else now; nothing was written."""

    def __init__(self, game: Game) -> None:
        message = _("This form has made a game already, and says something else now.")
        super().__init__(message, code="used")
        self.game = game


class GameChangedError(ValidationError):
    """The game is not as its corrector saw it; nothing was written."""

    def __init__(self, game: Game) -> None:
        message = _("Somebody else changed this game meanwhile; it is shown as it is now.")
        super().__init__(message, code="conflict")
        self.game = game


@transaction.atomic
def record_game(
    *,
    season: Season,
    played_at: datetime,
    sides: Sequence[PlayedSide],
    by: Actor,
    note: str = "",
    kind: str = Game.Kind.PLAYED,
    token: UUID | None = None,
    even_if_similar: bool = True,
    through: ApiToken | GameReport | Challenge | None = None,
) -> Game:
    """Record a game and enter its players in the season; of its kind follows whether it is rated.

    A ``token`` that came before in this season answers with the game it made then. The log tells
    ``through`` which token of the API the actor recorded it, or whose report became it; the game of a
    challenge is one that its players agreed on. Raises
    GameRefusedError, FormUsedError for a token whose game is another one, and SimilarGameError unless
    ``even_if_similar``.
    """
    season = lock_season(season)
    if token and (made := Game.objects.filter(season=season, token=token).first()):
        told = _told(made.played_at, played_sides(made), made.note, made.kind)
        if told != _told(played_at, sides, tidy(note), kind):
            raise FormUsedError(made)
        return made
    is_agreed = isinstance(through, GameReport | Challenge) or kind == Game.Kind.BYE  # which nobody reports
    if season.games_from == Season.GamesFrom.PLAYERS and not is_agreed:
        message = _("The games of this season are reported by their players; organizers confirm and correct.")
        raise GameRefusedError([GameProblem(message, "season")])
    sides, new = _with_new_players(season, sides)
    refuse_game(season, played_at=played_at, sides=sides, kind=kind)
    if not even_if_similar and (similar := similar_game(season, played_at, sides)):
        raise SimilarGameError(similar)
    game = Game(
        season=season,
        played_at=played_at,
        order=_last_order(season, played_at) + 1,
        note=tidy(note),
        kind=kind,
        rated=is_rated(season, kind),
        key=_free_key(season, played_at, sides),
        token=token,
        revision=season.revision + 1,
        entered_by=by,
    )
    game.clean_fields(exclude=GIVEN)
    GAME.insert(game)
    write_sides(game, sides)
    enter_players(season, [player for side in sides for player in side.members])
    after = _facts(played_at, sides, note, kind) | new | _way_in(through)
    leave_audit("record_game", game, by=by, after=after, season=season)
    season_is_changed(season, since=played_at)
    return game


@transaction.atomic
def correct_game(
    *,
    game: Game,
    played_at: datetime,
    sides: Sequence[PlayedSide],
    by: Actor,
    note: str = "",
    kind: str | None = None,
    version: int | None = None,
    through: ApiToken | None = None,
) -> Game:
    """Change what a game says: its time, sides, points, note, and unless it is None its kind.

    The log tells ``through`` which token of the API. The identity it was recorded or imported with stays, so
    that its file is still known. Raises GameRefusedError, and GameChangedError when the game is no longer at
    ``version``.
    """
    season = lock_season(game.season)
    game = _as_stored(game, version)
    sides, new = _with_new_players(season, sides)
    kind = kind or game.kind
    refuse_game(season, played_at=played_at, sides=sides, kind=kind)
    before = _before(game)
    since = min(game.played_at, played_at)
    if played_at != game.played_at:
        game.played_at, game.order = played_at, _last_order(season, played_at) + 1
    game.note = tidy(note)
    game.kind, game.rated = kind, is_rated(season, kind)
    game.version += 1
    game.clean_fields(exclude=GIVEN)
    game.save()
    seated = players_of([game])
    game.sides.all().delete()
    write_sides(game, sides)
    if not game.is_voided:
        enter_players(season, [player for side in sides for player in side.members])
    drop_idle_entries(season, seated)
    after = _facts(played_at, sides, note, kind) | new | _way_in(through)
    leave_audit("correct_game", game, by=by, before=before, after=after, season=season)
    season_is_changed(season, since=since)
    return game


@transaction.atomic
def void_game(
    *, game: Game, reason: str, by: Actor, version: int | None = None, through: ApiToken | None = None
) -> Game:
    """Keep a game on record without rating it.

    Raises ValidationError without a reason, and GameChangedError when the game is no longer at ``version``.
    """
    season = lock_season(game.season)
    game = _as_stored(game, version)
    reason = tidy(reason)
    if not reason:
        raise ValidationError({"reason": _("Say why the game is voided; players will read it.")})
    before = _before(game) | ({"reason": game.void_reason} if game.is_voided else {})
    game.voided_at, game.void_reason, game.by_withdrawal = timezone.now(), reason, False
    game.version += 1
    game.clean_fields(exclude=GIVEN)
    game.save(update_fields=VOIDING)
    drop_idle_entries(season, players_of([game]))
    after = facts_of(game) | {"reason": reason} | _way_in(through)
    leave_audit("void_game", game, by=by, before=before, after=after, season=season)
    season_is_changed(season, since=game.played_at)
    return game


@transaction.atomic
def restore_game(
    *, game: Game, by: Actor, version: int | None = None, through: ApiToken | None = None
) -> Game:
    """Let a voided game count again; one that is not voided is left alone.

    Raises GameChangedError when the game is no longer at ``version``.
    """
    season = lock_season(game.season)
    game = _as_stored(game, version)
    if not game.is_voided:
        return game
    before = _before(game) | {"reason": game.void_reason}
    after = facts_of(game) | _way_in(through)
    leave_audit("restore_game", game, by=by, before=before, after=after, season=season)
    game.voided_at, game.void_reason, game.by_withdrawal = None, "", False
    game.version += 1
    game.save(update_fields=VOIDING)
    enter_players(season, Player.objects.filter(seats__game=game))
    season_is_changed(season, since=game.played_at)
    return game


@transaction.atomic
def delete_games(
    *,
    games: Collection[Game],
    by: Actor,
    version: int | None = None,
    through: ApiToken | None = None,
) -> None:
    """Delete games, of one season or of several: one change of each season, whatever their number.

    Raises GameChangedError when one is no longer at ``version``.
    """
    by_season: dict[int, list[int]] = {}
    for game in games:
        by_season.setdefault(game.season_id, []).append(game.pk)
    for season in Season.objects.filter(pk__in=by_season).locked():
        refuse_closed(season)
        stored = Game.objects.filter(season=season, pk__in=by_season[season.pk])
        lost = list(stored.with_sides())
        if not lost:
            continue
        for game in lost:
            if version not in (None, game.version):
                raise GameChangedError(game)
            before, after = _before(game), _way_in(through) or None
            leave_audit("delete_game", game, by=by, before=before, after=after, season=season)
        seated = players_of(lost)
        stored.delete()
        drop_idle_entries(season, seated)
        season_is_changed(season, since=min(game.played_at for game in lost))


def players_of(games: Collection[Game]) -> list[int]:
    """The ids of who sits in these games; of who sits in several, several times."""
    return list(SideMember.objects.filter(game__in=games).values_list("player_id", flat=True))


def _with_new_players(season: Season, sides: Sequence[PlayedSide]) -> tuple[list[PlayedSide], dict[str, Any]]:
    """The sides with their new players saved, one for each name, and who they are for the audit row.

    A refusal takes them back.
    """
    names: dict[str, str] = {}
    for player in (player for side in sides for player in side.members if player.pk is None):
        names.setdefault(same_name(player.name), player.name)
    if not names:
        return list(sides), {}
    season.league.touch()
    created = dict(zip(names, new_players(season.league, names.values()), strict=True))
    for player in created.values():
        player.full_clean()
        player.save()
    seated = [
        PlayedSide(
            tuple(player if player.pk else created[same_name(player.name)] for player in side.members),
            side.points,
        )
        for side in sides
    ]
    return seated, told_of_new(created.values())


def told_of_new(players: Iterable[Player]) -> dict[str, Any]:
    """What the log keeps of players that an act made: their names, and their ids for its undoing."""
    made = list(players)
    return {
        "new_players": [player.name for player in made],
        UNDO: {"players": [player.pk for player in made]},
    }


def _as_stored(game: Game, version: int | None = None) -> Game:
    """The game read afresh under its season's lock.

    Raises ValidationError when it is gone, and GameChangedError when it is not at ``version``, if given.
    """
    stored = Game.objects.filter(pk=game.pk).first()
    if stored is None:
        raise ValidationError(_("This game was deleted meanwhile."), code="deleted")
    if version not in (None, stored.version):
        raise GameChangedError(stored)
    return stored


def _way_in(through: ApiToken | GameReport | Challenge | None) -> dict[str, str]:
    """What the log tells of how a game came in."""
    if isinstance(through, GameReport):
        return {"reported_by": through.reporter.name}
    return {"through": through.name} if isinstance(through, ApiToken) else {}


def similar_game(
    season: Season, played_at: datetime, sides: Sequence[PlayedSide], within: timedelta = SIMILAR_WITHIN
) -> Game | None:
    """A game of the same sides and points, in any order, at about this time."""
    times = (played_at - within, played_at + within)
    games = Game.objects.filter(season=season, played_at__range=times).not_voided().with_sides()
    wanted = seats_and_points(sides)
    return next((game for game in games if seats_and_points(played_sides(game)) == wanted), None)


def seats_and_points(sides: Iterable[PlayedSide]) -> Counter[tuple[frozenset[int], int]]:
    return Counter((frozenset(player.pk for player in side.members), side.points) for side in sides)


def played_sides(game: Game) -> list[PlayedSide]:
    """A recorded game's sides as they would be recorded again."""
    return [
        PlayedSide(tuple(seat.player for seat in side.members.all()), side.points)
        for side in game.sides.all()
    ]


def facts_of(game: Game) -> dict[str, Any]:
    """What a recorded game says, for an audit row."""
    return _facts(game.played_at, played_sides(game), game.note, game.kind)


def _before(game: Game) -> dict[str, Any]:
    """What a game says before it is changed, and what taking the change back needs."""
    game = Game.objects.with_sides().select_related("challenge").get(pk=game.pk)
    challenge: Challenge | None = getattr(game, "challenge", None)
    undo = {
        "players": [player.pk for side in played_sides(game) for player in side.members],
        "challenge": challenge and challenge.pk,
        # Times to the microsecond, which JSON by itself would cut.
        "row": {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in values_of(game, ROW_KEPT).items()
        },
    }
    return facts_of(game) | {UNDO: undo}


def _facts(played_at: datetime, sides: Sequence[PlayedSide], note: str, kind: str) -> dict[str, Any]:
    return {
        "played_at": played_at.isoformat(),
        "sides": [{"players": [p.name for p in side.members], "points": side.points} for side in sides],
        "note": note,
        "kind": kind,
    }


def _last_order(season: Season, played_at: datetime) -> int:
    return max((order for (order,) in LAST_ORDER.all(season.pk, played_at)), default=0)


def _told(played_at: datetime, sides: Sequence[PlayedSide], note: str, kind: str) -> tuple[str, str, str]:
    """What a game says, new players by their names: equal for equal games."""
    return game_key(played_at, _named(sides), occurrence=1), note, kind


def _named(sides: Sequence[PlayedSide]) -> list[FileSide]:
    return [FileSide(tuple(p.name for p in side.members), side.points) for side in sides]


def _free_key(season: Season, played_at: datetime, sides: Sequence[PlayedSide]) -> str:
    named = _named(sides)
    keys = (game_key(played_at, named, occurrence) for occurrence in count(1))
    return next(key for key in keys if not GAMES_OF_KEY.all(season.pk, key))


def write_sides(game: Game, sides: Sequence[PlayedSide]) -> None:
    """Store the sides of a game that has none, with their members; part of services that hold its season."""
    for number, side in enumerate(sides, 1):
        row = SIDE.insert(game.pk, number, side.points)
        for player in side.members:
            MEMBER.insert(row, game.pk, player.pk)
