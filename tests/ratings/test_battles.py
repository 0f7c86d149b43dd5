"""Battles by a game server: drawn, good for one result, and expiring."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.test import Client

from leagues.models import ApiToken, AuditEntry, Challenge, Entry, Game, Player, Season
from leagues.services import (
    create_api_token,
    create_player,
    delete_games,
    enter_player,
    merge_players,
    update_player,
    update_season,
    withdraw_player,
)
from leagues.services.api_games import KeyReusedError
from leagues.services.challenges import carry_out_deadlines
from ratings.models import RatingChange
from ratings.services.battles import draw_battle
from ratings.services.check import check_season
from ratings.services.explain import explain_game
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


@pytest.fixture
def season() -> Season:
    """Ann on 1520, Bob on 1480, Cyd and Dan on 1500; it is the third of May."""
    league = make_league("alpha", owner=make_user("owner-of-alpha"), timezone="Europe/Sofia")
    season = make_season(league, slug="now", preset="ranked-battle")
    ann, bob, cyd, dan = make_players(league, "Ann", "Bob", "Cyd", "Dan")
    for player in (cyd, dan):
        enter_player(season=season, player=player, by=None)
    make_game(season, (ann, 1), (bob, 0), played_at=season.starts_at)
    with time_machine.travel(NOW, tick=False):
        yield replayed(season)


def token_of(season: Season, scope: str = "write"):
    others = ApiToken.objects.in_league(season.league).count()
    name = f"Arena {others}" if others else "Arena"
    owner = season.league.organizers.earliest("pk").user
    return create_api_token(league=season.league, name=name, scope=scope, by=owner)


def program(season: Season, scope: str = "write") -> Client:
    return Client(headers={"Authorization": f"Bearer {token_of(season, scope)[1]}"})


def address(season: Season) -> str:
    return f"/api/v1/leagues/{season.league.slug}/seasons/{season.slug}"


def drawn(client: Client, season: Season, challenger: str = "ann", key: str = "k-1", **body: Any):
    data = json.dumps({"challenger": challenger} | body)
    headers = {"Idempotency-Key": key}
    return client.post(
        f"{address(season)}/ladder/draw", data, content_type="application/json", headers=headers
    )


def told(client: Client, season: Season, battle: Any, won: int = 1, lost: int = 0, **body: Any):
    data = json.dumps({"challenger_points": won, "opponent_points": lost} | body)
    return client.post(f"{address(season)}/battles/{battle}/result", data, content_type="application/json")


def sentence(answer: Any, status: int = 409) -> str:
    assert answer.status_code == status, answer.content
    return answer.json()["detail"]


def test_a_battle_is_drawn_with_both_outcomes_and_recorded(season):
    bot = program(season)
    answer = drawn(bot, season)
    assert answer.status_code == 201
    battle = answer.json()
    assert battle["challenger"] == {"slug": "ann", "name": "Ann", "rating": 1520.0}
    assert battle["opponent"]["slug"] in ("bob", "cyd", "dan")
    assert (battle["k"], battle["k_reason"]) == (40, "fide-new")
    win, loss = battle["outcomes"]["win"], battle["outcomes"]["loss"]
    assert win["challenger"] == -win["opponent"] > 0 > loss["challenger"] == -loss["opponent"]
    assert battle["drawn_at"] == "2026-05-03T15:00:00+03:00"
    assert battle["expires_at"] == "2026-05-03T16:00:00+03:00"
    answer = told(bot, season, battle["battle"], note="Arena 7")
    assert answer.status_code == 201
    game = Game.objects.latest("pk")
    assert answer["Location"] == f"{address(season)}/games/{game.pk}"
    assert (game.played_at, game.note) == (NOW, "Arena 7")
    sides = answer.json()["sides"]
    assert [side["members"][0]["slug"] for side in sides] == ["ann", battle["opponent"]["slug"]]
    replayed(season)
    sides = bot.get(answer["Location"]).json()["sides"]
    assert [side["members"][0]["change"] for side in sides] == [win["challenger"], win["opponent"]]
    challenge = Challenge.objects.get()
    assert (challenge.state, challenge.game, challenge.decided_at) == ("played", game, NOW)


def test_r123_1450_challenges_1550(season):
    """1450 against 1550 with K = 40: 25.6 to win and 14.4 to lose for one, the opposite for the other."""
    for player, rating in (("ann", 14_500), ("bob", 15_500)):
        season.standings.filter(player__slug=player).update(rating=rating)
    for entry in Entry.objects.filter(player__slug__in=["cyd", "dan"]):
        withdraw_player(entry=entry, by=None)
    outcomes = drawn(program(season), season).json()["outcomes"]
    assert outcomes["win"] == {"challenger": 25.6, "opponent": -25.6}
    assert outcomes["loss"] == {"challenger": -14.4, "opponent": 14.4}
    assert outcomes["draw"] == {"challenger": 5.6, "opponent": -5.6}


def test_a_draw_sent_again_is_the_battle_it_was(season):
    bot = program(season)
    first, again = drawn(bot, season), drawn(bot, season)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert drawn(bot, season, key="k-2").json()["battle"] != first.json()["battle"]
    (problem,) = drawn(bot, season, "bob").json()["detail"]
    assert problem["field"] == "Idempotency-Key"
    assert Challenge.objects.count() == 2


def test_a_result_is_recorded_once(season):
    bot = program(season)
    battle = drawn(bot, season).json()["battle"]
    answers = [told(bot, season, battle) for _time in range(3)]
    assert [answer.status_code for answer in answers] == [201, 200, 200]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sentence(told(bot, season, battle, 0, 1)) == "This battle has another result already."
    with time_machine.travel(NOW + timedelta(days=8), tick=False):
        assert sentence(told(bot, season, battle)) == "This battle has its result already."
    assert Game.objects.count() == 2
    delete_games(games=Game.objects.filter(challenge__isnull=False), by=None)
    assert sentence(told(bot, season, battle)) == "The game of this battle was deleted since."


def test_r124_a_battle_expires_at_its_moment_whoever_looks(season):
    bot = program(season)
    battles = [drawn(bot, season, key=key).json()["battle"] for key in ("k-1", "k-2")]
    with time_machine.travel(NOW + timedelta(minutes=59, seconds=59), tick=False):
        assert told(bot, season, battles[0]).status_code == 201
    for late in (timedelta(hours=1), timedelta(hours=7)):
        with time_machine.travel(NOW + late, tick=False):
            assert "it has expired" in sentence(told(bot, season, battles[1]))
    with time_machine.travel(NOW + timedelta(hours=7), tick=False):
        carry_out_deadlines()
        late = Challenge.objects.get(uuid=battles[1])
        assert (late.state, late.decided_at, late.game) == ("expired", NOW + timedelta(hours=1), None)
        assert "it has expired" in sentence(told(bot, season, battles[1]))
    assert RatingChange.objects.filter(season=season).count() == 2
    assert Game.objects.count() == 2


def test_no_battle_outlasts_its_season(season):
    with time_machine.travel(season.ends_at - timedelta(minutes=5), tick=False):
        battle = drawn(program(season), season).json()
    assert battle["expires_at"] == "2027-01-01T00:00:00+02:00"


def test_r17_the_range_is_checked_when_a_battle_is_drawn_and_stays_valid(season):
    bot = program(season)
    battle = drawn(bot, season).json()
    opponent = Player.objects.get(slug=battle["opponent"]["slug"])
    cyd = make_players(season.league, "Eve")[0]
    for number in range(12):
        make_game(season, (opponent, 1), (cyd, 0), played_at=NOW - timedelta(minutes=number + 1))
    assert replayed(season).standings.get(player=opponent).rating > 15_200 + 1_000
    assert told(bot, season, battle["battle"]).status_code == 201
    challenge = Challenge.objects.get()
    assert abs(challenge.challenger_rating - challenge.opponent_rating) <= 1_000


def no_ladder(season: Season) -> Season:
    other = make_season(season.league, slug="wsd", name="WSD")
    for player in season.league.players.all():
        enter_player(season=other, player=player, by=None)
    return replayed(other)


def withdrawn(season: Season) -> Season:
    withdraw_player(entry=Entry.objects.get(player__slug="ann"), by=None)
    return season


def alone(season: Season) -> Season:
    for entry in Entry.objects.exclude(player__slug="ann"):
        withdraw_player(entry=entry, by=None)
    return season


def over(season: Season) -> Season:
    old = make_season(
        season.league,
        slug="old",
        name="Old",
        preset="ranked-battle",
        starts_on="2025-01-01",
        ends_on="2025-12-31",
    )
    old.refresh_from_db()
    return old


def closed(season: Season) -> Season:
    update_season(season=season, by=None, state=Season.State.CLOSED)
    return season


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (no_ladder, "Battles are drawn in seasons of Ranked Battle; this one is none."),
        (withdrawn, "Ann is withdrawn from this season."),
        (alone, "Nobody within 100 points of Ann can be challenged now."),
        (over, "Battles are drawn while the season runs, from 1 January 2025 to 31 December 2025."),
        (closed, "The season “Season 2026” is closed and takes no changes; an owner can reopen it."),
    ],
)
def test_where_no_battle_can_be_drawn_it_is_said_why(season, case, said):
    bot = program(season)
    at = case(season)
    assert sentence(drawn(bot, at)) == said
    assert not Challenge.objects.exists()


def test_results_are_taken_of_accepted_challenges_only(season):
    bot = program(season)
    pk = Challenge.objects.get(uuid=drawn(bot, season).json()["battle"]).pk
    for state in ("issued", "declined", "withdrawn", "expired", "forfeited"):
        Challenge.objects.filter(pk=pk).update(state=state)
        sentence(told(bot, season, Challenge.objects.get().uuid))
    assert Game.objects.count() == 1


def test_nobody_else_draws_or_reports(season):
    other = make_season(make_league("beta", owner=make_user("owner-of-beta")), slug="now")
    battle = drawn(program(season), season).json()["battle"]
    for client, status in ((Client(), 401), (program(season, "read"), 403), (program(other), 404)):
        assert drawn(client, season, key="k-2").status_code == status
        assert told(client, season, battle).status_code == status
    assert told(program(other), other, battle).status_code == 404
    assert told(program(season), season, uuid4()).status_code == 404
    assert told(program(season), season, "17").status_code == 404
    assert (Challenge.objects.count(), Game.objects.count()) == (1, 1)


def test_a_challenger_is_known_by_name_other_name_or_slug_and_nobody_else_is(season):
    create_player(league=season.league, name="Захари", by=None)
    update_player(player=Player.objects.get(slug="ann"), name="Anna", by=None)
    bot = program(season)
    for number, name in enumerate(("anna", "Anna", "ANN", "zahari", "Захари")):
        assert drawn(bot, season, name, key=f"n-{number}").status_code == 201, name
    (problem,) = drawn(bot, season, "Zoe", key="zoe").json()["detail"]
    assert problem["field"] == "challenger"
    assert problem["message"].startswith("“Zoe” is no player of this league")
    assert drawn(bot, season, key="extra", deviation=500).status_code == 422


def test_the_log_tells_of_a_battle_and_through_which_token(season):
    bot = program(season)
    battle = drawn(bot, season).json()
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.object_type, entry.revision) == ("draw_battle", "challenge", None)
    assert entry.after == {"challenger": "Ann", "opponent": battle["opponent"]["name"], "through": "Arena"}
    told(bot, season, battle["battle"])
    recorded, played = AuditEntry.objects.order_by("pk")[AuditEntry.objects.count() - 2 :]
    assert (recorded.action, recorded.after["through"]) == ("record_game", "Arena")
    assert (played.action, played.before["state"], played.after["state"]) == (
        "play_challenge",
        "accepted",
        "played",
    )


def test_a_battle_of_a_merged_player_is_the_other_ones(season):
    bot = program(season)
    battle = drawn(bot, season).json()["battle"]
    zoe = create_player(league=season.league, name="Zoe", by=None)
    merge_players(keep=zoe, gone=Player.objects.get(slug="ann"), by=None)
    sides = told(bot, season, battle).json()["sides"]
    assert sides[0]["members"][0]["slug"] == "zoe"


def test_each_member_is_drawn_and_a_seed_draws_the_same(season):
    token, _secret = token_of(season)

    def opponent(seed: int, key: str) -> str:
        battle = draw_battle(season=season, challenger="ann", key=key, by=token, rng=Random(seed))
        return battle.challenge.opponent.slug

    assert {opponent(seed, f"a-{seed}") for seed in range(20)} == {"bob", "cyd", "dan"}
    assert [opponent(seed, f"b-{seed}") for seed in range(5)] == [
        opponent(seed, f"c-{seed}") for seed in range(5)
    ]


def test_a_key_of_a_game_is_none_of_a_draw(season):
    token, _secret = token_of(season)
    draw_battle(season=season, challenger="ann", key="k", by=token)
    with pytest.raises(KeyReusedError):
        draw_battle(season=season, challenger="bob", key="k", by=token)
    sides = [{"players": ["Ann"], "points": 3}, {"players": ["Bob"], "points": 1}]
    body = json.dumps({"played_at": "2026-05-03", "sides": sides})
    answer = program(season).post(
        f"{address(season)}/games", body, content_type="application/json", headers={"Idempotency-Key": "k"}
    )
    assert answer.status_code == 422


@pytest.mark.parametrize("k_rule", ["fide", "fide-junior", "fixed"])
def test_k_and_its_reason_stand_in_the_ledger(season, k_rule):
    """By the state at that game: Ann reaches 2400 on the way, and Bob is young, which nobody is told."""
    ann, bob, cyd, _dan = season.league.players.order_by("slug")
    update_player(player=bob, name="Bob", birth_year=2012, by=None)
    change_rules(season=season, by=None, values={"k_rule": k_rule, "initial_rating": 2290})
    for number in range(33):
        pair = ((ann, 1), (cyd, 0)) if number % 3 else ((bob, 1), (ann, 1))
        make_game(season, *pair, played_at=season.starts_at + timedelta(hours=number + 1))
    assert check_season(replayed(season).pk) == []
    reasons = set()
    for game in Game.objects.with_sides():
        explained = explain_game(game)
        row, other = RatingChange.objects.filter(game=game)
        assert row.k_reason == other.k_reason
        reasons.add(row.k_reason)
        shown = {"fixed": "fixed", "fide": row.k_reason, "fide-junior": "fide"}[k_rule]
        assert (explained.k_reason, bool(row.k_reason)) == (shown, k_rule != "fixed")
    by_state = {"fide-new", "fide-2400"}
    assert reasons == {"fide": by_state, "fide-junior": by_state | {"fide-junior"}, "fixed": {""}}[k_rule]
    (item,) = Client().get(f"{address(season)}/changes?limit=1").json()["items"]
    assert (item["k"], item["k_reason"]) == {
        "fide": (40, "fide-new"), "fide-junior": (40, "fide"), "fixed": (20, "fixed"),
    }[k_rule]  # fmt: skip
    file = Client().get("/alpha/now/changes.csv").getvalue().decode("utf-8-sig")
    header, first, *_rest = file.splitlines()
    assert header.endswith(",k,k_reason")
    assert first.endswith(f",{item['k']:.0f},{item['k_reason']}")
