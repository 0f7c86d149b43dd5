"""Season score, order and places."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter

from ratings.engine.eligibility import missing_games, opponents_met, required_opponents
from ratings.engine.types import PlayerId, PlayerState, Row, Rules, State, Tenths

# By name, what decides between equal season scores: the larger number stands higher.
TIE_BREAKS: dict[str, Callable[[PlayerState], int]] = {
    "rating": attrgetter("rating"),
    "duels_won": attrgetter("wins"),
    "first_places": attrgetter("first_places"),
    "games": attrgetter("games"),
}

_Key = tuple[int, ...]


def season_score(rules: Rules, rating: Tenths, games: int) -> Tenths:
    """The rating, weighted by activity, to 0.1 with ties to even (docs/rating.md, section 2).

    Up to ``full_weight_games`` it is pulled towards the initial rating, from there to
    ``bonus_games`` it earns the bonus step by step. Without full-weight games it is the rating.
    """
    full = rules.full_weight_games
    if not full:
        return rating
    if games <= full:
        return _rounded(rules.initial_rating * full + (rating - rules.initial_rating) * games, full)
    played, whole = bonus_progress(rules, games)
    bonus, one = rules.bonus.as_integer_ratio()
    if not whole:
        return _rounded(rating * (one + bonus), one)
    return _rounded(rating * (one * whole + bonus * played), one * whole)


def _rounded(numerator: int, denominator: int) -> int:
    """A fraction as a whole number, ties to even; the denominator is above 0."""
    whole, rest = divmod(numerator, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2))


def bonus_progress(rules: Rules, games: int) -> tuple[int, int]:
    """How many games beyond full weight were played, of how many that earn the whole bonus."""
    whole = max(0, rules.bonus_games - rules.full_weight_games)
    return min(max(0, games - rules.full_weight_games), whole), whole


def standings(
    rules: Rules,
    state: State,
    participants: Sequence[PlayerId],
    withdrawn: Collection[PlayerId] = (),
    met: Mapping[PlayerId, int] | None = None,
) -> list[Row]:
    """Everybody entered, the best season score first.

    ``participants`` include the withdrawn; their order is kept between players whom no
    tie-break separates. ``met`` says how many of the required opponents each of them has met
    often enough, where that is known; else the state's meetings are counted. Only classified
    players have a place, and share it when equal: 1, 2, 2, 4.
    Raises ValueError for a tie-break that does not exist.
    """
    beginner = PlayerState.starting_at(rules.initial_rating)
    players = {player: state.players.get(player, beginner) for player in participants}
    gone = frozenset(withdrawn)
    required = required_opponents(
        rules, {player: known.games for player, known in players.items() if player not in gone}
    )
    to_meet = dict.fromkeys(players, len(required)) | dict.fromkeys(required, len(required) - 1)
    met = _met(rules, state, to_meet, required) if met is None else met
    classified = {
        player
        for player, known in players.items()
        if player not in gone and met[player] == to_meet[player] and not missing_games(rules, known.games)
    }
    keys = _sort_keys(rules, players)
    order = sorted(players, key=keys.__getitem__, reverse=True)  # keeps the order of equal ones
    places = _places([keys[player] for player in order if player in classified])
    rows = []
    for position, player in enumerate(order, 1):
        known = players[player]
        rows.append(
            Row(
                player=player,
                position=position,
                place=places[keys[player]] if player in classified else None,
                season_score=keys[player][0],
                rating=known.rating,
                peak=known.peak,
                played=known.played,
                games=known.games,
                wins=known.wins,
                draws=known.draws,
                losses=known.losses,
                first_places=known.first_places,
                classified=player in classified,
                withdrawn=player in gone,
                missing_games=missing_games(rules, known.games),
                opponents=to_meet[player],
                opponents_met=met[player],
            )
        )
    return rows


def _met(
    rules: Rules, state: State, to_meet: Mapping[PlayerId, int], required: Collection[PlayerId]
) -> dict[PlayerId, int]:
    """How many of the required opponents each player has met often enough."""
    if not rules.min_meetings:
        return dict(to_meet)
    # By the pairs that met, not by all that could have: most of a large season never did.
    counted = opponents_met(rules, {pair: met.games for pair, met in state.meetings.items()}, required)
    return {player: counted[player] for player in to_meet}


def _sort_keys(rules: Rules, players: Mapping[PlayerId, PlayerState]) -> dict[PlayerId, _Key]:
    for name in rules.tie_breaks:
        if name not in TIE_BREAKS:
            raise ValueError(f"A tie-break is {name!r}; it must be one of {', '.join(TIE_BREAKS)}.")
    tie_breaks = [TIE_BREAKS[name] for name in rules.tie_breaks]
    return {
        player: (
            season_score(rules, known.rating, known.games),
            *[tie_break(known) for tie_break in tie_breaks],
        )
        for player, known in players.items()
    }


def _places(keys: Sequence[_Key]) -> dict[_Key, int]:
    """The place of each key, the best first: one more than the number of better ones."""
    places: dict[_Key, int] = {}
    for place, key in enumerate(keys, 1):
        places.setdefault(key, place)
    return places
