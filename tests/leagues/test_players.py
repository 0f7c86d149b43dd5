"""Players, other names and teams."""

import pytest
from django.core.exceptions import ValidationError

from leagues.models import AuditEntry, Entry, Player, Season, Team
from leagues.services import (
    create_player,
    create_team,
    delete_player,
    enter_player,
    update_player,
    update_season,
    update_team,
)
from tests.factories import make_game, make_league, make_players, make_season

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Захари", "zahari"),
        ("Щерьо Хаджийски", "shteryo-hadzhiyski"),
        ("İsmail Işık", "ismail-isik"),
        ("★", "player"),
    ],
)
def test_r89_a_name_of_any_script_gives_a_readable_address(name, slug):
    assert create_player(league=make_league(), name=name, by=None).slug == slug


def test_namesakes_have_two_addresses():
    league = make_league()
    assert [player.slug for player in make_players(league, "Ася", "Ася", "Asya")] == [
        "asya",
        "asya-2",
        "asya-3",
    ]


def test_one_address_in_two_leagues():
    assert make_players(make_league(), "Ann")[0].slug == make_players(make_league(), "Ann")[0].slug == "ann"


@pytest.mark.parametrize("query", ["zahari", "ЗАХАРИ", "Захар", "хар"])
def test_search_forgives_case_and_script(query):
    league = make_league()
    make_players(league, "Захари", "Валя")
    assert [player.name for player in Player.objects.in_league(league).named_like(query)] == ["Захари"]


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "a" * 101, "Ann + Bob"])
def test_a_name_that_files_could_not_carry_is_refused(name):
    league = make_league()
    with pytest.raises(ValidationError) as refused:
        create_player(league=league, name=name, by=None)
    assert "name" in refused.value.message_dict
    assert not Player.objects.exists()


def test_a_renamed_player_is_known_by_the_former_name():
    (player,) = make_players(make_league(), "Ann Smith")
    update_player(player=player, name="Ann Jones", by=None)
    player.refresh_from_db()
    assert (player.name, player.slug) == ("Ann Jones", "ann-jones")
    assert [alias.name for alias in player.aliases.all()] == ["Ann Smith"]
    assert [found.pk for found in Player.objects.named_like("jones")] == [player.pk]


def test_a_player_without_games_can_be_deleted_and_leaves_the_season():
    season = make_season()
    (player,) = make_players(season.league, "Ann")
    enter_player(season=season, player=player, by=None)
    revision = Season.objects.get().revision
    delete_player(player=player, by=None)
    assert not Player.objects.exists()
    assert not Entry.objects.exists()
    assert Season.objects.get().revision == revision + 1


def test_a_year_of_birth_leaves_closed_seasons_as_they_are():
    league = make_league()
    seasons = [make_season(league, name=name) for name in ("Over", "Running")]
    (ann,) = make_players(league, "Ann")
    for season in seasons:
        enter_player(season=season, player=ann, by=None)
    update_season(season=seasons[0], by=None, state=Season.State.CLOSED)
    before = dict(Season.objects.values_list("name", "revision"))
    update_player(player=ann, name="Ann", birth_year=2010, by=None)
    after = dict(Season.objects.values_list("name", "revision"))
    assert after == {"Over": before["Over"], "Running": before["Running"] + 1}


def test_di_04_r85_a_player_with_games_cannot_be_deleted():
    season = make_season()
    ann, bob = make_players(season.league, "Ann", "Bob")
    make_game(season, (ann, 10), (bob, 5))
    with pytest.raises(ValidationError, match="Ann has played 1 games"):
        delete_player(player=ann, by=None)
    assert Player.objects.count() == 2


def test_a_team_is_a_set_of_players_named_once():
    league = make_league()
    ann, bob, cyd = make_players(league, "Ann", "Bob", "Cyd")
    team = create_team(league=league, name="Лъвовете", members=[ann, bob], by=None)
    assert team.slug == "lavovete"
    with pytest.raises(ValidationError, match="exactly these members"):
        create_team(league=league, name="Again", members=[bob, ann], by=None)
    update_team(team=team, name="Lions", members=[ann, cyd], by=None)
    assert Team.objects.get().member_key == Team.key_of([cyd.pk, ann.pk])


def test_a_team_has_no_player_of_another_league():
    league = make_league()
    (ann,) = make_players(league, "Ann")
    (stranger,) = make_players(make_league(), "Stranger")
    with pytest.raises(ValidationError, match="unknown in this league"):
        create_team(league=league, name="Mixed", members=[ann, stranger], by=None)
    assert not Team.objects.exists()
    assert not AuditEntry.objects.filter(action="create_team").exists()


def test_a_player_of_a_team_is_not_deleted():
    league = make_league()
    ann, bob, cyd = make_players(league, "Ann", "Bob", "Cyd")
    team = create_team(league=league, name="Trio", members=[ann, bob, cyd], by=None)
    with pytest.raises(ValidationError, match="Ann is in the team “Trio”"):
        delete_player(player=ann, by=None)
    update_team(team=team, name="Duo", members=[bob, cyd], by=None)
    delete_player(player=ann, by=None)
    assert Team.objects.get().member_key == Team.key_of([bob.pk, cyd.pk])


def test_rc_06_a_player_deleted_meanwhile_is_refused_with_a_sentence():
    (ann,) = make_players(make_league(), "Ann")
    stale = Player.objects.get()
    delete_player(player=ann, by=None)
    with pytest.raises(ValidationError, match="“Ann” was deleted meanwhile"):
        update_player(player=stale, name="Anna", by=None)
