"""What a game would change, computed from the published results. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from operator import attrgetter

from django.utils import timezone

from leagues.models import Player, Season
from leagues.services import PlayedSide
from ratings.engine import types
from ratings.engine.eligibility import required_opponents
from ratings.engine.explain import explain
from ratings.engine.formulas import FIDE_NEW_GAMES, starting_rating
from ratings.engine.prizes import award
from ratings.engine.replay import replay
from ratings.engine.standings import standings
from ratings.engine.types import Explanation, KRule, PlayerId, PlayerState, Row, Rules, State, Tenths
from ratings.models import Meeting, PrizeTier, Standing
from ratings.services.explain import shown_reason
from ratings.services.facts import juniors, load_basis, state_of
from ratings.services.prizes import engine_tier

OTHERS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Move:
    """A player's row of the standings as it is and as it would be; ``before`` is None for a newcomer."""

    player: Player
    before: Standing | None
    after: Row
    plays: bool

    @property
    def place_moves(self) -> bool:
        return self.after.place != (self.before.place if self.before else None)


@dataclass(frozen=True, slots=True)
class PrizeMove:
    """A prize tier that others would hold."""

    tier: PrizeTier
    before: list[Player]
    after: list[Player]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What a game would do: the changes with their reasons, and what moves in the standings."""

    explanation: Explanation
    moves: list[Move]  # those who play, and whose place moves, in order of the new standings
    others: int  # how many more places would move
    prizes: list[PrizeMove]


@dataclass(frozen=True, slots=True)
class Published:
    """The season as its published results tell it."""

    rules: Rules
    rows: list[Standing]  # in order of names
    states: dict[PlayerId, PlayerState]

    @property
    def withdrawn(self) -> set[PlayerId]:
        return {row.player_id for row in self.rows if row.withdrawn}


def published_season(season: Season, rules: Rules, sides: Sequence[PlayedSide]) -> Published:
    """The published results, and states for players of the game who are not in them yet."""
    found = Standing.objects.filter(season=season).select_related("player")
    rows = list(found.order_by("player__sort_key", "player_id"))
    states: dict[PlayerId, PlayerState] = {row.player_id: state_of(row) for row in rows}
    new = [player.pk for side in sides for player in side.members if player.pk not in states]
    previous = load_basis(season).outside.previous if any(player > 0 for player in new) else {}
    for player in new:
        rating = starting_rating(rules, previous.get(player))
        states[player] = PlayerState.starting_at(rating)
    return Published(rules, rows, states)


def what_if(
    season: Season, rules: Rules, sides: Sequence[PlayedSide], stand_ins: Mapping[int, Tenths]
) -> WhatIf:
    """What a game of these sides would change, if it was the next one played.

    Whom no league knows has an id below 0: those with a rating in ``stand_ins`` stand for anybody so rated
    with 30 games played, and are no part of the standings; the others are new. Raises ValueError for a game
    that cannot be rated.
    """
    before = published_season(season, rules, sides)
    for player, rating in stand_ins.items():
        before.states[player] = PlayerState.starting_at(rating, played=FIDE_NEW_GAMES)
    game = types.Game(
        id="what if",
        sides=tuple(types.Side(tuple(each.pk for each in side.members), side.points) for side in sides),
        juniors=_juniors(rules, sides),
    )
    explanation = explain(rules, before.states, game)
    explanation = replace(explanation, k_reason=shown_reason(rules, explanation.k_reason))
    known = [player for side in sides for player in side.members if player.pk not in stand_ins]
    after = _standings_after(season, before, game, known) if known else []
    moves = _moves(before, after, known)
    players = {row.player_id: row.player for row in before.rows} | {player.pk: player for player in known}
    plays_or_first = [move for move in moves if move.plays] + [move for move in moves if not move.plays]
    shown = {move.player.pk for move in plays_or_first[: len(known) + OTHERS_SHOWN]}
    return WhatIf(
        explanation=explanation,
        moves=[move for move in moves if move.player.pk in shown],
        others=len(moves) - len(shown),
        prizes=prize_moves(season, before.rows, after, players),
    )


def _juniors(rules: Rules, sides: Sequence[PlayedSide]) -> frozenset[PlayerId]:
    if rules.k_rule is not KRule.FIDE_JUNIOR:
        return frozenset()
    players = (player for side in sides for player in side.members)
    born: dict[PlayerId, int] = {player.pk: player.birth_year for player in players if player.birth_year}
    return juniors(born, timezone.localdate().year)


def _standings_after(
    season: Season, before: Published, game: types.Game, known: Sequence[Player]
) -> list[Row]:
    """The standings after the game, in which stand-ins do not stand."""
    seated = {player for side in game.sides for player in side.members}
    played = State({player: replace(before.states[player]) for player in seated})
    replay(before.rules, played, [game])
    states = before.states | played.players
    newcomers = [player for player in known if player.pk not in {row.player_id for row in before.rows}]
    order = sorted(
        [*(row.player for row in before.rows), *newcomers], key=lambda player: (player.sort_key, player.pk)
    )
    participants = [player.pk for player in order]
    met = _met(season, before, states, game, participants)
    return standings(before.rules, State(states), participants, before.withdrawn, met)


def _met(
    season: Season,
    before: Published,
    states: Mapping[PlayerId, PlayerState],
    game: types.Game,
    participants: Iterable[int],
) -> dict[PlayerId, int]:
    """How many required opponents each has met often enough after the game.

    Counted on from the published numbers: of all meetings of a large season only those that matter are read.
    """
    rules, gone = before.rules, before.withdrawn
    published: dict[PlayerId, int] = {row.player_id: row.opponents_met for row in before.rows}
    met: dict[PlayerId, int] = {player: published.get(player, 0) for player in participants}
    required = _required(rules, states, met.keys() - gone)
    if not rules.min_meetings:
        # Without a minimum everybody has met all there are.
        return {player: len(required - {player}) for player in met}
    new = required - _required(rules, before.states, published.keys() - gone)
    least = rules.min_meetings
    enough = Meeting.objects.filter(season=season, opponent__in=map(int, new), games__gte=least)
    for player in enough.values_list("player_id", flat=True):  # of opponents who only now count
        met[player] += 1
    games = _games_between(season, game)
    for one, other in combinations(game.sides, 2):
        for pair in (*product(one.members, other.members), *product(other.members, one.members)):
            if pair[0] in met and pair[1] in required and games.get(pair, 0) == least - 1:
                met[pair[0]] += 1
    return met


def _games_between(season: Season, game: types.Game) -> dict[tuple[PlayerId, PlayerId], int]:
    """How often the players of a game have met."""
    players = [int(player) for side in game.sides for player in side.members]
    rows = Meeting.objects.filter(season=season, player__in=players, opponent__in=players)
    found = rows.values_list("player_id", "opponent_id", "games")
    return {(player, opponent): count for player, opponent, count in found}


def _required(
    rules: Rules, states: Mapping[PlayerId, PlayerState], active: Iterable[PlayerId]
) -> set[PlayerId]:
    return set(required_opponents(rules, {player: states[player].games for player in active}))


def _moves(before: Published, after: Sequence[Row], known: Sequence[Player]) -> list[Move]:
    stood = {row.player_id: row for row in before.rows}
    players = {row.player_id: row.player for row in before.rows} | {player.pk: player for player in known}
    playing = {player.pk for player in known}
    rows = [(int(row.player), row) for row in after]
    moves = [Move(players[player], stood.get(player), row, player in playing) for player, row in rows]
    return [move for move in moves if move.plays or move.place_moves]


def prize_moves(
    season: Season, before: Sequence[Standing], after: Sequence[Row], players: Mapping[int, Player]
) -> list[PrizeMove]:
    """The tiers that somebody else would hold: by the published standings, and by those that would be."""
    tiers = list(PrizeTier.objects.filter(season=season)) if after else []
    values = [engine_tier(tier) for tier in tiers]
    stood = sorted(before, key=attrgetter("position"))
    held = award(values, stood, sum(not row.withdrawn for row in before))
    would = award(values, after, sum(not row.withdrawn for row in after))
    moves = [
        PrizeMove(
            tier,
            [row.player for row, _amount in now],
            [players[int(row.player)] for row, _amount in then],
        )
        for tier, now, then in zip(tiers, held, would, strict=True)
    ]
    return [move for move in moves if set(move.before) != set(move.after)]
