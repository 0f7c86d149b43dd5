"""Imports a game file into a season: the same import as on the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leagues.games_csv import GamesFile, read_games
from leagues.management.bar import progress_bar
from leagues.models import Season
from leagues.services import ImportPlan, import_games, plan_import
from leagues.services.seasons import find_seasons


class Command(BaseCommand):
    help = "Imports a game file into a season, all of it or, when it has an error, nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("season", metavar="LEAGUE[/SEASON]", help="without a season: the only open one")
        parser.add_argument("file", metavar="FILE", help="CSV or XLSX in the wide or the long form")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen and write nothing")
        parser.add_argument("--create-players", action="store_true", help="make new players of unknown names")
        parser.add_argument("--encoding", metavar="ENC", help="of a file that is not in Unicode")

    def handle(self, *_args: Any, **options: Any) -> None:
        season = _season(options["season"])
        create_players = options["create_players"]
        try:
            with progress_bar():
                if options["dry_run"]:
                    plan = plan_import(season, _read(options, season), create_players=create_players)
                else:
                    plan = import_games(
                        season=season, file=_read(options, season), by=None, create_players=create_players
                    )
        except ValidationError as refused:
            raise CommandError(refused.messages[0]) from refused
        self._report(plan, season, is_dry_run=options["dry_run"])

    def _report(self, plan: ImportPlan, season: Season, *, is_dry_run: bool) -> None:
        if plan.error_count:
            for error in plan.errors:
                self.stderr.write(str(error))
            if plan.error_count > len(plan.errors):
                self.stderr.write(f"and {plan.error_count - len(plan.errors)} more errors")
            if plan.unknown:
                self.stderr.write(f"Unknown players: {', '.join(plan.unknown)}.")
            raise CommandError("Nothing was imported.")
        address = f"{season.league.slug}/{season.slug}"
        done = "would be imported" if is_dry_run else "imported"
        self.stdout.write(
            f"{address}: {plan.new} games {done}, {plan.known} known already, "
            f"{len(plan.players)} new players (read as {plan.file.encoding})"
        )


def _season(address: str) -> Season:
    """The season of an address; of a league's address its only open one."""
    try:
        seasons = find_seasons(address)
    except ValidationError as refused:
        raise CommandError(refused.messages[0]) from refused
    if "/" in address.strip("/"):
        return seasons[0]
    are_open = [season for season in seasons if season.is_open]
    if len(are_open) == 1:
        return are_open[0]
    choices = ", ".join(f"{season.league.slug}/{season.slug}" for season in are_open or seasons)
    reason = "more than one open season" if are_open else "no open season"
    raise CommandError(f"The league “{address}” has {reason}; choose one of: {choices}.")


def _read(options: dict[str, Any], season: Season) -> GamesFile:
    name = options["file"]
    try:
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CommandError(f"The file “{name}” cannot be read: {reason}.") from error
    league = season.league
    return read_games(data, timezone=league.zone, language=league.language, encoding=options["encoding"])
