"""Whom a player may challenge, what is at stake, and issuing the challenge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from random import Random, SystemRandom
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.formats import format_moment, format_rating, format_short_day
from leagues.models import Challenge, Entry, Game, Player, Season, SideMember
from leagues.services.audit import Actor, leave_audit, lock_season, values_of
from leagues.services.challenges import TOLD
from ratings.engine.matchmaking import Stakes
from ratings.engine.types import Rules
from ratings.models import Standing
from ratings.services import battles
from ratings.services.facts import rules_of, state_of
from ratings.services.pool import Absence, absent_players, find_pool


@dataclass(frozen=True, slots=True)
class Prospect:
    """Somebody whom a player may think of challenging."""

    standing: Standing
    stakes: Stakes  # for the challenger
    obstacle: str  # why it is not possible, a sentence; empty where it is
    brief: str  # the same in as few words as a table has room for


class Chances:
    """What stands between a player and challenging the pool, or others; the same queries for any of them."""

    def __init__(
        self, season: Season, rules: Rules, challenger: Standing, others: Iterable[Standing] = ()
    ) -> None:
        self.season, self.rules, self.challenger = season, rules, challenger
        self.pool = pool_of(season, rules, challenger)
        known = {each.player_id: each for each in others if each.player_id != challenger.player_id}
        self.opponents = self.pool | known
        self.now, self.zone = timezone.now(), season.league.zone
        everybody = [challenger.player_id, *self.opponents]
        self.absent = absent_players(season, everybody, self.now)
        self.rests = _rests(season, everybody, self.now)
        self.open = _open_challenges(season, everybody, self.now)
        has_rematch = season.rematch_days or season.rematch_games
        self.last_met = _last_met(season, challenger.player_id, self.opponents) if has_rematch else {}
        self.own_games = _latest_games(season, challenger.player_id, season.rematch_games)

    def prospects(self) -> dict[int, Prospect]:
        """By player id, each of the opponents."""
        return {player: self._prospect(each) for player, each in self.opponents.items()}

    def _prospect(self, opponent: Standing) -> Prospect:
        stakes = stakes_of(self.season, self.rules, self.challenger, opponent)
        obstacle = self.obstacle(opponent)
        brief = _("out of range") if obstacle and obstacle == self._too_far else obstacle
        return Prospect(opponent, stakes, obstacle, brief)

    @property
    def k(self) -> Decimal:
        """K of a battle that the challenger starts, whoever the opponent is."""
        return stakes_of(self.season, self.rules, self.challenger, self.challenger).k

    def obstacle(self, opponent: Standing) -> str:
        """Why this one cannot be challenged; empty where nothing is in the way."""
        return self.own_obstacle or next(filter(None, self._obstacles(opponent)), "")

    @cached_property
    def own_obstacle(self) -> str:
        """Why the challenger can challenge nobody at all."""
        if not self.season.is_open:
            return _("This season takes no challenges: it is not open.")
        if not self.season.includes(self.now):
            days = {
                "first": format_short_day(self.season.starts_on),
                "last": format_short_day(self.season.ends_on),
            }
            return _("This season takes challenges from %(first)s to %(last)s.") % days
        issued = sum(each.challenger_id == self.challenger.player_id for each in self.open)
        # Who has not played for long comes back by challenging.
        is_idle = self.absent.get(self.challenger.player_id) is Absence.INACTIVE
        absence = "" if is_idle else self._absence(self.challenger)
        return absence or self._too_many(self.challenger, issued)

    def _obstacles(self, opponent: Standing) -> Iterator[str]:
        """The reasons against this one, the weightiest first."""
        yield self._absence(opponent)
        is_far = abs(opponent.rating - self.challenger.rating) > self.rules.pool_deviation
        if is_far and opponent.player_id not in self.pool:  # for which the range may have been widened
            yield self._too_far
        pair = {self.challenger.player_id, opponent.player_id}
        if any({each.challenger_id, each.opponent_id} == pair for each in self.open):
            yield _("There is an open challenge between the two.")
        yield self._too_many(opponent, sum(each.opponent_id == opponent.player_id for each in self.open))
        yield self._rematch(opponent)

    @property
    def _too_far(self) -> str:
        most = format_rating(self.rules.pool_deviation)
        return _("The ratings are more than %(most)s apart.") % {"most": most}

    def _absence(self, standing: Standing) -> str:
        """Why this one cannot be challenged by anybody, as the pool has it."""
        name, days = standing.player.name, self.season.inactive_days
        match self.absent.get(standing.player_id):
            case Absence.WITHDRAWN:
                return _("%(name)s is withdrawn.") % {"name": name}
            case Absence.RESTING:
                until = format_moment(self.rests[standing.player_id], zone=self.zone)
                return _("%(name)s rests until %(until)s.") % {"name": name, "until": until}
            case Absence.INACTIVE:
                message = ngettext(
                    "%(name)s has not played for %(days)d day.",
                    "%(name)s has not played for %(days)d days.",
                    days,
                )
                return message % {"name": name, "days": days}
        return ""

    def _too_many(self, standing: Standing, count: int) -> str:
        most = self.season.open_challenges_max
        if not most or count < most:
            return ""
        message = ngettext(
            "%(name)s has %(count)d open challenge, as many as this season allows.",
            "%(name)s has %(count)d open challenges, as many as this season allows.",
            count,
        )
        return message % {"name": standing.player.name, "count": count}

    def _rematch(self, opponent: Standing) -> str:
        met = self.last_met.get(opponent.player_id)
        if met is None:
            return ""
        again = met + timedelta(days=self.season.rematch_days)
        if again > self.now:
            day = format_short_day(again, zone=self.zone)
            return _("The two played only recently; again from %(day)s.") % {"day": day}
        missing = self.season.rematch_games - sum(at > met for at in self.own_games)
        if missing <= 0:
            return ""
        message = ngettext(
            "The two played only recently; again after %(count)d more game against others.",
            "The two played only recently; again after %(count)d more games against others.",
            missing,
        )
        return message % {"count": missing}


def pool_of(season: Season, rules: Rules, challenger: Standing) -> dict[int, Standing]:
    """A player's pool by player id, in order of the standings: the same until the season changes."""
    rng = Random(f"{season.pk} {season.revision} {challenger.player_id}")  # noqa: S311 - no secret
    found = find_pool(season, rules, challenger.rating, rng, without=[challenger.player_id])
    return dict(sorted(found.standings.items(), key=lambda each: each[1].position))


