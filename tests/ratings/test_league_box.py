"""The league in a box: from one site to another one, row for row; and what of hostile boxes is refused."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from threading import Thread
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import QuerySet

from isolation.world import make_world
from leagues import services
from leagues.models import (
    AnnouncedSeason,
    Announcement,
    ApiToken,
    AuditEntry,
    Digest,
    FormerAddress,
    Game,
    Invitation,
    League,
    Logo,
    Organizer,
    Player,
    ReportKey,
    Season,
    SideMember,
    Webhook,
)
from leagues.models.base import path_to_league
from leagues.services.games import played_sides
from ratings.models import PrizeTier, RatingChange, Standing
from ratings.services.box_export import export_league
from ratings.services.box_import import import_league
from ratings.services.check import check_season
from ratings.services.league_box import AUDITED, FILES, LEAGUE_COLUMNS, MANIFEST, TABLES
from ratings.services.replay import replay_season
from ratings.services.rules import change_prize_tiers, change_rules, update_rated_season
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

# Of a league and its site, and so in no box.
NOT_IN_BOX: set[type[Any]] = {
    *(League, Organizer, Invitation, ApiToken, ReportKey, Logo),
    *(Webhook, Announcement, AnnouncedSeason, Digest),  # who is told of games there, and was told
}
ACCOUNTS = {"entered_by", "by", "token", "user"}


@pytest.fixture
def league() -> League:
    """A league with a row of everything: a closed season, carried ratings, a merge, corrections, a log."""
    owner = make_user("owner-of-apes", email="owner@apes.example")
    league = make_league("apes", owner=owner, timezone="Europe/Sofia", language="bg", about="=A\nB\r\n'C")
    league = services.update_league(league=league, by=None, slug="great-apes", host="apes.example")
    services.update_league(league=league, by=None, slug="apes")
    ann, bob, cyd, dan, twin, _idle = make_players(
        league, "Анна", "=Bob", "Çağla", '\'=Dan "x"', "Anna", "Idle"
    )
    services.update_player(player=ann, name="Анна Б", birth_year=2010, by=owner)
    services.add_alias(player=bob, name="-Bobby", by=owner)
    services.create_team(league=league, name="Two", members=[bob, cyd], by=owner)
    make_account(twin, "twin-of-apes")
    services.invite_organizer(league=league, role="scorer", by=owner, email="invited@apes.example")
    for year in (2025, 2026):
        days = {"starts_on": date(year, 1, 1), "ends_on": date(year, 12, 31)}
        season = make_season(league, name=str(year), games_from="both", **days)
        values = {"min_games": 1, "min_meetings": 0, "carry_over": year == 2026}
        change_rules(season=season, by=owner, values=values)
        services.enter_player(season=season, player=twin, by=owner)
        for number in range(6):
            at = season.starts_at + timedelta(hours=number // 2)
            make_game(season, (ann, 500 - number), (bob, 100 * number), played_at=at, by=owner, note="=x\t")
        make_game(season, ([bob, cyd], 30), ([ann, dan], 20), played_at=season.starts_at, by=owner)
        make_game(season, (twin, 3), (dan, 2), (cyd, 1), played_at=season.starts_at)
        replayed(season)
        first, second, *_rest, last = Game.objects.filter(season=season, played_at=season.starts_at)
        services.void_game(game=first, reason="Twice", by=owner)
        told = {"season": season, "at": second.played_at, "by": owner}
        services.add_adjustment(player=twin, change=-105, reason="=Late", **told)
        wrong = services.add_adjustment(player=bob, change=7, reason="Fair", **told)
        services.cancel_adjustment(adjustment=wrong, reason="Not so fair", by=owner)
        services.delete_games(games=[last], by=owner)
        services.shift_games(games=[second], earlier=True, by=owner)
        tier = PrizeTier(name="Cup", first_place=1, last_place=2, amount="100.50", unit="km", text="a\nb")
        change_prize_tiers(season=season, by=owner, saved=[tier])
        services.withdraw_player(entry=season.entries.get(player=cyd), by=owner)
        make_challenge(season, bob, dan, state="played", game=last_of(season), reason="=x")
        make_challenge(season, twin, dan, state="issued", decided_at=None, respond_by=season.ends_at)
        report = make_report(season, (twin, 6), (dan, 5), note="=x")
        services.decide_report(report=report, accept=year == 2026, by=owner)
        replayed(season)
        if year == 2025:
            update_rated_season(season=season, by=owner, slug="first")
            season.refresh_from_db()
            update_rated_season(season=replayed(season), by=owner, state=Season.State.CLOSED)
            replayed(season)
    update_rated_season(season=league.seasons.get(name="2025"), by=owner, state=Season.State.OPEN)
    services.merge_players(keep=ann, gone=twin, by=owner)
    for season in league.seasons.all():
        replayed(season)
    update_rated_season(season=league.seasons.get(name="2025"), by=owner, state=Season.State.CLOSED)
    for season in league.seasons.all():
        replayed(season)
    league.refresh_from_db()
    return league


def last_of(season: Season) -> Game:
    return Game.objects.filter(season=season).latest("pk")


def boxed(league: League) -> io.BytesIO:
    file = io.BytesIO()
    export_league(league, file)
    file.seek(0)
    return file


def models() -> list[Any]:
    """Every model whose rows belong to a league, the tables of many to many too."""
    return [model for model in apps.get_models(include_auto_created=True) if _path(model)]


def _path(model: Any) -> str:
    if hasattr(model, "league_path"):
        return path_to_league(model)
    parents = [field for field in model._meta.concrete_fields if hasattr(field.related_model, "league_path")]
    return f"{parents[0].name}__{path_to_league(parents[0].related_model)}" if parents else ""


def rows_of(league: League, until: int | None = None) -> dict[str, list[Any]]:
    """Every stored row of a league by what it says, ids told by their rank among those of the league.

    Of the audit log the acts that a box has, up to the entry ``until``.
    """
    kept = {model: QuerySet(model).filter(**{_path(model): league.pk}).order_by("pk") for model in models()}
    kept[AuditEntry] = kept[AuditEntry].filter(object_type__in=AUDITED)
    kept[FormerAddress] = kept[FormerAddress].exclude(season=None, player=None)
    if until:
        kept[AuditEntry] = kept[AuditEntry].filter(pk__lt=until)
    ranks = {
        model: {pk: rank for rank, pk in enumerate(rows.values_list("pk", flat=True))}
        for model, rows in kept.items()
    }
    return {
        model._meta.label: [
            tuple(_told(model, name, value, row, ranks) for name, value in row.items())
            for row in rows.values()
        ]
        for model, rows in kept.items()
        if model not in NOT_IN_BOX
    }


def _told(model: Any, name: str, value: Any, row: dict[str, Any], ranks: dict[Any, dict[int, int]]) -> Any:
    fields = {field.attname: field for field in model._meta.concrete_fields}
    field = fields[name]
    target = model if field.primary_key else field.related_model
    if field.name in ACCOUNTS or target is League:
        return None
    if target is not None:
        return None if value is None else ranks[target].get(value, "gone")
    if name in ("member_key", "object_id", "outside", "before", "after"):
        return None  # they speak of ids: told by what follows from them
    return value


def test_everything_a_league_has_is_in_its_box_or_left_out_on_purpose():
    in_box = {table.model for table in TABLES}
    links = {field.remote_field.through for table in TABLES for field in table.fields if field.many_to_many}
    assert set(models()) == in_box | links | NOT_IN_BOX
    left_out = {
        (table.name, name) for table in TABLES for name in table.left_out if name not in ("league", "id")
    }
    assert left_out == {
        ("players", "user"),
        ("players", "search"),
        ("players", "sort_key"),
        ("aliases", "key"),
        ("teams", "member_key"),
        ("games", "token"),
        ("reports", "token"),
        ("games", "entered_by"),
        ("adjustments", "entered_by"),
        ("audit", "by"),
        ("audit", "search"),
    }
    fields = {field.name for field in League._meta.concrete_fields}
    assert fields - set(LEAGUE_COLUMNS) == {"id", "host", "logo"}
    described = Path("docs/league-box.md").read_text()
    for table in TABLES:
        assert f"`{table.file}`" in described
        (line,) = [line for line in described.splitlines() if line.startswith(f"| `{table.file}`")]
        assert [name for name in table.columns if name not in line] == []
    assert [name for name in LEAGUE_COLUMNS if name not in described] == []


@pytest.mark.parametrize("how", ["level", "lagging"])
def test_r110_a_league_out_of_its_box_has_the_same_rows(league, how):
    if how == "lagging":
        season = league.seasons.get(name="2026")
        services.delete_games(games=[Game.objects.filter(season=season).latest("pk")], by=None)
    before = rows_of(league)
    results = before.pop("ratings.Replay"), before.pop("ratings.RatingChange"), before.pop("ratings.Standing")
    if how == "lagging":  # what it has been rated to is made of its facts
        before.pop("ratings.Meeting"), before.pop("ratings.Correction"), before.pop("ratings.Correction_acts")
        before.pop("leagues.Season")
    other = import_league(file=boxed(league), by=None, slug="bees")
    told = AuditEntry.objects.in_league(other).latest("pk")
    assert told.action == "import_league"
    found = rows_of(other, told.pk)
    for name, rows in before.items():
        assert found[name] == rows, name
    if how == "level":
        assert results == (found["ratings.Replay"], found["ratings.RatingChange"], found["ratings.Standing"])
        assert {name for name, rows in found.items() if not rows} == set(), "of each there is something"
    for one, same in zip(league.seasons.order_by("pk"), other.seasons.order_by("pk"), strict=True):
        assert check_season(same.pk) == []
        replayed(one)
        replay_season(same.pk, full=True)
    again = rows_of(other)
    assert again["ratings.Standing"] == rows_of(league)["ratings.Standing"]
    assert again["ratings.RatingChange"] == rows_of(league)["ratings.RatingChange"]


def test_a_box_of_a_box_is_the_same_box(league):
    other = import_league(file=boxed(league), by=None, slug="bees")
    again = import_league(file=boxed(other), by=None, slug="cats")
    last = AuditEntry.objects.in_league(again).latest("pk").pk
    assert rows_of(again, last) == rows_of(other)
    for table in ("standings", "changes"):
        numbers = [RatingChange, Standing][table == "standings"]
        assert numbers.objects.in_league(again).count() == numbers.objects.in_league(league).count()


def test_a_merge_can_be_taken_back_after_the_move(league):
    other = import_league(file=boxed(league), by=None, slug="bees")
    for each in (league, other):
        season = each.seasons.get(name="2025")
        update_rated_season(season=season, by=None, state=Season.State.OPEN)
        services.undo_merge(gone=Player.with_merged.in_league(each).exclude(merged_into=None).get(), by=None)
        for season in each.seasons.all():
            assert check_season(replayed(season).pk) == []
    rows, same = rows_of(league), rows_of(other)
    for name in (
        "leagues.Player",
        "leagues.Entry",
        "leagues.SideMember",
        "leagues.Adjustment",
        "leagues.PlayerAlias",
        "ratings.Standing",
    ):
        # What the merge had dropped comes back with an id of its own.
        assert sorted(repr(each[1:]) for each in same[name]) == sorted(repr(each[1:]) for each in rows[name])


def test_the_log_speaks_of_the_same_games(league):
    other = import_league(file=boxed(league), by=None, slug="bees")

    def acts(of: League) -> list[Any]:
        games = {
            pk: rank
            for rank, pk in enumerate(Game.objects.in_league(of).order_by("pk").values_list("pk", flat=True))
        }
        entries = AuditEntry.objects.in_league(of).filter(object_type="game").order_by("pk")
        return [(entry.action, games.get(int(entry.object_id), "gone")) for entry in entries]

    assert acts(other) == acts(league)
    assert "gone" in {rank for _action, rank in acts(league)}
    # An id of a game that is gone is nobody else's, so that its acts are never told of another one.
    season = other.seasons.get(name="2026")
    ann, bob = Player.objects.in_league(other)[:2]
    game = make_game(season, (ann, 1), (bob, 2), played_at=season.ends_at - timedelta(days=1))
    assert AuditEntry.objects.in_league(other).filter(object_type="game", object_id=str(game.pk)).count() == 1


def test_no_account_host_or_invitation_is_in_a_box(league):
    text = "".join(ZipFile(boxed(league)).read(name).decode() for name in [*FILES, MANIFEST])
    for secret in ("owner-of-apes", "owner@apes.example", "invited@apes.example", "apes.example", "token"):
        assert secret not in text, secret
    other = import_league(file=boxed(league), by=None, slug="bees", owner=make_user("bea"))
    assert other.host == ""
    assert [str(each) for each in other.organizers.all()] == ["bea"]
    assert not SideMember.objects.in_league(other).filter(game__entered_by__isnull=False).exists()


def test_texts_of_a_box_are_no_formulas_and_come_back(league):
    text = ZipFile(boxed(league)).read("players.csv").decode("utf-8-sig")
    names = csv.DictReader(io.StringIO(text, newline=""))
    assert [row["name"] for row in names][1:4] == ["'=Bob", "Çağla", "''=Dan \"x\""]


@pytest.mark.pg  # SQLite in memory is one connection
@pytest.mark.django_db(transaction=True)
def test_a_box_is_of_one_moment_while_others_write(league, monkeypatch):
    """The control: what is written before the box is begun is in it."""
    season = league.seasons.get(name="2026")
    ann, bob = Player.objects.in_league(league)[:2]
    make_game(season, (ann, 1), (bob, 0), played_at=season.starts_at + timedelta(days=1))
    before = Game.objects.in_league(league).count()
    lines = iter(range(10**6))

    class Writes(io.BytesIO):
        """A file that games are played beside."""

        def write(self, data: Any) -> int:
            if next(lines) == 1:
                run_beside(lambda: make_game(season, (ann, 9), (bob, 1)))
            return super().write(data)

    file = Writes()
    export_league(league, file)
    assert Game.objects.in_league(league).count() == before + 1
    manifest = json.loads(ZipFile(file).read(MANIFEST))
    assert manifest["rows"]["games.csv"] == before
    import_league(file=file, by=None, slug="bees")


def run_beside(act: Callable[[], Any]) -> None:
    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    thread.join()


# --- Commands


def test_the_commands_move_a_league(league, tmp_path, capsys):
    path = tmp_path / "apes.zip"
    call_command("export_league", "apes", str(path))
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(CommandError, match="The address “apes” is taken on this site"):
        call_command("import_league", str(path))
    make_user("bea")
    call_command("import_league", str(path), "--slug", "bees", "--owner", "bea")
    assert "The league “Apes” is at /bees/, with 2 seasons." in capsys.readouterr().out
    call_command("replay", "bees", "--check")
    services.delete_league(league=league, by=None)
    call_command("import_league", str(path))
    call_command("replay", "apes", "--check")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["export_league", "nowhere"], "There is no league at “nowhere”."),
        (["export_league", "apes", "/nowhere/apes.zip"], "cannot be written"),
        (["import_league", "/nowhere.zip"], "cannot be read: No such file"),
        (["import_league", __file__], "The file is no box of a league"),
        (["import_league", __file__, "--owner", "nobody"], "There is no user “nobody”."),
    ],
)
def test_the_commands_refuse_in_a_sentence(arguments, told):
    make_league("apes")
    with pytest.raises(CommandError, match=told):
        call_command(*arguments)


# --- Hostile boxes


def packed(parts: dict[str, bytes | str]) -> io.BytesIO:
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as box:
        for name, content in parts.items():
            box.writestr(name, content)
    return file


def changed(name: str, old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(parts: dict[str, Any]) -> None:
        text = parts[name].decode()
        assert old in text
        parts[name] = text.replace(old, new, 1).encode()

    return change


def row(name: str, line: int, column: int, value: str) -> Callable[[dict[str, Any]], None]:
    """Another value in a cell; lines are counted from the header, 0."""

    def change(parts: dict[str, Any]) -> None:
        rows = list(csv.reader(io.StringIO(parts[name].decode("utf-8-sig"), newline="")))
        rows[line][column] = value
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        parts[name] = text.getvalue().encode()

    return change


def without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda parts: parts.pop(name)


def added(name: str, content: str = "") -> Callable[[dict[str, Any]], None]:
    return lambda parts: parts.update({name: content})


def of_a_report(column: str, file: str) -> Callable[[dict[str, Any]], None]:
    """The first row of another file, in place of what the last decided report has in a column."""

    def change(parts: dict[str, Any]) -> None:
        reports, others = (
            list(csv.DictReader(io.StringIO(parts[name].decode("utf-8-sig"), newline="")))
            for name in ("reports.csv", file)
        )
        report = [each for each in reports if each["game"]][-1]
        report[column] = next(each["id"] for each in others if each["id"] != report[column])
        text = io.StringIO()
        writer = csv.DictWriter(text, list(report))
        writer.writeheader()
        writer.writerows(reports)
        parts["reports.csv"] = text.getvalue().encode()

    return change


def kept_otherwise(action: str, without: str = "", **kept: Any) -> Callable[[dict[str, Any]], None]:
    """Other things kept for the undoing of an act."""

    def change(parts: dict[str, Any]) -> None:
        acts = [json.loads(line) for line in parts["audit.jsonl"].decode().splitlines()]
        undo = next(act for act in acts if act["action"] == action)["before"]["undo"]
        undo.update(kept)
        undo.pop(without, None)
        parts["audit.jsonl"] = "".join(f"{json.dumps(act)}\n" for act in acts).encode()

    return change


HOSTILE: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (without("games.csv"), "The box lacks “games.csv”."),
    (added("../../etc/passwd"), "The box holds “../../etc/passwd”, which is no part of one."),
    (
        changed(MANIFEST, '"version": 1', '"version": 99'),
        "league.json: The box is of version 99, and this release",
    ),
    (changed(MANIFEST, "league-box", "x"), "league.json: This says of no league's box"),
    (added(MANIFEST, "[" * 100_000), "league.json: This is no JSON object."),
    (changed(MANIFEST, "Europe/Sofia", "Moon/Sea"), "is no time zone"),
    (changed(MANIFEST, '"slug": "apes"', '"slug": "admin"'), "is a word of the site itself|is taken"),
    (
        changed(MANIFEST, '"players.csv": 6', '"players.csv": 7'),
        "players.csv: It has 6 rows, and the box says 7",
    ),
    (
        changed("players.csv", "id,name", "id,nick"),
        "players.csv, line 1: The columns must be these: id, name, slug",
    ),
    (row("players.csv", 1, 1, ""), "players.csv, line 2, name: This field cannot be blank."),
    (row("players.csv", 1, 1, "x" * 101), "players.csv, line 2, name: It has more than 100 characters."),
    (row("players.csv", 1, 1, "a\0b"), "players.csv, line 2, name: It holds a sign that cannot be stored."),
    (row("players.csv", 1, 1, " + "), "A name is needed|joins the members|cannot be part of a name"),
    (row("players.csv", 1, 2, "../x"), "players.csv, line 2, slug: Enter a valid “slug”"),
    (row("players.csv", 2, 0, "1"), "players.csv, line 3, id: The ids must be above 0 and rise"),
    (
        row("players.csv", 1, 3, "99999999999"),
        "players.csv, line 2, birth_year: 99999999999 is not between 1900 and 2100.",
    ),
    (
        row("players.csv", 1, 5, "7777777"),
        "players.csv, line 2, merged_into: There is no row with the id 7777777.",
    ),
    (row("games.csv", 1, 2, "2026-01-01"), "games.csv, line 2, played_at: It must be a time with its offset"),
    (
        row("games.csv", 1, 2, "2031-01-01T00:00:00+00:00"),
        "played outside these days|not what its games give",
    ),
    (row("sides.csv", 1, 2, "2"), "The box contradicts itself: .*one_side_per_position|UNIQUE"),
    (row("sides.csv", 1, 3, "1e3"), "sides.csv, line 2, points: It must be a whole number."),
    (row("sides.csv", 1, 3, "77"), "its results are not what its games give: change of game"),
    (row("standings.csv", 1, 11, "99999"), "its results are not what its games give: standing of player"),
    (changed("changes.csv", "\r\n", "\r\n1\r\n"), "changes.csv, line 2: The row has 1 cells, the header"),
    (changed("sides.csv", "\r\n", '\r\n"a'), "sides.csv, line .*: The row cannot be read"),
    (
        changed("audit.jsonl", '"object_type": "player"', '"object_type": "user"'),
        "audit.jsonl, line .*: What it tells of other rows",
    ),
    (
        changed("audit.jsonl", '"undo": {', '"undo": {"x": 1, '),
        "audit.jsonl, line .*: What it tells of other rows",
    ),
    (of_a_report("reporter", "players.csv"), "A game is reported by somebody who did not play in it."),
    (of_a_report("game", "games.csv"), "A report became a game of another season."),
    *(
        (kept_otherwise(action, **kept), "audit.jsonl, line .*: (What it tells of other rows|It must be a)")
        for action, kept in [
            ("void_game", {"row": {}}),
            ("void_game", {"players": 5}),
            ("merge_players", {"gone": None}),
            ("merge_players", {"entries": 5}),
            ("merge_players", {"reports": [None]}),
            ("merge_players", {"birth_year": "then"}),
            ("merge_players", {"entries_dropped": [{"pk": 1}]}),
            (
                "merge_players",
                {
                    "names_dropped": [
                        {"id": 1, "league_id": 1, "player_id": 1, "name": "A", "key": "a", "pk": 1}
                    ]
                },
            ),
            ("merge_players", {"without": "adjustments"}),
        ]
    ),
    (
        changed("audit.jsonl", '"season": null', '"season": 5, "x": 1'),
        "audit.jsonl, line 1: The columns must be these",
    ),
    (
        changed("audit.jsonl", '"name": "Apes"', '"name": "\\u0000"'),
        "audit.jsonl, line 1, after: It holds a sign",
    ),
    (
        changed("teams.jsonl", '"members": [', '"members": [7777777, '),
        "teams.jsonl, line 1, members: There is no row with the id 7777777.",
    ),
    (added("rules.jsonl", "{"), "rules.jsonl, line 1: This is no JSON object."),
    (added("games.csv", b"\xff\xfe"), "The box is damaged: a text in it is no UTF-8."),
]


@pytest.fixture
def parts(league: League) -> dict[str, Any]:
    archive = ZipFile(boxed(league))
    return {name: archive.read(name) for name in archive.namelist()}


def test_a_hostile_box_is_refused_in_a_sentence_and_leaves_nothing(parts):
    """One league for all: to make it takes longer than to refuse it."""
    before = everything()
    wrong = []
    for change, told in HOSTILE:
        tampered = dict(parts)
        change(tampered)
        answer = refusal(tampered)
        if not re.search(told, answer):
            wrong.append((told, answer))
    assert wrong == []
    assert everything() == before
    assert import_league(file=packed(parts), by=None, slug="bees"), "the control: untouched it is taken"


def refusal(parts: dict[str, Any]) -> str:
    address = "" if '"slug": "admin"' in str(parts.get(MANIFEST)) else "bees"
    try:
        import_league(file=packed(parts), by=None, slug=address)
    except ValidationError as refused:
        return refused.messages[0]
    return "it was taken"


def everything() -> dict[str, int]:
    return {model._meta.label: QuerySet(model).count() for model in models()}


def test_a_box_that_unpacks_to_too_much_is_refused_unread(parts, monkeypatch):
    monkeypatch.setattr("ratings.services.box_reading.LARGEST_BOX", 10_000)
    with pytest.raises(ValidationError, match="unpacked it may have 2 GB"):
        import_league(file=packed(parts), by=None, slug="bees")


def test_a_truncated_box_is_refused(league):
    data = boxed(league).getvalue()
    for cut in (data[:-30], data[: len(data) // 2], b"PK\x05\x06" + b"\0" * 18, b""):
        with pytest.raises(ValidationError, match=r"no box of a league|lacks"):
            import_league(file=io.BytesIO(cut), by=None, slug="bees")


def test_xr_01_a_box_has_rows_of_its_league_alone():
    world = make_world()
    text = "".join(ZipFile(boxed(world.a.league)).read(name).decode() for name in [*FILES, MANIFEST])
    assert "zk7canary" not in text


def test_an_entry_with_a_new_player_can_be_taken_back_after_the_move(league):
    season = league.seasons.latest("pk")
    ann = league.players.get(name="Анна Б")
    dora = Player(league=league, name="Dora")
    make_game(season, (ann, 3), (dora, 1), played_at=season.starts_at + timedelta(days=9))
    replayed(season)
    other = import_league(file=boxed(league), by=None, slug="bees")
    assert other.players.filter(name="Dora").exists()
    act = AuditEntry.objects.in_league(other).filter(action="record_game")[0]
    assert services.undo_games(act=act, by=None) == 1
    assert not other.players.filter(name="Dora").exists()
    assert league.players.filter(name="Dora").exists()


def test_a_deletion_can_be_taken_back_after_the_move(league):
    season = league.seasons.latest("pk")
    game = Game.objects.get(season=season, challenge__isnull=False)
    sides = [(str(each.members), each.points) for each in played_sides(game)]
    services.delete_games(games=[game], by=None)
    replayed(season)
    other = import_league(file=boxed(league), by=None, slug="bees")
    act = AuditEntry.objects.in_league(other).filter(action="delete_game")[0]
    back = services.undo_change(act=act, by=None)
    again = played_sides(Game.objects.get(pk=back.pk))
    assert [(str(each.members), each.points) for each in again] == sides
    assert back.challenge.season.league == other
    assert not Game.objects.filter(pk=game.pk).exists()
