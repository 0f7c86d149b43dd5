"""The fold of games over a season's state: the one loop that every rating comes from."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from ratings.engine.formulas import games_counted
from ratings.engine.systems import LARGEST_RATING, ROUNDS_SAFELY, Rater
from ratings.engine.types import ChangeRow, Game, GameId, PlayerId, PlayerState, Rules, State, Tenths


def replay(rules: Rules, state: State, games: Iterable[Game]) -> list[ChangeRow]:
    """Play ``games`` in their order, changing ``state.players`` in place, and give every change.

    A player not in the state starts on the initial rating; put carried-over ratings there
    before. Changes come game by game, in order of sides and members. Going on from the state
    after some games equals playing all of them. Raises ValueError for a game that cannot be
    rated; the state is of no use then.
    """
    rater = Rater(rules)
    players = state.players
    changes: list[ChangeRow] = []
    for game in games:
        sides = game.sides
        try:
            if len(sides) == 2 and len(sides[0].members) == len(sides[1].members) == 1:
                changes += _play_duel(rater, players, game)
            else:
                changes += _play(rater, players, game)
        except ValueError as error:
            raise ValueError(f"Game {game.id}: {error}") from None
    return changes


def _play(rater: Rater, players: dict[PlayerId, PlayerState], game: Game) -> list[ChangeRow]:
    seats = rater.seats(game)
    members = [players.get(player) or _beginner(rater, players, player) for player in seats]
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


def _play_duel(rater: Rater, players: dict[PlayerId, PlayerState], game: Game) -> tuple[ChangeRow, ChangeRow]:
    """What ``_play`` does for one player against another, as most games are, in a third of the time."""
    one, other = game.sides
    (player,), (opponent,) = one.members, other.members
    if player == opponent:
        rater.seats(game)  # says so
    a = players.get(player) or _beginner(rater, players, player)
    b = players.get(opponent) or _beginner(rater, players, opponent)
    lead = one.points - other.points
    change = rater.k_in_tenths(game, a) * rater.share(a.rating - b.rating, lead)
    step = round(change)
    if -ROUNDS_SAFELY < change - step < ROUNDS_SAFELY:
        a_after, b_after = a.rating + step, b.rating - step
    else:
        a_after, b_after = rater.exact_ratings(game, (a, b))
    won, drawn, lost = (1, 0, 0) if lead > 0 else (0, 0, 1) if lead else (0, 1, 0)
    return (
        _record(game.id, player, a, a_after, 1, won, drawn, lost),
        _record(game.id, opponent, b, b_after, 1, lost, drawn, won),
    )


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
        raise ValueError("a rating would leave the range of ten million points.")
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


def _beginner(rater: Rater, players: dict[PlayerId, PlayerState], player: PlayerId) -> PlayerState:
    initial = rater.rules.initial_rating
    known = players[player] = PlayerState(rating=initial, peak=initial)
    return known
