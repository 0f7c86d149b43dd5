"""A name taken out of a league, a person's own data, and what search engines may not list."""

import json
import re
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache

from isolation.walk import TOKEN
from leagues.games_csv import read_games
from leagues.models import AuditEntry, Game, Player, PlayerAlias, Role, Season, Team
from leagues.services import (
    add_alias,
    anonymise_player,
    correct_game,
    create_api_token,
    create_player,
    create_team,
    import_games,
    merge_players,
    remove_alias,
    update_league,
    update_player,
    update_season,
    update_team,
    void_game,
)
from leagues.services.api_games import ApiReport, ReportedSide, report_game
from leagues.services.games import GameChangedError, played_sides
from ratings.models import Meeting, PrizeTier, RatingChange, Standing
from ratings.services.check import check_season
from ratings.services.replay import replay_season
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import (
    make_game,
    make_league,
    make_organizer,
    make_players,
    make_season,
    make_user,
    replayed,
)
from tests.routes import admin_addresses, answer, api_addresses, pages

pytestmark = pytest.mark.django_db

# The digits of a moment at which something was made may be those of a year.
MADE_AT = re.compile(r"\.\d{6}\b|T\d{6}Z", re.IGNORECASE)

NAMES = [
    "Гошо Канарков",
    "Гочо Жълтия",
    "Gosho The Greenfinch",
    "gosho-kanarkov",
    "gocho",
    "greenfinch",
    "канарк",
    "kanarkov",
    "zhalti",
    "Жълти",
]


@pytest.fixture(scope="module")
def made(kept: None) -> SimpleNamespace:
    """Somebody whose name stands wherever a league can have one, with a closed season and an open one."""
    owner = make_user("owner")
    league = make_league("apes", owner=owner, timezone="Europe/Sofia")
    old = make_season(
        league, name="2025", slug="2025", starts_on=date(2025, 1, 1), ends_on=date(2025, 12, 31)
    )
    new = make_season(league, name="2026", slug="2026")
    (player,) = make_players(league, "Гочо Жълтия")
    ann, bob, namely = make_players(league, "Ann", "Bob", "Гошо")
    player = update_player(player=player, name="Гошо Канарков", birth_year=2011, by=owner)
    add_alias(player=player, name="Gosho The Greenfinch", by=owner)
    create_team(league=league, name="Гошо Канарков и Ann", members=[player, ann], by=owner)
    for season in (old, new):
        for hour in range(8):
            make_game(
                season,
                (player, 100 * hour),
                ([ann, bob, namely][hour % 3], 250),
                played_at=season.starts_at + timedelta(hours=hour),
                note="гошо канарков се обади, Gosho the Greenfinch плати" if hour == 2 else "",
                by=owner,
            )
        last = Game.objects.filter(season=season).latest("played_at")
        void_game(game=last, reason="Гошо Канарков си тръгна", by=owner)
    replayed(new)
    voided = Game.objects.filter(season=new, voided_at=None).with_sides().earliest("played_at")
    void_game(game=voided, reason="Заради Гошо Канарков", by=owner)
    tier = PrizeTier(name="Купа „Гошо Канарков“", text="Дарена от Гочо Жълтия", first_place=1, last_place=1)
    change_prize_tiers(season=new, saved=[tier], by=owner)
    replayed(old)
    update_season(season=old, state=Season.State.CLOSED, by=owner)
    replayed(old)
    replayed(new)
    return SimpleNamespace(owner=owner, league=league, old=old, new=new, player=player, namely=namely)


def numbers() -> dict[str, list[Any]]:
    """Everything the replay gave, but for ids of rows."""
    return {
        model.__name__: sorted(
            tuple(sorted((name, str(value)) for name, value in row.items() if name != "id"))
            for row in model.objects.values()
        )
        for model in (RatingChange, Standing, Meeting)
    }


def stored_texts() -> str:
    """Every value of every row of the leagues' tables."""
    models = [*apps.get_app_config("leagues").get_models(), *apps.get_app_config("ratings").get_models()]
    rows = [list(model._base_manager.values()) for model in models]
    return json.dumps(rows, default=str, ensure_ascii=False).casefold()


def game_of(season: Season) -> Game:
    return Game.objects.filter(season=season, voided_at=None).earliest("played_at")


