"""What a league out of a box must be, as services would have made it: asked before it is kept."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.exceptions import ValidationError
from django.db.models import Count, Exists, F, Max, OuterRef
from django.utils.translation import gettext as _

from leagues.models import (
    Adjustment,
    AuditEntry,
    Challenge,
    Entry,
    Game,
    GameReport,
    League,
    Player,
    ReportSeat,
    Season,
    Side,
    SideMember,
    Team,
)
from leagues.names import check_player_name
from leagues.progress import Stage, over
from leagues.services.addresses import LEAGUE_PAGES, SEASON_PAGES, refuse_reserved, reserved_words
from leagues.services.seasons import refuse_games_outside
from leagues.tenancy.admin.history import differences
from ratings.models import Replay, RuleSet
from ratings.services.box_reading import BoxError
from ratings.services.check import check_season
from ratings.services.correction_log import corrections_of, told
from ratings.services.replay import replay_season

UNREADABLE = (LookupError, TypeError, ValueError, AttributeError)


def check_rows(league: League) -> None:
    """Raise BoxError for the first row, or rows together, that no service would have left."""
    players = list(Player.with_merged.in_league(league))
    words = reserved_words(SEASON_PAGES)
    for player in players:
        with _said_of(player.name):
            check_player_name(player.name)
            refuse_reserved(player.slug, words)
    if problem := next(_problems(league, players), None):
        raise BoxError(problem)
    for season in Season.objects.in_league(league).select_related("league"):
        with _said_of(season.name):
            _check_season(season)


def check_results(league: League) -> None:
    """Raise BoxError where results are not what the facts give; those that lag behind are rated anew."""
    for season in Season.objects.in_league(league).order_by("starts_on", "pk"):
        is_level = Replay.objects.filter(season=season, revision=season.revision).exists()
        try:
            found = check_season(season.pk) if is_level else []
            if not is_level:
                replay_season(season.pk, full=True)
        except UNREADABLE as error:
            found = [repr(error)]
        if found:
            message = _("Season “%(season)s”: its results are not what its games give: %(difference)s.")
            raise BoxError(message % {"season": season.name, "difference": found[0]})


def check_logs(league: League) -> None:
    """Raise BoxError for an entry of the log, or a correction, that a page could not tell."""
    entries = AuditEntry.objects.in_league(league).order_by("pk")
    try:
        for entry in over(Stage.CHECKING, entries.iterator(), entries.count()):
            differences(entry)
        for season in Season.objects.in_league(league):
            for correction in corrections_of(season):
                told(correction)
    except UNREADABLE as error:
        raise BoxError(
            _("The log holds what cannot be told: %(reason)s.") % {"reason": repr(error)}
        ) from error


class _said_of:  # noqa: N801 - reads as a word of the statement it stands in
    """Says of what is refused in this block whose it is."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, refused: BaseException | None, _trace: object) -> None:
        if isinstance(refused, ValidationError):
            raise BoxError(f"“{self.name}”: {refused.messages[0]}") from refused


def _check_season(season: Season) -> None:
    season.clean_fields()
    refuse_reserved(season.slug, reserved_words(LEAGUE_PAGES))
    refuse_games_outside(season)
    for rules in RuleSet.objects.filter(season=season).select_related("season"):
        rules.clean_fields()
        rules.clean()


def _problems(league: League, players: list[Player]) -> Iterator[str]:
    merged = {player.pk: player.merged_into_id for player in players}
    for player in merged.values():
        steps = 0
        while player is not None and steps <= len(merged):
            steps, player = steps + 1, merged[player]
        if steps > len(merged):
            yield _("Players are merged into each other in a circle.")
    for team in Team.objects.in_league(league).annotate(size=Count("members")).filter(size__lt=2):
        yield _("The team “%(team)s” has less than two players.") % {"team": team.name}
    games = Game.objects.in_league(league).order_by()
    games = games.annotate(number=Count("sides"), last=Max("sides__position"))
    byes = games.filter(kind=Game.Kind.BYE)
    if games.exclude(kind=Game.Kind.BYE).exclude(number__gte=2, last=F("number")).exists():
        yield _("A game has less than two sides, or lacks one between others.")
    if byes.exclude(number=1, last=1).exists() or byes.exclude(sides__points=0).exists():
        yield _("A bye has more or less than one side, or has points.")
    if Side.objects.in_league(league).filter(members=None).exists():
        yield _("A game has a side without players.")
    seats = SideMember.objects.in_league(league)
    if seats.exclude(side__game=F("game")).exists():
        yield _("A player sits at a side of another game.")
    challenges = Challenge.objects.in_league(league).filter(game__isnull=False)
    if challenges.exclude(game__season=F("season")).exists():
        yield _("A challenge was played in a game of another season.")
    reports = GameReport.objects.in_league(league).order_by()
    if reports.filter(challenge__isnull=False).exclude(challenge__season=F("season")).exists():
        yield _("A report tells of a challenge of another season.")
    if reports.filter(game__isnull=False).exclude(game__season=F("season")).exists():
        yield _("A report became a game of another season.")
    played = ReportSeat.objects.filter(report=OuterRef("pk"), player=OuterRef("reporter"))
    if reports.exclude(Exists(played)).exists():
        yield _("A game is reported by somebody who did not play in it.")
    for season in Season.objects.in_league(league):
        entered = Entry.objects.filter(season=season).values("player")
        if seats.filter(game__season=season, game__voided_at=None).exclude(player__in=entered).exists():
            message = _("In “%(season)s” a player has a game and is not entered.")
            yield message % {"season": season.name}
        forfeits = Game.objects.filter(season=season, kind=Game.Kind.FORFEIT)
        if forfeits.exclude(rated=season.forfeits_rated).exists():
            message = _("In “%(season)s” a forfeit is rated, or is not, against what the season says.")
            yield message % {"season": season.name}
        if Adjustment.objects.filter(season=season).exclude(player__in=entered).exists():
            message = _("In “%(season)s” a player has an adjustment and is not entered.")
            yield message % {"season": season.name}
