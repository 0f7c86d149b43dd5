"""Imports, replays, corrections and appended games, against the bare writes they stand for."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from statistics import median

from django.db import connection, transaction
from django.utils import timezone

from bench.seasons import bare_write, file_of_duels, season_of_duels
from bench.timing import QUICK, Measure, ratio, seconds
from leagues.models import Game, Season, Side, SideMember
from leagues.services import PlayedSide, correct_game, import_games
from leagues.services.games import played_sides
from ratings.models import Meeting, RatingChange, Standing
from ratings.services.replay import replay_season
from tests.factories import make_game, make_season

IMPORTED = 500 if QUICK else 10_000
SMALL, LARGE = (300, 3_000) if QUICK else (1_000, 100_000)
APPENDED = 11 if QUICK else 51
RESULTS = (RatingChange, Standing, Meeting)


def measures() -> Iterator[Measure]:
    yield Measure(f"import of {IMPORTED:,} games, against bare inserts", _import())
    small, season = season_of_duels(SMALL), season_of_duels(LARGE)
    written = partial(bare_write, *(model.objects.filter(season=season) for model in RESULTS))
    first, late = partial(_correction, season, 0), partial(_correction, season, LARGE * 9 // 10)
    yield Measure(
        f"full replay of {LARGE:,} duels, against a bare write of its rows",
        ratio(partial(_full_replay, season), written),
        "<= 2.0" if LARGE > 10_000 else "<= 3.0",
    )
    yield Measure(
        "correction of the first game, against a bare write of all", ratio(first, written), "<= 3.0"
    )
    yield Measure("correction at 90 % of the season, against the first game", ratio(late, first), "<= 0.25")
    at_small, at_large, bare = _append(small), _append(season), _bare_append(season)
    yield Measure("append a game, p50, against its bare statements", at_large / bare, "<= 5")
    yield Measure(f"append p50 at {LARGE:,} games, against {SMALL:,}", at_large / at_small, "<= 1.3")


def _import() -> float:
    file = file_of_duels(IMPORTED)
    season = make_season()

    def site() -> float:
        nonlocal season
        season = make_season()
        return seconds(lambda: import_games(season=season, file=file, by=None, create_players=True))

    def barely() -> float:
        return bare_write(
            Game.objects.filter(season=season),
            Side.objects.filter(game__season=season),
            SideMember.objects.filter(game__season=season),
        )

    return ratio(site, barely)


def _full_replay(season: Season) -> float:
    for model in RESULTS:
        model.objects.filter(season=season).delete()
    return seconds(lambda: replay_season(season.pk, full=True))


def _correction(season: Season, index: int) -> float:
    """The replay after the sides of a game have swapped their points."""
    game = Game.objects.filter(season=season).in_play_order().with_sides()[index]
    one, other = played_sides(game)
    sides = [PlayedSide(one.members, other.points + 1), PlayedSide(other.members, one.points)]
    correct_game(game=game, played_at=game.played_at, sides=sides, by=None)
    return seconds(lambda: replay_season(season.pk))


def _append(season: Season) -> float:
    """The median from the service call to the standings written."""
    players = list(season.league.players.order_by("pk"))
    last = Game.objects.filter(season=season).latest("played_at").played_at

    def append(number: int) -> None:
        pair = players[number], players[number + 1]
        make_game(season, *((who, number) for who in pair), played_at=last + timedelta(minutes=number + 1))
        replay_season(season.pk)

    return median(seconds(partial(append, number)) for number in range(APPENDED))


def _bare_append(season: Season) -> float:
    """The median of the same in statements that know everything; it leaves the season's results behind."""
    players = list(season.league.players.order_by("pk").values_list("pk", flat=True))
    return median(
        seconds(partial(_bare_game, season.pk, players[number : number + 2])) for number in range(APPENDED)
    )


@transaction.atomic
def _bare_game(season: int, players: list[int]) -> None:
    now = timezone.now()
    pair, mirrored = (season, *players), (season, *reversed(players))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE leagues_season SET revision = revision + 1 WHERE id = %s", [season])
        cursor.execute(
            'INSERT INTO leagues_game (season_id, played_at, "order", note, key, version, void_reason,'
            " entered_at) VALUES (%s, %s, 1, '', %s, 1, '', %s) RETURNING id",
            [season, now, now.isoformat(), now],
        )
        (game,) = cursor.fetchone()
        for position, player in enumerate(players, 1):
            cursor.execute(
                "INSERT INTO leagues_side (game_id, position, points) VALUES (%s, %s, 1) RETURNING id",
                [game, position],
            )
            (side,) = cursor.fetchone()
            cursor.execute(
                "INSERT INTO leagues_sidemember (game_id, side_id, player_id) VALUES (%s, %s, %s)",
                [game, side, player],
            )
        cursor.executemany(
            "INSERT INTO ratings_ratingchange (season_id, game_id, player_id, played_at, side, points,"
            " before, after, peak, played, games, wins, draws, losses, first_places)"
            " VALUES (%s, %s, %s, '9000-01-01', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)",
            [(season, game, player) for player in players],
        )
        cursor.executemany(
            "UPDATE ratings_standing SET played = played + 1 WHERE season_id = %s AND player_id = %s",
            [(season, player) for player in players],
        )
        cursor.executemany(
            "UPDATE ratings_meeting SET games = games + 1"
            " WHERE season_id = %s AND player_id = %s AND opponent_id = %s",
            [pair, mirrored],
        )
        cursor.execute("UPDATE ratings_replay SET revision = revision + 1 WHERE season_id = %s", [season])
