"""Seasons and entries."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, F, Min, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from leagues.models import Adjustment, Entry, Game, GameReport, League, Player, Season, SideMember
from leagues.names import unique_slug
from leagues.prepared import PreparedRows
from leagues.services.addresses import (
    LEAGUE_PAGES,
    give_up_former,
    keep_former,
    refuse_reserved,
    reserved_words,
)
from leagues.services.audit import (
    Actor,
    leave_audit,
    lock_season,
    read_locked,
    refuse_closed,
    save_checked,
    season_is_changed,
    values_of,
)
from leagues.services.organizers import acts_as_owner
from leagues.services.players import refuse_gone

LIMITS = ("largest_margin", "negative_points", "team_min", "team_max", "teams_max", "duels_only")
# Asked for every duel that is recorded: a season may have very many entries.
ENTERED_OF_TWO = PreparedRows(
    lambda: Entry.objects.filter(season=0).filter(player__in=[0, 1]).order_by().values_list("player_id")
)
SEATS_ASKED = 500  # players asked for by id; of more, as of an import, all entries are read
CHALLENGE_LIMITS = (
    "answer_hours", "play_hours", "battle_minutes", "open_challenges_max", "declines_max",
    "rematch_days", "rematch_games", "rest_days_max", "inactive_days",
)  # fmt: skip
REPORT_FIELDS = ("games_from", "report_hours", "unanswered")
POLICIES = ("forfeits_rated", "withdrawal_voids")
SEASON_FIELDS = (
    "name", "slug", "starts_on", "ends_on", "state", *LIMITS, *POLICIES, *REPORT_FIELDS, *CHALLENGE_LIMITS,
    "rules_text",
)  # fmt: skip


@transaction.atomic
def create_season(*, league: League, by: Actor, **values: Any) -> Season:
    """Make a season; ``values`` are those of SEASON_FIELDS. Without an address it is made of the name.

    Raises ValidationError, at its field, for what a season cannot be; a closed one is closed later.
    """
    if values.get("state") == Season.State.CLOSED:
        message = _("A new season is a draft or open: close it once its games are entered.")
        raise ValidationError({"state": message})
    if not values.get("slug"):
        reserved = reserved_words(LEAGUE_PAGES)
        others = Season.objects.in_league(league)
        values["slug"] = unique_slug(
            values.get("name", ""),
            fallback="season",
            taken=lambda slug: slug in reserved or others.filter(slug=slug).exists(),
        )
    season = Season(league=league, **values)
    season.full_clean()
    refuse_reserved(season.slug, reserved_words(LEAGUE_PAGES))
    save_checked(season)
    give_up_former(season.slug, season)
    leave_audit("create_season", season, by=by, after=values_of(season, SEASON_FIELDS), season=season)
    season_is_changed(season, since=season.starts_at)
    return season


@transaction.atomic
def update_season(*, season: Season, by: Actor, **values: Any) -> Season:
    """Change values of SEASON_FIELDS.

    Of a closed season only the state can change: that is how an owner reopens it. Raises
    ValidationError when games would lie outside the season.
    """
    locked = read_locked(Season.objects.locked(), season)
    before = values_of(locked, SEASON_FIELDS)
    for name in SEASON_FIELDS:
        setattr(locked, name, values.get(name, before[name]))
    changed = {name for name in SEASON_FIELDS if getattr(locked, name) != before[name]}
    if before["state"] == Season.State.CLOSED and changed - {"state"}:
        refuse_closed(locked)
    if not changed:
        return locked
    if before["state"] == Season.State.CLOSED and not acts_as_owner(locked.league_id, by):
        raise ValidationError({"state": _("Only an owner of the league can reopen a season.")})
    locked.full_clean()
    if "slug" in changed:
        refuse_reserved(locked.slug, reserved_words(LEAGUE_PAGES))
        keep_former(before["slug"], locked)
    refuse_games_outside(locked)
    if locked.is_closed:
        _refuse_open_reports(locked)
    since = _rate_forfeits(locked) if "forfeits_rated" in changed else None
    save_checked(locked, update_fields=SEASON_FIELDS)
    after = values_of(locked, SEASON_FIELDS)
    leave_audit("update_season", locked, by=by, before=before, after=after, season=locked)
    # Closed, a season is rated once more as a whole, and what that took from outside it is kept: it is
    # final. Reopened, it takes in what left it alone: years of birth, the zone, ratings carried over.
    is_rated_anew = changed & {"state", *LIMITS}
    season_is_changed(locked, since=locked.starts_at if is_rated_anew else since)
    if "state" in changed:
        # Later seasons may carry its final ratings over.
        later = Season.objects.in_league(locked.league).filter(starts_on__gt=locked.starts_on)
        for season in later.exclude(state=Season.State.CLOSED).locked():
            season_is_changed(season, since=season.starts_at)
    return locked


def _rate_forfeits(season: Season) -> datetime | None:
    """Have forfeits rated, or not, as the season says now; when the first one was that counts."""
    forfeits = Game.objects.filter(season=season, kind=Game.Kind.FORFEIT)
    forfeits.update(rated=season.forfeits_rated)
    first: datetime | None = forfeits.not_voided().aggregate(first=Min("played_at"))["first"]
    return first


def refuse_games_outside(season: Season) -> None:
    """Raise ValidationError when the season has games or adjustments that are not of its days."""
    games = Game.objects.filter(season=season)
    outside = games.filter(played_at__lt=season.starts_at) | games.filter(played_at__gte=season.ends_at)
    if count := outside.count():
        message = ngettext(
            "%(count)d game was played outside these days; move it first or choose other days.",
            "%(count)d games were played outside these days; move them first or choose other days.",
            count,
        )
        raise ValidationError({"starts_on": message % {"count": count}})
    adjustments = Adjustment.objects.filter(season=season)
    outside_too = adjustments.filter(at__lt=season.starts_at) | adjustments.filter(at__gte=season.ends_at)
    if count := outside_too.count():
        message = ngettext(
            "%(count)d adjustment takes effect outside these days; choose other days.",
            "%(count)d adjustments take effect outside these days; choose other days.",
            count,
        )
        raise ValidationError({"starts_on": message % {"count": count}})


def _refuse_open_reports(season: Season) -> None:
    """Raise ValidationError when players reported games that are not decided: results are to be final."""
    if count := GameReport.objects.filter(season=season).open().count():
        message = ngettext(
            "%(count)d reported game is not decided yet; accept or drop it first.",
            "%(count)d reported games are not decided yet; accept or drop them first.",
            count,
        )
        raise ValidationError({"state": message % {"count": count}})


@transaction.atomic
def delete_season(*, season: Season, by: Actor) -> None:
    """Delete a season with its games. Raises ValidationError for a closed one: it must be reopened first."""
    season = lock_season(season)
    leave_audit("delete_season", season, by=by, before=values_of(season, SEASON_FIELDS))
    season.delete()


def find_seasons(address: str) -> list[Season]:
    """The seasons of ``league`` or ``league/season``, as the commands take them; the latest first.

    Raises ValidationError with a sentence when there is none.
    """
    league_slug, _slash, season_slug = address.strip("/").partition("/")
    seasons = Season.objects.filter(league__slug=league_slug).select_related("league").current_first()
    if not seasons and not League.objects.filter(slug=league_slug).exists():
        raise ValidationError(_("There is no league at “%(address)s”.") % {"address": league_slug})
    found = [season for season in seasons if season_slug in ("", season.slug)]
    if not found:
        message = _("The league “%(league)s” has no season at “%(season)s”; its seasons are: %(known)s.")
        known = ", ".join(season.slug for season in seasons) or "–"
        raise ValidationError(message % {"league": league_slug, "season": season_slug, "known": known})
    return found


def enter_players(season: Season, players: Iterable[Player]) -> None:
    """Enter those of the players who are not yet, by playing; part of other services.

    Raises ValidationError for who was deleted or merged meanwhile: nobody is who is entered.
    """
    named = {player.pk: player for player in players}
    entered = _entered(season, list(named))
    new = {pk: player for pk, player in named.items() if pk not in entered}
    if new:
        refuse_gone(new.values())
        Entry.objects.bulk_create(
            [Entry(season=season, player=player, by_playing=True) for player in new.values()]
        )


def _entered(season: Season, players: list[int]) -> set[int]:
    """Those who are entered, at least of these players."""
    if len(players) == 2:
        return {player for (player,) in ENTERED_OF_TWO.all(season.pk, *players)}
    entries = Entry.objects.filter(season=season).order_by()
    if len(players) <= SEATS_ASKED:
        entries = entries.filter(player__in=players)
    return set(entries.values_list("player_id", flat=True))


def drop_idle_entries(season: Season, players: Collection[int]) -> None:
    """Of these players, take out whom only games had entered and who has none left that counts.

    Part of other services.
    """
    idle_entries(players).filter(season=season).delete()


def idle_entries(players: Collection[int], *, without: int | None = None) -> QuerySet[Entry]:
    """The entries of these players that only games had made, none of which counts any more.

    Not of who was given an adjustment, cancelled or not: that is on record in the season. It is as if there
    was no game with the id ``without``.
    """
    games = SideMember.objects.filter(
        player=OuterRef("player"), game__season=OuterRef("season"), game__voided_at__isnull=True
    ).exclude(game=without)
    entries = Entry.objects.filter(player__in=players, by_playing=True, withdrawn_at=None)
    adjustments = Adjustment.objects.filter(player=OuterRef("player"), season=OuterRef("season"))
    return entries.exclude(Exists(games)).exclude(Exists(adjustments))


@transaction.atomic
def enter_player(*, season: Season, player: Player, by: Actor) -> Entry:
    """Enter a player in a season. Raises ValidationError for one entered already or of another league."""
    season = lock_season(season)
    if player.league_id != season.league_id:
        raise ValidationError({"player": _("This player is unknown in this league.")})
    refuse_gone([player])
    entry = Entry(season=season, player=player)
    entry.full_clean()
    entry.save()
    leave_audit("enter_player", entry, by=by, after={"season": season.name}, season=season)
    season_is_changed(season, since=None)
    return entry


def withdraw_player(*, entry: Entry, by: Actor) -> Entry:
    """Withdraw a player, who no longer counts as an opponent to be met.

    The games stay, or are voided, as the season says. One who is withdrawn already is left alone.
    """
    return _set_withdrawn("withdraw_player", entry, timezone.now(), by)


def reinstate_player(*, entry: Entry, by: Actor) -> Entry:
    """Take a withdrawal back, and let the games count again that it voided; where there is none, nothing."""
    return _set_withdrawn("reinstate_player", entry, None, by)


@transaction.atomic
def _set_withdrawn(action: str, entry: Entry, withdrawn_at: datetime | None, by: Actor) -> Entry:
    season, entry = locked_entry(entry)
    if (entry.withdrawn_at is None) == (withdrawn_at is None):
        return entry
    before = {"season": season.name} | values_of(entry, ["withdrawn_at"])
    entry.withdrawn_at = withdrawn_at
    entry.save(update_fields=["withdrawn_at"])
    changed = _restore_games(entry) if withdrawn_at is None else _void_games(entry)
    after = {"season": season.name} | values_of(entry, ["withdrawn_at"])
    if changed:
        after |= {"player": entry.player.name, "games": len(changed)}
    leave_audit(action, entry, by=by, before=before, after=after, season=season)
    season_is_changed(season, since=min((game.played_at for game in changed), default=None))
    return entry


def _void_games(entry: Entry) -> list[Game]:
    """Void the games of a player who withdrew, where the season says so; those that it voids."""
    season = entry.season
    if not season.withdrawal_voids:
        return []
    games = Game.objects.filter(season=season).not_voided().filter(seats__player=entry.player_id)
    voided = list(games)
    with override(season.league.language):
        reason = _("a player withdrew")
    ids = [game.pk for game in voided]
    seated = list(SideMember.objects.filter(game__in=ids).values_list("player_id", flat=True))
    Game.objects.filter(pk__in=ids).update(
        voided_at=entry.withdrawn_at, void_reason=reason, by_withdrawal=True, version=F("version") + 1
    )
    drop_idle_entries(season, seated)
    return voided


def _restore_games(entry: Entry) -> list[Game]:
    """Let the games count again that a player's withdrawal voided, but for those of others who withdrew."""
    season = entry.season
    gone = Entry.objects.filter(season=season, withdrawn_at__isnull=False).values("player")
    games = Game.objects.filter(season=season, by_withdrawal=True, seats__player=entry.player_id)
    restored = list(games.exclude(pk__in=SideMember.objects.filter(player__in=gone).values("game")))
    ids = [game.pk for game in restored]
    Game.objects.filter(pk__in=ids).update(
        voided_at=None, void_reason="", by_withdrawal=False, version=F("version") + 1
    )
    enter_players(season, Player.objects.filter(seats__game__in=ids).distinct())
    return restored


@transaction.atomic
def remove_entry(*, entry: Entry, by: Actor) -> None:
    """Take a player out of a season who has played no game in it, nor was given an adjustment.

    Raises ValidationError otherwise.
    """
    season, entry = locked_entry(entry)
    if entry.player.seats.filter(game__season=season).exists():
        raise ValidationError(
            _("%(name)s has played in this season; withdraw the player instead."),
            params={"name": entry.player.name},
        )
    if entry.player.adjustments.filter(season=season).exists():
        raise ValidationError(
            _("%(name)s has an adjustment in this season; withdraw the player instead."),
            params={"name": entry.player.name},
        )
    leave_audit("remove_entry", entry, by=by, before={"season": season.name}, season=season)
    entry.delete()
    season_is_changed(season, since=None)


def locked_entry(entry: Entry) -> tuple[Season, Entry]:
    """The entry's season, locked, and the entry read afresh; part of services on entries.

    Raises ValidationError when it is gone.
    """
    season = lock_season(entry.season)
    stored = Entry.objects.select_related("player").filter(pk=entry.pk).first()
    if stored is None:
        raise ValidationError(_("Somebody else removed this entry meanwhile."), code="deleted")
    stored.season = season
    return season, stored
