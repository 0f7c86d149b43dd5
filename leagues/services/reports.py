"""Games that programs report, each under a key: reported again, it is the game it was."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from leagues.games_csv import instant, shown
from leagues.models import ApiToken, Challenge, Game, League, Player, ReportKey, Season
from leagues.names import tidy
from leagues.services.audit import lock_season
from leagues.services.games import GameProblem, GameRefusedError, PlayedSide, record_game
from leagues.services.player_names import PlayerNames, one_of


@dataclass(frozen=True, slots=True)
class ReportedSide:
    """``players`` are names, other names or addresses."""

    players: tuple[str, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Report:
    """A game as a program tells it; ``played_at`` as in game files."""

    played_at: str
    sides: tuple[ReportedSide, ...]
    note: str = ""
    kind: str = Game.Kind.PLAYED
    create_players: bool = False

    def digest(self, season: Season) -> str:
        """The same for equal reports to one season."""
        return sha256(json.dumps([season.pk, asdict(self)]).encode()).hexdigest()


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


def report_game(*, season: Season, report: Report, key: str, by: ApiToken) -> tuple[Game, bool]:
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


def _record(season: Season, report: Report, key: str, by: ApiToken) -> Game:
    played_at, sides = _read(season, report)
    game = record_game(
        season=season,
        played_at=played_at,
        sides=sides,
        note=report.note,
        kind=report.kind,
        by=by.created_by,
        through=by,
    )
    keep_key(season.league, key, report.digest(season), game=game)
    return game


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


def _read(season: Season, report: Report) -> tuple[datetime, list[PlayedSide]]:
    """The time and the sides with their players. Raises GameRefusedError with all that is wrong."""
    problems: list[GameProblem] = []
    played_at = instant(report.played_at.strip(), season.league.zone)
    sides = _sides(season, report, problems)
    if not isinstance(played_at, datetime):
        values = {"value": shown(report.played_at), "zone": season.league.zone.key}
        raise GameRefusedError([GameProblem(str(played_at) % values, "played_at"), *problems])
    if problems:
        raise GameRefusedError(problems)
    if any(player.pk is None for side in sides for player in side.members):
        season.league.touch()  # a report to another season may be making the same player
        sides = _sides(season, report, problems)
    return played_at, sides


def _sides(season: Season, report: Report, problems: list[GameProblem]) -> list[PlayedSide]:
    names = PlayerNames(season.league)
    sides = []
    for number, side in enumerate(report.sides, 1):
        members = []
        for name in side.players:
            try:
                members.append(_player(names, name, create=report.create_players))
            except ValidationError as refused:
                problems += [GameProblem(message, "side", number) for message in refused.messages]
        sides.append(PlayedSide(tuple(members), side.points))
    return sides


def _player(names: PlayerNames, name: str, *, create: bool) -> Player:
    """The player of a name; a new one where there is none and one may be made."""
    if found := one_of(name, names.find(name)):
        return found
    if not create:
        message = _("“%(name)s” is no player of this league; correct the name, or set create_players.")
        raise ValidationError(message, params={"name": tidy(name)})
    return Player(league=names.league, name=tidy(name))
