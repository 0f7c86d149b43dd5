"""The calculator in a real browser: it answers as a game is put together, and its address goes on."""

import re

import pytest
from playwright.sync_api import Page, expect

from leagues.models import Game
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_r127_a_game_is_calculated_as_it_is_put_together(live_server, page: Page):
    season = make_season(make_league("wsd", language="en"), slug="now")
    zahari, marina = make_players(season.league, "Захари", "Марина")
    make_game(season, (marina, 500), (zahari, 100))
    replayed(season)
    page.goto(f"{live_server.url}/wsd/now/calculator/")
    page.evaluate("window.sameDocument = true")
    for number, (typed, option) in enumerate([("zahari", "Захари"), ("1400", "player with 1400.0")]):
        seat = page.locator("fieldset.seat").nth(number)
        seat.get_by_role("combobox").press_sequentially(typed)
        seat.get_by_role("option", name=option).click()
    expect(page.get_by_role("img", name="Points at stake")).to_be_visible()  # before there are points
    page.get_by_role("button", name="Add a side").click()
    expect(page.locator("fieldset.seat")).to_have_count(3)
    for number, points in enumerate(("300", "20")):
        page.locator("fieldset.seat").nth(number).get_by_label("Points").fill(points)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Why the ratings would change")).to_be_visible()
    # 1483.6 + 10 × 2.413 × (1 − 0.5354): Zahari had lost the first game by 400
    expect(page.get_by_role("row", name=re.compile("Захари")).first).to_contain_text("1494.8")
    assert page.evaluate("window.sameDocument"), "the page was not loaded anew"
    expect(page).to_have_url(re.compile(r"side1=zahari&points1=300&side2=~1400&points2=20"))
    answer = page.locator("#answer").inner_text()
    page.reload()
    expect(page.locator("#answer")).to_have_text(re.compile("Why the ratings would change"))
    assert page.locator("#answer").inner_text() == answer
    assert Game.objects.count() == 1
