"""The measures write what the site itself would read: the models move on, and the measures with them."""

import pytest

from bench.replay import BareGame
from bench.seasons import facts_of_duels, season_of_duels
from leagues.models import AuditEntry, Game
from leagues.services.games import played_sides
from ratings.models import RatingChange
from ratings.services.replay import replay_season

pytestmark = pytest.mark.django_db


def test_games_written_past_the_services_are_rated_like_any_other() -> None:
    season = facts_of_duels(5)
    replay_season(season.pk)
    assert RatingChange.objects.filter(season=season).count() == 10


def test_the_bare_statements_write_a_whole_game_and_its_results() -> None:
    season = season_of_duels(3)
    audited = AuditEntry.objects.count()
    pair = list(season.league.players.order_by("pk")[:2])
    BareGame(season).append([player.pk for player in pair])
    game = Game.objects.with_sides().latest("pk")
    assert [(side.members, side.points) for side in played_sides(game)] == [((pair[0],), 1), ((pair[1],), 1)]
    assert game.changes.count() == 2
    assert AuditEntry.objects.count() == audited + 1
