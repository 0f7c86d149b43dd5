"""Taking a merge of two players back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Min, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.models import (
    Adjustment,
    AuditEntry,
    Challenge,
    Entry,
    FormerAddress,
    Game,
    Player,
    PlayerAlias,
    Season,
    SideMember,
    Team,
)
from leagues.services.audit import UNDO, Actor, leave_audit, season_is_changed
from leagues.services.merging import (
    CHALLENGE_ROLES,
    batches,
    first_adjustments,
    give_teams,
    hand_reports_over,
    hold_players,
    hold_seasons,
    seasons_of,
)
from leagues.services.seasons import enter_players, idle_entries

# The seasons that change, each with the moment from which its ratings do.
Since = dict[Season, datetime | None]


@transaction.atomic
def undo_merge(*, gone: Player, by: Actor) -> Player:
    """Give back to a merged player all that a merge took: exactly the state before.

    What was done since stays: games recorded for the other player remain there, deleted ones deleted.
    Raises SeasonClosedError when a season that would change was closed meanwhile, and ValidationError
    when there is no merge to take back or somebody else sits in one of its games now.
    """
    (gone,) = hold_players(gone)
    if gone.merged_into_id is None:
        raise ValidationError(_("“%(name)s” is merged into nobody."), params={"name": gone.name})
    keep, gone = hold_players(Player(pk=gone.merged_into_id), gone)
    if keep.merged_into is not None:
        message = _("“%(keep)s” was merged into “%(other)s” since; undo that first.")
        raise ValidationError(message, params={"keep": keep.name, "other": keep.merged_into.name})
    hold_seasons(keep)
    undo = _taken(keep, gone)
    _take_account_back(keep, gone)
    gone.merged_into = None
    gone.save(update_fields=["merged_into", "user"])
    since = _take_games_back(keep, gone, undo["games"])
    _take_challenges_back(keep, gone, undo, since)
    _take_adjustments_back(keep, gone, undo["adjustments"], since)
    _take_entries_back(keep, gone, undo, since)
    _take_names_back(keep, gone, undo)
    hand_reports_over(undo["reports"], keep, gone)
    give_teams(Team.objects.filter(pk__in=undo["teams"], members=keep), keep, gone)
    if undo["birth_year"] != keep.birth_year == gone.birth_year:
        keep.birth_year = undo["birth_year"]
        keep.save(update_fields=["birth_year"])
        for season in seasons_of([keep, gone]).exclude(state=Season.State.CLOSED):
            since[season] = season.starts_at
    keep.league.touch()
    after = {"games": len(undo["games"]), "seasons": [season.name for season in since]}
    only = next(iter(since)) if len(since) == 1 else None
    leave_audit("undo_merge", gone, by=by, before={"merged_into": keep.name}, after=after, season=only)
    for season, moment in since.items():
        season_is_changed(season, since=moment)
    return gone


def _taken(keep: Player, gone: Player) -> dict[str, Any]:
    """What the merge of the two left in its audit entry."""
    entries = AuditEntry.objects.in_league(keep.league).filter(action="merge_players")
    entry = entries.filter(**{f"before__{UNDO}__keep": keep.pk, f"before__{UNDO}__gone": gone.pk}).first()
    if entry is None or entry.before is None:
        raise ValidationError(_("What this merge did is no longer on record; it cannot be taken back."))
    undo: dict[str, Any] = entry.before[UNDO]
    return undo


def _take_account_back(keep: Player, gone: Player) -> None:
    """The account that came along with the merge, unless it was released since."""
    if gone.user_id is not None and gone.user_id == keep.user_id:
        keep.user = None
        keep.save(update_fields=["user"])
    else:
        gone.user = None


def _take_games_back(keep: Player, gone: Player, games: list[int]) -> Since:
    """Seat the player in those of the games that are still there; from when each season changes."""
    lost = 0
    seasons: dict[int, datetime | None] = {}
    for some in batches(games):
        seats = SideMember.objects.filter(game__in=some, player=keep)
        stored = Game.objects.filter(pk__in=some)
        lost += stored.count() - seats.count()
        first = Min("played_at", filter=Q(voided_at=None))
        for season, moment in stored.order_by().values_list("season").annotate(first=first):
            times = [each for each in (moment, seasons.get(season)) if each]
            seasons[season] = min(times, default=None)
        stored.update(version=F("version") + 1)
        seats.update(player=gone)
    if lost:
        message = ngettext(
            "%(count)d game that went to %(keep)s was corrected since, and %(keep)s no longer plays in it: "
            "the merge cannot be taken back.",
            "%(count)d games that went to %(keep)s were corrected since, and %(keep)s no longer plays in "
            "them: the merge cannot be taken back.",
            lost,
        )
        raise ValidationError(message % {"count": lost, "keep": keep.name}, code="conflict")
    found = Season.objects.in_bulk(seasons)
    return {found[pk]: moment for pk, moment in seasons.items()}


def _take_challenges_back(keep: Player, gone: Player, undo: dict[str, Any], since: Since) -> None:
    """Give each back that is still there. Adds to the seasons that change."""
    for role, name in CHALLENGE_ROLES.items():
        for some in batches(undo[name]):
            challenges = Challenge.objects.filter(**{"pk__in": some, role: keep})
            seasons = Season.objects.filter(pk__in=challenges.order_by().values("season"))
            for season in seasons.select_related("league"):
                since.setdefault(season, None)
            challenges.update(**{role: gone})


def _take_adjustments_back(keep: Player, gone: Player, ids: list[int], since: Since) -> None:
    """Adds to the seasons that change."""
    taken = Adjustment.objects.filter(pk__in=ids, player=keep)
    first = first_adjustments(taken)
    for season in Season.objects.filter(pk__in=taken.values("season")).select_related("league"):
        since[season] = min(filter(None, (since.get(season), first.get(season.pk))), default=None)
    taken.update(player=gone)


def _take_entries_back(keep: Player, gone: Player, undo: dict[str, Any], since: Since) -> None:
    """Enter each where it was, and where it played or was adjusted since. Adds to the seasons that change."""
    moved = Entry.objects.filter(pk__in=undo["entries"], player=keep)
    dropped = [_row(Entry, values) for values in undo["entries_dropped"]]
    seasons = Season.objects.filter(
        Q(pk__in=moved.values("season")) | Q(pk__in=[entry.season_id for entry in dropped])
    )
    for season in seasons.select_related("league"):
        since.setdefault(season, None)
    moved.update(player=gone)
    there = {season.pk for season in since}
    Entry.objects.bulk_create([entry for entry in dropped if entry.season_id in there])
    for values in undo["entries_joined"]:
        stored = Entry.objects.filter(pk=values["id"], player=keep)
        stored.update(by_playing=values["by_playing"], entered_at=values["entered_at"])
    for season in since:
        counted = SideMember.objects.filter(game__season=season, game__voided_at=None)
        for player in (keep, gone):
            adjusted = season.adjustments.filter(player=player)
            if counted.filter(player=player).exists() or adjusted.exists():
                enter_players(season, [player])
    idle_entries([keep.pk, gone.pk]).filter(season__in=since).exclude(pk__in=undo["idle"]).delete()


def _take_names_back(keep: Player, gone: Player, undo: dict[str, Any]) -> None:
    own = PlayerAlias.objects.filter(player=keep)
    own.filter(pk__in=undo["names"]).update(player=gone)
    own.filter(pk=undo["name_added"]).delete()
    addresses = FormerAddress.objects.filter(player=keep)
    addresses.filter(slug=gone.slug).delete()
    addresses.filter(pk__in=undo["addresses"]).update(player=gone)
    PlayerAlias.objects.bulk_create([_row(PlayerAlias, values) for values in undo["names_dropped"]])


def _row(model: type[Any], values: dict[str, Any]) -> Any:
    fields = {field.attname: field for field in model._meta.concrete_fields}
    return model(**{name: fields[name].to_python(value) for name, value in values.items()})


def undoable_merges(acts: Sequence[AuditEntry]) -> set[int]:
    """The ids of those of these acts, the latest first, that can be taken back. At most one query."""
    merges: dict[tuple[int, int], int] = {}
    for act in acts:
        if act.action == "merge_players":
            undo = (act.before or {})[UNDO]
            merges.setdefault((undo["gone"], undo["keep"]), act.pk)
    if not merges:
        return set()
    merged = Player.with_merged.filter(pk__in=[gone for gone, _keep in merges])
    pairs = merges.keys() & set(merged.values_list("pk", "merged_into"))
    return {merges[pair] for pair in pairs}
