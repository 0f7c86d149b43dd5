"""Every search box forgives script, accents and case, on every database."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from leagues.models import AuditEntry, League, Player, Season, Team
from leagues.services import anonymise_player, create_team, enter_player
from ratings.models import RatingChange, Standing
from ratings.services.rules import change_rules
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = pytest.mark.django_db

SPELLINGS = [("Захари", ["zahari", "ЗАХАРИ", "Захари"]), ("Işık", ["isik", "IŞIK", "ışık", "İSİK"])]
BOXES = [
    "leagues:log",
    "leagues:player-search",
    "ratings:player-list",
    "ratings:standings",
    "ratings:game-list",
]


@pytest.fixture
def client() -> Client:
    """The browser of who runs the site."""
    client = Client()
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    return client


def season_of(name: str) -> Season:
    """Somebody of this name has beaten somebody else, in a team, a league and a season called alike."""
    season = make_season(make_league(name=f"{name} league"), name=f"{name} season")
    change_rules(season=season, by=None, values={"min_meetings": 0})
    named, other, third, stranger = make_players(season.league, name, "Other", "Third", "Stranger")
    make_game(season, (named, 5), (other, 1))
    enter_player(season=season, player=stranger, by=None)
    create_team(league=season.league, name=f"{name} team", members=[other, third], by=None)
    return replayed(season)


@pytest.mark.parametrize(("name", "typed"), SPELLINGS)
@pytest.mark.parametrize("box", BOXES)
def test_r90_the_search_of_a_page_finds_a_name_in_each_spelling(
    client: Client, box: str, name: str, typed: list[str]
) -> None:
    season = season_of(name)
    values = {"league": season.league.slug}
    if box not in ("leagues:log", "ratings:player-list"):
        values["season"] = season.slug
    address = reverse(box, kwargs=values)
    for text in typed:
        page = client.get(address, {"q": text}, headers={"HX-Request": "true"}).content.decode()
        assert f"{name}</" in page or f">{name}" in page, text
        assert "Stranger" not in page, text


@pytest.mark.parametrize(("name", "typed"), SPELLINGS)
@pytest.mark.parametrize("model", [AuditEntry, League, Player, RatingChange, Season, Standing, Team])
def test_r90_the_search_of_the_administration_does_too(
    client: Client, model: type, name: str, typed: list[str]
) -> None:
    season_of(name)
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    everything = model._default_manager.count()
    counts = {text: client.get(address, {"q": text}).context["cl"].result_count for text in typed}
    assert len(set(counts.values())) == 1, counts
    assert 0 < counts[typed[0]] <= everything
    assert client.get(address, {"q": "nobody"}).context["cl"].result_count == 0


def test_the_log_does_not_find_a_name_that_was_taken_out(client: Client) -> None:
    season = season_of("Захари")
    anonymise_player(player=season.league.players.get(name="Захари"), by=None)
    assert AuditEntry.objects.filter(object_type="player").about("zahari").count() == 0


def test_all_lists_that_are_searched_are_searched_here() -> None:
    searched = {model for model, site in admin.site._registry.items() if site.search_fields}
    # By their players; by user names; what owners call their programs.
    others = {
        "entry",
        "game",
        "meeting",
        "organizer",
        "user",
        "group",
        "apitoken",
        "appliedadjustment",
        "webhook",
    }
    assert {model._meta.model_name for model in searched} - others == {
        "auditentry", "league", "player", "ratingchange", "season", "standing", "team",
    }  # fmt: skip
