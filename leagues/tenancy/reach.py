"""What a user may reach: the own leagues and the role in each, read once a request."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest

from leagues.models import League, Organizer, Role


class OrganizerRequest(HttpRequest):
    """A request of somebody signed in: for annotations only."""

    user: User


class Reach:
    """The leagues of a user. A superuser reaches all, as an owner."""

    def __init__(self, user: Any) -> None:
        self.everywhere = user.is_active and user.is_superuser
        self.roles: dict[int, Role] = {}
        if user.is_active and not self.everywhere:
            rows = Organizer.objects.filter(user=user.pk).values_list("league_id", "role")
            self.roles = {league: Role(role) for league, role in rows}

    def leagues(self, role: Role = Role.SCORER) -> list[int]:
        """Ids of the leagues in which the user has this role or a greater one."""
        return [league for league, own in self.roles.items() if own.covers(role)]

    def role_in(self, league_id: int) -> Role | None:
        """The user's role in the league; None for a stranger."""
        return Role.OWNER if self.everywhere else self.roles.get(league_id)

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
