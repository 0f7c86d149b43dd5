"""A closed season refuses every path to its facts; the same paths are open before and after."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import connection, models, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext, isolate_apps
from django.utils import timezone

from leagues import services
from leagues.games_csv import FileGame, FileSide, GamesFile
from leagues.models import (
    Adjustment,
    ApiToken,
    AuditEntry,
    Challenge,
    Entry,
    Fact,
    FactQuerySet,
    Game,
    GameReport,
    League,
    Player,
    ReportSeat,
    Season,
    SeasonClosedError,
    Side,
    SideMember,
)
from leagues.services import PlayedSide, challenges, delete_league, game_reports, record_game, update_season
from leagues.services.api_games import ApiReport, Correction, ReportedSide
from leagues.services.audit import lock_season
from leagues.services.resting import end_rest, rest_player
from ratings.models import (
    AppliedAdjustment,
    Meeting,
    PrizeTier,
    RatingChange,
    Replay,
    RuleSet,
    Standing,
)
from ratings.services.challenges import issue_challenge
from ratings.services.check import check_season
from ratings.services.explain import explain_game
from ratings.services.replay import replay_season
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import (
    make_account,
    make_challenge,
    make_game,
    make_league,
    make_players,
    make_report,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db

FACTS: list[type[Any]] = [
    Season, Entry, Game, Side, SideMember, Adjustment, Challenge, GameReport, ReportSeat, RuleSet, PrizeTier,
]  # fmt: skip
# They speak of a season and are none of its facts.
BESIDE = {"AnnouncedSeason", "Announcement", "AuditEntry", "Correction", "FormerAddress", "ReportKey"}
# A replay alone writes them.
RESULTS: list[type[Any]] = [AppliedAdjustment, Meeting, RatingChange, Replay, Standing]


@pytest.fixture(scope="module")
def made(kept: None) -> Season:
    """Ann beat Bob, and Cyd has played nothing; one row at least of every kind."""
    season = make_season(make_league("league-a", owner=make_user("alice")), games_from="both")
    ann, bob, cyd = make_players(season.league, "Ann", "Bob", "Cyd")
    make_game(season, (ann, 500), (bob, 100))
    make_game(season, (bob, 5), (ann, 100), played_at=season.starts_at + timedelta(hours=1))
    services.void_game(game=make_game(season, (ann, 1), (bob, 2)), reason="Twice", by=None)
    services.enter_player(season=season, player=cyd, by=None)
    make_challenge(season, ann, bob)
    make_account(ann, "annie")
    services.decide_report(report=make_report(season, (ann, 9), (bob, 8)), accept=False, by=None)
    adjust(season, ann)
    tier = PrizeTier(name="Cup", first_place=1, last_place=1)
    change_prize_tiers(season=season, saved=[tier], by=None)
    return replayed(season)


@pytest.fixture
def season(made: Season) -> Season:
    return copy.deepcopy(made)


def adjust(season: Season, player: Player) -> Adjustment:
    return services.add_adjustment(
        season=season, player=player, change=-50, reason="Late", at=season.starts_at, by=None
    )


@pytest.fixture
def other(season: Season) -> Season:
    """Another season of the league, which stays open, with a game and Ann and Bob in it."""
    other = make_season(season.league, name="Other")
    ann, bob = season.league.players.filter(name__in=["Ann", "Bob"])
    make_game(other, (ann, 500), (bob, 100))
    change_prize_tiers(season=other, saved=[PrizeTier(name="Cup", first_place=1, last_place=1)], by=None)
    return other


def close(season: Season) -> None:
    update_season(season=season, by=None, state=Season.State.CLOSED)


def facts(season: Season) -> dict[str, Any]:
    """Every row of the season's facts, without what closing and replaying change."""
    kept = {
        model.__name__: list(of_season(model, season).order_by("pk").values_list())
        for model in FACTS
        if model is not Season
    }
    free = Season.free_fields
    names = [field.name for field in Season._meta.concrete_fields if field.name not in free]
    return kept | {"Season": list(Season.objects.filter(pk=season.pk).values_list(*names))}


def of_season(model: type[Any], season: Season) -> Any:
    return model.objects.filter(**{model.season_path: season.pk})


def refusal(act: Callable[..., Any], *arguments: Any) -> str | None:
    """The code the act is refused with; None, with nothing done, when it is let through."""
    try:
        with transaction.atomic():
            act(*arguments)
            transaction.set_rollback(True)
    except ValidationError as refused:
        return refused.code
    return None


