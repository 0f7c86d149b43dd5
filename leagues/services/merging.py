"""Merging two players who are one person: all that is the one's goes to the other, in every season.

What is needed to give it back stands in the audit entry, under ``UNDO`` (see ``unmerging``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Count, F, Min, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.formats import format_day
from leagues.models import (
    Adjustment,
    Challenge,
    Entry,
    FormerAddress,
    Game,
    GameReport,
    Invitation,
    Player,
    PlayerAlias,
    ReportSeat,
    Season,
    SeasonClosedError,
    SideMember,
    Team,
)
from leagues.models.base import hold_open
from leagues.models.report import GameReportQuerySet
from leagues.names import same_name
from leagues.services.addresses import keep_former
from leagues.services.audit import UNDO, Actor, leave_audit, read_locked, season_is_changed
from leagues.services.players import refuse_gone
from leagues.services.seasons import idle_entries

BATCH = 5_000  # ids of one query
CHALLENGE_ROLES = {"challenger": "challenges_issued", "opponent": "challenges_received"}


@dataclass(frozen=True, slots=True)
class MergedSeason:
    """A season that a merge touches."""

    season: Season
    games: int  # that go to the other player, voided ones too
    since: datetime | None  # from when ratings change; None: only who is entered does


@dataclass(frozen=True, slots=True)
class Merge:
    """What merging would do: ``gone`` becomes ``keep``."""

    keep: Player
    gone: Player
    birth_year: int | None  # of the two together
    seasons: tuple[MergedSeason, ...]  # the latest first

    @property
    def games(self) -> int:
        return sum(each.games for each in self.seasons)

    @property
    def takes_birth_year(self) -> bool:
        """Whether the year of birth was known of the one who goes only."""
        return self.birth_year != self.keep.birth_year


def plan_merge(*, keep: Player, gone: Player) -> Merge:
    """What merging two players would do. Writes nothing.

    Raises SeasonClosedError when a closed season would change, and ValidationError with every other
    reason why the two cannot be merged, each a sentence.
    """
    if keep.pk == gone.pk:
        raise ValidationError(_("Choose two different players."), code="same")
    if keep.league_id != gone.league_id:
        raise ValidationError(_("The two play in different leagues and cannot be merged."), code="league")
    refuse_gone([keep, gone])
    for season in seasons_of([gone]).filter(state=Season.State.CLOSED)[:1]:
        raise SeasonClosedError(season.name)
    reasons = [
        *_meetings(keep, gone),
        *_challenges_between(keep, gone),
        *_reported_meetings(keep, gone),
        *_different_withdrawals(keep, gone),
        *_teams_in_the_way(keep, gone),
        *_different_birth_years(keep, gone),
        *_two_accounts(keep, gone),
    ]
    if reasons:
        raise ValidationError(reasons, code="different")
    birth_year = keep.birth_year or gone.birth_year
    return Merge(keep, gone, birth_year, tuple(_touched(keep, gone, birth_year)))


def seasons_of(players: Collection[Player]) -> models.QuerySet[Season]:
    """The seasons in which one of these is entered or has a game, voided or reported too, or a challenge.

    The latest first.
    """
    entries = Entry.objects.filter(player__in=players).values("season")
    games = SideMember.objects.filter(player__in=players).values("game__season")
    challenges = Challenge.objects.filter(Q(challenger__in=players) | Q(opponent__in=players)).values(
        "season"
    )
    reports = ReportSeat.objects.filter(player__in=players).values("report__season")
    in_one = Q(pk__in=entries) | Q(pk__in=games) | Q(pk__in=challenges) | Q(pk__in=reports)
    found = Season.objects.filter(in_one)
    return found.select_related("league")


def first_adjustments(adjustments: Iterable[Adjustment]) -> dict[int, datetime]:
    """When the first of these in effect takes effect, by the id of its season."""
    first: dict[int, datetime] = {}
    for each in adjustments:
        if not each.is_cancelled:
            first[each.season_id] = min(each.at, first.get(each.season_id, each.at))
    return first


def _touched(keep: Player, gone: Player, birth_year: int | None) -> Iterator[MergedSeason]:
    counted = Q(game__voided_at=None)
    seats = SideMember.objects.filter(player=gone).order_by().values("game__season")
    rows = seats.annotate(games=Count("pk"), since=Min("game__played_at", filter=counted))
    games = {row["game__season"]: (row["games"], row["since"]) for row in rows}
    adjusted = first_adjustments(Adjustment.objects.filter(player=gone))
    # Which games a junior plays follows from the year of birth.
    is_rated_anew = birth_year != keep.birth_year
    seasons = seasons_of([keep, gone] if is_rated_anew else [gone])
    for season in seasons.exclude(state=Season.State.CLOSED):
        number, played = games.get(season.pk, (0, None))
        since = min(filter(None, (played, adjusted.get(season.pk))), default=None)
        yield MergedSeason(season, number, season.starts_at if is_rated_anew else since)


def _meetings(keep: Player, gone: Player) -> Iterator[str]:
    """Who sat at one table are two people, voided or not: one has one seat in a game."""
    games = Game.objects.filter(seats__player=keep).filter(seats__player=gone)
    first = games.select_related("season__league").in_play_order().first()
    if first is None:
        return
    message = ngettext(
        "%(keep)s and %(gone)s played in one game, on %(day)s in “%(season)s”: they are two people. "
        "Correct or delete that game first if it is wrong.",
        "%(keep)s and %(gone)s played in %(count)d games together, the first on %(day)s in “%(season)s”: "
        "they are two people. Correct or delete those games first if they are wrong.",
        count := games.count(),
    )
    yield message % {
        "keep": keep.name,
        "gone": gone.name,
        "count": count,
        "day": format_day(first.played_at, zone=first.season.league.zone),
        "season": first.season.name,
    }


def _challenges_between(keep: Player, gone: Player) -> Iterator[str]:
    """Nobody challenges oneself."""
    if Challenge.objects.of_player(keep).of_player(gone).exists():
        message = _("%(keep)s and %(gone)s challenged each other: they are two people.")
        yield message % {"keep": keep.name, "gone": gone.name}


def _reported_meetings(keep: Player, gone: Player) -> Iterator[str]:
    if _reports_of_both(keep, gone).open().exists():
        message = _("%(keep)s and %(gone)s stand in a reported game that is not decided yet; drop it first.")
        yield message % {"keep": keep.name, "gone": gone.name}


def _reports_of_both(keep: Player, gone: Player) -> GameReportQuerySet:
    return GameReport.objects.of_player(keep).of_player(gone)


def _different_withdrawals(keep: Player, gone: Player) -> Iterator[str]:
    both = Entry.objects.filter(player__in=[keep, gone]).order_by("season", "player")
    withdrawn: dict[Season, dict[int, bool]] = {}
    for entry in both.select_related("season"):
        withdrawn.setdefault(entry.season, {})[entry.player_id] = entry.withdrawn_at is not None
    message = _(
        "In “%(season)s” %(withdrawn)s is withdrawn and %(other)s is not: withdraw both first, or none."
    )
    for season, states in withdrawn.items():
        if len(set(states.values())) == 2:
            out, other = (keep, gone) if states[keep.pk] else (gone, keep)
            yield message % {"season": season.name, "withdrawn": out.name, "other": other.name}


def _teams_in_the_way(keep: Player, gone: Player) -> Iterator[str]:
    """Teams that would become one player, or a set of players which another team is already."""
    names = dict(Team.objects.in_league(keep.league_id).values_list("member_key", "name"))
    for team in gone.teams.all():
        members = _without(team, gone)
        if keep.pk in members:
            message = _("%(keep)s and %(gone)s are both in the team “%(team)s”; change or delete it first.")
            yield message % {"keep": keep.name, "gone": gone.name, "team": team.name}
        elif other := names.get(Team.key_of([*members, keep.pk])):
            message = _("The teams “%(team)s” and “%(other)s” would be the same; change or delete one first.")
            yield message % {"team": team.name, "other": other}


def _different_birth_years(keep: Player, gone: Player) -> Iterator[str]:
    years = (keep.birth_year, gone.birth_year)
    if None not in years and years[0] != years[1]:
        message = _("%(keep)s was born in %(year)d and %(gone)s in %(other)d; correct the wrong one first.")
        yield message % {"keep": keep.name, "year": years[0], "gone": gone.name, "other": years[1]}


def _two_accounts(keep: Player, gone: Player) -> Iterator[str]:
    if keep.user_id is not None and gone.user_id is not None:
        message = _("%(keep)s and %(gone)s have an account each; release one of them first.")
        yield message % {"keep": keep.name, "gone": gone.name}


@transaction.atomic
def merge_players(*, keep: Player, gone: Player, by: Actor) -> Player:
    """Make ``gone`` the same player as ``keep``, in all seasons; their results follow by a replay.

    Games, entries, teams, other names and the account go to ``keep``, the name becomes another name, and the
    address leads there. Raises what ``plan_merge`` does; ``undo_merge`` takes it back.
    """
    keep, gone = hold_players(keep, gone)
    hold_seasons(keep)
    plan = plan_merge(keep=keep, gone=gone)
    undo = {
        "keep": keep.pk,
        "gone": gone.pk,
        "birth_year": keep.birth_year,
        **_give_entries(keep, gone),  # before the games: who is idle follows from them
        "games": _give_games(keep, gone),
        **_give_challenges(keep, gone),
        "reports": _give_reports(keep, gone),
        "adjustments": _give_adjustments(keep, gone),
        "teams": give_teams(gone.teams.all(), gone, keep),
        **_give_names(keep, gone),
    }
    gone.merged_into = keep
    gone.save(update_fields=["merged_into"])
    keep.birth_year = plan.birth_year
    keep.user_id = keep.user_id or gone.user_id  # and who is gone remembers it, for the undoing
    keep.save(update_fields=["birth_year", "user"])
    Invitation.objects.filter(player__in=[gone, keep] if keep.user_id else [gone]).delete()
    keep.league.touch()
    after = {
        "merged": gone.name,
        "games": plan.games,
        "seasons": [each.season.name for each in plan.seasons],
    }
    only = plan.seasons[0].season if len(plan.seasons) == 1 else None
    leave_audit("merge_players", keep, by=by, before={UNDO: undo}, after=after, season=only)
    for each in plan.seasons:
        season_is_changed(each.season, since=each.since)
    return keep


def hold_players(*players: Player) -> list[Player]:
    """The players read afresh and held, always in one order. Raises ValidationError for one who is gone."""
    rows = Player.with_merged.select_related("league").select_for_update(of=("self",), no_key=True)
    held = {each.pk: read_locked(rows, each) for each in sorted(players, key=attrgetter("pk"))}
    return [held[player.pk] for player in players]


def hold_seasons(player: Player) -> None:
    """Hold every season of the league: nobody enters or seats a player, or closes a season, meanwhile."""
    for season in Season.objects.in_league(player.league_id).locked():
        if not season.is_closed:
            hold_open(season.pk)


def _give_games(keep: Player, gone: Player) -> list[int]:
    seats = SideMember.objects.filter(player=gone)
    games = list(seats.order_by("game").values_list("game_id", flat=True))
    for some in batches(games):
        # Whoever corrects such a game just now gets to see the difference.
        Game.objects.filter(pk__in=some).update(version=F("version") + 1)
    seats.update(player=keep)
    return games


def _give_challenges(keep: Player, gone: Player) -> dict[str, Any]:
    undo = {}
    for role, name in CHALLENGE_ROLES.items():
        challenges = Challenge.objects.filter(**{role: gone})
        undo[name] = list(challenges.order_by("pk").values_list("pk", flat=True))
        challenges.update(**{role: keep})
    return undo


def _give_reports(keep: Player, gone: Player) -> list[int]:
    """What was reported of both together, and dropped, is forgotten: one has one seat in a report."""
    _reports_of_both(keep, gone).delete()
    reports = list(GameReport.objects.of_player(gone).order_by("pk").values_list("pk", flat=True))
    hand_reports_over(reports, gone, keep)
    return reports


def hand_reports_over(reports: Collection[int], giver: Player, taker: Player) -> None:
    """Put one player into the other one's place in these reports."""
    stored = GameReport.objects.filter(pk__in=reports)
    stored.filter(reporter=giver).update(reporter=taker)
    stored.filter(answered_by=giver).update(answered_by=taker)
    ReportSeat.objects.filter(report__in=reports, player=giver).update(player=taker)


