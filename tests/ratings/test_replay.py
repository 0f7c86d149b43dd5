"""The replay: results that equal a replay from scratch, and are never a mixture."""

from datetime import timedelta
from decimal import Decimal
from random import Random

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leagues.formats import format_rating
from leagues.models import Entry, Game, Season
from leagues.prepared import PreparedRows
from leagues.services import (
    PlayedSide,
    correct_game,
    delete_games,
    enter_player,
    remove_entry,
    restore_game,
    update_player,
    update_season,
    void_game,
    withdraw_player,
)
from leagues.services.audit import season_is_changed
from leagues.services.games import played_sides
from ratings.models import Meeting, RatingChange, Replay, RuleSet, Standing
from ratings.services import facts
from ratings.services import replay as replay_module
from ratings.services.check import check_season
from ratings.services.facts import load_basis, load_games
from ratings.services.replay import replay_season, replay_stale_seasons
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def hours(season: Season, number: int):
    return season.starts_at + timedelta(hours=number)


def stale_games(season: Season) -> list[int]:
    """The games the next replay rates."""
    season.refresh_from_db()
    batches = load_games(season, load_basis(season).outside, season.stale_from)
    return [int(game.id) for batch in batches for game in batch.games]


@pytest.fixture
def three_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has games read by three, as else by ten thousand."""
    monkeypatch.setattr(facts, "GAMES_AT_A_TIME", 3)
    for name in ("FIRST_GAMES", "NEXT_GAMES"):
        monkeypatch.setattr(facts, name, PreparedRows(getattr(facts, name)._rows))  # with the limit of now


@pytest.fixture
def season() -> Season:
    """Four players and three games, at 1, 2 and 3 o'clock of the first day, replayed."""
    season = make_season()
    ann, bob, cyd, dan = make_players(season.league, "Ann", "Bob", "Cyd", "Dan")
    make_game(season, (ann, 500), (bob, 100), played_at=hours(season, 1))
    make_game(season, (ann, 30), (bob, 20), (cyd, 10), played_at=hours(season, 2))
    make_game(season, ((ann, bob), 100), ((cyd, dan), 450), played_at=hours(season, 3))
    return replayed(season)


def test_a_game_changes_ratings_and_season_scores():
    season = make_season()
    marina, zahari = make_players(season.league, "Марина", "Захари")
    make_game(season, (marina, 500), (zahari, 100))
    replayed(season)
    # M(400) = 0.4 + 3.6/499 x 399 = 3.2786; 10 x 3.2786 x (1 - 0.5) = 16.4; 16.4 x 1/75 = 0.2
    change = RatingChange.objects.get(player=marina)
    assert (change.before, change.after, change.played, change.wins) == (15000, 15164, 1, 1)
    assert list(
        Standing.objects.values_list("player__name", "rating", "season_score", "games", "missing_games")
    ) == [
        ("Марина", 15164, 15002, 1, 74),
        ("Захари", 14836, 14998, 1, 74),
    ]
    assert set(Meeting.objects.values_list("player__name", "games", "wins", "losses")) == {
        ("Марина", 1, 1, 0),
        ("Захари", 1, 0, 1),
    }


def test_results_are_level_with_the_facts_and_equal_a_replay_from_scratch(season):
    assert Replay.objects.get().revision == season.revision
    assert season.stale_from is None
    assert check_season(season.pk) == []


def test_a_level_season_is_left_alone(season):
    rows = list(RatingChange.objects.values_list("pk", flat=True))
    assert replay_season(season.pk) is False
    assert list(RatingChange.objects.values_list("pk", flat=True)) == rows


def test_an_appended_game_goes_on_from_the_stored_end_state(season):
    ann, dan = (season.league.players.get(name=name) for name in ("Ann", "Dan"))
    kept = set(RatingChange.objects.values_list("pk", flat=True))
    game = make_game(season, (ann, 5), (dan, 9), played_at=hours(season, 4))
    assert stale_games(season) == [game.pk]
    replayed(season)
    assert kept < set(RatingChange.objects.values_list("pk", flat=True))
    assert Replay.objects.get().games == 4
    assert check_season(season.pk) == []


def test_who_is_entered_changes_the_standings_and_no_rating(season):
    kept = list(RatingChange.objects.values_list("pk", flat=True))
    (eve,) = make_players(season.league, "Eve")
    entry = enter_player(season=season, player=eve, by=None)
    replayed(season)
    assert Standing.objects.get(player=eve).rating == 15000
    withdraw_player(entry=Entry.objects.get(player__name="Ann"), by=None)
    remove_entry(entry=entry, by=None)
    replayed(season)
    assert Standing.objects.get(player__name="Ann").withdrawn
    assert not Standing.objects.filter(player=eve).exists()
    assert list(RatingChange.objects.values_list("pk", flat=True)) == kept
    assert check_season(season.pk) == []


