"""Games that programs report: tokens, keys, and all that is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client

from leagues.models import ApiToken, AuditEntry, Game, Player, Role, Season
from leagues.models.league import Visibility
from leagues.services import (
    add_alias,
    change_role,
    create_api_token,
    delete_games,
    remove_organizer,
    revoke_api_token,
    update_season,
)
from tests.factories import (
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)
from wsd_site import limits
from wsd_site.api import api

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    return season_in("alpha")


def season_in(slug: str) -> Season:
    """A season with three players, in a league that is two or three hours before UTC."""
    league = make_league(slug, owner=make_user(f"owner-of-{slug}"), timezone="Europe/Sofia")
    season = make_season(league, slug="now", negative_points=False)
    make_players(league, f"Ann {slug}", f"Bob {slug}", "Захари")
    return season


def token_of(season: Season, scope: str = "write"):
    owner = season.league.organizers.earliest("pk").user
    others = ApiToken.objects.in_league(season.league).count()
    name = f"Score board {others}" if others else "Score board"
    return create_api_token(league=season.league, name=name, scope=scope, by=owner)


def program(season: Season, scope: str = "write", **options) -> Client:
    """A client with a token of the season's league."""
    return Client(headers={"Authorization": f"Bearer {token_of(season, scope)[1]}"}, **options)


def games_of(season: Season) -> str:
    return f"/api/v1/leagues/{season.league.slug}/seasons/{season.slug}/games"


def side(points: int = 3, *players: str) -> dict[str, object]:
    return {"players": list(players), "points": points}


def report(**values) -> dict[str, object]:
    sides = [side(3, "Ann alpha"), side(1, "bob-alpha")]
    return {"played_at": "2026-05-03T21:30", "sides": sides} | values


def sent(client: Client, season: Season, body=None, key: str = "k-1", **headers):
    body = report() if body is None else body
    data = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(
        games_of(season),
        data,
        content_type="application/json",
        headers={"Idempotency-Key": key} | headers,
    )


def problems(answer) -> dict[str, str]:
    assert answer.status_code == 422, answer.content
    return {each["field"]: each["message"] for each in answer.json()["detail"]}


def test_a_game_is_reported_and_found_where_the_answer_says(season):
    bot = program(season)
    answer = sent(bot, season, report(note="Table 4"))
    assert answer.status_code == 201
    game = Game.objects.get()
    assert game.played_at == datetime(2026, 5, 3, 18, 30, tzinfo=UTC)
    assert answer["Location"] == f"{games_of(season)}/{game.pk}"
    told = answer.json()
    assert told["played_at"] == "2026-05-03T21:30:00+03:00"
    assert told["note"] == "Table 4"
    assert [(each["points"], each["members"][0]["slug"]) for each in told["sides"]] == [
        (3, "ann-alpha"),
        (1, "bob-alpha"),
    ]
    replayed(season)
    assert bot.get(answer["Location"]).json()["sides"][0]["members"][0]["change"] > 0


def test_di_03_the_log_tells_who_and_through_which_token(season):
    last = AuditEntry.objects.latest("pk").pk
    bot = program(season)
    sent(bot, season)
    made, recorded = AuditEntry.objects.filter(pk__gt=last).order_by("pk")
    assert (made.action, made.after) == ("create_api_token", {"name": "Score board", "scope": "write"})
    assert (recorded.action, recorded.by) == ("record_game", season.league.organizers.get().user)
    assert recorded.after["through"] == "Score board"
    assert Game.objects.get().entered_by == recorded.by


@pytest.mark.parametrize("name", ["Захари", "zahari", "ЗАХАРИ ", "Zak"])
def test_players_are_known_by_name_other_name_or_slug(season, name):
    add_alias(player=Player.objects.get(slug="zahari"), name="Zak", by=None)
    answer = sent(program(season), season, report(sides=[side(3, name), side(1, "Ann alpha")]))
    assert answer.json()["sides"][0]["members"][0]["slug"] == "zahari"


