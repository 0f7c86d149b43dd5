"""What players are told of changes in games that were rated before."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from leagues.models import AuditEntry, Game, Season
from leagues.services import (
    PlayedSide,
    correct_game,
    delete_games,
    reorder_games,
    restore_game,
    update_player,
    void_game,
)
from leagues.services.games import played_sides
from ratings.models import Correction, RatingChange
from ratings.services import correction_log
from ratings.services.correction_log import corrections_of, told
from ratings.services.replay import replay_season
from ratings.services.rules import change_rules
from ratings.views import corrections
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    """Ann beats Bob on the first of January, then Ann and Cyd, and Cyd and Dan play; all rated."""
    season = make_season(make_league("apes"))
    ann, bob, cyd, dan = make_players(season.league, "Ann", "Bob", "Cyd", "Dan")
    make_game(season, (ann, 500), (bob, 100), played_at=at(season, 1))
    make_game(season, (ann, 30), (cyd, 20), played_at=at(season, 2))
    make_game(season, (cyd, 40), (dan, 10), played_at=at(season, 3))
    return replayed(season)


def at(season: Season, hour: int):
    return season.starts_at + timedelta(hours=hour)


def correct(game: Game, *points: int, **values: Any) -> Game:
    sides = zip(played_sides(game), points, strict=True)
    values = {"played_at": game.played_at} | values
    return correct_game(game=game, sides=[PlayedSide(s.members, p) for s, p in sides], by=None, **values)


def game_of(season: Season, number: int) -> Game:
    return Game.objects.filter(season=season).in_play_order().with_sides()[number - 1]


def log(season: Season) -> list[tuple[list[str], str]]:
    with timezone.override(season.league.zone):
        read = [told(each) for each in corrections_of(season)]
    return [([sentence for sentence, _game in each.acts], each.effect) for each in read]


def ratings(season: Season) -> dict[tuple[int, int], int]:
    rows = RatingChange.objects.filter(season=season).values_list("game_id", "player_id", "after")
    return {(game, player): after for game, player, after in rows}


def test_a_correction_says_what_became_of_the_game_and_of_later_ones(season):
    before = ratings(season)
    correct(game_of(season, 1), 100, 500)
    replayed(season)
    after = ratings(season)
    # Won by 400 instead of lost: M(400) = 3.2786, so 16.4 up became 16.4 down, 32.8 for each of both.
    assert max(abs(after[key] - before[key]) for key in before) == 328
    # The second game has Ann in it, the third Cyd, whom Ann's rating reaches through the second.
    assert log(season) == [
        (
            ["Game of 1 January 2026, Ann – Bob: 500 : 100 became 100 : 500."],
            "2 later games recalculated; largest change of a rating: 32.8.",
        )
    ]


def test_games_that_are_only_appended_cost_nothing(season):
    ann, bob = season.league.players.filter(name__in=["Ann", "Bob"])
    make_game(season, (ann, 5), (bob, 9), played_at=at(season, 4))
    with CaptureQueriesContext(connection) as queries:
        replay_season(season.pk)
    assert not [query for query in queries if "correction" in query["sql"] or "audit" in query["sql"]]
    assert log(season) == []


def test_a_game_entered_late_is_told_with_the_games_it_changed(season):
    ann, dan = season.league.players.filter(name__in=["Ann", "Dan"])
    late = make_game(season, (ann, 0), (dan, 0), played_at=season.starts_at)
    replayed(season)
    assert log(season) == []  # a draw of equals changes no rating, so nothing is to be told
    delete_games(games=[late], by=None)
    replayed(season)
    make_game(season, (ann, 500), (dan, 100), played_at=season.starts_at)
    replayed(season)
    assert log(season)[0] == (
        ["Game of 1 January 2026, Ann – Dan: 500 : 100 was entered late."],
        "3 later games recalculated; largest change of a rating: 16.4.",
    )


def test_several_corrections_of_one_replay_share_what_they_changed(season):
    correct(game_of(season, 1), 400, 100)
    void_game(game=game_of(season, 2), reason="Wrong table", by=None)
    replayed(season)
    ((sentences, effect),) = log(season)
    assert sentences == [
        "Game of 1 January 2026, Ann – Bob: 500 : 100 became 400 : 100.",
        "Game of 1 January 2026, Ann – Cyd: 30 : 20 was voided (Wrong table).",
    ]
    assert effect.startswith("1 later game recalculated")


def test_r14_a_voided_game_is_told_and_so_is_its_return(season):
    last = game_of(season, 3)
    void_game(game=last, reason="Played twice", by=None)
    replayed(season)
    restore_game(game=last, by=None)
    replayed(season)
    # Cyd beats Dan by 30 points: M(30) = 0.6096, and each moves by 3.0 and what their ratings differ.
    moved = "No later game is affected; largest change of a rating: 3.1."
    assert log(season)[-1] == (
        ["Game of 1 January 2026, Cyd – Dan: 40 : 10 was voided (Played twice)."],
        moved,
    )


def test_acts_that_change_no_rating_are_told_as_such(season):
    game = game_of(season, 2)
    correct(game, 30, 20, note="At Ann's")
    replayed(season)
    assert log(season) == [
        (["Game of 1 January 2026, Ann – Cyd: the note was changed."], "No rating changed.")
    ]


def test_rules_and_the_order_of_games_are_told(season):
    ann, bob = season.league.players.filter(name__in=["Ann", "Bob"])
    one = game_of(season, 1)
    other = make_game(season, (ann, 20), (bob, 10), played_at=one.played_at)
    replayed(season)
    reorder_games(games=[other, one], by=None)
    replayed(season)
    change_rules(season=season, by=None, values={"k": 20})
    replayed(season)
    assert [sentences for sentences, _effect in log(season)][:2] == [
        ["Rules changed: K-factor."],
        ["Games of 1 January 2026, 01:00 were put in another order."],
    ]


def test_what_changes_ratings_without_an_act_on_the_season_is_told_without_a_name(db):
    """A year of birth can change K; the log must not say whose it is."""
    season = make_season(make_league("ladder"), preset="ranked-battle")
    ann, bob = make_players(season.league, "Ann", "Bob")
    for hour in range(1, 33):
        make_game(season, (ann, 1), (bob, 0), played_at=at(season, hour))
    replayed(season)
    change_rules(season=season, by=None, values={"k_rule": "fide-junior"})
    replayed(season)
    update_player(player=ann, name="Ann", birth_year=2012, by=None)
    replayed(season)
    sentences, effect = log(season)[0]
    assert sentences == ["Something else that ratings follow from was corrected."]
    assert effect.startswith("2 later games recalculated")


def test_a_repeated_replay_tells_nothing(season):
    replay_season(season.pk, full=True)
    assert not Correction.objects.exists()


def test_acts_name_the_revision_they_made(season):
    for revision in (season.revision + 1, season.revision + 2):
        correct(game_of(season, 1), 300, revision)
        season.refresh_from_db()
        entry = AuditEntry.objects.first()
        assert entry is not None
        assert (entry.revision, season.revision) == (revision, revision)


def test_the_page_is_there_for_everybody_and_names_no_organizer(client, season):
    correct(game_of(season, 1), 100, 500)
    replayed(season)
    address = reverse("ratings:corrections", args=["apes", season.slug])
    page = client.get(address).content.decode()
    assert "500 : 100 became 100 : 500" in page
    assert address in client.get(season.get_absolute_url()).content.decode()
    assert "No game of this season has been corrected" not in page


def test_the_file_has_all_corrections_in_the_words_of_the_page(client, season, monkeypatch):
    monkeypatch.setattr(correction_log, "ACTS_TOLD", 1)
    monkeypatch.setattr(corrections, "CORRECTIONS_A_PAGE", 1)
    correct(game_of(season, 1), 400, 100)
    void_game(game=game_of(season, 2), reason="Wrong table", by=None)
    replayed(season)
    correct(game_of(season, 1), 100, 500)
    replayed(season)
    season.league.language = "bg"
    season.league.save()
    address = {"league": season.league.slug, "season": season.slug}
    response = client.get(reverse("ratings:corrections-file", kwargs=address))
    header, *rows = csv.reader(io.StringIO(b"".join(response.streaming_content).decode("utf-8-sig")))
    assert header == ["corrected_at", "correction", "effect", "standings_from"]
    assert [row[3] for row in rows] == ["2026-01-01", "2026-01-01"]
    assert " ".join(rows[0][1].split()) == "Игра от 1 януари 2026 г., Ann – Bob: 400 : 100 стана 100 : 500."
    assert rows[1][1].endswith("500 : 100 стана 400 : 100. и още 1")
    for number, (_at, text, effect, _day) in enumerate(rows, 1):
        page = client.get(reverse("ratings:corrections", kwargs=address), {"page": number}).content.decode()
        assert f"{effect} <a" in page
        assert text.partition(". и още")[0] in page
