"""Puts a league in a box: a ZIP of CSV and JSON with all that it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leagues.management.bar import progress_bar
from leagues.models import League
from ratings.services.box_export import export_league


class Command(BaseCommand):
    help = "Writes all of a league to one ZIP of CSV and JSON, which import_league makes the same league of."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("league", metavar="LEAGUE", help="its part of the addresses")
        parser.add_argument(
            "file", nargs="?", metavar="FILE", help="LEAGUE.zip unless said; an old one is replaced"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        league = League.objects.filter(slug=options["league"].strip("/")).first()
        if league is None:
            raise CommandError(f"There is no league at “{options['league']}”.")
        path = Path(options["file"] or f"{league.slug}.zip")
        part = path.with_name(f"{path.name}.part")  # an export cut short leaves the file of before
        try:
            # For its owner alone: the box holds what only organizers see.
            part.touch(mode=0o600)
            with part.open("wb") as file, progress_bar():
                export_league(league, file)
            part.replace(path)
        except OSError as error:
            raise CommandError(f"The file “{path}” cannot be written: {error.strerror}.") from error
        finally:
            part.unlink(missing_ok=True)
        self.stdout.write(f"The league “{league.name}” is in {path}.")
