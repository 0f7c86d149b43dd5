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


def likely_players(names: Sequence[str], league: League) -> list[tuple[str, list[int]]]:
    """Each of these names with the ids of whom it may mean, the likeliest first. One query."""
    bearers: dict[str, list[int]] = {}
    for pk, player in Player.objects.in_league(league).order_by("sort_key", "pk").values_list("pk", "name"):
        bearers.setdefault(fold(player), []).append(pk)
    close = ((name, get_close_matches(fold(name), bearers, n=SUGGESTED)) for name in names)
    return [(name, [pk for key in keys for pk in bearers[key]]) for name, keys in close]


def suggested(
    likely: Sequence[tuple[str, Sequence[int]]], league: League, chosen: Mapping[str, int]
) -> list[tuple[str, list[Player]]]:
    """For each name that nobody bears whom it may mean: the likely ones, then everybody else. One query.

    Of a league too large for that only the likely ones, and who was chosen.
    """
    players = {player.pk: player for player in Player.objects.in_league(league).order_by("sort_key", "pk")}
    is_small = len(players) * len(likely) <= MOST_OPTIONS
    found = []
    for name, ids in likely:
        others = players if is_small else [chosen[name]] if name in chosen else []
        found.append((name, [players[pk] for pk in dict.fromkeys([*ids, *others]) if pk in players]))
    return found