# --- Every model is guarded


def unguarded(each_model: Iterable[type[models.Model]]) -> list[type[models.Model]]:
    """Models whose rows belong to a season, and that a closed season does not keep as they are."""
    return [model for model in each_model if leads_to_season(model) and not is_guarded(model)]


def leads_to_season(model: type[models.Model], seen: frozenset[Any] = frozenset()) -> bool:
    if model is Season or model in seen:
        return model is Season
    parents = {field.related_model for field in model._meta.concrete_fields if field.is_relation}
    return any(leads_to_season(parent, seen | {model}) for parent in parents)


def is_guarded(model: type[models.Model]) -> bool:
    managers = [model._base_manager, *model._meta.managers]
    return issubclass(model, Fact) and all(isinstance(each.all(), FactQuerySet) for each in managers)


def test_every_model_of_a_season_is_guarded():
    assert {model.__name__ for model in unguarded(apps.get_models())} == {
        *(model.__name__ for model in RESULTS),
        *BESIDE,
    }
    assert {model for model in apps.get_models() if issubclass(model, Fact)} == set(FACTS)


@isolate_apps("leagues")
def test_a_model_without_the_guard_is_found():
    """The control of the test above."""

    class Forgotten(models.Model):
        game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="+")

        class Meta:
            app_label = "leagues"

    class Loose(Fact):
        season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="+")
        season_path = "season"
        objects = models.Manager()

        class Meta:
            app_label = "leagues"

    assert unguarded([Forgotten, Loose]) == [Forgotten, Loose]


# --- Every path of every model

# A change of each model that is allowed while the season is open.
CHANGES: dict[type[Any], dict[str, Any]] = {
    Season: {"name": "Changed"},
    Entry: {"withdrawn_at": timezone.now()},
    Game: {"note": "Changed"},
    Side: {"points": 7},
    SideMember: {"player": "Cyd"},
    Challenge: {"reason": "Changed"},
    GameReport: {"note": "Changed"},
    ReportSeat: {"points": 7},
    Adjustment: {"change": 70},
    RuleSet: {"k": Decimal(20)},
    PrizeTier: {"name": "Changed"},
}
# Where a row of the model stands among its parent's.
RELATED: dict[type[Any], tuple[str, str]] = {
    Season: ("league", "seasons"),
    Entry: ("season", "entries"),
    Game: ("season", "games"),
    Side: ("game", "sides"),
    SideMember: ("game", "seats"),
    Challenge: ("season", "challenges"),
    GameReport: ("season", "reports"),
    ReportSeat: ("report", "seats"),
    Adjustment: ("season", "adjustments"),
    PrizeTier: ("season", "prize_tiers"),
}


def changes_of(row: Any) -> dict[str, Any]:
    values = CHANGES[type(row)]
    if type(row) is SideMember:
        return {"player": row.game.season.league.players.get(name="Cyd")}
    return values


def changed(row: Any) -> Any:
    for name, value in changes_of(row).items():
        setattr(row, name, value)
    return row


def copied(row: Any) -> Any:
    """A new row beside this one."""
    model = type(row)
    values = {field.attname: getattr(row, field.attname) for field in model._meta.concrete_fields}
    copy = model(**values | {"id": None})
    fresh = {
        Entry: "player_id", Game: "key", Side: "position", SideMember: "player_id", Challenge: "uuid",
        ReportSeat: "player_id",
    }  # fmt: skip
    cyd = League.objects.get(slug="league-a").players.get(name="Dan").pk
    if name := fresh.get(model):
        setattr(copy, name, {"player_id": cyd, "key": "0" * 32, "position": 9, "uuid": uuid4()}[name])
    return copy


def as_values(row: Any) -> dict[str, Any]:
    names = [field.attname for field in row._meta.concrete_fields if field.attname != "id"]
    return {name: getattr(row, name) for name in names}


def siblings(row: Any) -> Any:
    parent, name = RELATED[type(row)]
    return getattr(getattr(row, parent), name)


