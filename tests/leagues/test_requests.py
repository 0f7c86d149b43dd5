"""Which league a request is about, in which language and zone, and who may see it."""

import pytest
from django.conf import settings

from leagues.models import Role
from tests.factories import make_league, make_organizer, make_season, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "address", ["/nowhere/", "/nowhere/players/", "/nowhere/season/", "/api/v1/leagues/nowhere"]
)
def test_an_unknown_league_is_404(client, address):
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("address", ["/club/", "/club/players/", "/club/now/", "/club/now/standings.csv"])
def test_a_private_league_does_not_exist_for_strangers(client, address):
    league = make_league("club", visibility="private")
    make_season(league, name="Now")
    assert client.get(address).status_code == 404
    client.force_login(make_user("erin"))
    assert client.get(address).status_code == 404
    client.force_login(make_organizer(league))
    assert client.get(address).status_code == 200


def test_an_unlisted_league_is_open_and_not_in_the_directory(client):
    make_league("club", name="The club", visibility="unlisted")
    assert client.get("/club/").status_code == 200
    assert "The club" not in client.get("/").content.decode()


def test_a_leagues_pages_are_in_its_language_until_the_visitor_chooses_another(client):
    make_league("club", language="bg")
    assert 'lang="bg"' in client.get("/club/", headers={"Accept-Language": "tr"}).content.decode()
    client.post("/i18n/setlang/", {"language": "tr", "next": "/club/"})
    assert client.cookies[settings.LANGUAGE_COOKIE_NAME].value == "tr"
    assert 'lang="tr"' in client.get("/club/").content.decode()


@pytest.mark.parametrize("language", ["bg", "en", "tr"])
def test_the_directory_follows_the_browser(client, language):
    page = client.get("/", headers={"Accept-Language": language}).content.decode()
    assert f'lang="{language}"' in page


@pytest.mark.parametrize(
    ("role", "offered"), [(Role.SCORER, False), (Role.MANAGER, True), (Role.OWNER, True)]
)
def test_the_menu_offers_only_what_the_role_may_do(client, role, offered):
    league = make_league("club")
    make_season(league, name="Now")
    client.force_login(make_organizer(league, role))
    assert ("/club/now/import/" in client.get("/club/now/").content.decode()) is offered
    assert client.get("/club/now/import/").status_code == (200 if offered else 403)


def test_a_removed_organizer_is_a_stranger_at_the_next_click(client):
    league = make_league("club")
    make_season(league, name="Now")
    carol = make_organizer(league)
    client.force_login(carol)
    assert client.get("/club/now/games/new/").status_code == 200
    carol.organizer_roles.all().delete()
    assert client.get("/club/now/games/new/").status_code == 404
