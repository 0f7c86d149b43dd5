"""Adding many players at once, and marking who plays no longer."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from leagues.models import AuditEntry, League, Player, Role
from leagues.services import add_alias, add_players, enter_player, update_player
from leagues.services.rosters import MOST_NAMES, read_roster
from ratings.services.check import check_season
from tests.factories import (
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)

pytestmark = pytest.mark.django_db

PAGE = "/club/add-players/"


@pytest.fixture
def league() -> League:
    return make_league("club", owner=make_user("alice"))


@pytest.fixture
def manager(league: League) -> Client:
    client = Client()
    client.force_login(make_organizer(league, Role.MANAGER, "mary"))
    return client


def test_a_list_is_shown_with_who_is_new_known_or_ambiguous_and_then_added(league, manager):
    ann, _ivan, second, zahari = make_players(league, "Ann", "Ivan", "Ivan", "Захари")
    add_alias(player=ann, name="Annie", by=None)
    season = make_season(league)
    enter_player(season=season, player=zahari, by=None)
    names = "Ann\r\n annie\n\nNew One\nnew  one\nIvan\nЗахари\nZahari\n"
    form = {"names": names, "season": season.pk}
    page = manager.post(PAGE, form | {"preview": "1"})
    rows = [(row.name, row.is_new, row.is_entered, bool(row.problem)) for row in page.context["roster"].names]
    assert rows == [
        ("Ann", False, False, False),
        ("New One", True, False, False),
        ("Ivan", False, False, True),
        ("Захари", False, True, False),
        ("Zahari", True, False, False),  # another person, or Захари: it says that it sounds so
    ]
    text = page.content.decode()
    assert "is the name of 2 players; write the address of one: ivan, ivan-2" in text
    assert "sounds like Захари; if it is the same person, write zahari" in text
    assert 'name="save"' not in text
    assert manager.post(PAGE, form | {"save": "1"}).status_code == 200  # and nothing is written
    assert not Player.objects.filter(name="New One").exists()
    form["names"] = names.replace("Ivan", second.slug).replace("Zahari", "")
    assert 'name="save"' in manager.post(PAGE, form | {"preview": "1"}).content.decode()
    for _time in range(2):
        assert manager.post(PAGE, form | {"save": "1"})["Location"] == "/club/players/"
    assert Player.objects.filter(name="New One").count() == 1
    assert [entry.player.slug for entry in season.entries.order_by("pk")] == [
        "zahari",
        "new-one",
        "ann",
        "ivan-2",
    ]
    (entry,) = AuditEntry.objects.filter(action="add_players")
    assert entry.after == {"new_players": ["New One"], "entered": ["New One", "Ann", "Ivan"]}
    assert not any(entry.by_playing for entry in season.entries.all())


def test_players_can_be_added_to_the_league_alone(league):
    add_players(league=league, names=["Ann", "Bob"], by=None)
    assert [player.slug for player in Player.objects.all()] == ["ann", "bob"]
    assert AuditEntry.objects.filter(object_type="league", action="add_players").count() == 1


@pytest.mark.parametrize(
    ("names", "message"),
    [(["\u200b", "12345"], "name"), ([f"P {n}" for n in range(MOST_NAMES + 1)], "502 names; 500 are taken")],
)
def test_what_is_no_name_or_too_much_is_refused_and_nothing_written(league, names, message):
    with pytest.raises(ValidationError, match=message):
        add_players(league=league, names=[*names, "x" * 101], by=None)
    assert not Player.objects.exists()


def test_only_managers_add_players(league, manager):
    scorer = Client()
    scorer.force_login(make_organizer(league))
    assert scorer.get(PAGE).status_code == 403
    assert manager.get(PAGE).status_code == 200
    assert manager.post(PAGE, {"names": "", "season": "x"}).status_code == 200


def test_reading_a_list_takes_a_fixed_number_of_queries(league, django_assert_num_queries):
    season = make_season(league)
    with django_assert_num_queries(4):
        read_roster(league, [f"Player {number}" for number in range(50)], season)


def test_r92_who_is_inactive_is_marked_named_last_and_rated_as_before(league, manager):
    season = make_season(league)
    ann, _anna, bob = make_players(league, "Ann", "Anna", "Bob")
    make_game(season, (ann, 3), (bob, 1))
    before = list(replayed(season).standings.order_by("position").values_list("player", "rating", "position"))
    revision = season.revision
    update_player(player=ann, name="Ann", inactive=True, by=None)
    assert replayed(season).revision == revision
    assert check_season(season.pk) == []
    assert list(season.standings.order_by("position").values_list("player", "rating", "position")) == before
    assert "inactive" in manager.get("/club/players/").content.decode()
    found = manager.get(f"/club/{season.slug}/games/players/?q=an").content.decode()
    assert found.index('data-label="Anna"') < found.index('data-label="Ann"')
    update_player(player=ann, name="Ann", by=None)  # says nothing of it
    assert Player.objects.get(pk=ann.pk).inactive
    update_player(player=ann, name="Ann", inactive=False, by=None)
    assert not Player.objects.filter(inactive=True).exists()
