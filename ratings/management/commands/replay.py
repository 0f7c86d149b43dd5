"""Recomputes results, or proves that they equal a replay from scratch."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leagues.management.bar import progress_bar
from leagues.models import League, Season
from leagues.services.seasons import find_seasons
from ratings.models import Replay
from ratings.services.check import check_league, check_season
from ratings.services.replay import replay_season

DIFFERENCES_SHOWN = 100


class Command(BaseCommand):
    help = "Recomputes the results of all seasons, of a league's, or of one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("season", nargs="?", metavar="LEAGUE[/SEASON]")
        parser.add_argument(
            "--check",
            action="store_true",
            help="write nothing; exit 1 when a result is wrong, or a row belongs to two leagues",
        )
        parser.add_argument("--full", action="store_true", help="ignore the stored end state")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            seasons = (
                find_seasons(options["season"])
                if options["season"]
                else Season.objects.select_related("league")
            )
        except ValidationError as refused:
            raise CommandError(refused.messages[0]) from refused
        act = self._check if options["check"] else self._replay
        good = [act(season, options["full"]) for season in seasons]
        if options["check"]:
            good += [self._check_apart(league) for league in dict.fromkeys(each.league for each in seasons)]
        if not all(good):
            raise CommandError(
                "There are differences." if options["check"] else "Not every season could be rated."
            )

    def _check(self, season: Season, _full: bool) -> bool:
        with progress_bar():
            differences = check_season(season.pk)
        self._list(_address(season), differences)
        if not differences:
            self.stdout.write(f"{_address(season)}: equal to a replay from scratch")
        return not differences

    def _check_apart(self, league: League) -> bool:
        mixed = check_league(league)
        self._list(league.slug, mixed)
        return not mixed

    def _list(self, address: str, differences: list[str]) -> None:
        for difference in differences[:DIFFERENCES_SHOWN]:
            self.stdout.write(f"{address}: {difference}")
        if len(differences) > DIFFERENCES_SHOWN:
            self.stdout.write(f"{address}: and {len(differences) - DIFFERENCES_SHOWN} more")

    def _replay(self, season: Season, full: bool) -> bool:
        with progress_bar():
            replay_season(season.pk, full=full)
        result = Replay.objects.get(season=season)
        if result.error:
            self.stderr.write(f"{_address(season)}: {result.error}")
            return False
        self.stdout.write(f"{_address(season)}: {result.games} games, revision {result.revision}")
        return True


def _address(season: Season) -> str:
    return f"{season.league.slug}/{season.slug}"
