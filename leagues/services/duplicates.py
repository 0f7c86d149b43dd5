"""Finding players who may be one person entered twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from django.db.models import Count

from leagues.models import League, Player, PlayerAlias, SideMember
from leagues.names import fold

SUGGESTED = 20
# In a shorter name one letter more or less makes another name: Ann and Ana, Dan and Ian.
LETTERS = 5

Pair = tuple[int, int]  # ids of players, the smaller one first


def likely_duplicates(league: League) -> list[tuple[Player, Player]]:
    """Pairs of players with about the same name who never met, at most 20, in order of their names.

    Of each pair the one with more games comes first. About the same is a name in another script, case or
    order of words, with other accents, or with one letter more, less or another. Four queries.
    """
    players = {player.pk: player for player in Player.objects.in_league(league)}
    names = [(player.pk, player.name) for player in players.values()]
    names += PlayerAlias.objects.in_league(league).values_list("player_id", "name")
    pairs = _alike(names)
    pairs -= _met(pairs)
    shown = sorted(pairs, key=lambda pair: [(players[pk].sort_key, pk) for pk in pair])[:SUGGESTED]
    games = _games({pk for pair in shown for pk in pair})
    ranked = [sorted(pair, key=lambda pk: (-games.get(pk, 0), pk)) for pair in shown]
    return [(players[first], players[second]) for first, second in ranked]


def _alike(names: Iterable[tuple[int, str]]) -> set[Pair]:
    bearers: dict[str, set[int]] = defaultdict(set)
    for player, name in names:
        for key in _keys(name):
            bearers[key].add(player)
    return {pair for ids in bearers.values() for pair in combinations(sorted(ids), 2)}


def _keys(name: str) -> Iterator[str]:
    """The name, and the name without each of its letters: two that differ in one letter share a key."""
    whole = " ".join(sorted(fold(name).split()))
    yield whole
    if sum(map(str.isalpha, whole)) >= LETTERS:
        for place, letter in enumerate(whole):
            if letter.isalpha():  # Player 1 and Player 2 are two
                yield whole[:place] + whole[place + 1 :]


def _met(pairs: Iterable[Pair]) -> set[Pair]:
    firsts, seconds = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    together = SideMember.objects.filter(player__in=firsts, game__seats__player__in=seconds)
    return set(together.order_by().values_list("player_id", "game__seats__player_id").distinct())


def _games(players: Iterable[int]) -> dict[int, int]:
    seats = SideMember.objects.filter(player__in=players).order_by()
    return dict(seats.values_list("player_id").annotate(Count("pk")))
