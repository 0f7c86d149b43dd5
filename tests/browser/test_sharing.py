"""The standings in a frame of another site, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from leagues.services import update_league
from tests.leagues.test_look import picture, pictures_of
from tests.test_query_counts import season_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_cj_01_r104_other_sites_frame_the_table_and_nothing_else(page: Page, live_server, context):
    season = season_of(3, "club")
    site, path = live_server.url, f"{season.league.slug}/{season.slug}/"
    frame = '<iframe width="320" height="400" src="{}"></iframe>'
    frames = frame.format(f"{site}/embed/{path}?theme=dark&lang=tr") + frame.format(f"{site}/{path}")
    # Another site, of this machine because browsers guard it from others, and without a policy of its own.
    page.goto(f"{site.replace('localhost', '127.0.0.1')}/static/js/site.js")
    page.evaluate("frames => document.body.innerHTML = frames", frames)
    framed, refused = (page.locator("iframe").nth(number).content_frame for number in (0, 1))
    expect(framed.get_by_role("row")).to_have_count(4)
    expect(framed.get_by_role("columnheader", name="Oyuncu")).to_be_visible()
    expect(refused.locator("table")).to_have_count(0)
    body = framed.locator("body")
    assert body.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert body.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert context.cookies() == []
    framed.get_by_role("link", name="Player 1").click()
    page.wait_for_url(f"{site}/{path}players/player-1/")  # out of the frame


def test_a_logo_is_drawn_wherever_pages_have_it(page: Page, live_server):
    league = season_of(3, "club").league
    update_league(league=league, by=None, pictures=pictures_of(picture()))
    page.goto(f"{live_server.url}/{league.slug}/")
    for drawn in page.locator("img").all():
        assert drawn.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    expect(page.locator("img")).to_have_count(2)
