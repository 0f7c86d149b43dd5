"""Rates a game file without any database."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leagues.games_csv import neutral, read_games
from leagues.management.bar import progress_bar
from leagues.models.league import check_timezone
from ratings.engine.presets import DEFAULT_PRESET, PRESETS, with_setting
from ratings.engine.types import Row, Rules
from ratings.services.rate import rate_file

# The keys of the JSON and the columns of the CSV: a contract with other programs.
COLUMNS = (
    *("place", "player", "season_score", "rating", "games"),
    *("wins", "draws", "losses", "first_places", "classified"),
)
ERRORS_SHOWN = 100


class Command(BaseCommand):
    help = "Rates a game file without any database: the quickest way to try a rulebook."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--system", choices=DEFAULT_PRESET)
        parser.add_argument("--rules", choices=PRESETS, help="the preset to start from")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a setting other than the preset's",
        )
        parser.add_argument("--timezone", default="UTC", help="of times without an offset")
        parser.add_argument("--encoding", help="of a file that is not UTF-8")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    def handle(self, *_args: Any, **options: Any) -> None:
        rules = self._rules(options)
        zone = self._zone(options["timezone"])
        try:
            data = options["file"].read_bytes()
        except (OSError, ValueError) as error:  # a ValueError: a name that no file can have
            reason = error.strerror if isinstance(error, OSError) else error
            raise CommandError(f"The file “{options['file']}” cannot be read: {reason}.") from error
        with progress_bar():
            rated = rate_file(read_games(data, timezone=zone, encoding=options["encoding"]), rules, zone)
        if rated.errors:
            for problem in rated.errors[:ERRORS_SHOWN]:
                self.stderr.write(str(problem))
            raise CommandError("The file has errors: no game was rated.")
        rows = [_values(name, row) for name, row in rated.rows]
        {"json": self._write_json, "csv": self._write_csv, "table": self._write_table}[options["format"]](
            rows
        )

    def _rules(self, options: dict[str, Any]) -> Rules:
        preset = options["rules"] or DEFAULT_PRESET[options["system"] or "wsd"]
        rules = PRESETS[preset]
        if options["system"] and rules.system != options["system"]:
            fitting = ", ".join(name for name in PRESETS if PRESETS[name].system == options["system"])
            raise CommandError(
                f"“{preset}” is no preset of {options['system']}; its presets are: {fitting}.", returncode=2
            )
        for setting in options["set"]:
            name, equals, value = setting.partition("=")
            if not equals:
                raise CommandError(f"--set {setting}: write it as name=value.", returncode=2)
            try:
                rules = with_setting(rules, name.strip(), value)
            except ValueError as error:
                raise CommandError(f"--set {setting}: {error}", returncode=2) from error
        return rules

    def _zone(self, name: str) -> ZoneInfo:
        try:
            check_timezone(name)
        except ValidationError as error:
            raise CommandError(f"--timezone: {error.messages[0]}", returncode=2) from error
        return ZoneInfo(name)

    def _write_json(self, rows: list[dict[str, Any]]) -> None:
        self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1))

    def _write_csv(self, rows: list[dict[str, Any]]) -> None:
        writer = csv.DictWriter(self.stdout, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: neutral(value) for name, value in row.items()} for row in rows)

    def _write_table(self, rows: list[dict[str, Any]]) -> None:
        cells = [[name.replace("_", " ") for name in COLUMNS]]
        cells += [["" if row[name] is None else str(row[name]) for name in COLUMNS] for row in rows]
        widths = [max(len(line[column]) for line in cells) for column in range(len(COLUMNS))]
        for line in cells:
            padded = [
                cell.ljust(width) if name == "player" else cell.rjust(width)
                for name, cell, width in zip(COLUMNS, line, widths, strict=True)
            ]
            self.stdout.write("  ".join(padded).rstrip())


def _values(name: str, row: Row) -> dict[str, Any]:
    """A row as other programs read it: rating points with one decimal."""
    shown = {"player": name, "season_score": row.season_score / 10, "rating": row.rating / 10}
    return {column: shown.get(column, getattr(row, column, None)) for column in COLUMNS}
