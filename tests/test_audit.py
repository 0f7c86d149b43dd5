"""The audit log: one row for each call of a service, in its transaction, changed by nobody.

The services are found by looking into the packages: one without a call here fails the test.
"""

import copy
import inspect
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

import leagues.services
import ratings.services.rules
from leagues.games_csv import read_games
from leagues.models import AuditEntry, Entry, Game, League, Organizer, Player, Role, Season
from leagues.services import add_alias, create_team, void_game
from leagues.services.audit import UNDO
from leagues.services.game_reports import reported_sides
from leagues.services.games import played_sides
from leagues.services.resting import rest_player
from leagues.tenancy.admin.history import differences
from ratings.models import PrizeTier
from ratings.models.rules import TieRule
from tests.factories import (
    make_account,
    make_challenge,
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_report,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db

# Functions that are told who acts and leave no row, and why.
NO_ROW = {
    "leave_audit": "it is what writes the rows",
    "acts_as": "it reads",
    "acts_as_owner": "it reads",
    "delete_league": "the log goes with its league",
    "keep_upload": "a file that waits for its import is no fact",
    "kept_upload": "it reads",
    "is_token": "it reads",
    "import_file": "import_games, which it calls, leaves it",
    "run_import": "import_games, which it calls, leaves it",
    "run_check": "it keeps what a file would do, and changes no fact",
    "report_game": "record_game, which it calls, leaves it",
    "correct_reported_game": "correct_game, which it calls, leaves it",
    "report_battle": "record_game, which it calls, leaves it",
    "report_is_in": "report_challenge, which it is part of, leaves it",
    "report_counts": "record_game leaves it; what becomes of the challenge: tests/ratings/test_challenges.py",
    "report_is_off": "the act on the report leaves it; the challenge: tests/ratings/test_challenges.py",
    "draw_battle": "it leaves one: tests/ratings/test_battles.py",
    "hold_for_owner": "it locks",
    "import_league": "it brings a whole log along, and adds its row: tests/ratings/test_league_box.py",
}
READERS = {"check_game", "plan_merge", "plan_import"}  # exported beside the services, and writing nothing
HOOK = "https://hook.example/secret"
FILE = b"played_at,side 1,points 1,side 2,points 2\n2026-02-01 10:00,Ann,3,New,1\n2026-02-02,Bob,1,Cyd,2\n"


def services() -> dict[str, Callable[..., Any]]:
    """Every public function of the services that is told who acts."""
    modules = [
        import_module(f"{package.__name__}.{module.name}")
        for package in (leagues.services, ratings.services)
        for module in iter_modules(package.__path__)
    ]
    functions = {
        name: function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }
    return {name: each for name, each in functions.items() if "by" in inspect.signature(each).parameters}


@pytest.fixture(scope="module")
def made(kept: None) -> SimpleNamespace:
    """A league with something of everything, and somebody who acts."""
    owner = make_user("owner")
    league = make_league("apes", owner=owner)
    season = make_season(league)
    ann, bob, cyd = make_players(league, "Ann", "Bob", "Cyd")
    played_at = season.starts_at + timedelta(hours=5)
    games = [make_game(season, (ann, number), (bob, 9), played_at=played_at) for number in range(3)]
    invitation, token = leagues.services.invite_organizer(league=league, role=Role.SCORER, by=owner)
    api_token, _secret = leagues.services.create_api_token(league=league, name="Bot", scope="read", by=owner)
    hook = leagues.services.create_webhook(league=league, kind="json", address=HOOK, by=owner)
    _link, bobs_token = leagues.services.invite_player(player=bob, by=owner)
    eve, fay = make_players(league, "Eve", "Fay")
    make_account(eve, "eve"), make_account(fay, "fay")
    reported = make_season(league, name="Reported", games_from="both")
    report = make_report(reported, (eve, 2), (fay, 1))
    (idle,) = make_players(league, "Idle")
    (twin,) = make_players(league, "Twin")
    leagues.services.merge_players(keep=cyd, gone=twin, by=None)
    leagues.services.mark_players(league=league, players=[cyd], inactive=True, by=None)
    make_organizer(league, Role.SCORER, "scorer")
    return SimpleNamespace(
        **challenges(league, ann, bob, cyd, idle, eve, fay),
        by=owner,
        league=league,
        season=season,
        ann=ann,
        bob=bob,
        cyd=cyd,
        idle=idle,
        twin=twin,
        played_at=played_at,
        game=Game.objects.with_sides().get(pk=games[0].pk),
        games=games,
        adjustment=leagues.services.add_adjustment(
            season=season, player=ann, change=-50, reason="Late", at=played_at, by=None
        ),
        voided=void_game(game=games[2], reason="Twice", by=None),
        team=create_team(league=league, name="Two", members=[ann, bob], by=None),
        alias=add_alias(player=ann, name="Annie", by=None),
        entry=Entry.objects.get(season=season, player=ann),
        idle_entry=leagues.services.enter_player(season=season, player=idle, by=None),
        gone=leagues.services.withdraw_player(entry=Entry.objects.get(season=season, player=bob), by=None),
        invitation=invitation,
        token=token,
        bobs_token=bobs_token,
        eve=eve,
        fay=fay,
        reported=reported,
        report=report,
        api_token=api_token,
        hook=hook,
        organizer=Organizer.objects.get(league=league, role=Role.SCORER),
    )


def challenges(league: League, *players: Player) -> dict[str, Any]:
    """A ladder season that runs now, and challenges that wait for an answer and for a game."""
    now = timezone.now()
    days = {"starts_on": now.date() - timedelta(days=9), "ends_on": now.date() + timedelta(days=9)}
    ladder = make_season(league, preset="ranked-battle", name="Ladder", **days)
    ann, bob, cyd, _idle, eve, fay = players
    entries = [leagues.services.enter_player(season=ladder, player=player, by=None) for player in players]
    replayed(ladder)
    later = {"respond_by": now + timedelta(days=1), "play_by": now + timedelta(days=2)}
    return {
        "ladder": ladder,
        "issued": make_challenge(
            ladder, ann, cyd, state="issued", decided_at=None, **later | {"play_by": None}
        ),
        "accepted": make_challenge(ladder, bob, cyd, state="accepted", **later),
        "players": make_challenge(ladder, eve, fay, state="accepted", **later),
        "resting": rest_player(entry=entries[0], days=3, by=None),
    }


# Services that call others, and what these leave beside the row of the act.
BESIDE = {
    "play_challenge": ["record_game"],
    "forfeit_challenge": ["record_game"],
    "report_challenge": ["report_challenge"],
}

# For each service: what it is called with, and the name of its act where that is another.
CALLS: dict[str, tuple[Callable[[Any], dict[str, Any]], str | None]] = {
    "create_league": (lambda w: {"name": "Bees", "slug": "bees"}, None),
    "update_league": (lambda w: {"league": w.league, "name": "Great apes"}, None),
    "add_organizer": (lambda w: {"league": w.league, "user": make_user(), "role": "scorer"}, None),
    "change_role": (lambda w: {"organizer": w.organizer, "role": "manager"}, None),
    "remove_organizer": (lambda w: {"organizer": w.organizer}, None),
    "invite_organizer": (lambda w: {"league": w.league, "role": "scorer", "email": "dan@example.org"}, None),
    "revoke_invitation": (lambda w: {"invitation": w.invitation}, None),
    "accept_invitation": (lambda w: {"token": w.token} | stranger_acts(w), None),
    "create_api_token": (lambda w: {"league": w.league, "name": "Bot", "scope": "write"}, None),
    "revoke_api_token": (lambda w: {"token": w.api_token}, None),
    "create_webhook": (lambda w: {"league": w.league, "kind": "slack", "address": HOOK}, None),
    "switch_webhook": (lambda w: {"hook": w.hook, "on": False}, None),
    "delete_webhook": (lambda w: {"hook": w.hook}, None),
    "create_player": (lambda w: {"league": w.league, "name": "Dan"}, None),
    "add_players": (lambda w: {"league": w.league, "names": ["Dan", "Cyd"], "season": w.season}, None),
    "mark_players": (lambda w: {"league": w.league, "players": [w.ann, w.bob], "inactive": True}, None),
    "update_player": (lambda w: {"player": w.ann, "name": "Anna", "birth_year": 2012}, None),
    "delete_player": (lambda w: {"player": w.idle}, None),
    "merge_players": (lambda w: {"keep": w.cyd, "gone": w.idle}, None),
    "undo_games": (
        lambda w: {"act": AuditEntry.objects.get(action="record_game", object_id=w.game.pk)},
        None,
    ),
    "undo_change": (lambda w: {"act": AuditEntry.objects.get(action="void_game")}, None),
    "undo_merge": (lambda w: {"gone": w.twin}, None),
    "undo_marking": (lambda w: {"act": AuditEntry.objects.get(action="mark_players")}, "mark_players"),
    "anonymise_player": (lambda w: {"player": w.ann}, None),
    "invite_player": (lambda w: {"player": w.ann}, None),
    "claim_player": (lambda w: {"token": w.bobs_token} | stranger_acts(w), None),
    "release_player": (lambda w: {"player": w.eve}, None),
    "submit_report": (
        lambda w: (
            {"season": w.reported, "played_at": w.played_at, "sides": reported_sides(w.report)}
            | acts(w, w.eve)
        ),
        None,
    ),
    "confirm_report": (lambda w: {"report": w.report} | acts(w, w.fay), "record_game"),
    "dispute_report": (lambda w: {"report": w.report, "reason": "It was 3 to 1"} | acts(w, w.fay), None),
    "withdraw_report": (lambda w: {"report": w.report} | acts(w, w.eve), None),
    "decide_report": (lambda w: {"report": w.report, "accept": True}, "record_game"),
    "add_alias": (lambda w: {"player": w.ann, "name": "Anka"}, None),
    "remove_alias": (lambda w: {"alias": w.alias}, None),
    "create_team": (lambda w: {"league": w.league, "name": "All", "members": [w.ann, w.cyd]}, None),
    "update_team": (lambda w: {"team": w.team, "name": "Both", "members": [w.bob, w.cyd]}, None),
    "delete_team": (lambda w: {"team": w.team}, None),
    "create_season": (
        lambda w: {"league": w.league, "name": "Next", "starts_on": "2027-01-01", "ends_on": "2027-12-31"},
        None,
    ),
    "update_season": (lambda w: {"season": w.season, "largest_margin": 999, "state": "closed"}, None),
    "delete_season": (lambda w: {"season": w.season}, None),
    "enter_player": (lambda w: {"season": w.season, "player": w.cyd}, None),
    "withdraw_player": (lambda w: {"entry": w.entry}, None),
    "reinstate_player": (lambda w: {"entry": w.gone}, None),
    "remove_entry": (lambda w: {"entry": w.idle_entry}, None),
    "record_game": (
        lambda w: {"season": w.season, "played_at": w.played_at, "sides": new_sides(w)},
        None,
    ),
    "correct_game": (
        lambda w: {"game": w.game, "played_at": w.played_at, "sides": new_sides(w), "note": "Corrected"},
        None,
    ),
    "void_game": (lambda w: {"game": w.game, "reason": "Twice"}, None),
    "restore_game": (lambda w: {"game": w.voided}, None),
    "add_adjustment": (
        lambda w: {"season": w.season, "player": w.bob, "change": 5, "reason": "Fair", "at": w.played_at},
        None,
    ),
    "cancel_adjustment": (lambda w: {"adjustment": w.adjustment, "reason": "Appeal"}, None),
    "delete_games": (lambda w: {"games": [w.game]}, "delete_game"),
    "reorder_games": (lambda w: {"games": w.games[::-1]}, None),
    "shift_games": (lambda w: {"games": [w.game], "earlier": False}, "reorder_games"),
    "import_games": (
        lambda w: {
            "season": w.season,
            "file": read_games(FILE, timezone=w.league.zone),
            "create_players": True,
        },
        None,
    ),
    "create_rated_season": (
        lambda w: {
            "league": w.league,
            "preset": "wsd-2.0",
            "name": "Next",
            "starts_on": "2027-01-01",
            "ends_on": "2027-12-31",
        },
        "create_season",
    ),
    "create_season_like": (
        lambda w: {"season": w.season, "name": "Next", "starts_on": "2027-01-01", "ends_on": "2027-12-31"},
        "create_season",
    ),
    "update_rated_season": (lambda w: {"season": w.season, "name": "This"}, "update_season"),
    "change_rules": (lambda w: {"season": w.season, "values": {"k": 20}}, None),
    "change_prize_tiers": (lambda w: {"season": w.season, "saved": [prize_tier()]}, None),
    "issue_challenge": (lambda w: {"season": w.ladder, "challenger": w.bob, "opponent": w.idle}, None),
    "accept_challenge": (lambda w: {"challenge": w.issued}, None),
    "decline_challenge": (lambda w: {"challenge": w.issued, "reason": "Ill"}, None),
    "withdraw_challenge": (lambda w: {"challenge": w.issued}, None),
    "play_challenge": (
        lambda w: {"challenge": w.accepted, "played_at": timezone.now(), "points": (1, 0)},
        None,
    ),
    "report_challenge": (
        lambda w: {"challenge": w.players, "played_at": timezone.now(), "points": (1, 0)} | acts(w, w.eve),
        "submit_report",
    ),
    "forfeit_challenge": (lambda w: {"challenge": w.accepted, "absent": w.bob}, None),
    "rest_player": (lambda w: {"entry": w.resting, "days": 5}, None),
    "end_rest": (lambda w: {"entry": w.resting}, None),
}


def stranger_acts(world: Any) -> dict[str, Any]:
    """From here on the actor is nobody's organizer."""
    world.by = make_user("stranger")
    return {}


def acts(world: Any, player: Any) -> dict[str, Any]:
    """From here on the actor is this player's account."""
    world.by = player.user
    return {}


def new_sides(world: Any) -> list[Any]:
    """Sides of which one is a player nobody knew."""
    one, _other = played_sides(world.game)
    new = apps.get_model("leagues", "Player")(league=world.league, name="Unheard of")
    return [one, leagues.services.PlayedSide((new,), 3)]


def prize_tier() -> Any:
    return apps.get_model("ratings", "PrizeTier")(name="First", first_place=1, last_place=1)


def call(name: str, world: Any) -> None:
    arguments, _act = CALLS[name]
    services()[name](**arguments(world), by=world.by)


def everything() -> dict[str, list[Any]]:
    """All rows of the leagues' tables."""
    models = [*apps.get_app_config("leagues").get_models(), *apps.get_app_config("ratings").get_models()]
    return {model._meta.label: list(model._base_manager.order_by("pk").values()) for model in models}


def test_every_service_has_a_call_here():
    assert services().keys() == CALLS.keys() | NO_ROW.keys()
    exported = {
        name for name in leagues.services.__all__ if inspect.isfunction(getattr(leagues.services, name))
    }
    assert exported - services().keys() == READERS


@pytest.mark.parametrize("name", CALLS)
def test_di_03_a_service_leaves_one_row_of_who_did_what(world, name):
    last = AuditEntry.objects.latest("pk").pk
    before = timezone.now()
    call(name, world)
    entry, *beside = AuditEntry.objects.filter(pk__gt=last)
    assert [each.action for each in beside] == BESIDE.get(name, [])
    assert entry.action == (CALLS[name][1] or name)
    assert entry.by == world.by
    assert entry.at >= before
    assert entry.before or entry.after
    assert entry.object_name
    assert entry.league.slug == ("bees" if name == "create_league" else "apes")
    if season := entry.season:
        assert entry.revision == season.revision


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No row of the audit log can be written to its end."""

    def refuse(execute: Any, sql: str, *arguments: Any) -> Any:
        written = execute(sql, *arguments)
        if sql.startswith('INSERT INTO "leagues_auditentry"'):
            raise OSError("No space left on device")
        return written

    with connection.execute_wrapper(refuse):
        yield


@pytest.mark.parametrize("name", CALLS)
def test_di_03_without_its_row_a_service_does_nothing(world, full_disk, name):
    arguments, _act = CALLS[name]
    values = arguments(world)
    before = everything()
    with pytest.raises(OSError, match="No space"):
        services()[name](**values, by=world.by)
    assert everything() == before


def test_di_03_after_a_rollback_no_row_is_left(world):
    count = AuditEntry.objects.count()
    with transaction.atomic():
        call("void_game", world)
        transaction.set_rollback(True)
    assert AuditEntry.objects.count() == count


def test_games_deleted_together_leave_a_row_each_and_an_import_leaves_one(world):
    last = AuditEntry.objects.latest("pk").pk
    leagues.services.delete_games(games=world.games, by=world.by)
    call("import_games", world)
    actions = list(AuditEntry.objects.filter(pk__gt=last).values_list("action", flat=True))
    assert actions == ["import_games", *["delete_game"] * 3]
    entry = AuditEntry.objects.latest("pk")
    assert entry.object_type == "season"
    assert entry.after == {
        "games": 2,
        "first": "2026-02-01T10:00:00+00:00",
        "known": 0,
        "new_players": ["New"],
        "undo": {"players": [world.league.players.get(name="New").pk]},
    }
    shown = {name: now for name, _before, now in differences(entry)}
    assert shown["first game"] == "1 February 2026, 10:00", "in words, as every time"


def test_a_voided_and_a_restored_game_are_told_as_they_were_and_became(world):
    leagues.services.restore_game(game=world.voided, by=world.by)
    leagues.services.void_game(game=world.voided, reason="Again", by=world.by)
    voided, restored = AuditEntry.objects.filter(object_type="game", object_id=world.voided.pk)[:2]
    before = [dict(entry.before or {}) for entry in (voided, restored)]
    assert all(said.pop(UNDO)["players"] for said in before)
    assert before == [restored.after, (restored.after or {}) | {"reason": "Twice"}]
    assert voided.after == before[0] | {"reason": "Again"}


def test_every_value_of_a_prize_is_told(world):
    call("change_prize_tiers", world)
    tier = world.season.prize_tiers.get()
    tier.text, tier.per_participant, tier.tie_rule = "A cup", True, "each"
    ratings.services.rules.change_prize_tiers(season=world.season, saved=[tier], by=world.by)
    entry: Any = AuditEntry.objects.latest("pk")
    (before,), (after,) = entry.before["tiers"], entry.after["tiers"]
    changed = {name for name in after if before[name] != after[name]}
    assert changed == {"text", "per_participant", "tie_rule"}
    assert differences(entry) == [
        (
            tier.name,
            f"text: –; times participants: no; on a tie: {TieRule.SHARE.label}",
            "text: A cup; times participants: yes; on a tie: each tied player gets the whole prize",
        )
    ]


def test_of_prizes_the_log_tells_those_that_changed(world):
    tiers = [
        PrizeTier(name=name, first_place=place, last_place=place, amount=place, unit="km")
        for place, name in enumerate(["Gold", "Silver"], start=8)
    ]
    change = partial(ratings.services.rules.change_prize_tiers, season=world.season, by=world.by)
    change(saved=tiers)
    tiers[0].amount = 12
    change(saved=tiers[:1])
    change(deleted=tiers[1:])
    deleted, changed, added = (
        [(name, was, now) for name, was, now in differences(entry)]
        for entry in AuditEntry.objects.filter(action="change_prize_tiers").order_by("-pk")[:3]
    )
    assert [(name, was) for name, was, _now in added] == [("Gold", "–"), ("Silver", "–")]
    assert changed == [("Gold", "amount: 8.00", "amount: 12.00")]
    assert [(name, now) for name, _was, now in deleted] == [("Silver", "–")]
    assert "from place: 9; to place: 9; amount: 9.00" in deleted[0][1]


@pytest.mark.parametrize("name", ["remove_alias", "update_team", "delete_team"])
def test_what_is_gone_is_not_changed_once_more(world, name):
    """Two do it at once: the second finds nothing, makes nothing anew and leaves no row."""
    arguments, _act = CALLS[name]
    late = arguments(world)
    stale = copy.copy(next(iter(late.values())))
    call("remove_alias" if name == "remove_alias" else "delete_team", world)
    before = everything()
    with pytest.raises(ValidationError, match="was deleted meanwhile"):
        services()[name](**late | {next(iter(late)): stale}, by=world.by)
    assert everything() == before


class TestNobodyChangesTheLog:
    @pytest.mark.parametrize(
        "attempt",
        [
            lambda entry: entry.save(),
            lambda entry: entry.delete(),
            lambda entry: AuditEntry.objects.update(action="x"),
            lambda entry: AuditEntry.objects.filter(pk=entry.pk).delete(),
            lambda entry: AuditEntry.objects.bulk_update([entry], ["action"]),
            lambda entry: AuditEntry.objects.bulk_create(
                [entry], update_conflicts=True, unique_fields=["id"], update_fields=["action"]
            ),
            lambda entry: AuditEntry.objects.update_or_create(pk=entry.pk, defaults={"action": "x"}),
            lambda entry: entry.league.audit.update(action="x"),
        ],
    )
    def test_by_the_model(self, world, attempt):
        before = everything()
        entry = AuditEntry.objects.latest("pk")
        entry.action = "x"
        with pytest.raises(TypeError, match="only added to"), transaction.atomic():
            attempt(entry)
        assert everything() == before

    def test_in_the_admin(self, client, world):
        client.force_login(make_user("root", is_superuser=True, is_staff=True))
        entry = AuditEntry.objects.latest("pk")
        before = everything()
        page = reverse("admin:leagues_auditentry_change", args=[entry.pk])
        assert client.post(page, {"action": "x"}).status_code == 403
        assert client.post(reverse("admin:leagues_auditentry_delete", args=[entry.pk])).status_code == 403
        assert client.post(reverse("admin:leagues_auditentry_add")).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [entry.pk], "post": "yes"}
        client.post(reverse("admin:leagues_auditentry_changelist"), chosen)
        assert everything() == before

    def test_but_a_deleted_league_takes_its_own_along_and_a_deleted_season_none(self, world):
        count = AuditEntry.objects.count()
        call("delete_season", world)
        assert AuditEntry.objects.count() == count + 1
        assert not Season.objects.filter(pk=world.season.pk).exists()
        leagues.services.delete_league(league=world.league, by=world.by)
        assert not AuditEntry.objects.exists()


class TestThePageOfTheLog:
    address = "/apes/log/"

    def test_is_for_the_organizers_of_the_league(self, client, world):
        assert client.get(self.address).status_code == 302
        client.force_login(make_user("stranger"))
        assert client.get(self.address).status_code == 404
        client.force_login(world.organizer.user)
        page = client.get(self.address)
        assert page.status_code == 200
        assert "Player added" in page.content.decode()

    def test_is_narrowed_by_action_object_name_and_day(self, client, world):
        client.force_login(world.by)

        def acts(query: str) -> list[str]:
            return [
                act for _entry, act, _changes, _undo in client.get(f"{self.address}?{query}").context["acts"]
            ]

        assert acts("action=void_game") == ["game voided"]
        assert acts(f"object=player-{world.ann.pk}") == ["other name added", "player added"]
        assert acts("q=Idle") == ["player entered", "player entered", "player added"]
        assert acts("q=nobody") == []
        today = timezone.now().date()
        assert len(acts(f"from={today}&to={today}")) == AuditEntry.objects.count()
        assert acts(f"to={today - timedelta(days=1)}") == []
        assert acts("from=9999-12-31") == []

    @pytest.mark.parametrize(
        "query", ["action=x", "object=x", "object=player-\u0661", "from=x", "to=0000", "page=x", "q=%00"]
    )
    def test_bears_any_question(self, client, world, query):
        client.force_login(world.by)
        assert client.get(f"{self.address}?{query}").status_code in (200, 400)

    def test_has_pages(self, client, world):
        make_players(world.league, *(f"Player {number}" for number in range(60)))
        client.force_login(world.by)
        assert len(client.get(self.address).context["acts"]) == 50
        assert "page=2" in client.get(self.address).content.decode()
