"""Pages that stand open: they follow what happens elsewhere, and rest while nobody looks."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, Request, expect

from leagues.models import Season
from tests.browser.test_main_flow import season  # noqa: F401 - the fixture
from tests.factories import make_game, replayed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

POLL = 21_000  # ms: longer than a level page waits
HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def opened(page: Page, live_server, season: Season) -> Page:  # noqa: F811
    """A browser whose clock is the test's to move."""
    page.clock.install()
    return page


def play(season: Season, winner: str, loser: str) -> None:  # noqa: F811
    players = {player.name: player for player in season.league.players.all()}
    later = season.starts_at + timedelta(days=2)
    make_game(season, (players[winner], 2000), (players[loser], 100), played_at=later)
    replayed(season)


def test_the_table_marks_what_moved_and_asks_for_no_more_than_it_must(
    opened: Page,
    live_server,
    season: Season,  # noqa: F811
):
    opened.goto(f"{live_server.url}/wsd/now/")
    polls: list[Request] = []
    opened.on("request", lambda request: polls.append(request) if "hx-request" in request.headers else None)
    statuses: list[int] = []  # as they came over the wire: of what is unchanged, a page is told 200
    network = opened.context.new_cdp_session(opened)
    network.send("Network.enable")
    network.on("Network.responseReceivedExtraInfo", lambda answer: statuses.append(answer["statusCode"]))
    for _poll in range(2):
        with opened.expect_response(lambda answer: "hx-request" in answer.request.headers):
            opened.clock.fast_forward(POLL)
    assert statuses[-2:] == [200, 304]
    expect(opened.locator("tr.moved")).to_have_count(0)

    opened.evaluate(HIDE, True)
    asked = len(polls)
    opened.clock.fast_forward(5 * POLL)
    assert len(polls) == asked, "nothing is asked while the page is hidden"
    play(season, "Захари", "Валя")
    opened.evaluate(HIDE, False)
    rows = opened.locator("#table tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Захари")
    expect(opened.locator("tr.moved")).to_have_count(3)  # one rose, one fell, one is new
    expect(opened.locator("#state")).to_contain_text("After game 2")
    asked = len(polls)
    opened.clock.fast_forward(15_000)
    assert len(polls) == asked, "level again, it asks every twenty seconds"


def test_r117_the_leagues_home_and_a_games_page_follow(opened: Page, live_server, season: Season):  # noqa: F811
    game = season.games.get()
    opened.goto(f"{live_server.url}/wsd/")
    expect(opened.locator(".games > li")).to_have_count(1)
    play(season, "Захари", "Валя")
    opened.clock.fast_forward(POLL)
    expect(opened.locator(".games > li")).to_have_count(2)
    expect(opened.locator(".games > li.moved")).to_have_count(1)
    expect(opened.locator("#table tbody tr").first).to_contain_text("Захари")
    expect(opened.locator("#table tbody tr.moved").first).to_contain_text("Захари")

    opened.goto(live_server.url + game.get_absolute_url())
    expect(opened.locator(".scoreboard .change.up")).to_have_count(1)
    season.rule_set.k = 40
    season.rule_set.save()
    season.touch(season.starts_at)
    opened.clock.fast_forward(POLL)
    expect(opened.locator("#game")).to_contain_text("being recomputed")
    replayed(season)
    opened.clock.fast_forward(3_000)  # r117: behind it asks every two seconds
    expect(opened.locator(".scoreboard .side.moved")).to_have_count(2)
    expect(opened.locator("#game")).not_to_contain_text("being recomputed")


def test_r113_back_and_forward_give_whole_pages(page: Page, live_server, season: Season):  # noqa: F811
    page.goto(f"{live_server.url}/wsd/now/")
    page.get_by_role("searchbox").press_sequentially("mar")
    expect(page.locator("#table tbody tr")).to_have_count(1)
    page.locator("#table").get_by_role("link", name="Марина").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Марина")
    page.go_back()
    expect(page).to_have_url(re.compile("q=mar"))
    expect(page.get_by_role("banner")).to_be_visible()
    expect(page.locator("#table tbody tr")).to_have_count(1)
    page.go_forward()
    expect(page.get_by_role("banner")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Марина")
