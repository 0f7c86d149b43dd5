"""What merging two players would change in the results, computed without writing anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from leagues.models import Player, Season
from leagues.services.merging import Merge
from ratings.engine.meetings import count_meetings
from ratings.engine.replay import adjust, replay
from ratings.engine.types import Adjustment, Game, KRule, Row, Side, State
from ratings.services.facts import Basis, Batch, is_junior, load_basis, load_games


@dataclass(frozen=True, slots=True)
class MovedStanding:
    """A player's row of the standings before and after; after it the one who goes has none."""

    player: Player
    before: Row | None
    after: Row | None


@dataclass(frozen=True, slots=True)
class SeasonPreview:
    """What a merge does to a season: the games that move, and whose place or rating changes."""

    season: Season
    games: int
    moved: list[MovedStanding]  # the one who stays first, then in order of the standings after
    error: str = ""  # why the season cannot be rated


def preview_merge(merge: Merge) -> list[SeasonPreview]:
    """The results of each season that a merge touches, before and after it; the latest season first."""
    previews = []
    for each in merge.seasons:
        try:
            before, after = standings_of_merge(each.season, merge)
        except (ValueError, ArithmeticError) as error:
            previews.append(SeasonPreview(each.season, each.games, [], str(error)))
        else:
            previews.append(SeasonPreview(each.season, each.games, _moved(merge, before, after)))
    return previews


def standings_of_merge(season: Season, merge: Merge) -> tuple[list[Row], list[Row]]:
    """The standings of a season as its facts are, and as a merge would make them.

    Raises ValueError or ArithmeticError where they cannot be rated.
    """
    as_is = load_basis(season)
    merged = _merged(as_is, merge)
    before, after = as_is.starting_state(), merged.starting_state()
    for batch in load_games(season, as_is.outside):
        adjustments = [each for _at, each in batch.adjustments]
        adjust(as_is.rules, before, adjustments)
        adjust(merged.rules, after, [_of_one(each, merge) for each in adjustments])
        _play(as_is, before, batch.games)
        _play(
            merged,
            after,
            [_as_one(game, merge, junior=_is_junior(as_is, batch, game, merge)) for game in batch.games],
        )
    return as_is.standings(before), merged.standings(after)


def _merged(basis: Basis, merge: Merge) -> Basis:
    """What games are rated by with one player in the place of both."""
    keep, gone = merge.keep.pk, merge.gone.pk
    entered = {keep if player == gone else player for player in basis.outside.order}
    ordered = Player.objects.filter(pk__in=entered).order_by("sort_key", "pk")
    return Basis(
        rules=basis.rules,
        outside=basis.outside._replace(order=list(ordered.values_list("pk", flat=True))),
        withdrawn={keep if player == gone else player for player in basis.withdrawn},
    )


def _play(basis: Basis, state: State, games: list[Game]) -> None:
    replay(basis.rules, state, games)
    count_meetings(state.meetings, games)


def _is_junior(basis: Basis, batch: Batch, game: Game, merge: Merge) -> bool:
    """Whether the junior clause covers the merged player in this game."""
    if basis.rules.k_rule is not KRule.FIDE_JUNIOR or merge.birth_year is None:
        return False
    played_at = batch.times[int(game.id)].astimezone(ZoneInfo(basis.outside.zone))
    return is_junior(merge.birth_year, played_at.year)


def _of_one(adjustment: Adjustment, merge: Merge) -> Adjustment:
    is_moved = adjustment.player == merge.gone.pk
    return replace(adjustment, player=merge.keep.pk) if is_moved else adjustment


def _as_one(game: Game, merge: Merge, *, junior: bool) -> Game:
    keep, gone = merge.keep.pk, merge.gone.pk
    if not {keep, gone} & {player for side in game.sides for player in side.members}:
        return game
    sides = [
        Side(tuple(keep if player == gone else player for player in side.members), side.points)
        for side in game.sides
    ]
    juniors = game.juniors - {keep, gone} | ({keep} if junior else set())
    return replace(game, sides=tuple(sides), juniors=juniors)


def _moved(merge: Merge, before: Iterable[Row], after: Iterable[Row]) -> list[MovedStanding]:
    old = {int(row.player): row for row in before}
    new = {int(row.player): row for row in after}
    changed = [player for player in new if _shown(new[player]) != _shown(old.get(player))]
    listed = [merge.keep.pk, merge.gone.pk, *changed]
    players = Player.objects.in_bulk(listed)
    return [
        MovedStanding(players[pk], old.get(pk), new.get(pk))
        for pk in dict.fromkeys(listed)
        if pk in old or pk in new
    ]


def _shown(row: Row | None) -> tuple[int | None, int] | None:
    return (row.place, row.rating) if row else None
