"""Battles that a program draws and reports: challenges that nobody answers, each good for one result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from random import Random, SystemRandom
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leagues.formats import format_day, format_moment
from leagues.models import ApiToken, Challenge, Entry, Game, Player, Season
from leagues.services.api_games import KeyReusedError, keep_key, known_key
from leagues.services.audit import leave_audit, lock_season
from leagues.services.challenges import play_challenge
from leagues.services.player_names import PlayerNames, one_of
from ratings.engine.matchmaking import Stakes, at_stake, draw_opponent
from ratings.engine.types import KRule, PlayerState, Rules
from ratings.services.explain import shown_reason
from ratings.services.facts import is_junior, player_states, rules_of
from ratings.services.pool import find_pool

RANDOM = SystemRandom()


@dataclass(frozen=True, slots=True)
class Battle:
    """A drawn battle, and what it would change as things stand now; ``is_new`` unless the key was known."""

    challenge: Challenge
    stakes: Stakes
    is_new: bool


class BattleRefusedError(ValidationError):
    """A battle cannot be drawn or reported as things are; nothing was written. ``code`` says which case."""


def draw_battle(*, season: Season, challenger: str, key: str, by: ApiToken, rng: Random = RANDOM) -> Battle:
    """Draw an opponent for a challenger, who is named as in reported games; the battle waits for its result.

    Each member of the pool is equally likely. A key that came before in the league answers with the battle
    it made. Raises BattleRefusedError, KeyReusedError, SeasonClosedError, CannotRateError, and
    ValidationError for ``challenger`` where that names nobody.
    """
    digest = _digest(season, "draw", challenger)
    if made := _made(season, key, digest):
        return _battle(season, made, is_new=False)
    try:
        with transaction.atomic():
            season = lock_season(season)
            if made := _made(season, key, digest):  # by one that was faster to the lock
                return _battle(season, made, is_new=False)
            challenge = _draw(season, _player(season, challenger), rng)
            keep_key(season.league, key, digest, challenge=challenge)
            _leave_audit(challenge, by)
    except IntegrityError:
        # The same key in another season at the same moment, whose lock is another one.
        if made := _made(season, key, digest):
            return _battle(season, made, is_new=False)
        raise
    return _battle(season, challenge, is_new=True)


def report_battle(
    *, season: Season, battle: UUID, points: tuple[int, int], by: ApiToken, note: str = ""
) -> tuple[Game, bool]:
    """Record the result of an accepted challenge as a game played now, and whether it is new.

    ``points`` are the challenger's and the opponent's. The battle is its own key: told again, the same
    result answers with the game it made. Raises Challenge.DoesNotExist, BattleRefusedError, also where
    another result was told, GameRefusedError and SeasonClosedError.
    """
    Challenge.objects.get(season=season, uuid=battle)
    key, digest = f"battle {battle}", _digest(season, str(battle), points, note)  # no program's: of two words
    if game := _recorded(season, key, digest):
        return game, False
    with transaction.atomic():
        season = lock_season(season)
        if game := _recorded(season, key, digest):
            return game, False
        challenges = Challenge.objects.select_related("challenger__league", "opponent__league")
        challenge = challenges.get(season=season, uuid=battle)
        challenge.season = season
        _refuse_unplayable(challenge)
        game = play_challenge(
            challenge=challenge,
            played_at=timezone.now(),
            points=points,
            note=note,
            by=by.created_by,
            through=by,
        )
        keep_key(season.league, key, digest, game=game)
        return game, True


def _refuse_unplayable(challenge: Challenge) -> None:
    if challenge.state in (Challenge.State.PLAYED, Challenge.State.FORFEITED):
        raise BattleRefusedError(_("This battle has its result already."), code="played")
    if challenge.state == Challenge.State.REPORTED:
        message = _("A player reported the result of this challenge; it waits for confirmation.")
        raise BattleRefusedError(message, code="reported")
    if challenge.state == Challenge.State.ISSUED:
        raise BattleRefusedError(_("This challenge is not accepted yet."), code="not-accepted")
    is_late = challenge.play_by is not None and challenge.play_by <= timezone.now()
    if challenge.state == Challenge.State.EXPIRED or (challenge.is_open and is_late):
        zone = challenge.season.league.zone
        until = format_moment(challenge.play_by, zone=zone) if challenge.play_by else ""
        message = _("This battle could be played until %(moment)s; it has expired.")
        raise BattleRefusedError(message, code="expired", params={"moment": until})
    if not challenge.is_open:
        raise BattleRefusedError(_("This challenge was declined or withdrawn."), code="over")


def _draw(season: Season, challenger: Player, rng: Random) -> Challenge:
    now = timezone.now()
    rules = rules_of(season)
    _refuse_undrawable(season, rules, challenger)
    (state,) = player_states(season, rules, [challenger])
    found = find_pool(season, rules, state.rating, rng, without=[challenger.pk])
    drawn = draw_opponent(found.pool, rng)
    if drawn is None:
        message = _("Nobody within %(deviation)s points of %(name)s can be challenged now.")
        params = {"deviation": found.pool.deviation // 10, "name": challenger.name}
        raise BattleRefusedError(message, code="nobody", params=params)
    opponent = found.standings[int(drawn)]
    challenge = Challenge(
        season=season,
        challenger=challenger,
        opponent=opponent.player,
        state=Challenge.State.ACCEPTED,
        by_draw=True,
        challenger_rating=state.rating,
        opponent_rating=opponent.rating,
        issued_at=now,
        play_by=min(now + timedelta(minutes=season.battle_minutes), season.ends_at),
        decided_at=now,
    )
    challenge.save()
    return challenge


def _refuse_undrawable(season: Season, rules: Rules, challenger: Player) -> None:
    if rules.system != "ladder":
        message = _("Battles are drawn in seasons of Ranked Battle; this one is none.")
        raise BattleRefusedError(message, code="no-ladder")
    if not season.includes(timezone.now()):
        message = _("Battles are drawn while the season runs, from %(first)s to %(last)s.")
        days = {"first": format_day(season.starts_on), "last": format_day(season.ends_on)}
        raise BattleRefusedError(message, code="outside", params=days)
    if Entry.objects.filter(season=season, player=challenger, withdrawn_at__isnull=False).exists():
        message = _("%(name)s is withdrawn from this season.")
        raise BattleRefusedError(message, code="withdrawn", params={"name": challenger.name})


def _player(season: Season, name: str) -> Player:
    """Whom an address, name or other name means. An address is found without reading all names."""
    addressed = Player.objects.in_league(season.league_id).filter(slug=name).first()
    if addressed is not None:
        return addressed
    found = one_of(name, PlayerNames(season.league).find(name))
    if found is None:
        message = _("“%(name)s” is no player of this league; report a first game, or add the player.")
        raise ValidationError({"challenger": ValidationError(message, params={"name": name})})
    return found


def _battle(season: Season, challenge: Challenge, *, is_new: bool) -> Battle:
    rules = rules_of(season)
    challenger, opponent = player_states(season, rules, [challenge.challenger, challenge.opponent])
    return Battle(challenge, stakes_of(season, rules, challenge.challenger, challenger, opponent), is_new)


def stakes_of(
    season: Season, rules: Rules, player: Player, challenger: PlayerState, opponent: PlayerState
) -> Stakes:
    """What a battle of a challenger, who is this player, would change if it was played today.

    Whether a player is a junior is nobody's business: the reason for K does not tell.
    """
    year = timezone.now().astimezone(season.league.zone).year
    is_young = player.birth_year is not None and is_junior(player.birth_year, year)
    stakes = at_stake(rules, challenger, opponent, junior=rules.k_rule is KRule.FIDE_JUNIOR and is_young)
    return Stakes(stakes.k, shown_reason(rules, stakes.k_reason), stakes.won, stakes.drawn, stakes.lost)


def _made(season: Season, key: str, digest: str) -> Challenge | None:
    """The battle that a key made. Raises BattleRefusedError where it is gone, with its season."""
    known = known_key(season.league_id, key, digest)
    if known is None:
        return None
    made = Challenge.objects.select_related("challenger", "opponent", "season__league")
    challenge = made.filter(pk=known.challenge_id or 0).first()
    if challenge is None:
        raise BattleRefusedError(_("The battle of this Idempotency-Key was deleted since."), code="gone")
    return challenge


def _recorded(season: Season, key: str, digest: str) -> Game | None:
    """The game of a battle whose result was told before."""
    try:
        known = known_key(season.league_id, key, digest)
    except KeyReusedError as reused:
        raise BattleRefusedError(_("This battle has another result already."), code="played") from reused
    if known is None:
        return None
    game = Game.objects.filter(pk=known.game_id or 0).first()
    if game is None:
        raise BattleRefusedError(_("The game of this battle was deleted since."), code="gone")
    return game


def _digest(season: Season, *told: Any) -> str:
    return sha256(json.dumps([season.pk, *told]).encode()).hexdigest()


def _leave_audit(challenge: Challenge, by: ApiToken) -> None:
    names = {"challenger": challenge.challenger.name, "opponent": challenge.opponent.name}
    leave_audit("draw_battle", challenge, by=by.created_by, after=names | {"through": by.name})
