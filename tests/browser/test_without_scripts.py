"""The site in a browser that runs no script."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from leagues.models import Game, Season
from tests.browser.test_main_flow import season, sign_in  # noqa: F401 - the fixture
from tests.factories import replayed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def plain(browser: Browser) -> Iterator[Page]:
    """A phone whose browser runs no script."""
    context = browser.new_context(
        java_script_enabled=False, locale="en-GB", viewport={"width": 360, "height": 800}
    )
    yield context.new_page()
    context.close()


def test_tables_and_pages_do_what_they_do_with_scripts(plain: Page, live_server, season: Season):  # noqa: F811
    plain.goto(f"{live_server.url}/wsd/now/")
    rows = plain.locator("#table tbody tr")
    plain.locator("#sort-player").click()
    expect(plain).to_have_url(re.compile("sort=player"))
    expect(rows.first).to_contain_text("Захари")
    plain.get_by_role("searchbox").fill("mar")
    plain.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    expect(plain).to_have_url(re.compile("sort=player"))
    plain.goto(f"{live_server.url}/wsd/now/")
    plain.get_by_label("Standings as of a day").fill(season.starts_on.isoformat())
    plain.get_by_role("button", name="Show").click()
    expect(plain.get_by_role("heading", name="Standings as of")).to_be_visible()
    plain.get_by_text("What the columns say").click()
    expect(plain.locator("#legend dd").first).to_be_visible()
    plain.get_by_role("button", name="Menu").click()
    plain.get_by_role("link", name="Games", exact=True).click()
    plain.get_by_role("searchbox", name="Opponent").fill("valya")
    plain.get_by_role("button", name="Filter").click()
    expect(plain.get_by_text("No game of this season fits.")).to_be_visible()
    plain.get_by_text("Files", exact=True).click()
    with plain.expect_download() as file:
        plain.get_by_role("link", name="Games as CSV").click()
    assert file.value.suggested_filename.endswith(".csv")
    plain.goto(f"{live_server.url}/wsd/now/players/marina/")
    plain.get_by_label("Compare with").select_option(label="Захари")
    plain.get_by_role("button", name="Compare").click()
    expect(plain.get_by_role("img", name="Ratings compared")).to_be_visible()
    plain.get_by_role("button", name="Menu").click()
    plain.get_by_role("button", name="BG").click()
    expect(plain.locator("html")).to_have_attribute("lang", "bg")


def test_a_game_is_entered(plain: Page, live_server, season: Season):  # noqa: F811
    sign_in(plain, live_server.url)
    plain.goto(f"{live_server.url}/wsd/now/games/new/")
    for side, (name, points) in enumerate([("Захари", 2000), ("Валя", 100)]):
        plain.locator(f"[name=side-{side}-members_names]").fill(name)
        plain.locator(f"[name=side-{side}-points]").fill(str(points))
    plain.get_by_role("button", name="Save", exact=True).last.click()
    expect(plain.get_by_text("The game is saved.")).to_be_visible()
    assert Game.objects.count() == 2
    replayed(season)
    plain.goto(f"{live_server.url}/wsd/now/")
    expect(plain.locator("#table tbody tr").first).to_contain_text("Захари")