def test_new_players_are_made_only_when_asked_for(season):
    bot, sides = program(season), [side(3, "Newcomer"), side(1, "Ann alpha", "NEWCOMER 2")]
    refused = problems(sent(bot, season, report(sides=sides)))
    said = "“{}” is no player of this league; correct the name, or set create_players."
    assert refused == {
        "sides[0].players": said.format("Newcomer"),
        "sides[1].players": said.format("NEWCOMER 2"),
    }
    assert Player.objects.count() == 3
    assert sent(bot, season, report(sides=sides, create_players=True)).status_code == 201
    assert Player.objects.count() == 5


def test_r41_a_program_says_what_kind_of_game_it_was(season):
    bot = program(season)
    told = sent(bot, season, report(kind="forfeit")).json()
    assert (told["kind"], told["rated"]) == ("forfeit", False)
    assert sent(bot, season, report(kind="forfeit")).status_code == 200
    assert "used for something else" in problems(sent(bot, season))["Idempotency-Key"]
    assert sent(bot, season, key="k-2").json()["kind"] == "played"


def test_a_teams_game_and_a_bare_day_are_games(season):
    sides = [side(21, "Ann alpha", "Захари"), side(15, "Bob alpha")]
    answer = sent(program(season), season, report(sides=sides, played_at="2026-05-03"))
    assert answer.status_code == 201
    assert answer.json()["played_at"] == "2026-05-03T00:00:00+03:00"


# --- The key


class TestTheKey:
    def test_rc_01_the_same_report_again_is_the_game_it_made(self, season):
        bot = program(season)
        first, again = sent(bot, season), sent(bot, season)
        assert (first.status_code, again.status_code) == (201, 200)
        assert again.json() == first.json()
        assert again["Location"] == first["Location"]
        assert Game.objects.count() == 1

    def test_rc_01_it_does_not_matter_how_the_same_is_written_nor_by_which_token(self, season):
        first = sent(program(season), season)
        written = json.dumps(report(create_players=False, note=""), indent=3, ensure_ascii=True)
        again = sent(program(season), season, written)
        assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])

    def test_with_another_report_it_is_refused(self, season):
        bot = program(season)
        sent(bot, season)
        for other in (report(note="Other"), report(played_at="2026-05-03T21:31")):
            assert "used for something else" in problems(sent(bot, season, other))["Idempotency-Key"]
        later = make_season(season.league, slug="later", name="Later")
        assert "used for something else" in problems(sent(bot, later))["Idempotency-Key"]
        assert Game.objects.count() == 1

    def test_of_another_league_it_is_another_key(self, season):
        other = season_in("beta")
        sent(program(season), season)
        sides = [side(3, "Ann beta"), side(1, "Bob beta")]
        assert sent(program(other), other, report(sides=sides)).status_code == 201

    def test_what_was_refused_may_be_corrected_under_it(self, season):
        bot = program(season)
        problems(sent(bot, season, report(played_at="2031-01-01")))
        assert sent(bot, season).status_code == 201

    def test_in_a_season_closed_since_it_still_answers(self, season):
        bot = program(season)
        first = sent(bot, season)
        replayed(season)
        update_season(season=season, by=None, state=Season.State.CLOSED)
        assert sent(bot, season).json()["id"] == first.json()["id"]
        refused = sent(bot, season, key="k-2")
        assert refused.status_code == 409
        assert "is closed and takes no changes" in refused.json()["detail"]

    def test_a_deleted_game_does_not_come_back(self, season):
        bot = program(season)
        sent(bot, season)
        delete_games(games=[Game.objects.get()], by=None)
        refused = sent(bot, season)
        assert refused.status_code == 409
        assert "was deleted since" in refused.json()["detail"]
        assert not Game.objects.exists()

    def test_it_is_kept_for_a_week(self, season):
        bot = program(season)
        with time_machine.travel(datetime(2026, 6, 1, tzinfo=UTC), tick=False) as clock:
            sent(bot, season)
            clock.shift(timedelta(days=7, seconds=-1))
            assert sent(bot, season).status_code == 200
            clock.shift(timedelta(seconds=1))
            assert sent(bot, season).status_code == 201
        assert list(season.league.report_keys.values_list("key", flat=True)) == ["k-1"]

    @pytest.mark.parametrize("key", ["", "x" * 256, "две", "a b", None])
    def test_there_is_none_without_one(self, season, key):
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = program(season).post(
            games_of(season), json.dumps(report()), content_type="application/json", headers=headers
        )
        assert problems(answer).keys() == {"Idempotency-Key"}