def addresses(world: SimpleNamespace) -> list[str]:
    found = [
        address
        for season in (world.old, world.new)
        for address in (
            *pages(season, world.player, game_of(season)),
            *api_addresses(season, world.player, game_of(season)),
        )
    ]
    return [*found, *admin_addresses()]


def test_pv_01_r94_a_name_is_gone_everywhere_and_the_numbers_are_the_same(client, world):
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    texts = [answer(client, address)[1] for address in addresses(world)]
    told = [text for text in texts if any(name in text for name in NAMES)]
    assert len(told) > 20  # the crawl does find names: those of the caches too
    stored = stored_texts()
    assert all(name.casefold() in stored for name in NAMES)
    before = numbers()

    world.player = anonymise_player(player=world.player, by=world.owner)
    for season in (world.old, world.new):
        replay_season(season.pk, full=True)
        assert check_season(season.pk) == []
    assert numbers() == before
    stored = stored_texts()
    assert [name for name in NAMES if name.casefold() in stored] == []

    name = f"Anonymous player {world.player.pk}"
    assert world.player.name == name
    for address in addresses(world):
        response, text = answer(client, address)
        assert response.status_code == 200, address
        text = text.casefold()
        found = [each for each in NAMES if each.casefold() in text]
        assert not found, (address, found)
    assert "Гошо" in answer(client, "/apes/players/")[1]  # who only has a part of the name keeps it
    assert name in answer(client, "/apes/2025/games.csv")[1]


def test_pv_01_of_a_person_entered_twice_nothing_is_left(client, world):
    """Also of what only the log knew of the second one, and in what the league says of itself."""
    twin = create_player(league=world.league, name="Жоро Двойника", birth_year=2011, by=world.owner)
    remove_alias(alias=add_alias(player=twin, name="Zhoro Forgotten", by=world.owner), by=world.owner)
    merge_players(keep=world.player, gone=twin, by=world.owner)
    about = "Founded by Zhoro Forgotten, who is ЖОРО ДВОЙНИКА."
    update_league(league=world.league, about=about, start_text="# Жоро Двойника\n\nFirst.", by=world.owner)
    update_season(season=world.new, rules_text="Zhoro Forgotten decides.", by=world.owner)
    client.force_login(world.owner)
    told = json.loads(client.get("/apes/players/gosho-kanarkov/data.json").content)["log"]
    assert {"remove_alias", "merge_players"} <= {act["action"] for act in told}
    assert "Zhoro Forgotten" in json.dumps(told)
    traces = ["жоро двойника", "zhoro forgotten", "zhoro-dvoynika"]
    stored = stored_texts()
    assert [trace for trace in traces if trace not in stored] == []

    anonymise_player(player=world.player, by=world.owner)
    stored = stored_texts()
    assert [trace for trace in traces if trace in stored] == []
    world.league.refresh_from_db()
    name = f"Anonymous player {world.player.pk}"
    assert world.league.about == f"Founded by {name}, who is {name}."
    assert Season.objects.get(pk=world.new.pk).rules_text == f"{name} decides."
    entry = AuditEntry.objects.get(action="create_player", object_id=twin.pk)
    assert (entry.object_name, entry.after["birth_year"]) == (name, None)


def test_pv_04_no_account_and_no_year_of_birth_is_told_to_the_public(client, world):
    # Long enough that no random token of a form holds it by chance.
    named = {"username": "zk7canary", "email": "zk7canary@example.org", "last_name": "Zk7canary"}
    for name, value in named.items():
        setattr(world.owner, name, value)
    world.owner.save()
    crawled = [
        address
        for season in (world.old, world.new)
        for address in (
            *pages(season, world.player, game_of(season)),
            *api_addresses(season, world.player, game_of(season)),
        )
    ]
    for user in (None, make_user("somebody")):
        if user:
            client.force_login(user)
        texts = [TOKEN.sub("", answer(client, address)[1]).casefold() for address in crawled]
        assert not [text for text in texts if "zk7canary" in text or "2011" in MADE_AT.sub("", text)]
    client.force_login(world.owner)
    assert any("zk7canary" in answer(client, address)[1] for address in crawled)


