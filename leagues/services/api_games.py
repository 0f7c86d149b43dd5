"""Games that programs report and correct; a report has a key, and sent again is the game that it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from leagues.games_csv import instant, shown
from leagues.models import ApiToken, Challenge, Game, League, Player, ReportKey, Season
from leagues.names import tidy
from leagues.services.audit import lock_season, read_locked
from leagues.services.game_checks import GameProblem, GameRefusedError, PlayedSide
from leagues.services.games import correct_game, played_sides, record_game
from leagues.services.player_names import PlayerNames, one_of


@dataclass(frozen=True, slots=True)
class ReportedSide:
    """``players`` are names, other names or addresses; ``points`` are None in a bye alone."""

    players: tuple[str, ...]
    points: int | None


@dataclass(frozen=True, slots=True)
class ApiReport:
    """A game as a program tells it; ``played_at`` as in game files."""

    played_at: str
    sides: tuple[ReportedSide, ...]
    note: str = ""
    kind: str = Game.Kind.PLAYED
    create_players: bool = False

    def digest(self, season: Season) -> str:
        """The same for equal reports to one season."""
        return sha256(json.dumps([season.pk, asdict(self)]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Correction:
    """What a program says otherwise of a game; None stays as it is."""

    played_at: str | None = None
    sides: tuple[ReportedSide, ...] | None = None
    note: str | None = None
    kind: str | None = None
    create_players: bool = False


class KeyReusedError(ValidationError):
    """The key was used for another report; nothing was written."""

    def __init__(self) -> None:
        super().__init__(
            _("This Idempotency-Key was used for something else; each game and each draw needs its own."),
            code="reused",
        )


class ReportedGameGoneError(ValidationError):
    """The game that the key made was deleted; nothing was written."""

    def __init__(self) -> None:
        message = _("The game that was reported under this Idempotency-Key was deleted since.")
        super().__init__(message, code="gone")


def report_game(*, season: Season, report: ApiReport, key: str, by: ApiToken) -> tuple[Game, bool]:
    """Record a reported game, and whether it is new.

    A key that came before in the league, within KEYS_KEPT, answers with the game it made then, in a season
    that is closed since too. Players are found under the season's lock, so that of two reports at once
    only one makes a new player. Raises GameRefusedError, KeyReusedError, ReportedGameGoneError and
    SeasonClosedError.
    """
    digest = report.digest(season)
    if made := _made(season, key, digest):
        return made, False
    try:
        with transaction.atomic():
            season = lock_season(season)
            if made := _made(season, key, digest):  # by one that was faster to the lock
                return made, False
            return _record(season, report, key, by), True
    except IntegrityError:
        # Reported to another season at the same moment, whose lock is another one.
        if made := _made(season, key, digest):
            return made, False
        raise


def _record(season: Season, report: ApiReport, key: str, by: ApiToken) -> Game:
    read = _read(season, report, report.kind)
    game = record_game(
        season=season,
        **read,
        note=report.note,
        kind=report.kind,
        by=by.created_by,
        through=by,
    )
    keep_key(season.league, key, report.digest(season), game=game)
    return game


@transaction.atomic
def correct_reported_game(*, game: Game, correction: Correction, version: int | None, by: ApiToken) -> Game:
    """Correct a game as a program says, but only at this ``version``; None is any.

    Players are found as for a report. Raises GameRefusedError, GameChangedError, SeasonClosedError, and
    ValidationError when the game is gone.
    """
    season = lock_season(game.season)
    stored = read_locked(Game.objects.with_sides(), game)
    read = _read(season, correction, correction.kind or stored.kind)
    said = {"played_at": stored.played_at, "sides": played_sides(stored)} | read
    return correct_game(
        game=stored,
        **said,
        note=stored.note if correction.note is None else correction.note,
        kind=correction.kind,
        version=version,
        by=by.created_by,
        through=by,
    )


def known_key(league_id: int, key: str, digest: str) -> ReportKey | None:
    """What a key made in the league within KEYS_KEPT. Raises KeyReusedError where that was something else."""
    known = ReportKey.objects.in_league(league_id).kept().filter(key=key).first()
    if known is not None and known.digest != digest:
        raise KeyReusedError
    return known


def keep_key(
    league: League, key: str, digest: str, *, game: Game | None = None, challenge: Challenge | None = None
) -> None:
    """Keep what a key made; part of the service that makes it."""
    ReportKey.objects.in_league(league).expired().delete()
    ReportKey.objects.create(league=league, key=key, digest=digest, game=game, challenge=challenge)


def _made(season: Season, key: str, digest: str) -> Game | None:
    known = known_key(season.league_id, key, digest)
    if known is None:
        return None
    game = Game.objects.filter(pk=known.game_id or 0).first()
    if game is None:
        raise ReportedGameGoneError
    return game


def _read(season: Season, told: ApiReport | Correction, kind: str) -> dict[str, Any]:
    """The time and the sides, as far as told. Raises GameRefusedError with all that is wrong."""
    problems: list[GameProblem] = []
    read: dict[str, Any] = {}
    if told.played_at is not None:
        read["played_at"] = _moment(season, told.played_at, problems)
    if told.sides is not None:
        read["sides"] = _sides(season, told.sides, problems, create=told.create_players)
        problems += _without_points(told.sides, kind)
    if problems:
        raise GameRefusedError(problems)
    if any(player.pk is None for side in read.get("sides", ()) for player in side.members):
        season.league.touch()  # a report to another season may be making the same player
        read["sides"] = _sides(season, told.sides or (), problems, create=told.create_players)
    return read


def _moment(season: Season, text: str, problems: list[GameProblem]) -> datetime | None:
    found = instant(text.strip(), season.league.zone)
    if isinstance(found, datetime):
        return found
    values = {"value": shown(text), "zone": season.league.zone.key}
    problems.append(GameProblem(str(found) % values, "played_at"))
    return None


def _sides(
    season: Season, reported: Sequence[ReportedSide], problems: list[GameProblem], *, create: bool
) -> list[PlayedSide]:
    names = PlayerNames(season.league)
    sides = []
    for number, side in enumerate(reported, 1):
        members = []
        for name in side.players:
            try:
                members.append(_player(names, name, create=create))
            except ValidationError as refused:
                problems += [GameProblem(message, "side", number) for message in refused.messages]
        sides.append(PlayedSide(tuple(members), side.points or 0))
    return sides


def _without_points(sides: Sequence[ReportedSide], kind: str) -> list[GameProblem]:
    if kind == Game.Kind.BYE:
        return []
    message = _("Side %(side)d has no points; only a bye is without.")
    return [
        GameProblem(message % {"side": number}, "points", number)
        for number, side in enumerate(sides, 1)
        if side.points is None
    ]


def _player(names: PlayerNames, name: str, *, create: bool) -> Player:
    """The player of a name; a new one where there is none and one may be made."""
    if found := one_of(name, names.find(name)):
        return found
    if not create:
        message = _("“%(name)s” is no player of this league; correct the name, or set create_players.")
        raise ValidationError(message, params={"name": tidy(name)})
    return Player(league=names.league, name=tidy(name))