CHANGING: dict[str, Callable[[Any], Any]] = {
    "save": lambda row: changed(row).save(),
    "save some fields": lambda row: changed(row).save(update_fields=list(changes_of(row))),
    "save as if new": lambda row: type(row)(id=row.pk, **as_values(changed(row))).save(),
    "update": lambda row: type(row).objects.filter(pk=row.pk).update(**changes_of(row)),
    "update by the base manager": lambda row: (
        type(row)._base_manager.filter(pk=row.pk).update(**changes_of(row))
    ),
    "update_or_create": lambda row: type(row).objects.update_or_create(pk=row.pk, defaults=changes_of(row)),
    "bulk_update": lambda row: type(row).objects.bulk_update([changed(row)], list(changes_of(row))),
}
DELETING: dict[str, Callable[[Any], Any]] = {
    "delete": lambda row: row.delete(),
    "delete rows": lambda row: type(row).objects.filter(pk=row.pk).delete(),
    "delete by the base manager": lambda row: type(row)._base_manager.filter(pk=row.pk).delete(),
}
ADDING: dict[str, Callable[[Any], Any]] = {
    "save a new one": lambda row: copied(row).save(),
    "create": lambda row: type(row).objects.create(**as_values(copied(row))),
    "get_or_create": lambda row: type(row).objects.get_or_create(id=0, defaults=as_values(copied(row))),
    "bulk_create": lambda row: type(row).objects.bulk_create([copied(row)]),
    "bulk_create what is missing": lambda row: type(row).objects.bulk_create(
        [copied(row)], ignore_conflicts=True
    ),
}
AMONG_SIBLINGS: dict[str, Callable[[Any], Any]] = {
    "update siblings": lambda row: siblings(row).filter(pk=row.pk).update(**changes_of(row)),
    "delete siblings": lambda row: siblings(row).filter(pk=row.pk).delete(),
}
ADDING_SIBLINGS: dict[str, Callable[[Any], Any]] = {
    "create a sibling": lambda row: siblings(row).create(**as_values(copied(row))),
    "bulk_create siblings": lambda row: siblings(row).bulk_create([copied(row)]),
    "add a sibling": lambda row: siblings(row).add(copied(row), bulk=False),
}


def paths_to(model: type[Any]) -> dict[str, Callable[[Any], Any]]:
    found = CHANGING | DELETING
    if model in RELATED:
        found = found | AMONG_SIBLINGS
    if model in (Season, RuleSet):  # a new season is nobody's yet, and rules there is one row of
        return found
    return found | ADDING | ADDING_SIBLINGS


@pytest.fixture
def rows(model: Any, season: Season) -> dict[str, Any]:
    """For each path to the model a row of it, read while its season was open, with what it refers to."""
    make_players(season.league, "Dan")
    rows = {name: of_season(model, season).order_by("pk").first() for name in paths_to(model)}
    if model in (Side, SideMember):
        assert all(row.game.season.is_open for row in rows.values())
    return rows


@pytest.mark.parametrize("model", FACTS)
def test_di_02_a_closed_season_refuses_every_path(season: Season, model: Any, rows: dict[str, Any]) -> None:
    close(season)
    before = facts(season)
    for name, act in paths_to(model).items():
        assert refusal(act, rows[name]) == "closed", name
        assert facts(season) == before, name


@pytest.mark.parametrize("model", FACTS)
def test_an_open_season_refuses_none(season: Season, model: Any, rows: dict[str, Any]) -> None:
    """The control of the test above: it is the closing that the paths are refused for."""
    close(season)
    update_season(season=season, by=None, state=Season.State.OPEN)
    before = facts(season)
    for name, act in paths_to(model).items():
        with transaction.atomic():
            act(rows[name])
            assert facts(season) != before, name
            transaction.set_rollback(True)


@pytest.mark.parametrize("model", FACTS)
def test_facts_are_not_upserted(season: Season, model: Any) -> None:
    row = of_season(model, season).first()
    with pytest.raises(TypeError, match="inserted or updated"):
        model.objects.bulk_create([row], update_conflicts=True, update_fields=["id"], unique_fields=["id"])


MOVES: dict[str, Callable[[Any, str, Any], Any]] = {
    "save": lambda row, name, to: type(row)(id=row.pk, **as_values(row) | {f"{name}_id": to.pk}).save(),
    "update": lambda row, name, to: type(row).objects.filter(pk=row.pk).update(**{name: to}),
    "update by id": lambda row, name, to: type(row).objects.filter(pk=row.pk).update(**{f"{name}_id": to.pk}),
    "bulk_update": lambda row, name, to: type(row).objects.bulk_update(
        [type(row)(id=row.pk, **as_values(row) | {f"{name}_id": to.pk})], [name]
    ),
    "add": lambda row, name, to: getattr(to, RELATED[type(row)][1]).add(row),
    "add one by one": lambda row, name, to: getattr(to, RELATED[type(row)][1]).add(row, bulk=False),
}


