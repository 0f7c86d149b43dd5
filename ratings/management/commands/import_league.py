"""Makes a league out of its box."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leagues.management.bar import progress_bar
from leagues.models import Season
from ratings.services.box_import import import_league


class Command(BaseCommand):
    help = "Makes the league of a box that export_league wrote: all of it, or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--slug", default="", help="another address than the one it had")
        parser.add_argument("--owner", metavar="USERNAME", help="its first organizer: accounts are in no box")

    def handle(self, *_args: Any, **options: Any) -> None:
        owner = None
        if options["owner"]:
            owner = User.objects.filter(username=options["owner"]).first()
            if owner is None:
                raise CommandError(f"There is no user “{options['owner']}”.")
        try:
            with Path(options["file"]).open("rb") as file, progress_bar():
                league = import_league(file=file, by=owner, slug=options["slug"], owner=owner)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CommandError(f"The file “{options['file']}” cannot be read: {reason}.") from error
        except ValidationError as refused:
            raise CommandError(f"{refused.messages[0]}\nNothing was imported.") from refused
        seasons = Season.objects.in_league(league).count()
        self.stdout.write(f"The league “{league.name}” is at /{league.slug}/, with {seasons} seasons.")
