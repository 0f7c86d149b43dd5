"""Proves that no league of this installation's code shows or changes anything of another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.test.utils import setup_test_environment

from isolation.walk import Walk
from isolation.world import VISITORS, make_world

# What the configured site stands on, and the walk must not touch or depend on.
OWN = ("ALLOWED_HOSTS", "BEHIND_PROXY", "EMAIL_URL", "HTTPS", "MAIN_HOST", "REDIS_URL", "SECRET_KEY")
LEAKS_SHOWN = 100


class Command(BaseCommand):
    help = (
        "Walks every page, form, file and JSON answer as every kind of visitor of two leagues made for it, "
        "in a temporary database. Exits 1 on a leak."
    )
    requires_system_checks = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--here", action="store_true", help="walk in the configured database, which must be empty"
        )
        parser.add_argument(
            "--as",
            action="append",
            default=[],
            choices=VISITORS,
            dest="visitors",
            metavar="VISITOR",
            help=f"walk as this visitor only, one of: {', '.join(VISITORS)}",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["here"]:
            self._walk(options["visitors"])
        else:
            self._walk_elsewhere([f"--as={name}" for name in options["visitors"]])

    def _walk_elsewhere(self, arguments: list[str]) -> None:
        """Start this command again in another process, which knows nothing of the configured services."""
        with TemporaryDirectory(prefix="isolation-") as folder:
            here = {name: value for name, value in os.environ.items() if name not in OWN}
            there = {
                "VAR_DIR": folder,
                "DATABASE_URL": f"sqlite:///{Path(folder) / 'db.sqlite3'}",
                "MESSAGES": "0",
                "DEBUG": "1",  # for files that nobody has collected; pages are those without it
            }
            command = [sys.executable, "manage.py", "check_isolation", "--here", *arguments]
            done = subprocess.run(command, env=here | there, cwd=settings.BASE_DIR, check=False)  # noqa: S603
        if done.returncode:
            raise CommandError("The leagues are not apart.")

    def _walk(self, visitors: list[str]) -> None:
        if connection.introspection.table_names():
            raise CommandError("The configured database is not empty: leave out --here.")
        setup_test_environment(debug=False)  # no mail leaves
        call_command("migrate", verbosity=0)
        walk = Walk(make_world(), told=lambda visitor: self.stderr.write(f"Walking as {visitor}"))
        leaks = walk.run(*visitors)
        for leak in leaks[:LEAKS_SHOWN]:
            self.stdout.write(leak)
        requests, routes = sum(walk.asked.values()), len(walk.routes)
        self.stdout.write(f"{requests} requests at {routes} routes as {len(walk.asked)} visitors")
        if leaks:
            raise CommandError(f"{len(leaks)} leaks.")
        self.stdout.write("Nothing of another league was shown or changed.")
