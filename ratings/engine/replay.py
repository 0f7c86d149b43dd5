"""The fold of games over a season's state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ratings.engine.formulas import games_counted
from ratings.engine.systems import Members, Rater, pairs
from ratings.engine.types import Change, Game, Meetings, PlayerId, PlayerState, Rules, State, Tenths


def replay(rules: Rules, state: State, games: Iterable[Game]) -> Iterator[Change]:
    """Play ``games`` in their order, changing ``state`` in place, and yield every change.

    A player not in the state starts on the initial rating; put carried-over ratings there
    before. Changes come game by game, in order of sides and members. Going on from the state
    after some games equals playing all of them. Raises ValueError for a game that cannot be
    rated, before it has changed a rating.
    """
    rater = Rater(rules)
    for game in games:
        rater.check(game)
        sides = [_players(rules, state, side.members) for side in game.sides]
        after = rater.new_ratings(game, sides)
        _count_duels(state, game, sides)
        yield from _apply(game, sides, after, games_counted(rules, game))


def _players(rules: Rules, state: State, members: Iterable[PlayerId]) -> list[PlayerState]:
    players = []
    for member in members:
        known = state.players.get(member)
        if known is None:
            known = PlayerState(rating=rules.initial_rating, peak=rules.initial_rating)
            state.players[member] = known
        players.append(known)
    return players


def _count_duels(state: State, game: Game, sides: Sequence[Members]) -> None:
    """Count every duel for the members of both sides, and their meetings."""
    for i, j in pairs(len(sides)):
        lead = game.sides[i].points - game.sides[j].points
        won, drawn, lost = int(lead > 0), int(lead == 0), int(lead < 0)
        for member in sides[i]:
            member.wins += won
            member.draws += drawn
            member.losses += lost
        for member in sides[j]:
            member.wins += lost
            member.draws += drawn
            member.losses += won
        for one in game.sides[i].members:
            for other in game.sides[j].members:
                _count_meeting(state, one, other, won, drawn, lost)
                _count_meeting(state, other, one, lost, drawn, won)


def _count_meeting(
    state: State, player: PlayerId, opponent: PlayerId, won: int, drawn: int, lost: int
) -> None:
    meetings = state.meetings.get((player, opponent))
    if meetings is None:
        meetings = state.meetings[player, opponent] = Meetings()
    meetings.games += 1
    meetings.wins += won
    meetings.draws += drawn
    meetings.losses += lost


def _apply(
    game: Game, sides: Sequence[Members], after: Sequence[Sequence[Tenths]], counts: int
) -> list[Change]:
    changes = []
    most = max([side.points for side in game.sides])
    for i, side in enumerate(game.sides):
        first = int(side.points == most)
        for j, player in enumerate(side.members):
            member = sides[i][j]
            before = member.rating
            member.rating = after[i][j]
            member.peak = max(member.peak, member.rating)
            member.played += 1
            member.games += counts
            member.first_places += first
            changes.append(
                Change(
                    game.id,
                    player,
                    before,
                    member.rating,
                    member.peak,
                    member.played,
                    member.games,
                    member.wins,
                    member.draws,
                    member.losses,
                    member.first_places,
                )
            )
    return changes
