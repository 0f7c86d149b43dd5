"""The fold of games and adjustments over a season's state: the one loop that every rating comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat

from ratings.engine.formulas import games_counted
from ratings.engine.systems import HOPELESS, LARGEST_RATING, ROUNDS_SAFELY, Rater, out_of_range
from ratings.engine.types import (
    Adjusted,
    Adjustment,
    ChangeRow,
    Game,
    GameId,
    PlayerId,
    PlayerState,
    Rules,
    State,
    Tenths,
)

OUT_OF_RANGE = "a rating would leave the range of ten million points."


def replay(
    rules: Rules, state: State, games: Iterable[Game], reasons: dict[GameId, str] | None = None
) -> list[ChangeRow]:
    """Play ``games`` in their order, changing ``state.players`` in place, and give every change.

    A player not in the state starts on the initial rating; put carried-over ratings there
    before. Changes come game by game, in order of sides and members. Going on from the state
    after some games equals playing all of them. ``reasons`` gets, by game, why K is what it is where
    it goes by the challenger (``formulas.FIDE_K``). Raises ValueError for a game that cannot be rated;
    the state is of no use then.
    """
    rater = Rater(rules, reasons)
    changes: list[ChangeRow] = []
    left = iter(games)
    while (game := _play_duels(rater, state.players, left, changes)) is not None:
        try:
            changes += _play(rater, state.players, game)
        except ValueError as error:
            raise ValueError(f"Game {game.id}: {error}") from None
    return changes


def adjust(rules: Rules, state: State, adjustments: Iterable[Adjustment]) -> list[Adjusted]:
    """Let adjustments take effect in their order, changing ``state.players`` in place.

    Nothing but ratings changes, and the highest one. Raises ValueError for a rating out of range.
    """
    rows = []
    for each in adjustments:
        known = state.players.get(each.player) or _beginner(rules, state.players, each.player)
        before, after = known.rating, known.rating + each.change
        if out_of_range(after):
            raise ValueError(f"Adjustment {each.id}: {OUT_OF_RANGE}")
        known.rating, known.peak = after, max(known.peak, after)
        rows.append(Adjusted(each.id, each.player, before, after, known.peak))
    return rows


def _play_duels(
    rater: Rater, players: dict[PlayerId, PlayerState], games: Iterator[Game], changes: list[ChangeRow]
) -> Game | None:
    """Play games up to the first that takes ``_play``: no duel, too near to a tie, or not to be rated.

    Most games are duels and none of these; calls and loops would cost as much as what they do, so what
    ``_play`` does is written out.
    """
    outcomes, keep, fixed_k = rater.outcomes, rater.keep, rater.fixed_k
    known, add = players.get, changes.append
    safely, most, hopeless = ROUNDS_SAFELY, LARGEST_RATING, HOPELESS
    for game in games:
        try:
            one, other = game.sides
            (player,), (opponent,) = one.members, other.members
            weight, surprise, won, drawn, lost = outcomes[one.points - other.points]
        except ValueError:
            return game
        a = known(player) or _beginner(rater.rules, players, player)
        b = known(opponent) or _beginner(rater.rules, players, opponent)
        a_before, b_before = a.rating, b.rating
        behind = (b_before - a_before) / 4000.0
        if behind > hopeless or a is b:
            return game
        change = weight * (surprise - keep / (1.0 + 10.0**behind))
        if fixed_k is None:
            change *= rater.k_in_tenths(game, a)
        step = round(change)
        a_after, b_after = a_before + step, b_before - step
        if not (-safely < change - step < safely and -most < a_after < most and -most < b_after < most):
            return game
        number = game.id
        a.rating, peak = a_after, a.peak
        if a_after > peak:
            a.peak = peak = a_after
        a.played = played = a.played + 1
        a.games = counted = a.games + 1
        a.wins = wins = a.wins + won
        a.draws = draws = a.draws + drawn
        a.losses = losses = a.losses + lost
        a.first_places = first = a.first_places + won + drawn
        add((number, player, a_before, a_after, peak, played, counted, wins, draws, losses, first))
        b.rating, peak = b_after, b.peak
        if b_after > peak:
            b.peak = peak = b_after
        b.played = played = b.played + 1
        b.games = counted = b.games + 1
        b.wins = wins = b.wins + lost
        b.draws = draws = b.draws + drawn
        b.losses = losses = b.losses + won
        b.first_places = first = b.first_places + lost + drawn
        add((number, opponent, b_before, b_after, peak, played, counted, wins, draws, losses, first))
    return None


def _play(rater: Rater, players: dict[PlayerId, PlayerState], game: Game) -> list[ChangeRow]:
    seats = rater.seats(game)
    members = [players.get(player) or _beginner(rater.rules, players, player) for player in seats]
    steps = rater.steps(game, members)
    exact = iter(rater.exact_ratings(game, members) if steps is None else ())
    counts = games_counted(rater.rules, game)
    points = sorted([side.points for side in game.sides])
    opponents = len(points) - 1
    seated = iter(members)
    changes = []
    for side, step in zip(game.sides, steps or repeat(None), strict=False):
        wins = points.index(side.points)
        draws = points.count(side.points) - 1
        losses = opponents - wins - draws
        for player, member in zip(side.members, seated, strict=False):  # its share of all that are seated
            after = next(exact) if step is None else member.rating + step
            changes.append(_record(game.id, player, member, after, counts, wins, draws, losses))
    return changes


def _record(
    game: GameId,
    player: PlayerId,
    member: PlayerState,
    rating: Tenths,
    games: int,
    wins: int,
    draws: int,
    losses: int,
) -> ChangeRow:
    """Bring a player's state up to after a game, and say what changed."""
    if not -LARGEST_RATING <= rating <= LARGEST_RATING:
        raise ValueError(OUT_OF_RANGE)
    before, peak = member.rating, member.peak
    member.rating = rating
    if rating > peak:
        member.peak = peak = rating
    member.played = played = member.played + 1
    member.games = games = member.games + games
    member.wins = wins = member.wins + wins
    member.draws = draws = member.draws + draws
    member.losses = lost = member.losses + losses
    member.first_places = first_places = member.first_places + (0 if losses else 1)
    return game, player, before, rating, peak, played, games, wins, draws, lost, first_places


def _beginner(rules: Rules, players: dict[PlayerId, PlayerState], player: PlayerId) -> PlayerState:
    initial = rules.initial_rating
    known = players[player] = PlayerState.starting_at(initial)
    return known
