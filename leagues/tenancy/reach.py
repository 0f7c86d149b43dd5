"""What a user may reach: the own leagues, the role in each and the player there, read once a request."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Value
from django.http import HttpRequest

from leagues.models import League, Organizer, Player, Role


class OrganizerRequest(HttpRequest):
    """A request of somebody signed in: for annotations only."""

    user: User


class Reach:
    """The leagues of a user: to organize, and to play in. A superuser reaches all, as an owner."""

    def __init__(self, user: Any) -> None:
        self.everywhere = user.is_active and user.is_superuser
        self.roles: dict[int, Role] = {}
        self.players: dict[int, str] = {}  # by league, the address of the player whom the account is
        if user.is_active:
            self._read(user)

    def _read(self, user: Any) -> None:
        roles = Organizer.objects.filter(user=user.pk).values_list("league_id", "role", Value("role"))
        players = Player.objects.filter(user=user.pk).values_list("league_id", "slug", Value("player"))
        for league, value, kind in roles.order_by().union(players.order_by(), all=True):
            if kind == "player":
                self.players[league] = value
            elif not self.everywhere:
                self.roles[league] = Role(value)

    def leagues(self, role: Role = Role.SCORER) -> list[int]:
        """Ids of the leagues in which the user has this role or a greater one."""
        return [league for league, own in self.roles.items() if own.covers(role)]

    def role_in(self, league_id: int) -> Role | None:
        """The user's role in the league; None for a stranger."""
        return Role.OWNER if self.everywhere else self.roles.get(league_id)

    def is_known_in(self, league_id: int) -> bool:
        """Whether the user sees the league where strangers do not: as an organizer or as a player."""
        return self.role_in(league_id) is not None or league_id in self.players

    def covers(self, role: Role, league_id: int) -> bool:
        """Whether the user has this role in the league, or a greater one."""
        own = self.role_in(league_id)
        return own is not None and own.covers(role)

    def anywhere(self, role: Role = Role.SCORER) -> bool:
        """Whether there is a league in which the user has this role or a greater one."""
        return self.everywhere or bool(self.leagues(role))

    def narrow(self, rows: Any, role: Role = Role.SCORER) -> Any:
        """Of rows, a LeagueQuerySet, those of leagues where the user has this role."""
        return rows if self.everywhere else rows.in_leagues(self.leagues(role))

    def only_league(self) -> League | None:
        """The user's league, where there is exactly one to choose from."""
        found = list(self.narrow(League.objects.order_by("pk"))[:2])
        return found[0] if len(found) == 1 else None


def reach_of(request: HttpRequest) -> Reach:
    """The reach of the request's user: a removed organizer is out at the next request."""
    if not hasattr(request, "reach"):
        request.reach = Reach(request.user)  # type: ignore[attr-defined]
    reach: Reach = request.reach  # type: ignore[attr-defined]
    return reach
