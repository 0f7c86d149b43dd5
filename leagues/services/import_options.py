"""What somebody chose on the way to an import: how the file is read, and whom its names mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from hashlib import blake2b
from typing import Any, Self

from leagues.games_csv import GamesFile, read_games
from leagues.games_csv.layout import Layout, Order
from leagues.models import League, Player, Season
from leagues.names import fold
from leagues.services.audit import Actor
from leagues.services.imports import ImportPlan, import_games

SUGGESTED = 5  # players for a name that nobody bears
MOST_OPTIONS = 15_000  # on a page on which everybody can be chosen for each name


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The choices, which go along from the preview to the import as JSON."""

    encoding: str = ""  # empty: found out
    create_players: bool = False
    columns: tuple[str, ...] = ()
    order: Order | None = None
    matches: Mapping[str, int] = field(default_factory=dict)  # by name, the id of the player it means

    def read(self, data: bytes, league: League) -> GamesFile:
        return read_games(
            data,
            timezone=league.zone,
            language=league.language,
            encoding=self.encoding or None,
            layout=Layout(self.columns, self.order),
        )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        return cls(**{**values, "columns": tuple(values["columns"])})

    def mark(self) -> str:
        """A short text that is the same where a file is read to the same games of the same players."""
        chosen = [self.encoding, self.columns, self.order, dict(self.matches)]
        return blake2b(repr(chosen).encode(), digest_size=12).hexdigest() if any(chosen) else "1"


def import_file(*, season: Season, data: bytes, options: ImportOptions, by: Actor) -> ImportPlan:
    """Import a file as somebody chose to have it read. Raises as ``import_games``."""
    return import_games(
        season=season,
        file=options.read(data, season.league),
        by=by,
        create_players=options.create_players,
        matches=options.matches,
    )


def suggested(
    names: Sequence[str], league: League, chosen: Mapping[str, int]
) -> list[tuple[str, list[Player]]]:
    """For each of these names, which nobody bears, whom it may mean: the likely ones first. One query.

    Of a league too large for that only the likely ones, and who was chosen.
    """
    players = list(Player.objects.in_league(league).order_by("sort_key", "pk"))
    bearers: dict[str, list[Player]] = {}
    for player in players:
        bearers.setdefault(fold(player.name), []).append(player)
    everybody = players if len(players) * len(names) <= MOST_OPTIONS else []
    found = []
    for name in names:
        close = get_close_matches(fold(name), bearers, n=SUGGESTED)
        likely = [player for key in close for player in bearers[key]]
        others = everybody or [each for each in players if each.pk == chosen.get(name)]
        found.append((name, [*likely, *(each for each in others if each not in likely)]))
    return found
