"""Loads the demo leagues."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from leagues.models import League
from ratings.demo import create_ranked_battle, create_wsd
from ratings.services.replay import replay_stale_seasons

LOGINS = {
    "admin": "operator of the site",
    "zahari": "owner of World Series of Desperada",
    "ayse": "owner of Ranked Battle",
}


class Command(BaseCommand):
    help = "Loads the demo leagues, wsd and ranked-battle. A second call changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--if-empty", action="store_true", help="only if the site has no league")
        parser.add_argument(
            "--sign-ins",
            action="store_true",
            help="make the demo sign-ins with DEBUG=0 too, where anyone may try them",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["if_empty"] and League.objects.exists():
            return
        with transaction.atomic():  # both leagues whole, or none after a crash
            users = self._sign_ins() if settings.DEBUG or options["sign_ins"] else {}
            if not League.objects.filter(slug="wsd").exists():
                create_wsd(owner=users.get("zahari"))
                self.stdout.write("World Series of Desperada is at /wsd/.")
            if not League.objects.filter(slug="ranked-battle").exists():
                create_ranked_battle(owner=users.get("ayse"))
                self.stdout.write("Ranked Battle is at /ranked-battle/.")
        replay_stale_seasons()  # where a broker is configured, without waiting for a worker

    def _sign_ins(self) -> dict[str, User]:
        """The demo users; new ones get random passwords, which only the file of sign-ins knows."""
        users, passwords = {}, {}
        for username, role in LOGINS.items():
            user = User.objects.filter(username=username).first()
            if user is None:
                password = secrets.token_urlsafe(9)
                user = User.objects.create_user(username, password=password, is_superuser=username == "admin")
                passwords[username] = f"{username}  {password}  ({role})"
            users[username] = user
        if passwords:
            _keep(passwords)
        return users


def _keep(passwords: dict[str, str]) -> None:
    """Write the lines of new users into the file of sign-ins, where those of others stay."""
    path = Path(settings.VAR_DIR) / "demo-logins.txt"
    path.touch(mode=0o600)
    path.chmod(0o600)
    known = {line.split()[0]: line for line in path.read_text().splitlines() if line.strip()}
    path.write_text("\n".join((known | passwords).values()) + "\n")
