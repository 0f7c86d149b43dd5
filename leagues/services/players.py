"""Players, their other names, and teams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leagues.models import (
    Challenge,
    FormerAddress,
    League,
    Player,
    PlayerAlias,
    ReportSeat,
    Season,
    SideMember,
    Team,
)
from leagues.models.season import SeasonQuerySet
from leagues.names import check_player_name, same_name, tidy, unique_slug
from leagues.services.addresses import SEASON_PAGES, keep_former, reserved_words
from leagues.services.audit import Actor, leave_audit, read_locked, refuse_closed, season_is_changed


def new_players(league: League, names: Iterable[str]) -> list[Player]:
    """Unsaved players of these names, with addresses that nobody in the league has.

    Who saves them holds the league's row. Raises ValidationError for what is no name.
    """
    taken = taken_addresses(league)
    players = []
    for name in names:
        name = tidy(name)
        check_player_name(name)
        player = Player(league=league, slug=unique_slug(name, fallback="player", taken=taken.__contains__))
        player.set_name(name)
        taken.add(player.slug)
        players.append(player)
    return players


def taken_addresses(league: League, but: Player | None = None) -> set[str]:
    """Addresses that players have or had, but for one player's own, and the words of the pages beside."""
    now = Player.with_merged.in_league(league).exclude(pk=but.pk if but else 0)
    before = FormerAddress.objects.in_league(league).filter(player__isnull=False).exclude(player=but)
    slugs = now.order_by().values_list("slug", flat=True)
    return {*slugs.union(before.order_by().values_list("slug", flat=True))} | reserved_words(SEASON_PAGES)


def _checked(name: str) -> str:
    """The name as it is stored. Raises ValidationError, at the field, for what is no name."""
    try:
        check_player_name(name)
    except ValidationError as refused:
        raise ValidationError({"name": refused.messages}) from refused
    return tidy(name)


def refuse_gone(players: Iterable[Player]) -> None:
    """Raise ValidationError for a player who was deleted, or merged into another one; part of services.

    Asked under the lock of what the players are to stand in, which deleting and merging take too.
    """
    named = {player.pk: player for player in players}
    present = set(Player.objects.filter(pk__in=named).values_list("pk", flat=True))
    for player in (player for pk, player in named.items() if pk not in present):
        message = _("“%(name)s” was deleted, or merged into another player, meanwhile; choose again.")
        raise ValidationError(message, code="deleted", params={"name": player.name})


def hold_player(player: Player) -> Player:
    """The player, read afresh and held, so that changes of one player queue up.

    Raises ValidationError when the player is gone.
    """
    # NO KEY: games that seat the player may go on.
    players = Player.objects.select_related("league").select_for_update(of=("self",), no_key=True)
    return read_locked(players, player)


@transaction.atomic
def create_player(*, league: League, name: str, by: Actor, birth_year: int | None = None) -> Player:
    """Add a player to a league; the address comes from the name, by transliteration."""
    league.touch()
    (player,) = new_players(league, [_checked(name)])
    player.birth_year = birth_year
    player.full_clean()
    player.save()
    leave_audit("create_player", player, by=by, after={"name": player.name, "birth_year": birth_year})
    return player


@transaction.atomic
def update_player(
    *, player: Player, name: str, by: Actor, birth_year: int | None = None, inactive: bool | None = None
) -> Player:
    """Rename a player, correct the year of birth, or mark who plays no longer; None leaves the mark.

    The address follows the name; the former ones still lead and, like the former name, still find the
    player in old files.
    """
    name = _checked(name)
    player = hold_player(player)
    before = {"name": player.name, "birth_year": player.birth_year, "inactive": player.inactive}
    after = {
        "name": name,
        "birth_year": birth_year,
        "inactive": inactive if inactive is not None else player.inactive,
    }
    # Held before the player's address changes, for which a game that seats the player has to wait.
    # Equal players stand in order of their names, and the K-factor may depend on the year.
    is_changed = (name, birth_year) != (player.name, player.birth_year)
    seasons = list(open_seasons(player).locked()) if is_changed else []
    player.league.touch()
    if name != player.name:
        PlayerAlias.objects.get_or_create(
            player=player, key=same_name(player.name), defaults={"league": player.league, "name": player.name}
        )
        slug = player.slug
        taken = taken_addresses(player.league, player)
        player.slug = unique_slug(name, fallback="player", taken=taken.__contains__)
        if player.slug != slug:
            keep_former(slug, player)
    player.set_name(name)
    player.birth_year, player.inactive = birth_year, bool(after["inactive"])
    player.full_clean()
    player.save()
    for season in seasons:
        season_is_changed(season, since=season.starts_at if birth_year != before["birth_year"] else None)
    leave_audit("update_player", player, by=by, before=before, after=after)
    return player


def open_seasons(player: Player) -> SeasonQuerySet:
    return Season.objects.filter(entries__player=player).exclude(state=Season.State.CLOSED)


