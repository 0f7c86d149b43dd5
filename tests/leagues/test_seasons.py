"""Seasons, their days and entries."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError

from leagues.models import AuditEntry, Entry, Game, Role, Season
from leagues.services import (
    PlayedSide,
    correct_game,
    create_season,
    delete_games,
    delete_season,
    enter_player,
    reinstate_player,
    remove_entry,
    restore_game,
    update_season,
    void_game,
    withdraw_player,
)
from leagues.services.seasons import find_seasons
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("zone", "moment", "inside"),
    [
        ("Pacific/Auckland", "2026-12-31T23:59:59", True),
        ("Pacific/Auckland", "2027-01-01T00:00:00", False),
        ("Europe/Sofia", "2025-12-31T23:59:59", False),
        ("Europe/Sofia", "2026-01-01T00:00:00", True),
        ("America/New_York", "2026-12-31T22:00:00", True),
    ],
)
def test_r69_r72_the_last_day_counts_in_the_leagues_own_zone(zone, moment, inside):
    season = make_season(make_league(timezone=zone))
    assert season.includes(datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(zone))) is inside


def test_its_address_is_the_slug_of_its_name():
    assert make_season(name="Сезон 2026 – пролет").slug == "sezon-2026-prolet"


def test_a_season_is_not_made_closed_so_making_one_is_one_act():
    league = make_league()
    with pytest.raises(ValidationError, match="close it once its games are entered") as refused:
        make_season(league, state=Season.State.CLOSED)
    assert list(refused.value.error_dict) == ["state"]
    assert not Season.objects.exists()


def test_a_name_that_is_a_word_of_the_leagues_pages_gives_another_address():
    season = make_season(name="Players")
    assert season.slug == "players-2"
    with pytest.raises(ValidationError, match="word of the site itself"):
        update_season(season=season, by=None, slug="players")


def test_the_last_day_is_not_before_the_first():
    with pytest.raises(ValidationError, match="last day is before the first"):
        make_season(starts_on=date(2026, 5, 1), ends_on=date(2026, 4, 30))
    assert not Season.objects.exists()


def test_days_that_leave_a_game_outside_are_refused():
    season = make_season()
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5))
    with pytest.raises(ValidationError, match="1 game was played outside these days"):
        update_season(season=season, by=None, starts_on=date(2026, 2, 1))


def test_a_closed_season_takes_no_change_but_being_reopened():
    season = make_season()
    ann, bob = make_players(season.league, "Ann", "Bob")
    game = make_game(season, (ann, 10), (bob, 5))
    entry = Entry.objects.get(player=ann)
    update_season(season=season, by=None, state=Season.State.CLOSED)
    revision = Season.objects.get().revision
    for refused in (
        lambda: make_game(season, (ann, 1), (bob, 2)),
        lambda: delete_games(games=[game], by=None),
        lambda: withdraw_player(entry=entry, by=None),
        lambda: update_season(season=season, by=None, name="Other"),
        lambda: delete_season(season=season, by=None),
    ):
        with pytest.raises(ValidationError, match="is closed and takes no changes"):
            refused()
    assert Season.objects.get().revision == revision
    update_season(season=season, by=None, state=Season.State.OPEN)
    make_game(season, (ann, 1), (bob, 2))


def test_every_change_of_facts_raises_the_revision_by_one():
    season = make_season()
    ann, bob = make_players(season.league, "Ann", "Bob")

    def revision() -> int:
        return Season.objects.get().revision

    before = revision()
    entry = enter_player(season=season, player=ann, by=None)
    assert revision() == before + 1
    make_game(season, (ann, 10), (bob, 5))
    assert revision() == before + 2
    withdraw_player(entry=entry, by=None)
    assert revision() == before + 3


def test_a_player_is_entered_once():
    season = make_season()
    (ann,) = make_players(season.league, "Ann")
    enter_player(season=season, player=ann, by=None)
    with pytest.raises(ValidationError, match="entered already"):
        enter_player(season=season, player=ann, by=None)


def test_a_player_of_another_league_cannot_be_entered():
    (stranger,) = make_players(make_league(), "Stranger")
    with pytest.raises(ValidationError, match="unknown in this league"):
        enter_player(season=make_season(), player=stranger, by=None)
    assert not Entry.objects.exists()


def test_withdrawing_again_and_reinstating_again_leave_things_alone():
    season = make_season()
    (ann,) = make_players(season.league, "Ann")
    entry = enter_player(season=season, player=ann, by=None)
    withdrawn_at = withdraw_player(entry=entry, by=None).withdrawn_at
    assert withdraw_player(entry=entry, by=None).withdrawn_at == withdrawn_at
    assert reinstate_player(entry=entry, by=None).withdrawn_at is None
    assert reinstate_player(entry=entry, by=None).withdrawn_at is None
    actions = AuditEntry.objects.filter(object_type="entry").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["enter_player", "withdraw_player", "reinstate_player"]


def test_an_entry_that_somebody_else_removed_is_said_to_be_gone():
    season = make_season()
    (ann,) = make_players(season.league, "Ann")
    entry = enter_player(season=season, player=ann, by=None)
    remove_entry(entry=Entry.objects.get(), by=None)
    for act in (withdraw_player, reinstate_player, remove_entry):
        with pytest.raises(ValidationError, match="removed this entry meanwhile"):
            act(entry=entry, by=None)


def test_who_has_played_is_withdrawn_not_removed():
    season = make_season()
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5))
    with pytest.raises(ValidationError, match="Ann has played in this season"):
        remove_entry(entry=Entry.objects.get(player=ann), by=None)
    assert Entry.objects.count() == 2


def test_seasons_are_found_by_league_or_by_league_and_season():
    league = make_league("chess")
    spring, autumn = (
        create_season(
            league=league, by=None, name=name, starts_on=date(2026, month, 1), ends_on=date(2026, month, 28)
        )
        for name, month in (("Spring", 3), ("Autumn", 9))
    )
    assert find_seasons("chess") == [autumn, spring]
    assert find_seasons("chess/spring") == [spring]
    with pytest.raises(ValidationError, match="no league at “go”"):
        find_seasons("go")
    with pytest.raises(ValidationError, match="its seasons are: autumn, spring"):
        find_seasons("chess/winter")


@pytest.mark.parametrize(
    ("first", "last", "field"),
    [(date(2026, 1, 1), date(9999, 12, 31), "ends_on"), (date(1, 1, 1), date(2026, 12, 31), "starts_on")],
)
def test_days_at_the_ends_of_the_calendar_are_refused(first, last, field):
    with pytest.raises(ValidationError) as refused:
        make_season(starts_on=first, ends_on=last)
    assert list(refused.value.message_dict) == [field]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a_season_may_be_as_long_as_the_calendar_of_games(zone):
    season = make_season(make_league(timezone=zone), starts_on=date(2, 1, 1), ends_on=date(9998, 12, 31))
    assert season.includes(datetime(9998, 12, 31, 12, tzinfo=ZoneInfo(zone)))


def test_what_is_done_in_a_season_deleted_meanwhile_is_refused_with_a_sentence():
    season = make_season()
    ann, bob = make_players(season.league, "Ann", "Bob")
    delete_season(season=season, by=None)
    season = Season(
        pk=99, league=season.league, name="Spring", starts_on=season.starts_on, ends_on=season.ends_on
    )
    for refused in (
        lambda: make_game(season, (ann, 1), (bob, 2)),
        lambda: enter_player(season=season, player=ann, by=None),
        lambda: update_season(season=season, by=None, name="Other"),
        lambda: delete_season(season=season, by=None),
    ):
        with pytest.raises(ValidationError, match="“Spring” was deleted meanwhile"):
            refused()


def test_who_was_entered_by_a_mistaken_game_leaves_with_it():
    season = make_season()
    ann, bob, typo = make_players(season.league, "Ann", "Bob", "Bbo")
    enter_player(season=season, player=bob, by=None)
    make_game(season, (ann, 10), (bob, 5))
    mistaken = make_game(season, (ann, 10), (typo, 5))

    def entered() -> set[str]:
        return set(Entry.objects.filter(season=season).values_list("player__name", flat=True))

    void_game(game=mistaken, reason="Not Bbo", by=None)
    assert entered() == {"Ann", "Bob"}
    restore_game(game=mistaken, by=None)
    assert entered() == {"Ann", "Bob", "Bbo"}
    correct_game(
        game=mistaken,
        played_at=mistaken.played_at,
        sides=[PlayedSide((ann,), 10), PlayedSide((bob,), 5)],
        by=None,
    )
    assert entered() == {"Ann", "Bob"}
    delete_games(games=list(Game.objects.all()), by=None)
    assert entered() == {"Bob"}, "whom an organizer entered stays"


@pytest.mark.parametrize(("role", "may"), [(Role.OWNER, True), (Role.MANAGER, False), (None, False)])
def test_only_who_is_an_owner_at_that_moment_reopens_a_season(role, may):
    """Asked where the season is held: the form of a manager was made while it was open."""
    season = make_season()
    user = make_organizer(season.league, role) if role else make_user()
    update_season(season=season, by=None, state=Season.State.CLOSED)
    if may:
        assert update_season(season=season, by=user, state=Season.State.OPEN).is_open
    else:
        with pytest.raises(ValidationError, match="Only an owner of the league can reopen a season"):
            update_season(season=season, by=user, state=Season.State.OPEN)
        season.refresh_from_db()
        assert season.is_closed
