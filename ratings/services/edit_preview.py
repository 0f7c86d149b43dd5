"""What a game, corrected or new, would change, rated on from the results before it. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import F

from leagues.models import Game, Player, Season
from leagues.models.game import is_rated
from leagues.names import same_name
from leagues.services import PlayedSide
from leagues.services.games import played_sides
from leagues.services.players import new_players
from leagues.services.seasons import idle_entries
from ratings.engine import types
from ratings.engine.formulas import starting_rating
from ratings.engine.meetings import count_meetings
from ratings.engine.replay import adjust, replay
from ratings.engine.types import KRule, Meetings, Row, State, Tenths
from ratings.models import Meeting, Replay, Standing
from ratings.services import ledger
from ratings.services.facts import (
    Basis,
    CannotRateError,
    count_games_after,
    load_basis,
    load_games,
    rated_game,
    rules_of,
)
from ratings.services.what_if import PrizeMove, prize_moves

# Rated beforehand in one request. What more games would change is told once they are saved.
LATER_GAMES_MOST = 20_000
PLACES_SHOWN = 20
# The places of an adjustment, and of a game that comes last, among the games of their time.
FIRST, LAST = -1, 2**31 - 1

# Where a game stands in the order of play: its time, its order, its id.
Position = tuple[datetime, int, int]


class ResultsBehindError(Exception):
    """The results are not those of the facts just now, so that nothing can be rated on from them."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What would become of a game: ``sides`` is None where it would not count at all."""

    game: Game
    played_at: datetime
    sides: Sequence[PlayedSide] | None
    rated: bool = True  # by its kind

    @classmethod
    def corrected(
        cls, game: Game, *, played_at: datetime, sides: Sequence[PlayedSide], kind: str | None = None
    ) -> Edit:
        """The game with another time, other sides, or of another kind; a voided one stays unrated."""
        rated = is_rated(game.season, kind or game.kind)
        return cls(game, played_at, None if game.is_voided else sides, rated)

    @classmethod
    def unrated(cls, game: Game) -> Edit:
        """The game voided or deleted."""
        return cls(game, game.played_at, None)

    @classmethod
    def restored(cls, game: Game) -> Edit:
        """The game as it is, rated if its kind is."""
        return cls(game, game.played_at, played_sides(game), game.rated)

    @classmethod
    def entered(cls, season: Season, *, played_at: datetime, sides: Sequence[PlayedSide], kind: str) -> Edit:
        """A new game, which comes last among those of its time."""
        new = Game(pk=0, season=season, played_at=played_at, order=LAST, kind=kind, rated=False)
        return cls(new, played_at, sides, is_rated(season, kind))

    @property
    def was(self) -> Position | None:
        """Where the game is rated; None where it is not."""
        is_rated_now = self.game.rated and not self.game.is_voided
        return None if not is_rated_now else (self.game.played_at, self.game.order, self.game.pk)

    @property
    def would_be(self) -> Position | None:
        """Where the game would be rated."""
        if self.sides is None or not self.rated:
            return None
        is_moved = self.played_at != self.game.played_at
        return self.played_at, LAST if is_moved else self.game.order, self.game.pk


@dataclass(frozen=True, slots=True)
class Moved:
    """A player's row of the standings as it is and as it would be; None where the player is in none."""

    player: Player
    before: Standing | None
    after: Row | None
    change: Tenths  # of the rating

    @property
    def places(self) -> tuple[int | None, int | None]:
        return self.before.place if self.before else None, self.after.place if self.after else None


@dataclass(frozen=True, slots=True)
class Effect:
    """What an edit does to the standings."""

    players: int  # whose rating changes
    largest: Moved | None  # of them
    seated: list[Moved]  # who would sit in the game, in order of the sides
    places: list[Moved]  # that move, in order of the new standings; at most PLACES_SHOWN
    more_places: int
    prizes: list[PrizeMove]


@dataclass(frozen=True, slots=True)
class Preview:
    """What an edit does; the effect is None where too many games are rated anew to know it beforehand."""

    games: int  # later ones, which are rated anew
    effect: Effect | None


def preview_edit(season: Season, edit: Edit, most: int | None = None) -> Preview:
    """What saving an edit of a game would change, exactly; places are compared with those published.

    Where more than ``most`` later games (LATER_GAMES_MOST unless said) would be rated anew, only their number
    is known. Raises ResultsBehindError while results and facts differ, and CannotRateError for what the rules
    of the season cannot rate.
    """
    _refuse_behind(season)
    positions = [position for position in (edit.was, edit.would_be) if position]
    if not positions:
        return Preview(0, Effect(0, None, [], [], 0, []))
    first = min(positions)
    games = count_games_after(season, first, but=edit.game.pk)
    if games > (LATER_GAMES_MOST if most is None else most):
        return Preview(games, None)
    effect = _effect(season, _with_new_players(season, edit), first[0])
    _refuse_behind(season)  # what was read meanwhile is of one revision only if it still is
    return Preview(games, effect)


def _refuse_behind(season: Season) -> None:
    now = Replay.objects.filter(season=season, revision=F("season__revision"))
    if not now.filter(revision=season.revision).exists():
        raise ResultsBehindError


def _with_new_players(season: Season, edit: Edit) -> Edit:
    """The edit with ids, below 0, for players whom only saving would make; one for each name."""
    members = [player for side in edit.sides or () for player in side.members]
    names = {same_name(player.name): player.name for player in members if player.pk is None}
    made = dict(zip(names, new_players(season.league, names.values()), strict=True)) if names else {}
    for number, player in enumerate(made.values(), 1):
        player.pk = -number
    sides = [
        PlayedSide(
            tuple(player if player.pk else made[same_name(player.name)] for player in side.members),
            side.points,
        )
        for side in edit.sides or ()
    ]
    return replace(edit, sides=None if edit.sides is None else sides)


