"""Entering a game in a real browser: the line fills the form, and the preview follows what is typed."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from leagues.models import Game, Season
from tests.browser.test_main_flow import pick, sign_in
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def season() -> Season:
    today = timezone.now().date()
    league = make_league("wsd", owner=make_user("alice"), language="en", timezone="Europe/Sofia")
    season = make_season(
        league, name="Now", starts_on=today - timedelta(days=30), ends_on=today + timedelta(days=30)
    )
    zahari, marina, _valya = make_players(league, "Захари", "Марина", "Валя")
    make_game(season, (marina, 500), (zahari, 100), played_at=season.starts_at + timedelta(days=1))
    return replayed(season)


def test_the_preview_follows_the_form_and_the_line_fills_it(season: Season, live_server, page: Page):
    sign_in(page, live_server.url)
    page.goto(f"{live_server.url}/wsd/now/games/new/")
    sides, preview = page.locator("fieldset.side"), page.locator(".preview")
    page.evaluate("window.sameDocument = true")
    pick(page, 0, "zahari", "Захари")
    pick(page, 1, "valya", "Валя")
    sides.nth(0).get_by_label("Points").fill("500")
    sides.nth(1).get_by_label("Points").fill("100")
    expect(preview.locator(".scoreboard .change")).to_have_count(2)
    page.get_by_role("button", name="Add a side").click()
    expect(sides).to_have_count(3)
    expect(preview.get_by_text("Once the players and points are there")).to_be_hidden()
    page.get_by_role("button", name="Remove side 2").click()
    expect(sides).to_have_count(2)
    expect(sides.nth(0)).to_contain_text("Захари")
    expect(sides.nth(1)).not_to_contain_text("Валя")

    # Whoever writes fast does all of it in one line; the note stays.
    page.get_by_label("Note").fill("hm")
    line = page.get_by_label("In one line")
    line.press_sequentially("zah + val 21 : 15 mari @ yesterday 21:30")
    expect(sides.nth(0)).to_contain_text("Валя")
    expect(sides.nth(1).get_by_label("Points")).to_have_value("15")
    expect(preview.locator(".scoreboard .change")).to_have_count(2)
    expect(line).to_be_focused()
    expect(page.get_by_label("Note")).to_have_value("hm")
    assert page.evaluate("window.sameDocument"), "the page was not loaded anew"
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("The game is saved.")).to_be_visible()
    game = Game.objects.latest("pk")
    assert game.note == "hm"
    assert [side.points for side in game.sides.all()] == [21, 15]
    assert game.seats.count() == 3
