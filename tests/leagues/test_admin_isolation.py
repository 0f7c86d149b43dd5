"""The admin shows an organizer nothing of another league and changes nothing there.

Every text of league B holds a canary; every address of the admin is walked with B's ids in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin import (
    AllValuesFieldListFilter,
    ModelAdmin,
    RelatedFieldListFilter,
    RelatedOnlyFieldListFilter,
    SimpleListFilter,
    TabularInline,
)
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from leagues.models import Game, League, Organizer, Player, PlayerAlias, Role, Season
from leagues.services import (
    add_adjustment,
    add_alias,
    add_organizer,
    create_api_token,
    create_team,
    create_webhook,
    remove_organizer,
    void_game,
)
from leagues.tenancy.admin import LeagueAdminSite, LeagueScopedAdmin, SuperuserAdmin
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers
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

CANARY = "zk7canary"
PART_OF_IT = "7canar"  # searched for: an answer may repeat what was typed
SITE: LeagueAdminSite = admin.site  # type: ignore[assignment]


@dataclass
class World:
    a: League
    b: League
    alice: User
    carol: User
    season_a: Season
    season_b: Season


def furnish(league: League, word: str) -> Season:
    """One row of every kind in the league, each text with the word in it."""
    season = make_season(league, name=f"Season {word}", slug=f"season-{word}")
    one, two, three = make_players(league, f"One {word}", f"Two {word}", f"Three {word}")
    add_alias(player=one, name=f"Uno {word}", by=None)
    owner = league.organizers.earliest("pk").user
    create_api_token(league=league, name=f"Bot {word}", scope="read", by=owner)
    create_webhook(league=league, kind="slack", address=f"https://{word}.example/hook", by=owner)
    create_team(league=league, name=f"Team {word}", members=[one, two], by=None)
    tier = PrizeTier(season=season, name=f"Cup {word}", text=word, first_place=1, last_place=1, unit=word)
    change_prize_tiers(season=season, saved=[tier], by=None)
    make_game(season, (one, 300), (two, 100), note=f"note {word}")
    void_game(game=make_game(season, (one, 3), (three, 1)), reason=f"reason {word}", by=None)
    told = {"change": -50, "reason": f"Penalty {word}", "at": season.starts_at}
    add_adjustment(season=season, player=one, by=None, **told)
    return replayed(season)


@pytest.fixture(scope="module")
def made(kept: None) -> World:
    alice, bob = make_user("alice"), make_user(f"bob-{CANARY}")
    a = make_league("league-a", owner=alice)
    b = make_league(f"league-{CANARY}", owner=bob, about=CANARY)
    carol = make_organizer(a, Role.SCORER, "carol")
    return World(a, b, alice, carol, furnish(a, "alpha"), furnish(b, CANARY))


def rows_of(league: League) -> list[tuple[str, Any]]:
    """Every row of the league, of every model that has a league."""
    return [
        (model.__name__, row)
        for model in apps.get_models()
        if hasattr(model, "league_path")
        for row in model.objects.in_league(league).order_by("pk").values_list()
    ]


def scoped_admins() -> list[LeagueScopedAdmin]:
    return [each for each in SITE._registry.values() if isinstance(each, LeagueScopedAdmin)]


def url(model_admin: ModelAdmin, view: str, *args: Any) -> str:
    return reverse(f"admin:{model_admin.opts.app_label}_{model_admin.opts.model_name}_{view}", args=args)


def list_addresses(model_admin: LeagueScopedAdmin, world: World) -> Iterator[str]:
    address = url(model_admin, "changelist")
    yield address
    yield f"{address}?q={PART_OF_IT}"
    yield f"{address}?_facets=True"
    yield f"{address}?_popup=1&_to_field=id"
    yield f"{address}?all="
    yield f"{address}?o=2.-1"
    names = [each if isinstance(each, str) else each[0] for each in model_admin.list_filter]
    for name in names:
        yield f"{address}?{name}__id__exact={world.b.pk}"
        yield f"{address}?{name}__exact={world.season_b.pk}"
    for path in ("season__league__name", "league__name", "season__name", "player__name", "by__username"):
        yield f"{address}?{path}__startswith=z"
    if model_admin.date_hierarchy:
        yield f"{address}?{model_admin.date_hierarchy}__year=2026"


def form_addresses(model_admin: LeagueScopedAdmin, world: World) -> Iterator[str]:
    player = Player.objects.in_league(world.b).first()
    address = url(model_admin, "add")
    yield address
    yield f"{address}?_popup=1"
    yield f"{address}?league={world.b.pk}&season={world.season_b.pk}&player={player.pk}&members={player.pk}"
    for row in model_admin.model.objects.in_league(world.a)[:3]:
        for view in ("change", "delete", "history"):
            yield url(model_admin, view, row.pk)


def foreign_addresses(model_admin: LeagueScopedAdmin, world: World) -> Iterator[str]:
    for row in model_admin.model.objects.in_league(world.b):
        for view in ("change", "delete", "history"):
            yield url(model_admin, view, row.pk)
        yield f"{url(model_admin, 'change', row.pk)}?_to_field=id"


def assert_no_canary(response: Any, address: str) -> None:
    assert response.status_code < 500, address
    text = response.content.decode().lower() + str(response.headers).lower()
    assert CANARY not in text, address


@pytest.mark.parametrize("who", ["alice", "carol"])
def test_xr_02_r98_no_page_of_the_admin_shows_another_league(client: Client, world: World, who: str) -> None:
    client.force_login(getattr(world, who))
    addresses = [
        reverse("admin:index"),
        *(reverse("admin:app_list", args=[a]) for a in ("leagues", "ratings")),
    ]
    for model_admin in scoped_admins():
        addresses += [*list_addresses(model_admin, world), *form_addresses(model_admin, world)]
    for address in addresses:
        assert_no_canary(client.get(address), address)


@pytest.mark.parametrize("who", ["alice", "carol"])
def test_the_walk_sees_what_there_is_to_see(client: Client, world: World, who: str) -> None:
    """The same walk shows league B to somebody who may see it, so its silence means something."""
    add_organizer(league=world.b, user=getattr(world, who), role=Role.OWNER, by=None)
    client.force_login(getattr(world, who))
    for model_admin in scoped_admins():
        assert CANARY in client.get(url(model_admin, "changelist")).content.decode().lower(), model_admin


@pytest.mark.parametrize("method", ["get", "post"])
def test_xr_02_rows_of_another_league_do_not_exist(client: Client, world: World, method: str) -> None:
    client.force_login(world.alice)
    before = rows_of(world.b)
    for model_admin in scoped_admins():
        caches["limits"].clear()  # nobody tries as much in a minute
        for address in foreign_addresses(model_admin, world):
            response = getattr(client, method)(address, {"post": "yes", "name": "taken", "role": "owner"})
            assert response.status_code in (403, 404), address
            assert_no_canary(response, address)
    assert rows_of(world.b) == before


def test_a_foreign_row_and_none_are_answered_alike(client: Client, world: World) -> None:
    client.force_login(world.alice)
    foreign = Player.objects.in_league(world.b).first()
    player_admin = SITE.get_model_admin(Player)
    for view in ("change", "delete", "history"):
        answers = [client.get(url(player_admin, view, pk)) for pk in (foreign.pk, 999_999)]
        assert answers[0].status_code == answers[1].status_code == 404
        assert answers[0].content == answers[1].content


def test_xw_03_actions_reach_only_own_rows(client: Client, world: World) -> None:
    client.force_login(world.alice)
    before = rows_of(world.b)
    for model_admin in scoped_admins():
        ids = list(model_admin.model.objects.in_league(world.b).values_list("pk", flat=True))
        for action in ("delete_selected", *(model_admin.actions or ())):
            for across in ("0", "1"):
                data = {"action": action, "_selected_action": ids, "select_across": across, "index": "0"}
                response = client.post(url(model_admin, "changelist"), data)
                assert_no_canary(response, f"{model_admin} {action}")
            confirmed = {"action": action, "_selected_action": ids, "post": "yes"}
            assert_no_canary(
                client.post(url(model_admin, "changelist"), confirmed), f"{model_admin} {action}"
            )
    assert rows_of(world.b) == before


@pytest.mark.parametrize("pk", ["x", "-1", "9" * 30, "\0"])
def test_no_id_of_an_action_is_a_server_error(client: Client, world: World, pk: str) -> None:
    client.force_login(world.alice)
    data = {"action": "delete_selected", "_selected_action": pk, "index": "0"}
    assert client.post(reverse("admin:leagues_game_changelist"), data).status_code == 400


def test_xr_04_autocomplete_suggests_own_rows_only(client: Client, world: World) -> None:
    client.force_login(world.alice)
    assert SITE.autocompletes()
    for app, model, field in SITE.autocompletes():
        asked = {"app_label": app, "model_name": model, "field_name": field}
        for extra in ({"term": ""}, {"term": PART_OF_IT}, {"term": "", "league": world.b.pk}):
            response = client.get(reverse("admin:autocomplete"), asked | extra)
            assert response.status_code == 200, asked
            assert_no_canary(response, str(asked))


def test_xr_04_autocomplete_answers_for_no_other_field(client: Client, world: World) -> None:
    client.force_login(world.alice)
    for model in apps.get_models():
        app, name = model._meta.app_label, model._meta.model_name
        for field in model._meta.get_fields():
            if (app, name, field.name) not in SITE.autocompletes():
                asked = {"app_label": app, "model_name": name, "field_name": field.name, "term": ""}
                assert client.get(reverse("admin:autocomplete"), asked).status_code == 403, asked


def test_xr_04_autocomplete_of_one_league_narrows_for_an_organizer_of_two(
    client: Client, world: World
) -> None:
    add_organizer(league=world.b, user=world.alice, role=Role.OWNER, by=None)
    client.force_login(world.alice)
    asked = {"app_label": "leagues", "model_name": "sidemember", "field_name": "player"}
    both = client.get(reverse("admin:autocomplete"), asked | {"term": "one"}).json()["results"]
    assert [each["text"] for each in both] == [
        "One alpha (League-A)",
        f"One {CANARY} (League-{CANARY.title()})",
    ]
    own = client.get(reverse("admin:autocomplete"), asked | {"term": "one", "league": world.a.pk}).json()
    assert [each["text"] for each in own["results"]] == ["One alpha"]


def test_xr_03_the_redirect_to_any_object_leads_nowhere(client: Client, world: World) -> None:
    client.force_login(world.alice)
    for content_type in ContentType.objects.all():
        for pk in (world.season_b.pk, world.season_a.pk):
            response = client.get(reverse("admin:view_on_site", args=[content_type.pk, pk]))
            assert response.status_code == 404
            assert_no_canary(response, str(content_type))


@pytest.mark.parametrize("who", ["alice", "carol"])
def test_pe_01_accounts_and_groups_are_out_of_reach(client: Client, world: World, who: str) -> None:
    user = getattr(world, who)
    client.force_login(user)
    for model_admin in (each for each in SITE._registry.values() if isinstance(each, SuperuserAdmin)):
        for address in (
            url(model_admin, "changelist"),
            url(model_admin, "add"),
            url(model_admin, "change", user.pk),
        ):
            assert client.get(address).status_code == 403
            assert client.post(address, {"is_superuser": "on", "is_staff": "on"}).status_code == 403
    assert client.post(f"/admin/auth/user/{user.pk}/password/", {"password1": "x"}).status_code == 403
    assert client.get(reverse("admin:app_list", args=["auth"])).status_code == 404
    user.refresh_from_db()
    assert (user.is_superuser, user.is_staff) == (False, False)


def test_pe_03_staff_without_a_league_do_not_enter(client: Client, world: World) -> None:
    client.force_login(make_user("steve", is_staff=True))
    response = client.get(reverse("admin:index"))
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")


def test_pe_02_a_removed_organizer_is_out_at_the_next_request(client: Client, world: World) -> None:
    client.force_login(world.carol)
    assert client.get(reverse("admin:leagues_game_changelist")).status_code == 200
    remove_organizer(organizer=Organizer.objects.get(user=world.carol), by=None)
    assert client.get(reverse("admin:leagues_game_changelist")).status_code == 302


def test_xr_07_recent_changes_of_a_former_league_are_gone(client: Client, world: World) -> None:
    add_organizer(league=world.b, user=world.alice, role=Role.SCORER, by=None)
    one, two = Player.objects.in_league(world.b)[:2]
    make_game(world.season_b, (one, 5), (two, 3), by=world.alice)
    client.force_login(world.alice)
    assert CANARY in client.get(reverse("admin:index")).content.decode().lower()
    remove_organizer(organizer=Organizer.objects.get(user=world.alice, league=world.b), by=None)
    assert_no_canary(client.get(reverse("admin:index")), "index")


def test_signing_in_is_for_organizers_and_superusers(client: Client, world: World) -> None:
    make_user("root", is_superuser=True)
    for name, is_in in (("alice", True), ("carol", True), ("root", True), ("erin", False)):
        if name == "erin":
            make_user(name, is_staff=True)
        response = client.post("/admin/login/", {"username": name, "password": "secret"})
        assert (response.status_code == 302) is is_in, name
        client.logout()


def test_xw_01_a_foreign_season_or_player_is_no_choice_for_a_game(client: Client, world: World) -> None:
    client.force_login(world.alice)
    own, foreign = (Player.objects.in_league(league).first() for league in (world.a, world.b))
    for season, player in ((world.season_b, own), (world.season_a, foreign)):
        before = rows_of(world.b), Game.objects.count()
        data = game_data(season.pk, [own.pk], [player.pk if player != own else own.pk])
        response = client.post(reverse("admin:leagues_game_add"), data)
        assert response.status_code == 200
        assert "Select a valid choice" in response.content.decode()
        assert_no_canary(response, str(data))
        assert (rows_of(world.b), Game.objects.count()) == before


def test_xw_01_an_organizer_of_two_leagues_cannot_mix_them(client: Client, world: World) -> None:
    add_organizer(league=world.b, user=world.alice, role=Role.OWNER, by=None)
    client.force_login(world.alice)
    own, foreign = (Player.objects.in_league(league).first() for league in (world.a, world.b))
    response = client.post(
        reverse("admin:leagues_game_add"), game_data(world.season_a.pk, [own.pk], [foreign.pk])
    )
    assert "Side 2 has a player who is unknown in this league." in response.content.decode()
    game = Game.objects.in_league(world.a).counted().get()
    response = client.post(
        reverse("admin:leagues_game_change", args=[game.pk]),
        game_data(world.season_b.pk, [own.pk], [foreign.pk]),
    )
    assert "is not one of the available choices" in response.content.decode()


def test_xw_03_inline_rows_of_another_league_are_refused(client: Client, world: World) -> None:
    client.force_login(world.alice)
    before = rows_of(world.b)
    player = Player.objects.in_league(world.a).first()
    alias = PlayerAlias.objects.in_league(world.b).get()
    data = {
        "name": player.name,
        "birth_year": "",
        "aliases-TOTAL_FORMS": "1",
        "aliases-INITIAL_FORMS": "1",
        "aliases-0-id": alias.pk,
        "aliases-0-player": player.pk,
        "aliases-0-DELETE": "on",
    }
    response = client.post(reverse("admin:leagues_player_change", args=[player.pk]), data)
    assert_no_canary(response, "alias")
    assert rows_of(world.b) == before


def test_xw_02_the_league_of_a_row_cannot_be_changed(client: Client, world: World) -> None:
    add_organizer(league=world.b, user=world.alice, role=Role.OWNER, by=None)
    client.force_login(world.alice)
    player = Player.objects.in_league(world.a).first()
    data = {"league": world.b.pk, "name": "Renamed", "aliases-TOTAL_FORMS": 0, "aliases-INITIAL_FORMS": 0}
    client.post(reverse("admin:leagues_player_change", args=[player.pk]), data)
    player.refresh_from_db()
    assert (player.name, player.league) == ("Renamed", world.a)


@pytest.mark.parametrize(
    "query",
    [
        "q=%00",
        "p=abc",
        "p=99999",
        "o=abc",
        "e=1",
        "season__id__exact=x",
        "played_at__year=9999",
        "played_at__year=x",
        "played_at__year=1",
        "nonsense=1",
        "id__exact=%00",
        "_to_field=note",
    ],
)
def test_no_address_is_a_server_error(client: Client, world: World, query: str) -> None:
    client.force_login(world.alice)
    assert client.get(f"{reverse('admin:leagues_game_changelist')}?{query}").status_code < 500


def test_an_unsealed_admin_is_refused_by_the_system_check() -> None:
    class PlainInline(TabularInline):
        model = PlayerAlias

    class AnyLeagueFilter(SimpleListFilter):
        title = parameter_name = "league"

    class WithRawIds(LeagueScopedAdmin):
        role_needed = {"view": Role.SCORER}
        raw_id_fields = ["league"]
        list_filter = [
            "league__name",
            ("league", RelatedFieldListFilter),
            ("league__name", AllValuesFieldListFilter),
            AnyLeagueFilter,
            "league",
            ("league", RelatedOnlyFieldListFilter),
        ]
        inlines = [PlainInline]

    site = LeagueAdminSite(name="unsealed")
    site.register(Season)
    site.register(Player, WithRawIds)
    problems = [error.msg for error in site.check(None) if error.id == "leagues.E001"]
    assert len(problems) == 7
    assert problems[0] == "The admin must stand on LeagueScopedAdmin, or on SuperuserAdmin."
    assert "'league__name'" in problems[1]
    assert "RelatedFieldListFilter" in problems[2]
    assert "AllValuesFieldListFilter" in problems[3]
    assert "AnyLeagueFilter" in problems[4]
    assert "raw_id_fields" in problems[5]
    assert "PlainInline" in problems[6]


def test_the_admin_is_sealed() -> None:
    assert SITE.check(None) == []


def game_data(season: int, *members: list[int]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "season": season,
        "played_at_0": "2026-05-03",
        "played_at_1": "18:00:00",
        "sides-TOTAL_FORMS": len(members),
        "sides-INITIAL_FORMS": 0,
    }
    for number, ids in enumerate(members):
        data |= {f"sides-{number}-members": ids, f"sides-{number}-points": 100 * (number + 1)}
    return data