# --- What is refused


@pytest.mark.parametrize(
    ("values", "field", "said"),
    [
        ({"played_at": "yesterday"}, "played_at", "“yesterday” is no date or time"),
        ({"played_at": "2031-01-01"}, "played_at", "is outside the season"),
        ({"played_at": "2026-03-29T03:30"}, "played_at", "does not exist in Europe/Sofia"),
        ({"played_at": 5}, "played_at", "valid string, not “5”"),
        ({"sides": [side(3, "Ann alpha")]}, "sides", "at least 2"),
        ({"sides": [side(3, "Ann alpha"), side(1)]}, "sides[1].players", "at least 1"),
        ({"sides": [side(3, "Ann alpha"), side(1, "ann-alpha")]}, "sides[1].players", "one seat in a game"),
        ({"sides": [side(3, "Ann alpha"), side(-1, "Захари")]}, "sides[1].points", "no points below 0"),
        ({"sides": [side(3, "Ann alpha"), side(10**10, "Захари")]}, "sides[1].points", "too many points"),
        ({"sides": [side(3, "Ann alpha"), side("3", "Захари")]}, "sides[1].points", "integer, not “3”"),
        ({"sides": [side(3, "Ann alpha"), side(3.0, "Захари")]}, "sides[1].points", "integer, not “3.0”"),
        ({"sides": [side(3, "Ann alpha"), side(True, "Захари")]}, "sides[1].points", "integer"),
        ({"sides": [side(3, "Ann alpha"), side(10**400, "Захари")]}, "sides[1].points", "less than or equal"),
        ({"sides": {}}, "sides", "valid list"),
        ({"sides": [side(1, f"P{n}") for n in range(201)]}, "sides", "at most 200"),
        ({"note": "x" * 201}, "note", "at most 200"),
        ({"league": "beta"}, "league", "not permitted, not “beta”"),
        ({"id": 1}, "id", "not permitted"),
        ({"create_players": "yes"}, "create_players", "boolean"),
        ({"kind": "walkover"}, "kind", "'played', 'forfeit', 'friendly' or 'bye', not “walkover”"),
        ({"sides": [side(3, "Ann alpha"), side(1, "a + b")]}, "sides[1].players", "A + between spaces"),
    ],
)  # fmt: skip
def test_up_02_bad_values_are_sentences_at_their_places(season, values, field, said):
    refused = problems(sent(program(season), season, report(**values)))
    assert list(refused) == [field]
    assert said in refused[field]
    assert not Game.objects.exists()
    assert Player.objects.count() == 3


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[1",
        b"\xff\xfe\x00",
        '{"played_at": "2026-05-03"}'.encode("utf-16"),
        b'{"note": NaN}',
        b'{"note": "a", "note": "b"}',
        b"[" * 100_000,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b"9" * 5_000,
        b"[" + b"1," * 500_000 + b"1]",
        b'"text"',
        b"null",
    ],
    ids=range(13),
)
def test_up_07_a_body_that_is_no_report_is_refused(season, body):
    answer = sent(program(season), season, body)
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]
    assert not Game.objects.exists()


@pytest.mark.parametrize("name", ["\\u0000", "\\ud800", "A\\u202eb", " ", "x" * 150, "=1+1", "%00"])
def test_up_01_strange_names_make_no_error_of_the_site(season, name):
    bot = program(season)
    body = json.dumps(report(create_players=True)).replace("Ann alpha", name)
    answer = sent(bot, season, body)
    assert answer.status_code in (201, 422)
    assert bot.get(games_of(season)).status_code == 200


