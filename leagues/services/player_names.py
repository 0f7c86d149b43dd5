"""Finding the players that files and forms name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from leagues.models import FormerAddress, League, Player, PlayerAlias
from leagues.names import name_problem, same_name


class PlayerNames:
    """Finds the players of a league by name, other name, or address."""

    def __init__(self, league: League) -> None:
        self.league = league
        self.by_id = players = {player.pk: player for player in Player.objects.in_league(league)}
        self.by_slug = {player.slug: player for player in players.values()}
        self.by_name: dict[str, dict[int, Player]] = {}
        for player in players.values():
            self.add(player)
        for key, player_id in PlayerAlias.objects.in_league(league).values_list("key", "player_id"):
            # A name somebody bears today is not taken for another player's former name.
            if key not in self.by_name or player_id in self.by_name[key]:
                self.by_name.setdefault(key, {})[player_id] = players[player_id]

    def match(self, matches: Mapping[str, int]) -> dict[str, Player]:
        """Let names that nobody bears mean the players with these ids; those of them that do now."""
        matched = {}
        for name, pk in matches.items():
            if pk in self.by_id and not self.find(name):
                matched[name] = self.by_id[pk]
                self.by_name.setdefault(same_name(name), {})[pk] = self.by_id[pk]
        return matched

    def add(self, player: Player) -> None:
        self.by_name.setdefault(same_name(player.name), {})[player.pk] = player

    @cached_property
    def by_former_slug(self) -> dict[str, Player]:
        """Read only for what nobody is called: files of before may tell namesakes apart by these."""
        formers = FormerAddress.objects.in_league(self.league).filter(player__isnull=False)
        return {slug: self.by_id[pk] for slug, pk in formers.values_list("slug", "player_id")}

    def find(self, name: str) -> list[Player]:
        """Everybody of this name; nobody, or several namesakes, when it is not enough to go by."""
        named = self.by_name.get(same_name(name), {})
        # The address tells namesakes apart; somebody's name is never another one's address.
        if len(named) != 1 and name in self.by_slug and (not named or self.by_slug[name].pk in named):
            return [self.by_slug[name]]
        if not named and name in self.by_former_slug:
            return [self.by_former_slug[name]]
        return list(named.values())


def one_of(name: str, found: Sequence[Player]) -> Player | None:
    """Whom of those found a name means; None where that is nobody, and a new player can be called so.

    Raises ValidationError for several, and for what is no name.
    """
    if len(found) > 1:
        raise ValidationError(several_of(name, found))
    if not found and (problem := name_problem(name)):
        raise ValidationError(str(problem))
    return found[0] if found else None


def several_of(name: str, found: Sequence[Player]) -> str:
    """The sentence that asks which of several namesakes is meant."""
    message = _("“%(name)s” is the name of %(count)d players; write the address of one: %(slugs)s.")
    slugs = ", ".join(player.slug for player in found)
    return message % {"name": name, "count": len(found), "slugs": slugs}
