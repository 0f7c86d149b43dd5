"""Teams: all of a league, one of them, and their file."""

from datetime import timedelta

import pytest
from django.urls import reverse

from leagues.models import Season
from leagues.services import create_team, void_game
from ratings.services import teams as reading
from ratings.services.teams import games_of_teams, record_of
from tests.factories import make_game, make_league, make_organizer, make_players, make_season, replayed

pytestmark = pytest.mark.django_db


def text_of(response):
    content = b"".join(response.streaming_content) if response.streaming else response.content
    return " ".join(content.decode().split())


def address(name, league, **values):
    return reverse(f"ratings:{name}", kwargs={"league": league.slug, **values})


@pytest.fixture
def lions(season, players):
    """Захари and Валя: they won a duel of teams, came second of three, drew; and played otherwise too."""
    zahari, valya, marina, dobri = players
    team = create_team(league=season.league, name="Лъвовете", members=[zahari, valya], by=None)
    both = [zahari, valya]
    games = [
        ((both, 5), ([marina, dobri], 1)),
        ((marina, 9), (both, 5), (dobri, 1)),
        ((both, 5), (marina, 5)),
        (([*both, marina], 9), (dobri, 1)),  # one more sat with them
        ((zahari, 9), (valya, 1)),
        ((both, 9), (dobri, 1)),  # voided below
    ]
    made = [
        make_game(season, *sides, played_at=season.starts_at + timedelta(hours=number))
        for number, sides in enumerate(games)
    ]
    void_game(game=made[-1], reason="Twice", by=None)
    replayed(season)
    return team


def test_games_are_a_teams_where_a_side_is_exactly_its_members(season, lions, monkeypatch):
    monkeypatch.setattr(reading, "GAMES_AT_ONCE", 2)
    (games,) = games_of_teams([lions], [season]).values()
    # Won one duel; then one of two lost and one won; then drew: two won, one drawn, one lost.
    record = record_of(games)
    assert (record.games, record.balance, record.first_places) == (3, "2–1–1", 1)


def test_the_list_has_members_record_and_mean_rating(client, season, players, lions):
    page = text_of(client.get(address("team-list", season.league)))
    ratings = {row.player_id: row.rating for row in season.standings.all()}
    mean = (ratings[players[0].pk] + ratings[players[1].pk]) / 20
    assert ">Лъвовете</a>" in page
    assert ">Захари</a>, <a" in page or ">Валя</a>, <a" in page
    assert "2–1–1" in page
    assert f"{mean:.1f}" in page


def test_a_team_has_its_games_and_those_of_other_seasons(client, season, players, lions):
    other = make_season(season.league, name="Season 2025", slug="before", state=Season.State.OPEN)
    make_game(other, (players[:2], 1), (players[2], 7))
    replayed(other)
    page = address("team", season.league, team=lions.slug)
    shown = {name: client.get(page, {"season": name}) for name in (season.slug, "before")}
    assert len(shown[season.slug].context["games"]) == 3
    (game,) = shown["before"].context["games"]
    assert reverse("ratings:game-detail", args=[season.league.slug, "before", game.game.pk]) in text_of(
        shown["before"]
    )
    assert [(each.slug, record.games) for each, record in shown["before"].context["rows"]] in (
        [("before", 1), (season.slug, 3)],
        [(season.slug, 3), ("before", 1)],
    )


def test_game_pages_and_players_lead_to_the_team(client, season, players, lions):
    page = address("team", season.league, team=lions.slug)
    assert page in text_of(client.get(reverse("ratings:game-list", args=[season.league.slug, season.slug])))
    assert page in text_of(client.get(address("player-career", season.league, player="zahari")))


def test_the_file_has_every_team(client, season, lions):
    lines = (
        b"".join(client.get(address("teams-file", season.league)))
        .decode()
        .removeprefix("\ufeff")
        .splitlines()
    )
    assert lines[0].startswith("name,address,members,season,mean_rating,games,wins,draws,losses,first_places")
    assert lines[1].startswith("Лъвовете,")
    assert lines[1].endswith(",3,2,1,1,1")


def test_a_league_without_teams_or_seasons_says_so(client):
    league = make_league()
    assert "This league has no teams yet." in text_of(client.get(address("team-list", league)))
    create_team(league=league, name="Early", members=make_players(league, "One", "Two"), by=None)
    assert "This league has no season yet." in text_of(client.get(address("team", league, team="early")))
    assert "–" in text_of(client.get(address("team-list", league)))


def test_unknown_teams_and_those_of_other_leagues_are_not_found(client, season, lions):
    elsewhere = make_league()
    for league, slug in ((season.league, "nobody"), (elsewhere, lions.slug)):
        assert client.get(address("team", league, team=slug)).status_code == 404


def test_games_of_drafts_are_seen_by_organizers_alone(client, season, players, lions):
    draft = make_season(season.league, name="Secret", slug="draft", state=Season.State.DRAFT)
    make_game(draft, (players[:2], 1), (players[2], 7))
    replayed(draft)
    page = address("team", season.league, team=lions.slug)
    assert "Secret" not in text_of(client.get(page, {"season": "draft"}))
    client.force_login(make_organizer(season.league))
    assert "Secret" in text_of(client.get(page))