def stakes_of(season: Season, rules: Rules, challenger: Standing, opponent: Standing) -> Stakes:
    """What a battle would change for the challenger by the published ratings."""
    return battles.stakes_of(season, rules, challenger.player, state_of(challenger), state_of(opponent))


def _rests(season: Season, players: Iterable[int], now: datetime) -> dict[int, datetime]:
    """Until when those of these players rest who do."""
    resting = Entry.objects.filter(season=season, player__in=list(players)).resting(now).order_by()
    return dict(resting.values_list("player", "rests_until"))


def _open_challenges(season: Season, players: Iterable[int], now: datetime) -> list[Challenge]:
    """The open ones between people, of all of these players."""
    return list(Challenge.objects.filter(season=season).between_people().open_at(now).of_players(players))


def _seats(season: Season) -> Any:
    """Of games that are rated: a forfeit keeps nobody from a rematch."""
    return SideMember.objects.filter(game__season=season, game__voided_at=None, game__rated=True).order_by()


def _last_met(season: Season, challenger: int, players: Iterable[int]) -> dict[int, datetime]:
    """When the challenger last played each of these."""
    own = Game.objects.filter(season=season, seats__player=challenger)
    seats = _seats(season).filter(player__in=list(players), game__in=own)
    return dict(seats.values_list("player").annotate(Max("game__played_at")))


def _latest_games(season: Season, player: int, number: int) -> list[datetime]:
    """When the player's last so many games were played."""
    games = _seats(season).filter(player=player).order_by("-game__played_at")
    return list(games.values_list("game__played_at", flat=True)[:number]) if number else []


@transaction.atomic
def issue_challenge(
    *,
    season: Season,
    challenger: Player,
    by: Actor,
    opponent: Player | None = None,
    rng: Random | None = None,
) -> Challenge:
    """Challenge an opponent or, where none is named, one of the pool whom ``rng`` draws.

    The range is checked now: ratings that move later change nothing about it. Raises ValidationError with
    the sentence that says why it is not possible.
    """
    season = lock_season(season)
    rules = rules_of(season)
    own = _standing(season, challenger)
    if opponent is None:
        chosen = _drawn(season, rules, own, rng or SystemRandom())
    else:
        chosen = _standing(season, opponent)
        _refuse(Chances(season, rules, own, [chosen]), chosen)
    now = timezone.now()
    challenge = Challenge(
        season=season,
        challenger=challenger,
        opponent=chosen.player,
        by_draw=opponent is None,
        issued_at=now,
        respond_by=min(now + timedelta(hours=season.answer_hours), season.ends_at),
        challenger_rating=own.rating,
        opponent_rating=chosen.rating,
    )
    challenge.full_clean(exclude=["season", "challenger", "opponent", "game"])
    challenge.save()
    leave_audit("issue_challenge", challenge, by=by, after=values_of(challenge, TOLD))
    return challenge


def _standing(season: Season, player: Player) -> Standing:
    """Where a player stands by the published results. Raises ValidationError for one who does not."""
    row = Standing.objects.filter(season=season, player=player).select_related("player").first()
    if row is None:
        message = _("%(name)s has no rating in this season yet; enter the player first.")
        raise ValidationError(message, params={"name": player.name})
    return row


def _refuse(chances: Chances, opponent: Standing) -> None:
    if opponent.player_id == chances.challenger.player_id:
        raise ValidationError(_("Nobody can challenge themselves; choose somebody else."))
    if obstacle := chances.obstacle(opponent):
        raise ValidationError(obstacle, code="obstacle")


def _drawn(season: Season, rules: Rules, own: Standing, rng: Random) -> Standing:
    """Of the pool, one who can be challenged, each equally likely. Raises ValidationError without any."""
    chances = Chances(season, rules, own)
    if chances.own_obstacle:
        raise ValidationError(chances.own_obstacle, code="obstacle")
    possible = [each for each in chances.pool.values() if not chances.obstacle(each)]
    if not possible:
        raise ValidationError(_("Nobody of the pool can be challenged at the moment."), code="empty")
    return rng.choice(possible)
