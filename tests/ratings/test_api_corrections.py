"""Games that programs correct, void and delete: only as they were read, never over another's change."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from leagues.models import AuditEntry, Game, Player, Season
from leagues.services import update_season, void_game
from ratings.services.check import check_season
from tests.factories import make_game, replayed
from tests.ratings.test_api_reports import problems, program, report, season_in, sent, side

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    return season_in("alpha")


@pytest.fixture
def bot(season: Season) -> Client:
    """A program that has reported that Ann beat Bob by 3 to 1, at half past nine."""
    bot = program(season)
    assert sent(bot, season, report(note="Table 4")).status_code == 201
    return bot


def address(season: Season) -> str:
    where = f"/api/v1/leagues/{season.league.slug}/seasons/{season.slug}/games"
    return f"{where}/{Game.objects.get(season=season).pk}"


def ask(client: Client, method: str, url: str, body: Any = None, match: str | None = "*") -> Any:
    act = getattr(client, method)
    headers = {} if match is None else {"If-Match": match}
    data = "" if body is None else json.dumps(body)
    return act(url, data, content_type="application/json", headers=headers)


def stored(season: Season) -> dict[str, Any]:
    game = Game.objects.with_sides().get(season=season)
    return {
        "played_at": game.played_at,
        "sides": [(each.members.get().player.name, each.points) for each in game.sides.all()],
        "note": game.note,
        "kind": game.kind,
    }


def test_what_a_correction_leaves_out_stays(season, bot):
    before = stored(season)
    answer = ask(bot, "patch", address(season), {"kind": "friendly"}, '"1"')
    assert (answer.status_code, answer.json()["kind"], answer.json()["version"]) == (200, "friendly", 2)
    assert stored(season) == before | {"kind": "friendly"}
    sides = [side(1, "Захари"), side(2, "Newcomer")]
    answer = ask(bot, "patch", address(season), {"sides": sides, "note": None, "create_players": True})
    assert answer.json()["sides"][1]["members"][0]["slug"] == "newcomer"
    assert stored(season)["note"] == "Table 4"
    said = {"played_at": "2026-05-04", "note": "", "kind": "played"}
    assert ask(bot, "patch", address(season), said).status_code == 200
    assert stored(season) == {
        "played_at": datetime(2026, 5, 3, 21, tzinfo=UTC),
        "sides": [("Захари", 1), ("Newcomer", 2)],
        "note": "",
        "kind": "played",
    }
    assert check_season(replayed(season).pk) == []


def test_di_03_the_log_tells_through_which_token_it_was_done(season, bot):
    for method, path, body in (
        ("patch", "", {"note": "Table 5"}),
        ("post", "/void", {"reason": "Twice"}),
        ("post", "/restore", None),
        ("delete", "", None),
    ):
        assert ask(bot, method, f"{address(season)}{path}", body).status_code in (200, 204)
        entry = AuditEntry.objects.latest("pk")
        assert entry.after["through"] == "Score board"
        assert entry.by == season.league.organizers.get().user


def test_a_program_that_read_an_older_game_is_refused(season, bot):
    tag = bot.get(address(season))["ETag"]
    void_game(game=Game.objects.get(), reason="Twice", by=None)  # an organizer was faster
    before = Game.objects.values().get()
    for method, path, body in (
        ("patch", "", {"note": "Table 5"}),
        ("post", "/void", {"reason": "Late"}),
        ("post", "/restore", None),
        ("delete", "", None),
    ):
        for match in (tag, '"1"', '"1", "3"'):
            answer = ask(bot, method, f"{address(season)}{path}", body, match)
            assert answer.status_code == 412
            assert "no longer as it was read" in answer.json()["detail"]
    assert Game.objects.values().get() == before
    tag = bot.get(address(season))["ETag"]
    answer = ask(bot, "post", f"{address(season)}/restore", None, tag)
    assert answer.json()["voided"] is False
    assert ask(bot, "delete", address(season), None, answer["ETag"]).status_code == 204
    assert not Game.objects.exists()
    assert bot.get("/api/v1/leagues/alpha/seasons/now/games").json()["count"] == 0


def test_what_was_rated_meanwhile_makes_no_other_game(season, bot):
    tag = bot.get(address(season))["ETag"]
    replayed(season)
    rated = bot.get(address(season))["ETag"]
    assert rated != tag  # the answer is another one, with ratings
    assert bot.get(address(season), headers={"If-None-Match": rated}).status_code == 304
    for match in (tag, f"W/{rated}", f'"9", {rated}'):
        assert ask(bot, "post", f"{address(season)}/restore", None, match).status_code == 200


@pytest.mark.parametrize(
    ("body", "field", "said"),
    [
        ({"played_at": "yesterday"}, "played_at", "“yesterday” is no date or time"),
        (
            {"sides": [side(3, "Nobody"), side(1, "Ann alpha")]},
            "sides[0].players",
            "no player of this league",
        ),
        ({"sides": [side(3, "Ann alpha"), side(-1, "Захари")]}, "sides[1].points", "no points below 0"),
        ({"sides": []}, "sides", "at least 1"),
        ({"kind": "walkover"}, "kind", "not “walkover”"),
        ({"voided": True}, "voided", "not permitted"),
    ],
)
def test_up_02_a_correction_that_makes_no_game_is_refused(season, bot, body, field, said):
    before = Game.objects.values().get()
    refused = problems(ask(bot, "patch", address(season), body))
    assert list(refused) == [field]
    assert said in refused[field]
    assert Game.objects.values().get() == before


@pytest.mark.parametrize("match", [None, "", "1", '"1', "*, *"])
def test_a_change_says_which_game_it_is_of(season, bot, match):
    assert problems(ask(bot, "delete", address(season), None, match)).keys() == {"If-Match"}
    assert Game.objects.exists()


def test_a_void_has_a_reason(season, bot):
    for body in ({}, {"reason": ""}, {"reason": "  "}):
        assert problems(ask(bot, "post", f"{address(season)}/void", body)).keys() == {"reason"}
    ask(bot, "post", f"{address(season)}/void", {"reason": "Twice"})
    assert bot.get(address(season)).json()["void_reason"] == "Twice"


def test_pe_06_who_only_reads_or_is_anothers_changes_nothing(season, bot):
    url, other = address(season), season_in("beta")
    make_game(other, *((each, 1) for each in Player.objects.filter(league=other.league)[:2]))
    before = list(Game.objects.values())
    for client, status in ((program(season, "read"), 403), (program(other), 404), (Client(), 401)):
        for method, path, body in (
            ("patch", "", {}),
            ("post", "/void", {"reason": "x"}),
            ("delete", "", None),
        ):
            assert ask(client, method, f"{url}{path}", body).status_code == status
    # A game of another league, at the address of the own one.
    foreign = f"{url.rpartition('/')[0]}/{Game.objects.get(season=other).pk}"
    assert ask(bot, "delete", foreign).status_code == 404
    assert list(Game.objects.values()) == before


def test_a_closed_season_takes_no_correction(season, bot):
    replayed(season)
    update_season(season=season, by=None, state=Season.State.CLOSED)
    for method, path, body in (("patch", "", {}), ("post", "/void", {"reason": "x"}), ("delete", "", None)):
        answer = ask(bot, method, f"{address(season)}{path}", body)
        assert answer.status_code == 409
        assert "is closed and takes no changes" in answer.json()["detail"]