def test_old_addresses_and_names_lead_nowhere(client, world):
    anonymise_player(player=world.player, by=world.owner)
    for slug in ("gosho-kanarkov", "gocho-zhaltiya"):
        assert client.get(f"/apes/players/{slug}/").status_code == 404
        assert client.get(f"/apes/2026/players/{slug}/").status_code == 404
    assert not Player.objects.named_like("Канарков").exists()
    assert not PlayerAlias.objects.exists()
    assert Team.objects.get().slug == f"anonymous-player-{world.player.pk}-i-ann"


def test_pv_01_a_file_of_before_brings_the_name_not_back(client, world):
    update_league(league=world.league, by=None, timezone="Europe/Sofia")
    data = b"".join(client.get("/apes/2026/games.csv").streaming_content)
    assert "Канарков" in data.decode()
    anonymise_player(player=world.player, by=world.owner)
    file = read_games(data, timezone=world.league.zone)
    plan = import_games(season=world.new, file=file, create_players=True, by=world.owner)
    assert (len(plan.games), plan.known, plan.players) == (0, 6, [])


def test_pv_01_the_form_of_a_game_filled_in_before_brings_the_name_not_back(world):
    seen = Game.objects.with_sides().get(season=world.new, note__contains="канарков")
    sides = played_sides(seen)
    anonymise_player(player=world.player, by=world.owner)
    with pytest.raises(GameChangedError):
        correct_game(
            game=seen, played_at=seen.played_at, sides=sides, note=seen.note, version=seen.version, by=None
        )
    assert "канарков" not in stored_texts()


def test_the_address_of_a_team_keeps_no_name_it_had_before(world):
    ann, bob = make_players(world.league, "Eve", "Fay")
    named = create_team(league=world.league, name="Friends of Gosho Kanarkov", members=[ann, bob], by=None)
    update_team(team=named, name="Lions", members=[ann, bob], by=None)
    own = Team.objects.get(members=world.player)
    update_team(team=own, name="Tigers", members=[*own.members.all()], by=None)
    anonymise_player(player=world.player, by=world.owner)
    assert set(Team.objects.values_list("slug", flat=True)) == {"lions", "tigers"}


def test_the_key_of_a_report_stays_what_its_program_knows(world):
    token, _secret = create_api_token(league=world.league, name="Bot", scope="write", by=world.owner)
    sides = tuple(ReportedSide((name,), points) for name, points in (("Ann", 3), ("Bob", 1)))
    report = ApiReport(world.new.starts_at.isoformat(), sides)
    made, is_new = report_game(season=world.new, report=report, key="Gosho-the-greenfinch", by=token)
    (player,) = make_players(world.league, "Greenfinch")
    anonymise_player(player=player, by=None)
    assert report_game(season=world.new, report=report, key="Gosho-the-greenfinch", by=token) == (made, False)
    assert is_new


def test_the_log_says_that_it_was_done_and_not_to_whom(world):
    anonymise_player(player=world.player, by=world.owner)
    entries = AuditEntry.objects.filter(object_type="player", object_id=world.player.pk)
    assert entries[0].action == "anonymise_player"
    assert {entry.object_name for entry in entries} == {f"Anonymous player {world.player.pk}"}
    assert not any("2011" in json.dumps([entry.before, entry.after]) for entry in entries)


def test_numbers_in_the_log_stay_although_a_player_was_called_by_one(world):
    (player,) = make_players(world.league, "20")
    game = make_game(world.new, (player, 20), (world.namely, 2), note="20 to 2")
    change_rules(season=world.new, values={"k": 20}, by=None)
    anonymise_player(player=player, by=None)
    game.refresh_from_db()
    assert game.note == "20 to 2"
    recorded = AuditEntry.objects.get(action="record_game", object_id=game.pk)
    assert recorded.after["sides"][0] == {"players": [f"Anonymous player {player.pk}"], "points": 20}
    assert AuditEntry.objects.get(action="change_rules").after["k"] == "20"


def test_the_name_is_in_the_language_of_the_league(world):
    update_league(league=world.league, by=None, language="bg")
    player = anonymise_player(player=world.player, by=None)
    assert player.name == f"Анонимен играч {player.pk}"


