"""Taking a person's name out of a league, for good. Games and numbers stay.

A name stands in the player's own rows, in texts that organizers wrote (notes, reasons, names of teams, what
the league says of itself and of its rules) and in the audit log. Other players' names, and what the league
and its seasons are called, stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import override

from leagues.models import (
    Announcement,
    AuditEntry,
    Game,
    Invitation,
    League,
    Organizer,
    Player,
    PlayerAlias,
    ReportKey,
    Season,
    Team,
    Webhook,
)
from leagues.names import same_name, slugify, unique_slug
from leagues.services.audit import Actor, leave_audit, season_is_changed
from leagues.services.kept_boxes import forget_box
from leagues.services.players import hold_player, open_seasons, taken_addresses

# Models whose texts are no mention of a player, or are another player's own. A key of the API is a program's
# own word, gone within days: changed, it would let the same game in a second time.
KEPT = (Organizer, Player, PlayerAlias, Webhook, Announcement, ReportKey)
# What these are called stays; what they say does not.
CALLED = (League, Season)
BATCH = 500  # rows of one UPDATE
_LETTER = re.compile(r"[^\W\d_]")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(T|\Z)")


@transaction.atomic
def anonymise_player(*, player: Player, by: Actor) -> Player:
    """Give a player a name and an address that say nothing, wherever the league has the old ones.

    Other names and former addresses are deleted, and the account is released. The year of birth stays,
    unseen, for the K-factor may follow from it, and so does every game: all ratings stay as they are. A
    namesake's name is taken out of old entries of the audit log too, which tell players by name only.
    """
    player = hold_player(player)
    # All of them: a game, or the rules, of a season without the player may speak of the player too, and
    # whoever is writing there meanwhile would bring the name back.
    seasons = list(Season.objects.in_league(player.league).locked())
    entered = set(open_seasons(player).values_list("pk", flat=True))
    player.league.touch()
    merged = list(_merged_into(player))
    names = {each.name for each in (player, *merged)}
    names |= {*player.aliases.values_list("name", flat=True), *_names_in_log(player)}
    slugs = {each.slug for each in (player, *merged)}
    slugs |= {*player.former_addresses.values_list("slug", flat=True)}
    with override(player.league.language):
        name = _("Anonymous player %(number)s") % {"number": player.pk}
    taken = taken_addresses(player.league, player)
    player.slug = unique_slug(name, fallback="player", taken=taken.__contains__)
    player.set_name(name)
    player.user = None
    player.full_clean()
    player.save()
    Invitation.objects.filter(player=player).delete()
    for each in merged:
        each.slug = unique_slug(name, fallback="player", taken={*taken, player.slug}.__contains__)
        taken.add(each.slug)
        each.set_name(name)
        each.user = None
        each.save()
    player.aliases.all().delete()
    player.former_addresses.all().delete()
    rename = _Rename(names, slugs - {player.slug}, player)
    _rename_in_texts(player.league, rename)
    _rename_in_log(player, rename)
    _rename_teams(player, rename)
    for season in seasons:
        if season.pk in entered:  # equal players stand in order of their names
            season_is_changed(season, since=None)
    leave_audit("anonymise_player", player, by=by, after={"name": name})
    transaction.on_commit(partial(forget_box, player.league_id))
    return player


def _merged_into(player: Player) -> Iterator[Player]:
    """Everybody who was merged into the player, by way of others too: they are the same person."""
    for merged in Player.with_merged.filter(merged_into=player):
        yield merged
        yield from _merged_into(merged)


class _Rename:
    """Puts a player's new name where an old one stands, alone or as a word of a text."""

    def __init__(self, names: set[str], slugs: set[str], player: Player) -> None:
        self.keys, self.slugs = {same_name(name) for name in names}, slugs
        self.in_addresses = slugs | {slugify(name, fallback=player.slug) for name in names}
        self.name, self.slug = player.name, player.slug
        longest_first = sorted(filter(_LETTER.search, names), key=len, reverse=True) or [player.name]
        self.word = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)

    def in_text(self, text: str) -> str:
        """The text of an organizer with the new name in it."""
        return self.name if same_name(text) in self.keys else self.word.sub(lambda _old: self.name, text)

    def is_in_address(self, slug: str) -> bool:
        """Whether an old name stands in an address, as words of it."""
        return any(f"-{old}-" in f"-{slug}-" for old in self.in_addresses)

    def in_json(self, value: Any, key: str = "") -> Any:
        """A value of the audit log with the new name and address in it; times and numbers stay readable."""
        if isinstance(value, dict):
            return {name: self.in_json(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [self.in_json(each, "name") for each in value]
        if not isinstance(value, str) or _TIME.match(value):
            return value
        if value in self.slugs and (key == "slug" or same_name(value) not in self.keys):
            return self.slug
        # A player may be called “20”, and so may a K-factor.
        return self.in_text(value) if key == "name" or _LETTER.search(value) else value


def _names_in_log(player: Player) -> Iterator[str]:
    """Every name that the audit log knows the player by, those included that were forgotten since."""
    for entry in log_of(player):
        for values in (entry.before, entry.after):
            if values and isinstance(values.get("name"), str):
                yield values["name"]


def log_of(player: Player) -> QuerySet[AuditEntry]:
    """The acts on a player, and on everybody who was merged into the player; the latest first."""
    ids = [str(each.pk) for each in (player, *_merged_into(player))]
    return AuditEntry.objects.in_league(player.league).filter(object_type="player", object_id__in=ids)


def _rename_in_texts(league: League, rename: _Rename) -> None:
    """In every free text of the league's rows, those of closed seasons too."""
    for model in apps.get_models():
        if not hasattr(model, "league_path") or issubclass(model, (*KEPT, AuditEntry, Team)):
            continue
        for field in model._meta.concrete_fields:
            if _is_free_text(field):
                _rename_in_column(model, field.name, league, rename)


def _is_free_text(field: Any) -> bool:
    if field.model in CALLED:
        return isinstance(field, models.TextField)
    is_text = isinstance(field, models.CharField | models.TextField)
    return is_text and not field.choices and not isinstance(field, models.SlugField)


def _rename_in_column(model: Any, name: str, league: League, rename: _Rename) -> None:
    rows = model._base_manager.filter(**{model.league_path: league.pk}).exclude(**{name: ""})
    # A game's form that was filled in before would bring the name back: it is one of another version now.
    again: dict[str, Any] = {"version": F("version") + 1} if model is Game else {}
    changed = []
    for pk, text in rows.order_by().values_list("pk", name).iterator():
        if text and (renamed := rename.in_text(text)[: model._meta.get_field(name).max_length]) != text:
            changed.append(model(pk=pk, **{name: renamed}, **again))
    # A plain queryset: what is said of a game may lose a name in a closed season too, its numbers not.
    QuerySet(model).bulk_update(changed, [name, *again], batch_size=BATCH)


def _rename_in_log(player: Player, rename: _Rename) -> None:
    changed: list[Any] = []
    own = set(log_of(player).values_list("pk", flat=True))
    for entry in AuditEntry.objects.in_league(player.league).order_by().iterator():
        is_own = entry.pk in own
        values = [rename.in_json(entry.before), rename.in_json(entry.after)]
        if is_own:
            values = [each and {**each, "birth_year": None} for each in values]
        shown = player.name if is_own else rename.in_text(entry.object_name)[:200]
        if (shown, *values) != (entry.object_name, entry.before, entry.after):
            entry.set_object_name(shown)
            entry.before, entry.after = values
            changed.append(entry)
    # A plain queryset: nothing else may change what the log says.
    QuerySet(AuditEntry).bulk_update(changed, ["object_name", "search", "before", "after"], batch_size=BATCH)


def _rename_teams(player: Player, rename: _Rename) -> None:
    """Of teams called after the player, the name; and the address, which a name of before may have made.

    A team that the player was in is given its address anew whatever it says: half a name may stand in it.
    """
    league = player.league
    own = set(Team.objects.filter(members=player).values_list("pk", flat=True))
    for team in Team.objects.in_league(league):
        renamed = rename.in_text(team.name)[:100]
        if renamed != team.name or team.pk in own or rename.is_in_address(team.slug):
            others = Team.objects.in_league(league).exclude(pk=team.pk)
            taken = set(others.values_list("slug", flat=True))
            team.name = renamed
            team.slug = unique_slug(renamed, fallback="team", taken=taken.__contains__)
            team.save(update_fields=["name", "slug"])