@pytest.mark.parametrize("model", [Entry, Game, Side, SideMember, Adjustment, Challenge, PrizeTier])
@pytest.mark.parametrize("closed", ["from", "to", "neither"])
def test_a_fact_stays_in_its_season(season: Season, other: Season, model: Any, closed: str) -> None:
    parent = RELATED[model][0]
    row = of_season(model, season).order_by("pk").first()
    to = other if parent == "season" else other.games.get()
    if closed != "neither":
        close(season if closed == "from" else other)
    before = facts(season), facts(other)
    for name, move in MOVES.items():
        assert refusal(move, row, parent, to) in ("moved", "closed"), name
        assert (facts(season), facts(other)) == before, name


def test_a_player_of_a_closed_season_is_no_way_into_it(season: Season) -> None:
    cyd = entry_of("Cyd").player
    ann = entry_of("Ann").player
    close(season)
    before = facts(season)
    for delete in (ann.delete, cyd.delete, season.league.players.all().delete):
        with pytest.raises(models.RestrictedError):
            delete()
    writes: list[Callable[[], Any]] = [
        lambda: ann.entries.update(withdrawn_at=timezone.now()),
        lambda: ann.entries.all().delete(),
        lambda: ann.entries.add(entry_of("Cyd")),
        lambda: ann.seats.update(player=cyd),
        lambda: cyd.seats.add(ann.seats.first()),
        lambda: cyd.seats.set(ann.seats.all()),
    ]
    for number, write in enumerate(writes):
        assert refusal(write) == "closed", number
    assert facts(season) == before


# --- Every service

REPORT = ApiReport("2026-01-01", (ReportedSide(("Ann",), 3), ReportedSide(("Bob",), 1)))

