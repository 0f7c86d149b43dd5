"""The days of seasons as an iCalendar file."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from icalendar import Calendar

from leagues.models import League, Season
from leagues.services import update_league, update_season
from tests.factories import make_league, make_season, make_user

pytestmark = pytest.mark.django_db

ADDRESS = "/apes/now/calendar.ics"
OF_LEAGUE = "/apes/calendar.ics"


@pytest.fixture
def season(settings) -> Season:
    """A season of a league in Sofia, two hours ahead of UTC when the season ends."""
    settings.MAIN_HOST = "testserver"
    league = make_league("apes", name="Apes", owner=make_user("alice"), timezone="Europe/Sofia")
    return make_season(league, slug="now", name="Now")


def calendar(answer: Any) -> Calendar:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    return Calendar.from_ical(answer.content)


def events(answer: Any) -> dict[str, Any]:
    """The events by their summaries."""
    return {str(event["summary"]): event for event in calendar(answer).walk("VEVENT")}


def test_a_season_is_all_its_days_and_ends_at_midnight_in_the_leagues_zone(client, season):
    told = events(client.get(ADDRESS))
    assert told.keys() == {"Apes: Now", "Last hour for games: Apes: Now"}
    days, end = told["Apes: Now"], told["Last hour for games: Apes: Now"]
    assert (days["dtstart"].dt, days["dtend"].dt) == (date(2026, 1, 1), date(2027, 1, 1))
    assert end["dtstart"].params["TZID"] == "Europe/Sofia"
    assert end["dtstart"].dt.astimezone(UTC) == datetime(2026, 12, 31, 21, tzinfo=UTC)
    assert end["dtend"].dt.astimezone(UTC) == datetime(2026, 12, 31, 22, tzinfo=UTC)
    assert end["description"] == (
        "Games of 31 December 2026 still count, until midnight in the time zone "
        "Eastern European Time (Europe/Sofia)."
    )
    assert str(days["url"]) == "http://testserver/apes/now/"


def test_it_tells_the_clock_of_the_zone_for_programs_that_do_not_know_it(client, season):
    (zone,) = calendar(client.get(ADDRESS)).walk("VTIMEZONE")
    assert zone["tzid"] == "Europe/Sofia"
    (winter,) = {str(each["tzoffsetto"].to_ical()) for each in zone.walk("STANDARD")}
    assert "+0200" in winter


def test_a_changed_day_is_the_same_event_with_other_days(client, season):
    before, tag = events(client.get(ADDRESS)), client.get(ADDRESS)["ETag"]
    assert client.get(ADDRESS, headers={"If-None-Match": tag}).status_code == 304
    update_season(season=season, by=None, ends_on=date(2026, 6, 30))
    after = events(client.get(ADDRESS, headers={"If-None-Match": tag}))
    assert after["Apes: Now"]["uid"] == before["Apes: Now"]["uid"]
    assert after["Apes: Now"]["dtend"].dt == date(2026, 7, 1)
    # Summer time by then: midnight is three hours before that of UTC.
    end = after["Last hour for games: Apes: Now"]["dtend"].dt
    assert end.astimezone(UTC) == datetime(2026, 6, 30, 21, tzinfo=UTC)


def test_a_closed_season_has_no_deadline_any_more(client, season):
    tag = client.get(OF_LEAGUE)["ETag"]
    update_season(season=season, by=None, state="closed")
    assert events(client.get(OF_LEAGUE, headers={"If-None-Match": tag})).keys() == {"Apes: Now"}


def test_the_league_has_all_its_seasons_but_drafts(client, season):
    make_season(season.league, name="Next", starts_on=date(2027, 1, 1), ends_on=date(2027, 12, 31))
    draft = make_season(season.league, name="Draft")
    update_season(season=draft, by=None, state="draft")
    told = events(client.get(OF_LEAGUE))
    assert {"Apes: Now", "Apes: Next"} <= told.keys()
    assert len({event["uid"] for event in told.values()}) == len(told) == 4
    assert client.get("/apes/draft/calendar.ics").status_code == 404


def test_xs_01_a_name_stays_one_text_and_lines_are_folded(client, season):
    name = "a;b,c\\n:\r\nBEGIN:VEVENT" + "ъ" * 60
    Season.objects.update(name=name)
    answer = client.get(ADDRESS)
    assert "Apes: " + name.replace("\r\n", " ") in events(answer)
    assert len(events(answer)) == 2
    assert max(map(len, answer.content.split(b"\r\n"))) <= 75


@pytest.mark.parametrize("days", [(date(2, 1, 1), date(2, 1, 2)), (date(9998, 1, 1), date(9998, 12, 31))])
def test_the_first_and_the_last_days_that_a_season_can_have(client, season, days):
    update_season(season=season, by=None, starts_on=days[0], ends_on=days[1])
    assert events(client.get(ADDRESS))["Apes: Now"]["dtstart"].dt == days[0]


def test_pages_lead_to_it_but_for_a_private_league(client, season):
    assert f'href="{OF_LEAGUE}"' in client.get("/apes/").content.decode()
    assert (
        f'type="text/calendar" title="Now: Calendar" href="{ADDRESS}"'
        in client.get("/apes/now/").content.decode()
    )
    League.objects.update(visibility="private")
    client.force_login(season.league.organizers.get().user)
    assert "calendar.ics" not in client.get("/apes/").content.decode()
    client.logout()
    assert client.get(OF_LEAGUE).status_code == client.get(ADDRESS).status_code == 404


def test_it_speaks_the_leagues_language_and_links_to_its_own_host(season, client):
    update_league(league=season.league, by=None, host="apes.example", language="bg")
    told = events(client.get(ADDRESS))
    assert any(summary.startswith("Последен час за игри") for summary in told)
    assert str(told["Apes: Now"]["url"]) == "http://apes.example/now/"
    assert "Last hour for games: Apes: Now" in events(client.get(f"{ADDRESS}?lang=en"))