def _effect(season: Season, edit: Edit, since: datetime) -> Effect:
    found = Standing.objects.filter(season=season).select_related("player").order_by("position")
    stood = {row.player_id: row for row in found}
    seated = {player.pk: player for side in edit.sides or () for player in side.members}
    players = {pk: row.player for pk, row in stood.items()} | seated
    basis = _with_entries(load_basis(season, rules_of(season)), players)
    state = basis.starting_state()
    state.players.update(ledger.states_before(season, since))
    try:
        _rate(season, basis, state, edit, since)
    except (ValueError, ArithmeticError) as error:
        raise CannotRateError(error, season.revision) from error
    _count_meetings(season, basis, state, edit)
    rows = _without(basis, _idle(season, edit, seated)).standings(state)
    return _compared(season, basis, stood, rows, players, list(seated))


def _with_entries(basis: Basis, players: dict[int, Player]) -> Basis:
    """The basis with these players entered, in order of their names; a new one after namesakes."""
    order = sorted(players.values(), key=lambda each: (each.sort_key, each.pk < 0, abs(each.pk)))
    outside = basis.outside._replace(order=[player.pk for player in order])
    if basis.rules.k_rule is KRule.FIDE_JUNIOR:
        born: dict[types.PlayerId, int] = {
            pk: player.birth_year for pk, player in players.items() if player.birth_year
        }
        outside = outside._replace(born=born)
    return replace(basis, outside=outside)


def _without(basis: Basis, gone: set[int]) -> Basis:
    order = [player for player in basis.outside.order if player not in gone]
    return replace(basis, outside=basis.outside._replace(order=order))


def _rate(season: Season, basis: Basis, state: State, edit: Edit, since: datetime) -> None:
    """Play the games from ``since`` on, in the order that they would have, the edited one as it would be."""
    at_its_time = Game.objects.filter(season=season, played_at=edit.played_at)
    orders = dict(at_its_time.values_list("pk", "order"))  # between other times none decides

    def others() -> Iterator[tuple[Position, types.Game | types.Adjustment]]:
        for batch in load_games(season, basis.outside, since):
            for at, adjustment in batch.adjustments:
                yield (at, FIRST, adjustment.id), adjustment
            for game in batch.games:
                if game.id != edit.game.pk:
                    number = int(game.id)
                    yield (batch.times[number], orders.get(number, 0), number), game

    edited = [(edit.would_be, _as_edited(basis, edit))] if edit.would_be else []
    events = (event for _position, event in merge(others(), edited, key=itemgetter(0)))
    for is_adjustment, group in groupby(events, key=lambda event: isinstance(event, types.Adjustment)):
        some: Any = group
        (adjust if is_adjustment else replay)(basis.rules, state, some)


def _as_edited(basis: Basis, edit: Edit) -> types.Game:
    return rated_game(edit.game.pk, _sides(edit.sides or ()), edit.played_at, basis.outside)


def _sides(sides: Sequence[PlayedSide]) -> list[types.Side]:
    return [types.Side(tuple(player.pk for player in side.members), side.points) for side in sides]


def _count_meetings(season: Season, basis: Basis, state: State, edit: Edit) -> None:
    """Give the state the published meetings, with those of the game as they would be; if any are required."""
    if not basis.rules.min_meetings:
        return
    rows = Meeting.objects.filter(season=season).values_list("player_id", "opponent_id", "games")
    state.meetings = {(player, opponent): Meetings(games) for player, opponent, games in rows}
    if edit.was:
        stored = types.Game(edit.game.pk, tuple(_sides(played_sides(edit.game))))
        count_meetings(state.meetings, [stored], -1)
    if edit.would_be:
        count_meetings(state.meetings, [_as_edited(basis, edit)])


def _idle(season: Season, edit: Edit, seated: dict[int, Player]) -> set[int]:
    """Whom only this game had entered: taken out of it, nothing else holds them in the season."""
    left = {player.pk for side in played_sides(edit.game) for player in side.members} - seated.keys()
    entries = idle_entries(left, without=edit.game.pk).filter(season=season)
    return set(entries.values_list("player_id", flat=True))


def _compared(
    season: Season,
    basis: Basis,
    stood: dict[int, Standing],
    rows: Sequence[Row],
    players: dict[int, Player],
    seated: Sequence[int],
) -> Effect:
    """The standings that would be beside those published."""
    after = {int(row.player): row for row in rows}

    def rating(pk: int, row: Standing | Row | None) -> Tenths:
        return row.rating if row else starting_rating(basis.rules, basis.outside.previous.get(pk))

    moved = [
        Moved(
            players[pk], stood.get(pk), after.get(pk), rating(pk, after.get(pk)) - rating(pk, stood.get(pk))
        )
        for pk in [*after, *(stood.keys() - after.keys())]
    ]
    by_player = {each.player.pk: each for each in moved}
    changed = [each for each in moved if each.change]
    places = [each for each in moved if each.places[0] != each.places[1]]
    return Effect(
        players=len(changed),
        largest=max(changed, key=lambda each: abs(each.change), default=None),
        seated=[by_player[pk] for pk in seated if pk in by_player],
        places=places[:PLACES_SHOWN],
        more_places=max(0, len(places) - PLACES_SHOWN),
        prizes=prize_moves(season, list(stood.values()), rows, players),
    )
