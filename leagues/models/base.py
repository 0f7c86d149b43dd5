"""What every model of a league shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.db import models

if TYPE_CHECKING:
    from leagues.models.league import League


class LeagueQuerySet(models.QuerySet):
    """Rows that belong to leagues, each by its model's ``league_path``."""

    def in_league(self, league: League | Any) -> Self:
        """Only the rows of one league, given as a league or its id."""
        return self.filter(**{path_to_league(self.model): getattr(league, "pk", league)})

    def in_leagues(self, leagues: models.QuerySet | list) -> Self:
        """Only the rows of these leagues."""
        return self.filter(**{f"{path_to_league(self.model)}__in": leagues})


def path_to_league(model: type[models.Model]) -> str:
    """The look-up that leads from a model to its league: ``season__league``."""
    return model.league_path  # type: ignore[attr-defined]


def league_of(row: models.Model) -> League:
    """The league a row belongs to, by its model's ``league_path``."""
    value: Any = row
    for step in path_to_league(type(row)).split("__"):
        value = row if step == "pk" else getattr(value, step)
    return value