def _give_adjustments(keep: Player, gone: Player) -> list[int]:
    adjustments = Adjustment.objects.filter(player=gone)
    ids = list(adjustments.order_by("pk").values_list("pk", flat=True))
    adjustments.update(player=keep)
    return ids


def give_teams(teams: Iterable[Team], giver: Player, taker: Player) -> list[int]:
    given = []
    for team in teams:
        team.member_key = Team.key_of([*_without(team, giver), taker.pk])
        team.save(update_fields=["member_key"])
        team.members.through.objects.filter(team=team, player=giver).update(player=taker)
        given.append(team.pk)
    return given


def _without(team: Team, player: Player) -> list[int]:
    members = team.members.through.objects.filter(team=team).exclude(player=player)
    return list(members.values_list("player_id", flat=True))


def _give_entries(keep: Player, gone: Player) -> dict[str, Any]:
    """Of a season with both, the entry of the one who stays is that of both."""
    own = {entry.season_id: entry for entry in Entry.objects.filter(player=keep)}
    idle = list(idle_entries([keep.pk, gone.pk]).values_list("pk", flat=True))
    dropped, joined = [], []
    for entry in Entry.objects.filter(player=gone, season__in=own.keys()):
        kept = own[entry.season_id]
        dropped.append(_values(entry))
        joined.append(_values(kept))
        kept.by_playing &= entry.by_playing
        kept.entered_at = min(kept.entered_at, entry.entered_at)
        kept.save(update_fields=["by_playing", "entered_at"])
        entry.delete()
    moved = Entry.objects.filter(player=gone)
    ids = list(moved.values_list("pk", flat=True))
    moved.update(player=keep)
    return {"entries": ids, "entries_dropped": dropped, "entries_joined": joined, "idle": idle}