@transaction.atomic
def delete_player(*, player: Player, by: Actor) -> None:
    """Delete a player who has played no game, was given no adjustment and is in no team.

    Raises ValidationError otherwise.
    """
    player = hold_player(player)
    # Whoever seats or enters a player holds the season: with all of them held, nobody does meanwhile.
    seasons = list(Season.objects.in_league(player.league).locked())
    seats = SideMember.objects.filter(player=player).count()
    if seats:
        raise ValidationError(
            _("%(name)s has played %(count)s games and cannot be deleted; withdraw the player instead."),
            params={"name": player.name, "count": seats},
        )
    if challenges := Challenge.objects.of_player(player).count():
        raise ValidationError(
            ngettext(
                "%(name)s has %(count)d challenge and cannot be deleted; withdraw the player instead.",
                "%(name)s has %(count)d challenges and cannot be deleted; withdraw the player instead.",
                challenges,
            ),
            params={"name": player.name, "count": challenges},
        )
    if ReportSeat.objects.filter(player=player).exists():
        message = _("%(name)s stands in reported games and cannot be deleted; withdraw the player instead.")
        raise ValidationError(message, params={"name": player.name})
    if player.adjustments.exists():
        raise ValidationError(
            _("%(name)s has an adjustment on record and cannot be deleted; withdraw the player instead."),
            params={"name": player.name},
        )
    if team := player.teams.first():
        raise ValidationError(
            _("%(name)s is in the team “%(team)s”; change or delete the team first."),
            params={"name": player.name, "team": team.name},
        )
    entered = {entry.season_id for entry in player.entries.all()}
    for season in seasons:
        if season.pk in entered:
            refuse_closed(season)
            season_is_changed(season, since=None)
    leave_audit("delete_player", player, by=by, before={"name": player.name})
    player.entries.all().delete()
    player.delete()
    player.league.touch()


@transaction.atomic
def add_alias(*, player: Player, name: str, by: Actor) -> PlayerAlias:
    """Let files call a player by another name too. Raises ValidationError for one that is there already."""
    name = _checked(name)
    player = hold_player(player)
    player.league.touch()  # an import planned meanwhile knew the player by fewer names
    alias = PlayerAlias(league=player.league, player=player, name=name, key=same_name(name))
    alias.full_clean()
    alias.save()
    leave_audit("add_alias", player, by=by, after={"name": name})
    return alias


@transaction.atomic
def remove_alias(*, alias: PlayerAlias, by: Actor) -> None:
    """Forget another name of a player. Raises ValidationError when it is gone."""
    alias.league.touch()
    alias = read_locked(PlayerAlias.objects.select_related("player"), alias)
    leave_audit("remove_alias", alias.player, by=by, before={"name": alias.name})
    alias.delete()


def _check_team(league: League, name: str, members: Sequence[Player]) -> str:
    name = tidy(name)
    if not name:
        raise ValidationError({"name": _("A team needs a name.")})
    if len({player.pk for player in members}) < 2:
        raise ValidationError({"members": _("A team has at least two players.")})
    for player in members:
        if player.league_id != league.pk:
            raise ValidationError({"members": _("The team has a player who is unknown in this league.")})
    refuse_gone(members)
    return name


@transaction.atomic
def create_team(*, league: League, name: str, members: Sequence[Player], by: Actor) -> Team:
    """Name a set of players. Raises ValidationError when another team is the same set."""
    league.touch()
    name = _check_team(league, name, members)
    taken = Team.objects.in_league(league)
    slug = unique_slug(name, fallback="team", taken=lambda slug: taken.filter(slug=slug).exists())
    team = Team(league=league, name=name, slug=slug, member_key=Team.key_of(p.pk for p in members))
    team.full_clean()
    team.save()
    team.members.set(members)
    leave_audit("create_team", team, by=by, after={"name": name, "members": [p.name for p in members]})
    return team


@transaction.atomic
def update_team(*, team: Team, name: str, members: Sequence[Player], by: Actor) -> Team:
    """Rename a team, or change its set of players. Raises ValidationError as ``create_team`` does."""
    team = _hold_team(team)
    before = {"name": team.name, "members": [p.name for p in team.members.all()]}
    team.name = _check_team(team.league, name, members)
    team.member_key = Team.key_of(p.pk for p in members)
    team.full_clean()
    team.save()
    team.members.set(members)
    leave_audit(
        "update_team",
        team,
        by=by,
        before=before,
        after={"name": team.name, "members": [p.name for p in members]},
    )
    return team


@transaction.atomic
def delete_team(*, team: Team, by: Actor) -> None:
    """Forget a team's name; its games stay as they are."""
    team = _hold_team(team)
    members = [player.name for player in team.members.all()]
    leave_audit("delete_team", team, by=by, before={"name": team.name, "members": members})
    team.delete()


def _hold_team(team: Team) -> Team:
    """The team, read afresh under its league's lock. Raises ValidationError when it is gone."""
    team.league.touch()
    return read_locked(Team.objects.select_related("league"), team)