def test_r7_a_game_entered_late_is_rated_at_its_place(season):
    ann, dan = (season.league.players.get(name=name) for name in ("Ann", "Dan"))
    late = make_game(season, (ann, 5), (dan, 9), played_at=season.starts_at)
    replayed(season)
    assert set(late.changes.values_list("before", flat=True)) == {15000}
    following = RatingChange.objects.get(player=ann, played=2)
    assert following.before == RatingChange.objects.get(game=late, player=ann).after
    assert check_season(season.pk) == []


def test_games_at_the_same_time_are_rated_in_the_order_of_entry(season):
    ann, dan = (season.league.players.get(name=name) for name in ("Ann", "Dan"))
    make_game(season, (ann, 5), (dan, 9), played_at=hours(season, 3))  # as late as the last one
    replayed(season)
    assert (
        RatingChange.objects.get(player=dan, played=2).before
        == RatingChange.objects.get(player=dan, played=1).after
    )
    assert check_season(season.pk) == []


def test_a_correction_replays_from_the_corrected_game_and_writes_only_what_changed(season):
    first, second, third = Game.objects.in_play_order()
    kept = {change.pk for change in RatingChange.objects.filter(game=first)}
    sides = [PlayedSide(side.members, side.points + 10) for side in played_sides(second)]
    correct_game(game=second, played_at=second.played_at, sides=sides, by=None)
    assert stale_games(season) == [second.pk, third.pk]
    later = dict(RatingChange.objects.filter(game=third).values_list("pk", "points"))
    replayed(season)
    assert kept <= set(RatingChange.objects.values_list("pk", flat=True))
    # The same margins: the points of the second game differ, no rating does, and the third is as it was.
    assert dict(RatingChange.objects.filter(game=third).values_list("pk", "points")) == later
    assert set(RatingChange.objects.filter(game=second).values_list("points", flat=True)) == {40, 30, 20}
    assert check_season(season.pk) == []


def test_the_ledger_stands_by_itself_until_the_replay_after_a_deletion(season):
    second = list(Game.objects.in_play_order())[1]
    number = second.pk
    delete_games(games=[second], by=None)
    assert RatingChange.objects.filter(game_id=number).count() == 3
    replayed(season)
    assert not RatingChange.objects.filter(game_id=number).exists()
    assert check_season(season.pk) == []


def test_one_season_that_fails_in_an_unforeseen_way_does_not_hold_up_the_others(season, monkeypatch):
    other = make_season(make_league())
    make_game(other, *zip(make_players(other.league, "Ann", "Bob"), (1, 2), strict=True))
    season_is_changed(season, since=None)

    def broken(season_id, **_options):
        if season_id == season.pk:
            raise RuntimeError("a fault of ours")
        return replay_season(season_id)

    monkeypatch.setattr(replay_module, "replay_season", broken)
    assert replay_stale_seasons() == 1
    assert check_season(other.pk) == []


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("act", ["correct", "move", "void", "restore", "delete"])
def test_a_corrected_game_leaves_the_results_it_would_have_given_at_once(season, which, act):
    game = list(Game.objects.in_play_order())[which]
    sides = [
        PlayedSide(tuple(m.player for m in side.members.all()), side.points) for side in game.sides.all()
    ]
    if act == "correct":
        turned = [
            PlayedSide(side.members, other.points) for side, other in zip(sides, sides[::-1], strict=True)
        ]
        correct_game(game=game, played_at=game.played_at, sides=turned, by=None)
    elif act == "move":
        correct_game(game=game, played_at=hours(season, 10), sides=sides, by=None)
    elif act == "delete":
        delete_games(games=[game], by=None)
    else:
        void_game(game=game, reason="Wrong table", by=None)
    if act == "restore":
        replayed(season)
        restore_game(game=Game.objects.get(pk=game.pk), by=None)
    assert check_season(season.pk) != []  # behind, and not equal by accident
    replayed(season)
    assert check_season(season.pk) == []
    counted = {"delete": 2, "void": 2}.get(act, 3)
    assert Replay.objects.get().games == counted
    assert RatingChange.objects.values("game").distinct().count() == counted


