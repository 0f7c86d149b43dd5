"""Adding many players at once, and marking who plays no longer."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from leagues.models import AuditEntry, League, Player, Role
from leagues.services import add_alias, add_players, enter_player, mark_players, merge_players, update_player
from leagues.services.rosters import MOST_NAMES, read_roster, undoable_markings
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
INACTIVE = "/club/inactive-players/"


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
        assert manager.post(PAGE, form | {"save": "1"})["Location"] == "/club/season-2026/"
    assert told(manager) == [
        "1 player is added. 3 are entered in “Season 2026”.",
        "All of them are in “Season 2026” already.",
    ]
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


def told(client: Client) -> list[str]:
    """What the pages told since, and the next one tells."""
    return [str(message) for message in client.get("/club/players/").context["messages"]]


def test_players_can_be_added_to_the_league_alone(league, manager):
    add_players(league=league, names=["Ann", "Bob"], by=None)
    manager.post(PAGE, {"names": "Bob\nAnn", "season": "", "save": "1"})
    assert told(manager) == ["All of them are in the league already."]
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


def test_several_are_marked_inactive_and_active_again_in_one_act(league, manager):
    season = make_season(league)
    ann, bob, cyd, dan = make_players(league, "Ann", "Bob", "Cyd", "Dan")
    make_game(season, (ann, 3), (bob, 1))
    league.refresh_from_db()
    season.refresh_from_db()
    version, revision = league.version, season.revision
    ticked = {"players": [ann.pk, bob.pk]}
    for _time in range(2):
        assert manager.post(f"{INACTIVE}?q=b", ticked | {"inactive": "1"})["Location"] == f"{INACTIVE}?q=b"
    assert told(manager) == ["2 players are inactive now.", "Nothing had to be changed."]
    assert set(Player.objects.filter(inactive=True)) == {ann, bob}
    (entry,) = AuditEntry.objects.filter(action="mark_players")
    assert (entry.object_name, entry.after) == (
        league.name, {"inactive": ["Ann", "Bob"], "undo": {"players": [ann.pk, bob.pk]}},
    )  # fmt: skip
    manager.post(INACTIVE, {"players": [bob.pk, cyd.pk], "active": "1"})
    assert told(manager) == ["1 player is active again."]
    assert AuditEntry.objects.filter(action="mark_players")[0].after["active"] == ["Bob"]
    assert [(each.name, each.last_season) for each in manager.get(INACTIVE).context["page"]] == [
        ("Bob", "Season 2026"), ("Cyd", None), ("Dan", None), ("Ann", "Season 2026"),
    ]  # fmt: skip
    league.refresh_from_db()
    season.refresh_from_db()
    assert (league.version, season.revision) == (version + 2, revision)
    assert dan.name in manager.get(f"{INACTIVE}?q=DA").content.decode()


def test_a_marking_is_taken_back_from_whom_nobody_marked_since(league, manager):
    ann, bob, cyd = make_players(league, "Ann", "Bob", "Cyd")
    ticked = {"players": [ann.pk, bob.pk, cyd.pk], "inactive": "1"}
    answer = manager.post(INACTIVE, ticked, follow=True).content.decode()
    act = AuditEntry.objects.get(action="mark_players")
    button = f'action="{act.get_undo_url()}"'
    assert button in answer
    assert button in manager.get("/club/log/").content.decode()
    manager.post(INACTIVE, {"players": [bob.pk], "active": "1"})
    merge_players(keep=make_players(league, "Cyda")[0], gone=cyd, by=None)
    scorer = Client()
    scorer.force_login(make_organizer(league))
    assert button not in scorer.get("/club/log/").content.decode()
    assert scorer.post(act.get_undo_url()).status_code == 403
    manager.post(act.get_undo_url())
    assert told(manager)[-1] == "1 player is marked as before."
    assert not Player.objects.filter(inactive=True).exists()
    # Nobody is marked so any more; what took it back can be taken back itself.
    assert button not in manager.get("/club/log/").content.decode()
    manager.post(act.get_undo_url())
    assert "Nobody is marked like that any more." in told(manager)[-1]
    taken_back = AuditEntry.objects.filter(action="mark_players")[0]
    manager.post(taken_back.get_undo_url())
    assert list(Player.objects.filter(inactive=True)) == [ann]
    # Of several markings of one player the last one can be taken back, unless something else was said since.
    _act, of_bob, _taken_back, of_ann = AuditEntry.objects.filter(action="mark_players").order_by("pk")
    assert undoable_markings(AuditEntry.objects.all()) == {of_bob.pk, of_ann.pk}
    update_player(player=ann, name="Ann", inactive=False, by=None)
    assert undoable_markings(AuditEntry.objects.all()) == {of_bob.pk}


def test_of_namesakes_the_list_shows_the_addresses(league, manager):
    make_players(league, "Ann", "Ivan", "Ivan")
    text = manager.get(INACTIVE).content.decode()
    assert "ivan-2 ·" in text
    assert "ann ·" not in text


def test_nobody_is_marked_when_one_is_of_another_league_or_gone(league, manager):
    ann, bob = make_players(league, "Ann", "Bob")
    (stranger,) = make_players(make_league("other"), "Eve")
    for wrong in (stranger.pk, "x", 0):
        page = manager.post(INACTIVE, {"players": [ann.pk, wrong], "inactive": "1"})
        assert page.status_code == 200
        assert page.context["form"].errors
    page = manager.post(INACTIVE, {"inactive": "1"})
    assert "Tick at least one player." in page.content.decode()
    merge_players(keep=bob, gone=ann, by=None)
    with pytest.raises(ValidationError, match="“Ann” was deleted, or merged"):
        mark_players(league=league, players=[ann, bob], inactive=True, by=None)
    assert not Player.with_merged.filter(inactive=True).exists()
    assert not AuditEntry.objects.filter(action="mark_players").exists()


def test_only_managers_mark_players_and_see_the_way_there(league, manager):
    scorer = Client()
    scorer.force_login(make_organizer(league))
    assert "This league has no players yet." in manager.get(INACTIVE).content.decode()
    (ann,) = make_players(league, "Ann")
    assert "Nobody is called that." in manager.get(f"{INACTIVE}?q=zzz").content.decode()
    assert f'href="{INACTIVE}"' in manager.get("/club/players/").content.decode()
    assert f'href="{INACTIVE}"' not in scorer.get("/club/players/").content.decode()
    for client, status in ((scorer, 403), (Client(), 302)):
        assert client.post(INACTIVE, {"players": [ann.pk], "inactive": "1"}).status_code == status
    assert not Player.objects.filter(inactive=True).exists()
