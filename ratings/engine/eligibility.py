"""What a player still lacks for a place: games, and games against each opponent.

All functions take plain numbers, so that the standings, which know a whole
season, and a player's page, which knows one player, ask the same questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ratings.engine.types import Opponents, Pair, PlayerId, Rules


def missing_games(rules: Rules, games: int) -> int:
    """How many more games, as counted for the season, a place takes."""
    return max(0, rules.min_games - games)


def required_opponents(rules: Rules, games: Mapping[PlayerId, int]) -> list[PlayerId]:
    """Who has to be met often enough, in the order given (docs/rating.md, section 2).

    ``games`` holds the games counted of everybody entered and not withdrawn.
    """
    if rules.opponents is Opponents.ENTERED:
        return list(games)
    return [player for player, count in games.items() if not missing_games(rules, count)]


def missing_meetings(
    rules: Rules, player: PlayerId, met: Mapping[PlayerId, int], opponents: Iterable[PlayerId]
) -> list[tuple[PlayerId, int]]:
    """Whom ``player`` has to meet again, and how often.

    ``met`` counts the player's games against each opponent, on different sides;
    ``opponents`` come from ``required_opponents``, where the player may be among them.
    """
    least = rules.min_meetings
    return [
        (opponent, least - games)
        for opponent in opponents
        if (games := met.get(opponent, 0)) < least and opponent != player
    ]


def opponents_met(
    rules: Rules, games: Mapping[Pair, int], opponents: Iterable[PlayerId]
) -> Counter[PlayerId]:
    """How many of the opponents each player has met often enough; ``games`` counts by pair."""
    wanted = frozenset(opponents)
    return Counter(
        player
        for (player, opponent), met in games.items()
        if met >= rules.min_meetings and opponent in wanted
    )
