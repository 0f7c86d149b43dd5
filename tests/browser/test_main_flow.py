"""The main job in a real browser: sign in, enter a game, and an open table changes by itself."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from leagues.models import Game, Season
from ratings.services.check import check_season
from tests.factories import make_game, make_league, make_players, make_season, make_user, replayed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def season() -> Season:
    """Marina leads Zahari by one game, in a league that Alice owns."""
    today = timezone.now().date()
    league = make_league("wsd", owner=make_user("alice"), language="en", timezone="Europe/Sofia")
    season = make_season(
        league, name="Now", starts_on=today - timedelta(days=30), ends_on=today + timedelta(days=30)
    )
    zahari, marina, _valya = make_players(league, "Захари", "Марина", "Валя")
    make_game(season, (marina, 500), (zahari, 100), played_at=season.starts_at + timedelta(days=1))
    return replayed(season)


def sign_in(page: Page, url: str, username: str = "alice") -> None:
    page.goto(f"{url}/accounts/login/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill("secret")
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile(r"^(?!.*login)"))


def pick(page: Page, number: int, typed: str, name: str) -> None:
    """Choose a player for a side by typing part of the name, in whatever script."""
    side = page.locator("fieldset.side").nth(number)
    side.get_by_role("combobox").press_sequentially(typed)
    side.get_by_role("option", name=name).click()


def test_an_open_table_shows_a_game_entered_elsewhere_without_a_reload(
    season: Season, live_server, page: Page, browser: Browser
):
    # A player has the table open; time is the test's to move.
    reader = browser.new_page(locale="en-GB")
    reader.clock.install()
    reader.goto(f"{live_server.url}/wsd/now/")
    rows = reader.locator("#table tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Марина")
    reader.evaluate("window.sameDocument = true")

    sign_in(page, live_server.url)
    page.goto(f"{live_server.url}/wsd/now/games/new/")
    pick(page, 0, "zahari", "Захари")
    pick(page, 1, "ВАЛЯ", "Валя")
    page.locator("fieldset.side").nth(0).get_by_label("Points").fill("2000")
    page.locator("fieldset.side").nth(1).get_by_label("Points").fill("100")
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("The game is saved.")).to_be_visible()
    assert Game.objects.count() == 2

    reader.clock.fast_forward(21_000)
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Захари")
    assert reader.evaluate("window.sameDocument"), "the page was not loaded anew"
    assert check_season(season.pk) == []
    reader.close()

    # Correcting it shows beforehand what that changes; not saved, the game is taken back from the log.
    page.get_by_role("link", name="Correct", exact=True).click()
    points = page.locator("fieldset.side").nth(0).get_by_label("Points")
    points.fill("1")
    points.blur()
    expect(page.locator("#preview")).to_contain_text("Largest change")
    page.goto(f"{live_server.url}/wsd/log/")
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_text("1 game is taken back.")).to_be_visible()
    assert Game.objects.count() == 1


def test_xr_12_back_gives_the_whole_page_after_the_table_was_sorted(season: Season, live_server, page: Page):
    page.goto(f"{live_server.url}/wsd/now/")
    page.locator("#table thead").get_by_role("link", name=re.compile("Rating")).click()
    expect(page).to_have_url(re.compile("sort="))
    page.get_by_role("link", name="Марина").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Марина")
    page.go_back()
    expect(page.get_by_role("banner")).to_be_visible()
    expect(page.locator("#table tbody tr")).to_have_count(2)


def test_a_game_entered_in_the_admin_changes_the_table(season: Season, live_server, page: Page):
    sign_in(page, live_server.url)
    page.goto(f"{live_server.url}/admin/leagues/game/add/")
    page.get_by_label("Season").select_option(label="Now")
    page.get_by_role("link", name="Today").click()
    page.get_by_role("link", name="Now").click()
    for number, (typed, name, points) in enumerate([("zahari", "Захари", "2000"), ("valya", "Валя", "100")]):
        side = page.locator(f"#sides-{number}")
        side.locator(".select2-search__field").press_sequentially(typed)
        page.get_by_role("option", name=name).click()
        side.locator("[name$=points]").fill(points)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    page.goto(f"{live_server.url}/wsd/now/")
    expect(page.locator("#table tbody tr").first).to_contain_text("Захари")
    assert check_season(season.pk) == []