SERVICES: dict[str, Callable[[Season], Any]] = {
    "record_game": lambda season: record_game(
        season=season, played_at=season.starts_at, sides=sides_of(season.games.first()), by=None
    ),
    "correct_game": lambda season: services.correct_game(
        game=season.games.first(), played_at=season.starts_at, sides=sides_of(season.games.first()), by=None
    ),
    "void_game": lambda season: services.void_game(game=season.games.counted()[0], reason="Why", by=None),
    "restore_game": lambda season: services.restore_game(
        game=season.games.exclude(voided_at=None)[0], by=None
    ),
    "add_adjustment": lambda season: adjust(season, entry_of("Ann").player),
    "cancel_adjustment": lambda season: services.cancel_adjustment(
        adjustment=season.adjustments.get(), reason="Appeal", by=None
    ),
    "delete_games": lambda season: services.delete_games(games=season.games.all(), by=None),
    "reorder_games": lambda season: services.reorder_games(
        games=list(season.games.in_play_order())[::-1], by=None
    ),
    "shift_games": lambda season: services.shift_games(
        games=[season.games.latest_first()[0]], earlier=True, by=None
    ),
    "undo_games": lambda season: services.undo_games(
        act=AuditEntry.objects.filter(season=season, action="record_game")[0], by=None
    ),
    "undo_change": lambda season: services.undo_change(
        act=AuditEntry.objects.filter(season=season, action="void_game")[0], by=None
    ),
    "import_games": lambda season: services.import_games(season=season, file=file_of(season), by=None),
    "add_players": lambda season: services.add_players(
        league=season.league, names=["Eve"], season=season, by=None
    ),
    "enter_player": lambda season: services.enter_player(
        season=season, player=make_players(season.league, "Eve")[0], by=None
    ),
    "withdraw_player": lambda season: services.withdraw_player(entry=season.entries.first(), by=None),
    "reinstate_player": lambda season: services.reinstate_player(entry=season.entries.first(), by=None),
    "remove_entry": lambda season: services.remove_entry(entry=entry_of("Cyd"), by=None),
    "merge_players": lambda season: services.merge_players(
        keep=make_players(season.league, "Eve")[0], gone=entry_of("Cyd").player, by=None
    ),
    "plan_merge": lambda season: services.plan_merge(
        keep=make_players(season.league, "Eve")[0], gone=entry_of("Cyd").player
    ),
    "delete_player": lambda season: services.delete_player(player=entry_of("Cyd").player, by=None),
    "update_season": lambda season: update_season(season=season, name="Other", by=None),
    "reopen and change": lambda season: update_season(season=season, name="Other", state="open", by=None),
    "delete_season": lambda season: services.delete_season(season=season, by=None),
    "accept_challenge": lambda season: challenges.accept_challenge(challenge=challenge_of(season), by=None),
    "decline_challenge": lambda season: challenges.decline_challenge(challenge=challenge_of(season), by=None),
    "withdraw_challenge": lambda season: challenges.withdraw_challenge(
        challenge=challenge_of(season), by=None
    ),
    "play_challenge": lambda season: challenges.play_challenge(
        challenge=challenge_of(season), played_at=season.starts_at, points=(1, 0), by=None
    ),
    "report_challenge": lambda season: game_reports.report_challenge(
        challenge=challenge_of(season), played_at=season.starts_at, points=(1, 0), by=account()
    ),
    "forfeit_challenge": lambda season: challenges.forfeit_challenge(
        challenge=challenge_of(season), absent=entry_of("Ann").player, by=None
    ),
    "issue_challenge": lambda season: issue_challenge(
        season=season, challenger=entry_of("Ann").player, opponent=entry_of("Bob").player, by=None
    ),
    "rest_player": lambda season: rest_player(entry=entry_of("Cyd"), days=3, by=None),
    "end_rest": lambda season: end_rest(entry=entry_of("Cyd"), by=None),
    "report_game": lambda season: services.report_game(
        season=season, report=REPORT, key="k", by=ApiToken(league=season.league, created_by=make_user())
    ),
    "correct_reported_game": lambda season: services.correct_reported_game(
        game=season.games.first(),
        correction=Correction(note="New"),
        version=None,
        by=ApiToken(league=season.league, created_by=make_user()),
    ),
    "submit_report": lambda season: services.submit_report(
        season=season, played_at=season.starts_at, sides=sides_of(season.games.first()), by=account()
    ),
    "confirm_report": lambda season: services.confirm_report(report=season.reports.get(), by=account()),
    "dispute_report": lambda season: services.dispute_report(
        report=season.reports.get(), reason="Why", by=account()
    ),
    "withdraw_report": lambda season: services.withdraw_report(report=season.reports.get(), by=account()),
    "decide_report": lambda season: services.decide_report(report=season.reports.get(), accept=True, by=None),
    "change_rules": lambda season: change_rules(season=season, values={"k": Decimal(20)}, by=None),
    "change_prize_tiers": lambda season: change_prize_tiers(
        season=season, deleted=season.prize_tiers.all(), by=None
    ),
}
# Those that are about no season, or only make one, or decide for themselves: see their own tests.
ELSEWHERE = {
    "accept_invitation", "claim_player", "invite_organizer", "invite_player", "release_player",
    "revoke_invitation", "create_api_token", "revoke_api_token",
    "add_alias", "add_organizer", "anonymise_player", "change_role", "check_game", "create_league",
    "create_player", "create_season", "create_team", "delete_league", "delete_team", "plan_import",
    "create_webhook", "delete_webhook", "mark_players", "switch_webhook",
    "remove_alias", "remove_organizer", "undo_marking", "undo_merge", "update_league", "update_player",
    "update_team",
}  # fmt: skip


def sides_of(game: Game) -> list[PlayedSide]:
    return [PlayedSide(tuple(seat.player for seat in side.members.all()), 3) for side in game.sides.all()]


def account() -> Any:
    return entry_of("Ann").player.user


def challenge_of(season: Season) -> Challenge:
    return Challenge.objects.get(season=season)


def entry_of(name: str) -> Entry:
    return Entry.objects.get(player__name=name)


def file_of(season: Season) -> GamesFile:
    game = FileGame(2, season.starts_at, (FileSide(("Ann",), 8), FileSide(("Bob",), 9)))
    return GamesFile((game,), (), 0, "utf-8", "wide")


def test_di_02_services_refuse_a_closed_season(season: Season) -> None:
    close(season)
    before = facts(season)
    for name, act in SERVICES.items():
        assert refusal(act, season) == "closed", name
        assert facts(season) == before, name


