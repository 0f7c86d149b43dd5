"""Leagues and their organizers."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError

from leagues.models import AuditEntry, League, Organizer, Role, Season
from leagues.services import (
    add_organizer,
    change_role,
    create_league,
    enter_player,
    remove_organizer,
    update_league,
)
from leagues.services.addresses import LEAGUE_PAGES, reserved_words
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


def test_its_creator_owns_it():
    alice = make_user("alice")
    league = make_league("chess", owner=alice)
    assert Organizer.objects.get(league=league).user == alice
    assert Organizer.objects.get(league=league).role == Role.OWNER
    assert AuditEntry.objects.get(league=league).action == "create_league"


@pytest.mark.parametrize("slug", ["admin", "accounts", "static", "media", "healthz", "api", "i18n", "embed"])
def test_a_word_of_the_site_is_no_address(slug):
    with pytest.raises(ValidationError, match="word of the site itself"):
        make_league(slug)
    assert not League.objects.exists()


def test_the_words_of_a_leagues_pages_are_no_season():
    assert {"players", "teams"} <= reserved_words(LEAGUE_PAGES)


@pytest.mark.parametrize("slug", ["Чess", "a b", "-a", "a--b", "a/b", "ABC", "a_b"])
def test_an_address_has_small_latin_letters_and_digits(slug):
    with pytest.raises(ValidationError):
        create_league(by=None, slug=slug, name="A league")


def test_two_leagues_cannot_have_one_address():
    make_league("chess")
    with pytest.raises(ValidationError, match="already exists"):
        make_league("chess")


def test_an_unknown_time_zone_is_refused():
    with pytest.raises(ValidationError, match="“Mars/Base” is no time zone"):
        make_league(timezone="Mars/Base")


def test_a_change_raises_the_version_and_leaves_before_and_after():
    league = make_league("chess", name="Chess")
    update_league(league=league, by=None, name="Chess & Go")
    league.refresh_from_db()
    assert (league.name, league.version) == ("Chess & Go", 1)
    entry = AuditEntry.objects.filter(action="update_league").get()
    assert (entry.before["name"], entry.after["name"]) == ("Chess", "Chess & Go")


def test_another_time_zone_has_open_seasons_rated_anew():
    league = make_league(timezone="Europe/Sofia")
    season = make_season(league)
    ann, bob = make_players(league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5))
    before = Season.objects.get().revision
    update_league(league=league, by=None, timezone="Europe/Istanbul")
    season.refresh_from_db()
    assert (season.revision, season.stale_from) == (before + 1, season.starts_at)


def test_a_time_zone_that_leaves_a_game_outside_its_season_is_refused():
    # 1 January, 01:00 in Sofia is still the year before in London.
    league = make_league(timezone="Europe/Sofia")
    season = make_season(league)
    ann, bob = make_players(league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5), played_at=season.starts_at + timedelta(hours=1))
    with pytest.raises(ValidationError, match="1 game was played outside these days") as refused:
        update_league(league=league, by=None, timezone="Europe/London")
    assert list(refused.value.message_dict) == ["timezone"]
    league.refresh_from_db()
    assert league.timezone == "Europe/Sofia"


def test_the_last_owner_stays():
    alice = make_user("alice")
    league = make_league(owner=alice)
    owner = Organizer.objects.get(user=alice)
    with pytest.raises(ValidationError, match="alice is the last owner"):
        remove_organizer(organizer=owner, by=alice)
    with pytest.raises(ValidationError, match="alice is the last owner"):
        change_role(organizer=owner, role=Role.SCORER, by=alice)
    make_organizer(league, Role.OWNER, "bob")
    remove_organizer(organizer=owner, by=alice)
    assert [organizer.user.username for organizer in league.organizers.all()] == ["bob"]


def test_a_role_somebody_else_changed_meanwhile_is_read_afresh():
    alice = make_user("alice")
    league = make_league(owner=alice)
    bob = make_organizer(league, Role.SCORER, "bob")
    as_scorer = Organizer.objects.get(user=bob)
    change_role(organizer=Organizer.objects.get(user=bob), role=Role.OWNER, by=alice)
    remove_organizer(organizer=Organizer.objects.get(user=alice), by=bob)
    with pytest.raises(ValidationError, match="bob is the last owner"):
        remove_organizer(organizer=as_scorer, by=bob)
    make_organizer(league, Role.OWNER, "carol")
    change_role(organizer=as_scorer, role=Role.MANAGER, by=bob)
    assert AuditEntry.objects.filter(action="change_role").latest("pk").before == {"role": "owner"}
    remove_organizer(organizer=as_scorer, by=None)
    with pytest.raises(ValidationError, match="removed this organizer meanwhile"):
        change_role(organizer=as_scorer, role=Role.OWNER, by=None)


def test_a_scorer_can_go_although_there_is_one_owner():
    league = make_league(owner=make_user("alice"))
    make_organizer(league, Role.SCORER, "carol")
    remove_organizer(organizer=Organizer.objects.get(user__username="carol"), by=None)
    assert league.organizers.count() == 1


def test_one_role_per_user_in_a_league():
    league = make_league()
    carol = make_organizer(league, Role.SCORER, "carol")
    with pytest.raises(ValidationError, match="organizer of the league already"):
        add_organizer(league=league, user=carol, role=Role.OWNER, by=None)


@pytest.mark.parametrize(
    ("role", "covered"),
    [
        (Role.OWNER, [Role.OWNER, Role.MANAGER, Role.SCORER]),
        (Role.MANAGER, [Role.MANAGER, Role.SCORER]),
        (Role.SCORER, [Role.SCORER]),
    ],
)
def test_a_role_covers_itself_and_the_lesser_ones(role, covered):
    assert [other for other in Role if role.covers(other)] == covered


def test_r91_in_another_language_names_have_another_order():
    league = make_league("arena", language="en")
    season = make_season(league)
    players = make_players(league, "Dora", "Çağla", "Cem", "Ян")
    for player in players:
        enter_player(season=season, player=player, by=None)
    season = replayed(season)

    def order() -> list[str]:
        return [standing.player.name for standing in season.standings.order_by("position")]

    assert order() == ["Çağla", "Cem", "Dora", "Ян"]
    update_league(league=league, by=None, language="tr")
    replayed(season)
    assert order() == ["Cem", "Çağla", "Dora", "Ян"]
    league.refresh_from_db()
    update_league(league=league, by=None, language="bg")
    replayed(season)
    assert order() == ["Ян", "Çağla", "Cem", "Dora"]
