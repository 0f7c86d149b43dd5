"""The order in which games played at the same time are rated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from leagues.models import Game, Season
from leagues.services.audit import Actor, leave_audit, lock_season, season_is_changed

# Which of the games at its time a game is, from 1, and how many there are.
Place = tuple[int, int]


@transaction.atomic
def reorder_games(*, games: Sequence[Game], by: Actor) -> None:
    """Have games rated in the order given: all those of one season at one time, voided ones too.

    Raises ValidationError when these are not they; where the order is theirs already nothing is done.
    """
    if not games:
        return
    season = lock_season(games[0].season)
    stored = list(Game.objects.at_time_of(games[0]))
    before, after = [game.pk for game in stored], [game.pk for game in games]
    if sorted(before) != sorted(after):
        message = _("These are not all the games of one season and one time; look at them again.")
        raise ValidationError(message, code="conflict")
    if before == after:
        return
    for game in stored:
        game.order = after.index(game.pk) + 1
    Game.objects.bulk_update(stored, ["order"])
    played_at = stored[0].played_at
    time = {"played_at": played_at.isoformat()}
    leave_audit(
        "reorder_games",
        season,
        by=by,
        before=time | {"games": before},
        after=time | {"games": after},
        season=season,
    )
    season_is_changed(season, since=played_at)


@transaction.atomic
def shift_games(*, games: Collection[Game], earlier: bool, by: Actor) -> None:
    """Let games come one place earlier, or later, among those of their season and time.

    Games next to each other move together; the first cannot come earlier, nor the last later.
    """
    # Seasons in the order in which every service locks several.
    in_turn = sorted(games, key=lambda game: (game.season.starts_on, game.season_id, game.played_at))
    for _time, group in groupby(in_turn, key=attrgetter("season_id", "played_at")):
        chosen = list(group)
        lock_season(chosen[0].season)
        stored = list(Game.objects.at_time_of(chosen[0]))
        reorder_games(games=_shifted(stored, {game.pk for game in chosen}, earlier=earlier), by=by)


def _shifted(games: Sequence[Game], chosen: Collection[int], *, earlier: bool) -> list[Game]:
    """The games with each of those chosen before the one that was before it, or after the one after it."""
    row = list(games) if earlier else list(reversed(games))
    for place in range(1, len(row)):
        if row[place].pk in chosen and row[place - 1].pk not in chosen:
            row[place - 1 : place + 1] = row[place], row[place - 1]
    return row if earlier else row[::-1]


def places_of(season: Season, games: Iterable[Game]) -> dict[int, Place]:
    """The place of each of these games that is not alone at its time, by id. One query."""
    wanted = {game.pk: game.played_at for game in games}
    at_times = Game.objects.filter(season=season, played_at__in=set(wanted.values())).in_play_order()
    found: dict[int, Place] = {}
    for _time, group in groupby(at_times.values_list("played_at", "pk"), key=lambda row: row[0]):
        ids = [pk for _played_at, pk in group]
        if len(ids) > 1:
            found |= {pk: (place, len(ids)) for place, pk in enumerate(ids, 1) if pk in wanted}
    return found
