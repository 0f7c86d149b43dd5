"""Leagues."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from leagues.hosts import is_main_host
from leagues.models import League, Logo, Organizer, Player, Role, Season
from leagues.names import sort_key, unique_slug
from leagues.pictures import Pictures
from leagues.services.addresses import (
    keep_former,
    refuse_former,
    refuse_reserved,
    reserved_words,
    taken_addresses,
)
from leagues.services.audit import (
    Actor,
    leave_audit,
    read_locked,
    save_checked,
    season_is_changed,
    values_of,
)
from leagues.services.kept_boxes import forget_box
from leagues.services.seasons import refuse_games_outside

LEAGUE_FIELDS = (
    "name",
    "slug",
    "about",
    "start_text",
    "links",
    "language",
    "timezone",
    "accent_hue",
    "visibility",
    "in_search_engines",
    "host",
)


@transaction.atomic
def create_league(*, by: Actor, owner: User | None = None, **values: Any) -> League:
    """Make a league; ``values`` are those of LEAGUE_FIELDS. Its owner is the first organizer.

    Without an address it is made of the name.
    """
    if not values.get("slug"):
        name = values.get("name", "")
        values["slug"] = unique_slug(name, fallback="league", taken=taken_addresses().__contains__)
    league = League(**values)
    league.full_clean()
    refuse_reserved(league.slug, reserved_words())
    refuse_former(league.slug, league=league)
    _check_host(league, by=by)
    save_checked(league)
    if owner is not None:
        Organizer.objects.create(league=league, user=owner, role=Role.OWNER)
    named = {"owner": owner.get_username()} if owner else {}
    leave_audit("create_league", league, by=by, after=values_of(league, LEAGUE_FIELDS) | named)
    return league


@transaction.atomic
def update_league(
    *, league: League, by: Actor, pictures: Pictures | None = None, drop_logo: bool = False, **values: Any
) -> League:
    """Change values of LEAGUE_FIELDS. The host name is for superusers to set.

    ``pictures`` are a new logo; with ``drop_logo`` there is none any more.

    Links to the former address go on working, and no other league can take it. In another time zone the
    seasons begin and end at other moments, and a game may be of another year. In another language names
    have another order. Raises ValidationError when games would lie outside their season.
    """
    # Players before seasons before their league, as every service takes the locks.
    if values.get("language", league.language) != league.language:
        list(Player.with_merged.in_league(league).select_for_update(no_key=True).order_by("pk"))
    seasons = list(Season.objects.in_league(league).locked())
    league = read_locked(League.objects.select_for_update(no_key=True), league)
    before = values_of(league, (*LEAGUE_FIELDS, "logo"))
    for name in LEAGUE_FIELDS:
        setattr(league, name, values.get(name, before[name]))
    league.full_clean()
    if league.slug != before["slug"]:
        refuse_reserved(league.slug, reserved_words())
        refuse_former(league.slug, league=league)
        keep_former(before["slug"], league)
    if league.host != before["host"]:
        _check_host(league, by=by)
    if pictures or drop_logo:
        _change_logo(league, pictures)
    save_checked(league, update_fields=(*LEAGUE_FIELDS, "logo"))
    if league.timezone != before["timezone"]:
        for season in seasons:
            season.league = league
            _move_to_zone(season)
    if league.language != before["language"]:
        _sort_names(league, seasons)
    league.touch()
    after = values_of(league, (*LEAGUE_FIELDS, "logo"))
    leave_audit("update_league", league, by=by, before=before, after=after)
    return league


def _sort_names(league: League, seasons: list[Season]) -> None:
    """Put the players' names in the order of the league's language."""
    changed = []
    for player in Player.with_merged.in_league(league):
        key = sort_key(player.name, league.language)
        if key != player.sort_key:
            player.sort_key = key
            changed.append(player)
    Player.with_merged.bulk_update(changed, ["sort_key"], batch_size=500)
    for season in seasons if changed else ():
        if not season.is_closed:
            season_is_changed(season, since=None)  # equal players stand in order of their names


def _change_logo(league: League, pictures: Pictures | None) -> None:
    Logo.objects.in_league(league).delete()
    if pictures:
        Logo.objects.create(league=league, icon=pictures.icon, picture=pictures.picture)
    league.logo = pictures.digest if pictures else ""


def _check_host(league: League, *, by: Actor) -> None:
    """Raise ValidationError for a host name of the site itself, and for who may set none."""
    if not league.host:
        return
    if is_main_host(league.host):
        message = _("“%(host)s” is the site's own host name.") % {"host": league.host}
        raise ValidationError({"host": message})
    if by is not None and not by.is_superuser:
        raise ValidationError({"host": _("Only the operator of the site sets a league's host name.")})


def _move_to_zone(season: Season) -> None:
    try:
        refuse_games_outside(season)
    except ValidationError as refused:
        raise ValidationError({"timezone": refused.messages}) from refused
    if not season.is_closed:
        season_is_changed(season, since=season.starts_at)


@transaction.atomic
def delete_league(*, league: League, by: Actor) -> None:  # noqa: ARG001 - every service says who acts
    """Delete a league with everything in it, its audit log included."""
    list(Season.objects.in_league(league).locked())  # no replay writes while it goes
    transaction.on_commit(partial(forget_box, league.pk))
    league.delete()