def test_no_service_is_left_out():
    names = {name for name in services.__all__ if name[0].islower()}
    assert names <= SERVICES.keys() | ELSEWHERE, "say of a new service what it does to a closed season"


# --- The admin (more of it in test_admin_games and test_admin_seasons)


@pytest.mark.parametrize("kind", ["season", "game", "entry"])
def test_di_02_the_admin_deletes_nothing_of_a_closed_season(
    client: Client, season: Season, kind: str
) -> None:
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    close(season)
    before = facts(season)
    model = apps.get_model("leagues", kind)
    pk = of_season(model, season).last().pk
    address = f"/admin/leagues/{kind}/"
    chosen = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
    for response in (
        client.post(f"{address}{pk}/delete/", {"post": "yes"}, follow=True),
        client.post(address, chosen, follow=True),
    ):
        assert "is closed and takes no changes" in response.content.decode()
    assert facts(season) == before


# --- What a closed season allows


def test_r75_a_closed_season_is_reopened_and_closed_again(season: Season) -> None:
    close(season)
    reopened = update_season(season=season, by=None, state=Season.State.OPEN)
    make_game(reopened, *[(side.members[0], side.points) for side in sides_of(season.games.first())])
    close(season)
    assert check_season(replayed(season).pk) == []
    assert season.stale_from is None


def test_a_reopened_season_takes_in_what_left_it_alone_while_it_was_closed() -> None:
    season = make_season(preset="ranked-battle")
    change_rules(season=season, by=None, values={"k_rule": "fide-junior"})
    ann, bob = make_players(season.league, "Ann", "Bob")
    for _number in range(31):  # with 30 games behind, only a junior still has a K of 40
        make_game(season, (ann, 1), (bob, 1))
    make_game(season, (ann, 2), (bob, 1))
    close(replayed(season))
    rating = replayed(season).standings.get(player=ann).rating
    services.update_player(player=ann, name="Ann", birth_year=2012, by=None)
    assert replayed(season).standings.get(player=ann).rating == rating
    update_season(season=season, by=None, state=Season.State.OPEN)
    assert replayed(season).standings.get(player=ann).rating > rating
    assert check_season(season.pk) == []


@pytest.fixture
def league() -> League:
    """Two closed seasons: the second carries the ratings of the first over, and its last game was played
    when in Sofia the year had begun in which Ann is no junior any more.
    """
    league = make_league(timezone="Europe/Sofia")
    ann, bob, *idle = make_players(league, "Ann", "Bob", "Cyd", "Dan")
    services.update_player(player=ann, name="Ann", birth_year=2007, by=None)
    for year in (2025, 2026):
        days = {"starts_on": date(year, 1, 1), "ends_on": date(year, 12, 31)}
        season = make_season(league, preset="ranked-battle", name=str(year), **days)
        change_rules(season=season, by=None, values={"k_rule": "fide-junior", "carry_over": year == 2026})
        for player in idle:
            services.enter_player(season=season, player=player, by=None)
        services.enter_player(season=season, player=bob, by=None)
        adjust(season, bob)
        new_year = datetime(year - 1, 12, 31, 22, 30, tzinfo=UTC)
        for _number in range(
            30 if year == 2026 else 0
        ):  # with so many behind, only a junior still has a K of 40
            make_game(season, (ann, 1), (bob, 1), played_at=new_year)
        make_game(season, (ann, 2), (bob, 1), played_at=new_year)
        close(replayed(season))
        replayed(season)
    return league


def change_birth_year(league: League) -> None:
    services.update_player(player=league.players.get(name="Ann"), name="Ann", birth_year=2020, by=None)


def rename(league: League) -> None:
    services.update_player(player=league.players.get(name="Cyd"), name="Zoe", by=None)


def move_zone(league: League) -> None:
    League.objects.filter(pk=league.pk).update(timezone="America/New_York")


def reopen_the_season_before(league: League) -> None:
    update_season(season=league.seasons.get(name="2025"), by=None, state=Season.State.OPEN)


def correct_the_season_before(league: League) -> None:
    reopen_the_season_before(league)
    before = league.seasons.get(name="2025")
    services.void_game(game=before.games.get(), reason="Twice", by=None)
    close(replayed(before))
    replayed(before)


def results_of(season: Season) -> list[Any]:
    return [list(model.objects.filter(season=season).order_by("pk").values()) for model in RESULTS]