def _give_names(keep: Player, gone: Player) -> dict[str, Any]:
    """The other names, but for those the one who stays has already, and the name itself as one of them.

    So with the addresses.
    """
    own = PlayerAlias.objects.filter(player=keep)
    known = set(own.values_list("key", flat=True))
    moved = PlayerAlias.objects.filter(player=gone).exclude(key__in=known)
    dropped = PlayerAlias.objects.filter(player=gone, key__in=known)
    undo: dict[str, Any] = {"names_dropped": [_values(alias) for alias in dropped]}
    dropped.delete()
    undo["names"] = list(moved.values_list("pk", flat=True))
    PlayerAlias.objects.filter(pk__in=undo["names"]).update(player=keep)
    addresses = FormerAddress.objects.filter(player=gone)
    undo["addresses"] = list(addresses.values_list("pk", flat=True))
    addresses.update(player=keep)
    keep_former(gone.slug, keep)
    undo["name_added"] = None
    key = same_name(gone.name)
    if key != same_name(keep.name) and not own.filter(key=key).exists():
        added = PlayerAlias.objects.create(player=keep, key=key, league=keep.league, name=gone.name)
        undo["name_added"] = added.pk
    return undo


def _values(row: models.Model) -> dict[str, Any]:
    """A row as JSON that loses nothing: Django's encoder cuts a time to milliseconds."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()
    }


def batches(ids: list[int]) -> Iterator[list[int]]:
    return (ids[first : first + BATCH] for first in range(0, len(ids), BATCH))
