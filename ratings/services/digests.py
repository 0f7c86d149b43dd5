"""Letters on what happened in a league: put together, and sent once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Min, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from leagues.formats import format_day
from leagues.hosts import organizers_address
from leagues.mail import send_letter
from leagues.models import Digest, Game, GameReport, League, Organizer, Season
from leagues.services.digests import unsubscribe_token
from leagues.tenancy.hosts import public_address
from ratings.models import Correction, Standing
from ratings.services.facts import shown_rules
from ratings.services.history import ListedGame, listed
from ratings.services.past import Before, before

GAMES_TOLD, ROWS_TOLD = 30, 10
PAUSE = timedelta(hours=1)  # after a letter that was not taken
FAILURES = 3  # letters in a row that were not taken, after which the others wait too


def is_letter_due() -> bool:
    """Whether a letter is to be sent now. One query."""
    return settings.MESSAGES and Digest.objects.due().exists()


def send_due_digests() -> int:
    """Send the letters that are due, one after the other; how many are dealt with and not waiting still."""
    if not settings.MESSAGES:
        return 0
    done = failures = 0
    for digest in Digest.objects.due().select_related("league", "user"):
        if send_digest(digest):
            done, failures = done + 1, 0
        else:
            failures += 1
        if failures == FAILURES:
            return 0
    return done


def send_digest(digest: Digest) -> bool:
    """Send a letter, unless another process does or nothing happened; False where it was not taken.

    The period is moved on before: a process that dies leaves a letter out and sends none twice.
    """
    now = timezone.now()
    since, until = digest.since, digest.period_of(now)
    own = Digest.objects.filter(pk=digest.pk, since=since, due_at=digest.due_at)
    if not own.update(since=until, due_at=digest.next_period(now)):
        return True
    with translation.override(digest.league.language), timezone.override(digest.league.zone):
        told = _seasons_told(digest, since, until)
        if not told or _send(digest, told, since):
            return True
    Digest.objects.filter(pk=digest.pk, since=until).update(since=since, due_at=now + PAUSE)
    return False


@dataclass(frozen=True, slots=True)
class Moved:
    """A player in the standings, and where the player stood before; None for who had not played."""

    standing: Standing
    before: Before | None

    @property
    def places(self) -> str:
        """Positions gained or lost: “↑2”, “↓1”; empty for none."""
        known = self.before.position if self.before else None
        risen = known - self.standing.position if known else 0
        return f"{'↑' if risen > 0 else '↓'}{abs(risen)}" if risen else ""

    @property
    def change(self) -> int:
        """Tenths of a rating point gained."""
        return self.standing.rating - self.before.rating if self.before else 0


@dataclass(frozen=True, slots=True)
class SeasonTold:
    """What happened in a season."""

    season: Season
    games: Sequence[ListedGame]  # the latest of them, in order of play
    more: int  # how many besides
    corrections: int
    rows: Sequence[Moved]
    page: str
    corrections_page: str
    waiting: int  # reports that nobody has decided, where an organizer is told
    reports_page: str


def _seasons_told(digest: Digest, since: datetime, until: datetime) -> list[SeasonTold]:
    """What happened in each season but drafts in which something has, or in which reports wait."""
    league = digest.league
    is_organizer = Organizer.objects.in_league(league).filter(user=digest.user_id).exists()
    seasons = (
        Season.objects.in_league(league).published().select_related("rule_set").order_by("starts_on", "pk")
    )
    told = (_season_told(season, league, since, until, is_organizer=is_organizer) for season in seasons)
    return [each for each in told if each.games or each.corrections or each.waiting]


def _season_told(
    season: Season, league: League, since: datetime, until: datetime, *, is_organizer: bool
) -> SeasonTold:
    season.league = league
    entered = Game.objects.filter(season=season).counted().filter(entered_at__gte=since, entered_at__lt=until)
    corrected = Correction.objects.filter(season=season, at__gte=since, at__lt=until)
    shown = entered.latest_first().with_sides()[:GAMES_TOLD]
    games = listed(list(reversed(shown)), league)
    counted = entered.aggregate(games=Count("pk"), first=Min("played_at"))
    values = {"league": league.slug, "season": season.slug}
    return SeasonTold(
        season=season,
        games=games,
        more=counted["games"] - len(games),
        corrections=corrected.count(),
        # Games may have been entered days after they were played.
        rows=_moved(season, min(since, counted["first"])) if games else [],
        page=public_address(league, season.get_absolute_url()),
        corrections_page=public_address(league, reverse("ratings:corrections", kwargs=values)),
        waiting=GameReport.objects.filter(season=season).open().count() if is_organizer else 0,
        reports_page=organizers_address(reverse("leagues:report-list", kwargs=values)),
    )


def _moved(season: Season, since: datetime) -> list[Moved]:
    """The top of the standings, against those at a moment before."""
    top: QuerySet[Standing] = Standing.objects.filter(season=season, position__lte=ROWS_TOLD)
    known = before(season, shown_rules(season), since)
    rows = top.select_related("player").order_by("position", "pk")
    return [Moved(row, known.get(row.player_id)) for row in rows]


def _send(digest: Digest, told: Sequence[SeasonTold], since: datetime) -> bool:
    league = digest.league
    path = reverse("leagues:unsubscribe", kwargs={"letter": unsubscribe_token(digest)})
    end = organizers_address(path)
    context = {"league": league, "seasons": told, "since": since, "end": end}
    subject = _("%(league)s: games since %(day)s") % {"league": league.name, "day": format_day(since)}
    headers = {"List-Unsubscribe": f"<{end}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    return send_letter(
        digest.user.email, subject, render_to_string("ratings/digest_email.txt", context), headers
    )