OUTSIDE = [change_birth_year, rename, move_zone, reopen_the_season_before, correct_the_season_before]


@pytest.mark.parametrize("change", OUTSIDE)
def test_the_results_of_a_closed_season_are_final_whatever_changes_outside_it(
    league: League, change: Callable[[League], None]
) -> None:
    season = league.seasons.get(name="2026")
    final = [rows for rows in results_of(season) if "finished_at" not in rows[0]]
    change(league)
    assert check_season(season.pk) == []
    replay_season(season.pk, full=True)
    assert [rows for rows in results_of(season) if "finished_at" not in rows[0]] == final
    Standing.objects.filter(season=season).update(rating=1)
    assert len(check_season(season.pk)) == 4, "what is wrong is still found"


@pytest.mark.parametrize("change", OUTSIDE)
def test_control_without_what_is_kept_the_change_would_be_taken_in(
    league: League, change: Callable[[League], None]
) -> None:
    season = league.seasons.get(name="2026")
    Replay.objects.filter(season=season).update(outside=None)
    change(league)
    assert check_season(season.pk) != []


def test_reopened_and_closed_again_a_season_is_final_as_it_then_is(league: League) -> None:
    season = league.seasons.get(name="2026")
    final = season.standings.get(player__name="Ann").rating
    correct_the_season_before(league)
    update_season(season=season, by=None, state=Season.State.OPEN)
    close(season)
    assert replayed(season).standings.get(player__name="Ann").rating != final
    assert check_season(season.pk) == []


def test_a_game_of_a_closed_season_is_explained_as_it_was_rated(league: League) -> None:
    game = league.seasons.get(name="2026").games.order_by("pk").last()
    change_birth_year(league)
    explanation = explain_game(Game.objects.with_sides().get(pk=game.pk))
    assert explanation is not None
    changes = RatingChange.objects.filter(game=game).order_by("side")
    assert [side.after[0] for side in explanation.sides] == [row.after for row in changes]


def test_pv_06_a_whole_league_goes_with_its_closed_seasons(season: Season) -> None:
    close(season)
    delete_league(league=season.league, by=None)
    assert not Season.objects.exists()
    assert not SideMember.objects.exists()


def test_a_closed_season_keeps_its_games_when_an_organizer_leaves_the_site(season: Season) -> None:
    scorer = make_user("scorer")
    make_game(season, *[(side.members[0], side.points) for side in sides_of(season.games.first())], by=scorer)
    close(season)
    scorer.delete()
    assert season.games.count() == 4


# --- What the guard costs, and when it trusts what it knows


def guarding(queries: Iterable[dict[str, str]]) -> list[str]:
    """The queries by which the guard asks for the state of seasons."""
    asks = 'SELECT "leagues_season"."id" AS "id", "leagues_season"."name" AS "name", "leagues_season"."state"'
    return [each["sql"] for each in queries if each["sql"].startswith(asks)]


def test_recording_and_importing_ask_the_season_once_under_its_lock(season: Season) -> None:
    with CaptureQueriesContext(connection) as recorded:
        SERVICES["record_game"](season)
    with CaptureQueriesContext(connection) as imported:
        SERVICES["import_games"](season)
    assert guarding([*recorded, *imported]) == []
    with CaptureQueriesContext(connection) as written:
        copied_game = Game(season=season, played_at=season.starts_at, order=9, key="1" * 32)
        copied_game.note = "by nobody’s service"
        update_season(season=season, by=None, negative_points=False)
        copied_game.save()
    assert len(guarding(written)) == 1  # for the game: saving a season forgets


@pytest.mark.parametrize("how", ["save", "update", "bulk_update", "service"])
def test_what_a_transaction_knew_ends_with_the_closing(season: Season, how: str) -> None:
    game = Game(season=season, played_at=season.starts_at, order=9, key="1" * 32)
    season = lock_season(season)
    season.state = Season.State.CLOSED
    closings: dict[str, Callable[[], Any]] = {
        "save": lambda: season.save(update_fields=["state"]),
        "update": lambda: Season.objects.filter(pk=season.pk).update(state=Season.State.CLOSED),
        "bulk_update": lambda: Season.objects.bulk_update([season], ["state"]),
        "service": lambda: close(season),
    }
    closings[how]()
    with pytest.raises(SeasonClosedError):
        game.save()