def test_changed_rules_rate_the_whole_season_anew(season):
    change_rules(season=season, by=None, values={"k": Decimal(20)})
    replayed(season)
    # as above with K = 20: 20 x 3.2786 x 0.5 = 32.8
    assert RatingChange.objects.get(player__name="Ann", played=1).after == 15328
    assert check_season(season.pk) == []


def test_an_odd_rule_is_refused_with_its_field(season):
    with pytest.raises(ValidationError) as refused:
        change_rules(season=season, by=None, values={"keep": Decimal(2)})
    assert "keep" in refused.value.message_dict
    assert Season.objects.get().revision == season.revision


def test_ft_06_a_season_that_cannot_be_rated_keeps_its_results_and_says_why(season):
    ann, bob = (season.league.players.get(name=name) for name in ("Ann", "Bob"))
    update_season(season=season, by=None, largest_margin=10_000)
    replayed(season)
    before = list(Standing.objects.values_list("player", "rating"))
    # M(10000) is 4 x e to the power of 17.4: 146 million.
    make_game(season, (ann, 10_000), (bob, 0), played_at=hours(season, 5))
    assert replay_season(season.pk) is False
    replay = Replay.objects.get()
    assert replay.failed_revision == Season.objects.get().revision
    assert "would leave the range" in replay.error
    assert list(Standing.objects.values_list("player", "rating")) == before
    assert replay_stale_seasons() == 0, "it is not tried again until its facts change"
    change_rules(season=season, by=None, values={"curve_limit": Decimal(8)})
    assert replay_stale_seasons() == 1
    assert Replay.objects.get().error == ""
    assert check_season(season.pk) == []
    assert make_game(season, (ann, 1), (bob, 2)).pk


@pytest.mark.parametrize("values", [{"k_rule": "nonsense"}, {"keep": 9}, {"tie_breaks": 5}])
def test_rules_that_cannot_be_read_are_noted_and_the_pages_keep_the_last_results(season, client, values):
    def page(*address):
        return client.get("/".join(["", season.league.slug, season.slug, *address, ""])).content.decode()

    ann, bob = (season.league.players.get(name=name) for name in ("Ann", "Bob"))
    rating = format_rating(Standing.objects.get(player=ann).rating)
    RuleSet.objects.filter(season=season).update(**values)
    game = make_game(season, (ann, 10), (bob, 0), played_at=hours(season, 5))
    assert replay_season(season.pk) is False
    replay = Replay.objects.get()
    assert replay.failed_revision == Season.objects.get().revision
    assert replay.error.startswith("The rules cannot be read: ")
    assert replay_stale_seasons() == 0, "it is not tried again until its facts change"
    assert check_season(season.pk)[-1].startswith("the facts cannot be rated: The rules cannot be read: ")
    assert rating in page()
    assert "later changes are not in them yet" in page()
    assert rating in page("players", ann.slug)
    assert "cannot be shown" not in page("games", str(game.pk))
    assert client.get(f"/{season.league.slug}/").status_code == 200
    api = f"/api/v1/leagues/{season.league.slug}/seasons/{season.slug}"
    assert client.get(f"{api}/standings").json()["items"][0]["rating"]
    assert client.get(api).json()["rules"] == {}
    change_rules(
        season=season, by=None, values={"keep": Decimal(0), "k_rule": "fixed", "tie_breaks": ["rating"]}
    )
    assert check_season(replayed(season).pk) == []


def test_equal_players_stand_in_order_of_their_names_after_a_renaming_too(season):
    eve, fay = make_players(season.league, "Eve", "Fay")
    for player in (eve, fay):
        enter_player(season=season, player=player, by=None)
    update_player(player=eve, name="Zoe", by=None)
    assert check_season(replayed(season).pk) == []
    assert Standing.objects.get(player=fay).position < Standing.objects.get(player=eve).position


def test_di_08_check_finds_every_kind_of_wrong_row(season):
    RatingChange.objects.filter(player__name="Ann", played=1).update(after=1)
    Standing.objects.filter(player__name="Bob").update(rating=2)
    Meeting.objects.filter(player__name="Cyd", opponent__name="Ann").delete()
    Standing.objects.filter(player__name="Dan").delete()
    differences = "\n".join(check_season(season.pk))
    for part in ("change of game", "after is 1", "rating is 2", "meetings of player", "missing"):
        assert part in differences
    replay_season(season.pk, full=True)
    assert check_season(season.pk) == []