# --- Tokens


def test_a_read_token_reads_a_private_league_and_writes_nothing(season):
    season.league.visibility = Visibility.PRIVATE
    season.league.save()
    reader = program(season, "read")
    assert Client().get(games_of(season)).status_code == 404
    assert reader.get(games_of(season)).json() == {"count": 0, "items": []}
    refused = sent(reader, season)
    assert refused.status_code == 403
    assert "scope “write”" in refused.json()["detail"]
    assert not Game.objects.exists()


def test_pe_06_a_token_opens_its_own_league_only(season):
    other = season_in("beta")
    sides = [side(3, "Ann beta"), side(1, "Bob beta")]
    bot = program(season)
    assert bot.get(games_of(other)).status_code == 200  # as for everybody
    assert sent(bot, other, report(sides=sides)).status_code == 404
    other.league.visibility = Visibility.PRIVATE
    other.league.save()
    for answer in (bot.get(games_of(other)), sent(bot, other, report(sides=sides))):
        assert answer.status_code == 404
        assert answer.content == Client().get(games_of(other)).content
    assert not Game.objects.exists()


def test_xw_01_xw_04_players_of_another_league_are_unknown_names(season):
    other = season_in("beta")
    foreign = other.league.players.get(name="Ann beta")
    bot = program(season)
    for name in (foreign.name, foreign.slug, str(foreign.pk)):
        refused = problems(sent(bot, season, report(sides=[side(3, name), side(1, "Ann alpha")])))
        never = problems(sent(bot, season, report(sides=[side(3, "Nobody"), side(1, "Ann alpha")])))
        assert refused["sides[0].players"] == never["sides[0].players"].replace("Nobody", name)
    assert not Game.objects.exists()


def test_xr_05_a_token_changes_no_answer_about_another_league(season):
    other = season_in("beta")
    make_game(other, *zip(other.league.players.all()[:2], (3, 1), strict=True))
    bot = program(season)
    for address in (games_of(other), f"{games_of(season)}/{Game.objects.get().pk}"):
        assert bot.get(address).content == Client().get(address).content
    assert bot.get(f"{games_of(season)}?league=beta&season=now").json()["count"] == 0


def test_pe_06_a_token_in_the_address_opens_nothing(season):
    season.league.visibility = Visibility.PRIVATE
    season.league.save()
    _token, secret = token_of(season)
    for name in ("token", "access_token", "Authorization"):
        assert Client().get(games_of(season), {name: secret}).status_code == 404


@pytest.mark.parametrize("authorization", ["Bearer", "Bearer ", "Bearer nonsense", "bearer \x00", "Bearer я"])
def test_pe_06_what_is_no_token_is_refused_at_every_address(season, authorization):
    client = Client(headers={"Authorization": authorization})
    for address in ("/api/v1/leagues", games_of(season), "/api/v1/nothing"):
        answer = client.get(address)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        assert "unknown, revoked" in answer.json()["detail"]
    assert sent(client, season).status_code == 401


def test_pe_06_a_revoked_token_opens_nothing_at_the_next_request(season):
    token, secret = token_of(season)
    bot = Client(headers={"Authorization": f"Bearer {secret}"})
    assert sent(bot, season).status_code == 201
    revoke_api_token(token=token, by=token.created_by)
    assert bot.get(games_of(season)).status_code == 401
    assert sent(bot, season).status_code == 401


@pytest.mark.parametrize("loses", ["the role", "the ownership", "the account"])
def test_pe_02_a_token_rests_while_its_maker_is_no_owner(season, loses):
    owner = season.league.organizers.get()
    make_organizer(season.league, Role.OWNER)
    bot = program(season)
    assert bot.get(games_of(season)).status_code == 200
    if loses == "the role":
        remove_organizer(organizer=owner, by=None)
    elif loses == "the ownership":
        change_role(organizer=owner, role=Role.MANAGER, by=None)
    else:
        owner.user.is_active = False
        owner.user.save()
    assert bot.get(games_of(season)).status_code == 401
    assert sent(bot, season).status_code == 401


