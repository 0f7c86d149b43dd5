"""Look-ups whose SQL is put together once give what the queryset itself gives."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.db.models import F, Model
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leagues.models import AuditEntry, Game, Season
from leagues.prepared import PreparedLookup, PreparedRows, PreparedSave, PreparedUpdate
from ratings.models import Replay
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = pytest.mark.django_db
BESIDE = ("league", "replay", "rule_set")


def rows():
    return Season.objects.select_related(*BESIDE).filter(league__slug="stand-in", slug="stand-in").order_by()


def values_of(row: Model) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_each_value_is_as_the_queryset_reads_it() -> None:
    season = make_season(make_league("chess"))
    change_rules(season=season, by=None, values={"k": "20.5"})
    winner, loser = make_players(season.league, "A", "B")
    make_game(season, (winner, 1), (loser, 0))
    replayed(season)
    found = PreparedLookup(rows).first("chess", season.slug)
    expected = Season.objects.select_related(*BESIDE).get(pk=season.pk)
    assert found is not None
    assert values_of(found) == values_of(expected)
    with CaptureQueriesContext(connection) as queries:
        for name in BESIDE:
            assert values_of(getattr(found, name)) == values_of(getattr(expected, name))
    assert not queries, "all of it came in one row"


def test_each_call_has_its_own_values() -> None:
    one, two = (make_season(make_league(slug)) for slug in ("one", "two"))
    lookup = PreparedLookup(rows)
    assert lookup.first("one", one.slug) == one
    assert lookup.first("two", two.slug) == two
    assert lookup.first("one", "nothing") is None
    assert lookup.first("two' OR 1=1 --", two.slug) is None


def test_what_is_not_there_is_not_asked_for_again() -> None:
    season = make_season(make_league("chess"))
    found = PreparedLookup(rows).first("chess", season.slug)
    with CaptureQueriesContext(connection) as queries:
        assert not hasattr(found, "replay")
    assert not queries


def test_rows_are_as_the_queryset_reads_them() -> None:
    season = make_season(make_league("chess"))
    ann, bob = make_players(season.league, "Ann", "Bob")
    game = make_game(season, (ann, 1), (bob, 0))
    columns = ("pk", "played_at", "order", "token", "note")
    prepared = PreparedRows(
        lambda: Game.objects.filter(season=0).filter(played_at=timezone.now()).values_list(*columns)
    )
    assert prepared.all(season.pk, game.played_at) == list(Game.objects.values_list(*columns))
    assert prepared.all(season.pk, game.entered_at) == []


def test_an_update_changes_the_rows_of_its_values_only() -> None:
    one, two = (make_season(make_league(slug)) for slug in ("one", "two"))
    one.refresh_from_db()
    before = values_of(Season.objects.get(pk=two.pk))
    rename = PreparedUpdate(
        lambda: Season.objects.filter(pk=0),
        revision=F("revision") + 1,
        stale_from=timezone.now(),
        rules_text="",
    )
    moment = datetime(2026, 3, 29, 1, 30, 0, 5, tzinfo=UTC)
    rename.update(7, moment, "100 % 'quoted'", one.pk)
    changed = Season.objects.get(pk=one.pk)
    assert (changed.revision, changed.stale_from, changed.rules_text) == (
        one.revision + 7,
        moment,
        "100 % 'quoted'",
    )
    assert values_of(Season.objects.get(pk=two.pk)) == before


def test_a_stored_row_is_read_as_it_was_written() -> None:
    season = make_season(make_league("chess"))
    entries = PreparedSave(AuditEntry)
    entry = AuditEntry(
        league=season.league,
        season=season,
        action="x",
        object_name="Ж",
        before=None,
        after={"at": season.starts_on},
    )
    entries.insert(entry)
    stored = AuditEntry.objects.get(pk=entry.pk)
    assert values_of(stored) == values_of(entry) | {"after": {"at": season.starts_on.isoformat()}}
    replays = PreparedSave(Replay)
    season.touch(None)
    replay = replayed(season).replay
    replay.outside, replay.finished_at, replay.error = {"zone": "UTC"}, None, "%s"
    replays.update(replay)
    assert values_of(Replay.objects.get(pk=replay.pk)) == values_of(replay)
