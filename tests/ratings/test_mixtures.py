"""Rows whose parts belong to different leagues are found, however they came to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db.models import QuerySet

from leagues.models import Player, PlayerAlias, Season, SideMember, Team
from leagues.services import add_alias, create_team
from leagues.tenancy.mixtures import _ways_to_league
from ratings.models import Correction, Standing
from ratings.services.check import check_league
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def seasons() -> list[Season]:
    """The same in two leagues: two players, an alias, a team, a game and its results."""
    return [furnished(make_season(make_league(slug), slug="now")) for slug in ("apes", "bees")]


def furnished(season: Season) -> Season:
    one, two = make_players(season.league, "One", "Two")
    add_alias(player=one, name="Uno", by=None)
    create_team(league=season.league, name="Both", members=[one, two], by=None)
    make_game(season, (one, 3), (two, 1))
    Correction.objects.create(season=season, games=0, largest=0)
    return replayed(season)


def past_the_services(model: type[Any], **values: Any) -> Callable[[Any, Any], Any]:
    """Writes these values into the first row of league A, as SQL would."""

    def write(a: Season, b: Season) -> None:
        row = model.objects.in_league(a.league).first()
        QuerySet(model).filter(pk=row.pk).update(**{name: value(b) for name, value in values.items()})

    return write


def player(season: Season) -> Player:
    return Player.objects.in_league(season.league).latest("pk")


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (past_the_services(SideMember, player=player), "player of league"),
        (past_the_services(PlayerAlias, player=player), "player of league"),
        (past_the_services(Standing, player=player), "player of league"),
        (lambda a, b: Team.objects.get(league=a.league).members.add(player(b)), "player of league"),
        (lambda a, b: a.corrections.get().acts.add(b.league.audit.first()), "auditentry of league"),
    ],
    ids=["a member of a side", "an alias", "a standing", "a member of a team", "an act of a correction"],
)
def test_xw_01_a_row_of_two_leagues_is_found(
    seasons: list[Season], write: Callable[[Season, Season], None], told: str, capsys: pytest.CaptureFixture
) -> None:
    a, b = seasons
    assert check_league(a.league) == check_league(b.league) == []
    write(a, b)
    for league in (a.league, b.league):  # it concerns both
        (mixed,) = check_league(league)
        assert f"{told} {b.league_id}" in mixed
        assert f"is of league {a.league_id}, " in mixed
        with pytest.raises(CommandError, match="There are differences"):
            call_command("replay", league.slug, "--check")
        assert mixed in capsys.readouterr().out


def test_every_link_between_rows_of_leagues_is_looked_at() -> None:
    """Each foreign key from a row of a league to another is one of the parts compared."""
    links = {
        (model, field.name)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if hasattr(field.related_model, "league_path")
    }
    looked_at = {(model, name) for model, _name in links for name in _ways_to_league(model)}
    assert links <= looked_at
    assert all(len(_ways_to_league(model)) > 1 for model, _name in links)
