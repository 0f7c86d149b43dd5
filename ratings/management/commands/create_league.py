"""Makes a league, and a first season, ready for games."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from leagues.models import League, Season
from leagues.names import tidy
from leagues.services import create_league
from ratings.engine.presets import DEFAULT_PRESET, PRESETS
from ratings.services.rules import create_rated_season, preset_named


class Command(BaseCommand):
    help = "Makes a public league ready for games."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the league's part of the addresses")
        parser.add_argument("--name", help="the slug, unless said")
        parser.add_argument("--system", choices=DEFAULT_PRESET)
        parser.add_argument("--rules", choices=PRESETS)
        parser.add_argument("--language", choices=dict(settings.LANGUAGES), default="en")
        parser.add_argument("--timezone", default="UTC")
        parser.add_argument("--owner", metavar="USERNAME")
        parser.add_argument("--season", metavar="NAME", help="a first season, open, with --starts and --ends")
        parser.add_argument("--starts", type=date.fromisoformat, metavar="DATE")
        parser.add_argument("--ends", type=date.fromisoformat, metavar="DATE")

    def handle(self, *_args: Any, **options: Any) -> None:
        given = [options[name] is not None for name in ("season", "starts", "ends")]
        if any(given) and not all(given):
            raise CommandError("A season needs --season, --starts and --ends together.", returncode=2)
        try:
            league, season = self._create(options)
        except ValidationError as refused:
            raise CommandError("\n".join(_sentences(refused))) from refused
        self.stdout.write(f"The league “{league.name}” is at /{league.slug}/.")
        if season:
            self.stdout.write(f"The season “{season.name}” is open at /{league.slug}/{season.slug}/.")

    @transaction.atomic
    def _create(self, options: dict[str, Any]) -> tuple[League, Season | None]:
        owner = None
        if options["owner"]:
            owner = get_user_model().objects.filter(username=options["owner"]).first()
            if owner is None:
                raise CommandError(f"There is no user “{options['owner']}”.")
        system = options["system"] or (PRESETS[options["rules"]].system if options["rules"] else "wsd")
        preset = preset_named(options["rules"] or "", system)
        league = create_league(
            by=owner,
            owner=owner,
            slug=options["slug"],
            name=tidy(options["name"] or "") or options["slug"],
            language=options["language"],
            timezone=options["timezone"],
        )
        season = None
        if options["season"] is not None:
            season = create_rated_season(
                league=league,
                by=owner,
                preset=preset,
                name=tidy(options["season"]),
                starts_on=options["starts"],
                ends_on=options["ends"],
            )
        return league, season


def _sentences(refused: ValidationError) -> list[str]:
    if not hasattr(refused, "error_dict"):
        return refused.messages
    return [
        sentence if field == NON_FIELD_ERRORS else f"{field}: {sentence}"
        for field, sentences in refused.message_dict.items()
        for sentence in sentences
    ]
