"""Many players at once: added and entered by a list of their names, and marked who plays no longer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from leagues.models import AuditEntry, Entry, League, Player, Season
from leagues.names import fold, same_name, tidy
from leagues.services.audit import UNDO, Actor, leave_audit, lock_season, season_is_changed
from leagues.services.player_names import PlayerNames, one_of
from leagues.services.players import new_players, refuse_gone
from leagues.services.undoing import players_named

MOST_NAMES = 500


@dataclass(frozen=True, slots=True)
class ListedName:
    """A name of a list: whom it means, or that nobody is called so yet, or why it cannot be told."""

    name: str
    player: Player | None = None
    alike: tuple[Player, ...] = ()  # of a new name, who is called so in another script or with accents
    problem: str = ""
    is_entered: bool = False  # in the season

    @property
    def is_new(self) -> bool:
        return self.player is None and not self.problem


@dataclass(frozen=True, slots=True)
class Roster:
    """A list of names as the league understands it; whoever is written twice is in it once."""

    names: tuple[ListedName, ...]
    problems: tuple[str, ...] = ()

    @property
    def new(self) -> list[ListedName]:
        return [each for each in self.names if each.is_new]

    @property
    def to_enter(self) -> list[ListedName]:
        """Those who are not in the season yet."""
        return [each for each in self.names if not each.problem and not each.is_entered]


def read_roster(league: League, names: Iterable[str], season: Season | None = None) -> Roster:
    """What a list of names means in a league, line by line; writes nothing."""
    known = PlayerNames(league)
    sounds: dict[str, list[Player]] = {}
    for player in known.by_id.values():
        sounds.setdefault(player.search, []).append(player)
    entered = (
        set(Entry.objects.filter(season=season).values_list("player_id", flat=True)) if season else set()
    )
    found: dict[object, ListedName] = {}
    for name in filter(None, map(tidy, names)):
        try:
            player = one_of(name, known.find(name))
        except ValidationError as refused:
            found.setdefault(same_name(name), ListedName(name, problem=refused.messages[0]))
            continue
        if player is None:
            found.setdefault(same_name(name), ListedName(name, alike=tuple(sounds.get(fold(name), ()))))
        else:
            found.setdefault(player.pk, ListedName(name, player, is_entered=player.pk in entered))
    problems = [each.problem for each in found.values() if each.problem]
    if len(found) > MOST_NAMES:
        problems.append(_("The list has %(count)d names; %(most)d are taken at once.") % _counts(len(found)))
    return Roster(tuple(found.values()), tuple(problems))


def _counts(count: int) -> dict[str, int]:
    return {"count": count, "most": MOST_NAMES}


@transaction.atomic
def add_players(*, league: League, names: Sequence[str], by: Actor, season: Season | None = None) -> Roster:
    """Add the players of a list whom the league does not know, and enter all of them in the season, if any.

    Sent twice, it adds and enters nobody the second time. Raises ValidationError with every name that
    means several players, or is none; nothing is written then.
    """
    if season is not None:
        season = lock_season(season)
    league.touch()
    roster = read_roster(league, names, season)
    if roster.problems:
        raise ValidationError(list(roster.problems))
    if not roster.new and (season is None or not roster.to_enter):
        return roster
    added = new_players(league, [each.name for each in roster.new])
    for player in added:
        player.full_clean()
        player.save()
    after: dict[str, list[str]] = {"new_players": [player.name for player in added]}
    if season is not None:
        players = [*added, *(each.player for each in roster.to_enter if each.player)]
        Entry.objects.bulk_create([Entry(season=season, player=player) for player in players])
        after["entered"] = [player.name for player in players]
    leave_audit("add_players", season or league, by=by, after=after, season=season)
    if season is not None:
        season_is_changed(season, since=None)
    return roster


@transaction.atomic
def mark_players(*, league: League, players: Sequence[Player], inactive: bool, by: Actor) -> list[Player]:
    """Mark who plays no longer, or again; returns those who were not marked so before.

    Raises ValidationError, and marks nobody, when one of them is gone.
    """
    rows = Player.objects.in_league(league).filter(pk__in=[player.pk for player in players])
    # In one order, so that two of these never wait for each other; NO KEY: games that seat them may go on.
    held = list(rows.order_by("pk").select_for_update(of=("self",), no_key=True))
    refuse_gone(players)
    marked = [player for player in held if player.inactive != inactive]
    if marked:
        league.touch()
        rows.filter(inactive=not inactive).update(inactive=inactive)
        names = [player.name for player in marked]
        undo = {"players": [player.pk for player in marked]}
        after = {"inactive" if inactive else "active": names, UNDO: undo}
        leave_audit("mark_players", league, by=by, after=after)
    return marked


@transaction.atomic
def undo_marking(*, act: AuditEntry, by: Actor) -> list[Player]:
    """Take a marking back from those whom nobody marked since; returns them.

    It is a marking itself, and can be taken back like one. Raises ValidationError where nobody is left.
    """
    players = _still_marked([act]).get(act.pk, [])
    changed = mark_players(league=act.league, players=players, inactive=not _is_of_inactive(act), by=by)
    if not changed:
        raise ValidationError(_("Nobody is marked like that any more."), code="gone")
    return changed


def undoable_markings(acts: Sequence[AuditEntry]) -> set[int]:
    """The ids of those of these acts that ``undo_marking`` would take back. At most two queries."""
    markings = [act for act in acts if act.action == "mark_players"]
    return {act.pk for act in markings} & _still_marked(markings).keys() if markings else set()


def _still_marked(markings: Sequence[AuditEntry]) -> dict[int, list[Player]]:
    """By its id each marking that is somebody's last one, of these of one league or later, and whose."""
    acts = AuditEntry.objects.filter(league=markings[0].league_id, action="mark_players")
    since = acts.filter(pk__gte=min(act.pk for act in markings)).order_by("pk")
    last = {player: act for act in since for player in players_named(act)}
    found: dict[int, list[Player]] = {}
    for player in Player.objects.filter(pk__in=last):
        act = last[player.pk]
        if player.inactive == _is_of_inactive(act):  # a correction of the player may say otherwise since
            found.setdefault(act.pk, []).append(player)
    return found


def _is_of_inactive(act: AuditEntry) -> bool:
    """Whether the act marked who plays no longer, and not who plays again."""
    return "inactive" in (act.after or {})