def test_the_sweep_finds_a_season_whose_nudge_was_lost(season):
    ann, bob = (season.league.players.get(name=name) for name in ("Ann", "Bob"))
    make_game(season, (ann, 1), (bob, 2), played_at=hours(season, 5))
    assert replay_stale_seasons() == 1
    assert replay_stale_seasons() == 0
    assert check_season(season.pk) == []


def test_a_deleted_season_is_no_error(season):
    number = season.pk
    season.delete()
    assert replay_season(number) is False


def test_ratings_are_carried_over_from_the_last_closed_season(season):
    update_season(season=season, by=None, state=Season.State.CLOSED)
    following = make_season(season.league, name="Next", starts_on=season.ends_on, ends_on=season.ends_on)
    change_rules(season=following, by=None, values={"carry_over": Decimal("0.5")})
    ann, bob = (season.league.players.get(name=name) for name in ("Ann", "Bob"))
    game = make_game(following, (ann, 1), (bob, 1))
    replayed(following)
    last = Standing.objects.get(season=season, player=ann).rating
    assert game.changes.get(player=ann).before == round(15000 + (last - 15000) / 2)
    assert check_season(following.pk) == []


def test_di_01_r2_random_histories_equal_a_replay_from_scratch():
    rng = Random(7)
    season = make_season()
    players = make_players(season.league, *"ABCDEF")
    for step in range(120):
        games = list(Game.objects.filter(season=season))
        act = rng.choice(["add", "add", "append", "correct", "void", "delete", "withdraw", "rules"])
        if act in ("add", "append") or not games:
            rng.shuffle(players)
            sides = [(player, rng.randint(-50, 900)) for player in players[: rng.choice((2, 2, 3, 4))]]
            if rng.random() < 0.2:
                sides = [(players[:2], rng.randint(0, 500)), (players[2:5], rng.randint(0, 500))]
            at = step * 10 if act == "append" else rng.randrange(1200)
            make_game(season, *sides, played_at=season.starts_at + timedelta(minutes=at))
        elif act == "correct":
            game = rng.choice(games)
            sides = [PlayedSide((player,), rng.randint(0, 300)) for player in rng.sample(players, 3)]
            moved = game.played_at + timedelta(minutes=rng.choice((0, 0, 30)))
            correct_game(game=game, played_at=moved, sides=sides, by=None)
        elif act == "void":
            game = rng.choice(games)
            restore_game(game=game, by=None) if game.is_voided else void_game(game=game, reason="x", by=None)
        elif act == "delete":
            delete_games(games=rng.sample(games, min(2, len(games))), by=None)
        elif act == "withdraw":
            entry = rng.choice(list(Entry.objects.filter(season=season)))
            withdraw_player(entry=entry, by=None)
        else:
            change_rules(season=season, by=None, values={"k": Decimal(rng.choice((10, 16)))})
        if rng.random() < 0.7:
            replay_season(season.pk)
            assert check_season(season.pk) == [], (step, act)


def test_a_change_of_nothing_but_the_standings_folds_no_game(season):
    season_is_changed(season, since=None)
    with CaptureQueriesContext(connection) as queries:
        replayed(season)
    assert not [query for query in queries if '"leagues_sidemember"' in query["sql"]]
    assert check_season(season.pk) == []


def test_two_leagues_are_replayed_apart(season):
    other = make_season(make_league())
    ann, bob = make_players(other.league, "Ann", "Bob")
    make_game(other, (ann, 1), (bob, 2))
    before = list(Standing.objects.filter(season=season).values_list("pk", "rating"))
    replayed(other)
    assert list(Standing.objects.filter(season=season).values_list("pk", "rating")) == before
    assert set(RatingChange.objects.filter(season=other).values_list("player__league", flat=True)) == {
        other.league_id
    }


@pytest.mark.usefixtures("three_at_a_time")
def test_each_game_is_read_once_and_in_order_of_play_however_many_are_read_at_a_time() -> None:
    season = make_season()
    ann, bob = make_players(season.league, "Ann", "Bob")
    # Four at the same time are parted by the reading, and so are two orders of the third.
    moments = [hours(season, number) for number in (5, 2, 2, 2, 2, 1, 3, 3)]
    games = [make_game(season, (ann, 1), (bob, 0), played_at=moment) for moment in moments]
    Game.objects.filter(pk=games[7].pk).update(order=games[6].order)
    ordered = [games[number].pk for number in (5, 1, 2, 3, 4, 6, 7, 0)]
    batches = load_games(season, load_basis(season).outside)
    assert [[int(game.id) for game in batch.games] for batch in batches] == [
        ordered[:3],
        ordered[3:6],
        ordered[6:],
    ]