class TestThePage:
    address = "/apes/players/gosho-kanarkov/privacy/"

    def test_is_for_managers(self, client, world):
        assert client.get(self.address).status_code == 302
        client.force_login(make_organizer(world.league, Role.SCORER))
        assert client.get(self.address).status_code == 403
        assert client.get("/apes/players/gosho-kanarkov/data.json").status_code == 403
        client.force_login(make_user("stranger"))
        assert client.get(self.address).status_code == 404
        assert client.get("/apes/players/gosho-kanarkov/data.json").status_code == 404

    def test_asks_whether_one_is_sure(self, client, world):
        client.force_login(make_organizer(world.league, Role.MANAGER))
        page = client.post(self.address)
        assert "Tick this" in page.content.decode()
        assert Player.objects.filter(name="Гошо Канарков").exists()
        page = client.post(self.address, {"sure": "on"}, follow=True)
        assert f"Anonymous player {world.player.pk}" in page.content.decode()
        assert not Player.objects.filter(name="Гошо Канарков").exists()


def test_a_persons_data_is_one_file(client, world):
    client.force_login(world.owner)
    response = client.get("/apes/players/gosho-kanarkov/data.json")
    assert response["Cache-Control"] == "private, no-store"
    data = json.loads(response.content)
    assert (data["name"], data["year_of_birth"]) == ("Гошо Канарков", 2011)
    assert data["other_names"] == ["Гочо Жълтия", "Gosho The Greenfinch"]
    assert data["teams"] == ["Гошо Канарков и Ann"]
    assert [season["season"] for season in data["seasons"]] == ["2025", "2026"]
    assert len(data["games"]) == 16
    assert data["games"][0]["rating_before"] == 15000
    assert data["games"][2]["note"].startswith("гошо")
    assert [act["action"] for act in data["log"]] == ["create_player", "update_player", "add_alias"]


class TestSearchEngines:
    def test_pv_02_are_kept_out_of_a_league_that_wants_it(self, client, world):
        update_league(league=world.league, by=None, in_search_engines=False)
        for address in (*pages(world.new, world.player, game_of(world.new)), "/api/v1/leagues/apes"):
            response, text = answer(client, address)
            if "/apes" in response.request["PATH_INFO"]:
                assert response["X-Robots-Tag"] == "noindex", address
                if "<html" in text and response.status_code == 200:
                    assert '<meta name="robots" content="noindex">' in text, address

    def test_may_list_a_public_league_that_does_not_mind(self, client, world):
        response = client.get("/apes/")
        assert "X-Robots-Tag" not in response
        assert 'name="robots"' not in response.content.decode()

    def test_pv_02_never_list_an_unlisted_league(self, client, world):
        update_league(league=world.league, by=None, visibility="unlisted")
        assert client.get("/apes/")["X-Robots-Tag"] == "noindex"


def test_pv_03_whether_a_player_is_a_junior_is_told_to_nobody(client):
    """A junior of 30 games and more: only the junior clause gives a K of 40."""
    season = make_season(make_league("ladder"), preset="ranked-battle", name="Now", slug="now")
    change_rules(season=season, by=None, values={"k_rule": "fide-junior"})
    young = create_player(league=season.league, name="Young", birth_year=2013, by=None)
    (old,) = make_players(season.league, "Old")
    for hour in range(32):
        make_game(
            season, (young, hour % 2), (old, 1 - hour % 2), played_at=season.starts_at + timedelta(hours=hour)
        )
    replayed(season)
    last = season.games.latest("played_at")
    cache.clear()
    public = [*pages(season, young, last), *api_addresses(season, young, last)]
    texts = {address: answer(client, address)[1] for address in public}
    for address, text in texts.items():
        assert "2013" not in MADE_AT.sub("", text), address
        # The rulebook of a season tells the clause to everybody.
        assert "birth" not in text or address.endswith("/rules/"), address
    # That the season has the rule is public; of whom it speaks is not.
    assert [address for address in public if "fide-junior" in texts[address]] == [
        "/api/v1/leagues/ladder/seasons/now"
    ]
    page = texts[last.get_absolute_url()]
    assert "for juniors below 2300" in page  # the rule, which is the same for everybody
    assert "because the challenger" not in page
    explained = json.loads(texts[f"/api/v1/leagues/ladder/seasons/now/games/{last.pk}"])["explanation"]
    assert (explained["k"], explained["k_reason"]) == (40.0, "fide")