def test_cs_01_a_session_writes_nothing_and_a_token_needs_no_session(season):
    owner = Client(enforce_csrf_checks=True)
    owner.force_login(season.league.organizers.get().user)
    refused = sent(owner, season)
    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")
    assert sent(owner, season, Origin="https://evil.example").status_code == 401
    assert not Game.objects.exists()
    assert sent(program(season, enforce_csrf_checks=True), season).status_code == 201


def test_a_session_beside_a_token_adds_nothing(season):
    other = season_in("beta")
    other.league.visibility = Visibility.PRIVATE
    other.league.save()
    both = program(season)
    both.force_login(other.league.organizers.get().user)
    assert both.get(games_of(other)).status_code == 404


def test_the_last_use_is_written_down_once_a_day(season, django_assert_num_queries):
    token, secret = token_of(season)
    bot = Client(headers={"Authorization": f"Bearer {secret}"})
    with time_machine.travel(datetime(2026, 6, 1, 12, tzinfo=UTC), tick=False) as clock:
        for days in (0, 1):
            clock.shift(timedelta(days=days))
            bot.get("/api/v1/leagues/alpha")
            token.refresh_from_db()
            assert token.last_used_on == datetime(2026, 6, 1 + days, tzinfo=UTC).date()
            with django_assert_num_queries(3):  # the token, the league, and the answer
                bot.get("/api/v1/leagues/alpha")


def test_reports_are_limited_for_each_token(season, monkeypatch):
    few = limits.Limit("reports", 2, 60, limits.REPORTS.reason)
    monkeypatch.setitem(limits.OF_ADDRESSES, "api:games", [(few, limits.visitor)])
    bot = program(season)
    with time_machine.travel("2026-06-01 12:00:20Z", tick=False):  # a window begins with each minute
        assert [sent(bot, season).status_code for _time in range(3)] == [201, 200, 429]
        refused = sent(bot, season)
        assert refused["Retry-After"] == "40"
        assert refused.json() == {"detail": "Too Many Requests."}
        assert sent(program(season), season).status_code == 200


def test_all_that_programs_write_has_their_limit_and_not_that_of_people():
    operations = [
        operation
        for _prefix, router in api._routers
        for view in router.path_operations.values()
        for operation in view.operations
    ]
    writing = {f"api:{each.url_name}" for each in operations if each.methods != ["GET"]}
    assert {"api:games", "api:draw"} <= writing
    for name in writing:
        assert limits.OF_ADDRESSES.get(name) == [(limits.REPORTS, limits.visitor)], name


# --- Answers that are not sent twice


def test_xr_11_an_unchanged_answer_about_a_season_is_not_even_made(season, django_assert_num_queries):
    address = "/api/v1/leagues/alpha/seasons/now/standings"
    first = Client().get(address)
    with django_assert_num_queries(1):  # the league with its season
        again = Client().get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert {"Authorization", "Cookie"} <= set(first["Vary"].replace(" ", "").split(","))
    for change in (
        lambda: make_players(season.league, "Dan"),
        lambda: sent(program(season), season),
        lambda: replayed(season),
    ):
        change()
        changed = Client().get(address, headers={"If-None-Match": first["ETag"]})
        assert changed.status_code == 200
        first = changed


def test_xr_11_a_tag_is_of_one_address_one_league_and_one_kind_of_reader(season):
    other = season_in("beta")
    addresses = [f"{games_of(each)}{query}" for each in (season, other) for query in ("", "?limit=5")]
    readers = (Client(), program(season))
    tags = [reader.get(address)["ETag"] for reader in readers for address in addresses]
    assert len(set(tags)) == len(tags) - 2  # of another league the token is nobody in particular
