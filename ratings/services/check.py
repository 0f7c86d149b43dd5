"""Proving that the stored results of a season equal a replay from scratch, and that leagues are apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

from django.db import transaction

from leagues.models import League, Season
from leagues.services.bulk import Values, stored_rows
from leagues.tenancy.mixtures import mixed_rows
from ratings.engine.meetings import count_meetings
from ratings.engine.replay import adjust, replay
from ratings.engine.types import GameId
from ratings.models import Meeting, Replay, Standing
from ratings.services import ledger
from ratings.services.facts import load_basis, load_games
from ratings.services.replay import MEETING, STANDING, counts_of

CHANGE = "change of game {game} for player {player}"


@transaction.atomic
def check_season(season_id: int) -> list[str]:
    """Every way in which the stored results differ from a replay from scratch; writes nothing.

    Facts and results are those of one moment: the season is held meanwhile, as by a replay.
    """
    season = Season.objects.locked().get(pk=season_id)
    stored = Replay.objects.filter(season=season).first()
    revision = stored.revision if stored else 0
    differences = []
    if revision != season.revision:
        differences.append(f"revision: the results are at {revision}, the facts at {season.revision}")
    if stored and stored.error:
        differences.append(f"the last replay failed: {stored.error}")
    try:
        differences += _differences(season)
    except (ValueError, ArithmeticError) as error:
        differences.append(f"the facts cannot be rated: {error}")
    return differences


def check_league(league: League) -> list[str]:
    """Every row whose parts belong to this league and to another one; writes nothing."""
    return list(mixed_rows(league))


def _differences(season: Season) -> Iterator[str]:
    basis = load_basis(season)
    state = basis.starting_state()
    adjusted: list[Values] = []
    for batch in load_games(season, basis.outside):
        applied = adjust(basis.rules, state, [each for _at, each in batch.adjustments])
        adjusted += ledger.adjusted_rows(season.pk, batch, applied)
        if not batch.games:
            break
        reasons: dict[GameId, str] = {}
        played = replay(basis.rules, state, batch.games, reasons)
        count_meetings(state.meetings, batch.games)
        rows = ledger.rows_of(season.pk, batch, played, reasons)
        yield from _compare(CHANGE, ledger.COLUMNS, ledger.changes_of(season, batch), rows)
    yield from _compare(CHANGE, ledger.COLUMNS, stored_rows(ledger.orphans(season), ledger.COLUMNS), ())
    stored = stored_rows(ledger.applied(season), ledger.ADJUSTED)
    yield from _compare("adjustment {adjustment}", ledger.ADJUSTED, stored, adjusted)
    rows = ((season.pk, *row) for row in basis.standings(state))
    stored = stored_rows(Standing.objects.filter(season=season), STANDING)
    yield from _compare("standing of player {player}", STANDING, stored, rows)
    rows = ((season.pk, *pair, *counts_of(met)) for pair, met in state.meetings.items())
    stored = stored_rows(Meeting.objects.filter(season=season), MEETING)
    yield from _compare("meetings of player {player} with {opponent}", MEETING, stored, rows)


def _compare(
    what: str, columns: Sequence[str], stored: Iterable[Values], expected: Iterable[Values]
) -> Iterator[str]:
    """``what`` names the columns that tell rows apart."""
    is_key = [f"{{{name}}}" in what for name in columns]

    def by_key(rows: Iterable[Values]) -> dict[Values, Values]:
        return {tuple(compress(row, is_key)): row for row in rows}

    found, wanted = by_key(stored), by_key(expected)
    for key in sorted(found.keys() | wanted.keys()):
        old, new = found.get(key), wanted.get(key)
        label = what.format(**dict(zip(compress(columns, is_key), key, strict=True)))
        if new is None:
            yield f"{label}: stored, but nothing gives it"
        elif old is None:
            yield f"{label}: missing"
        elif old != new:
            pairs = zip(columns, old, new, strict=True)
            wrong = [f"{name} is {was}, should be {now}" for name, was, now in pairs if was != now]
            yield f"{label}: {'; '.join(wrong)}"
