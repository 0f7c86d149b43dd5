"""What the Content-Security-Policy refuses, a browser tells: on no page anything."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests.browser.test_main_flow import sign_in
from tests.test_query_counts import ROUTES, address_of, season_of
from wsd_site import limits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADMIN = [
    "",
    "leagues/game/",
    "leagues/game/add/",
    "leagues/player/",
    "leagues/season/add/",
    "ratings/ruleset/",
]
LISTENER = """
  window.refused = [];
  document.addEventListener("securitypolicyviolation", (event) =>
    window.refused.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


@pytest.fixture
def visited(page: Page) -> Page:
    page.add_init_script(LISTENER)
    return page


def refused(page: Page) -> list[str]:
    return page.evaluate("window.refused")


def test_xs_05_the_policy_refuses_nothing_on_any_page(visited: Page, live_server, settings):
    settings.USERS_CREATE_LEAGUES = True
    season = season_of(3, "club")
    sign_in(visited, live_server.url, str(season.league.organizers.get().user))
    files = {name for name in ROUTES if name.endswith(("-file", "-workbook", "-data", "-feed", "calendar"))}
    pages = [address_of(name, season) for name in ROUTES if name not in files]
    seen = {}
    for address in [*pages, "/nowhere/", "/accounts/password/", *(f"/admin/{path}" for path in ADMIN)]:
        answer = visited.goto(live_server.url + address)
        # Around pictures and XML a browser puts a page of its own.
        if answer and "html" in answer.headers["content-type"]:
            seen[address] = refused(visited)
    assert len(seen) > len(ADMIN)
    assert {address: found for address, found in seen.items() if found} == {}


def test_xs_05_the_policy_is_in_force(visited: Page, live_server):
    visited.goto(f"{live_server.url}/accounts/login/")
    visited.evaluate(
        """new Promise((done) => {
          document.addEventListener("securitypolicyviolation", done);
          document.body.insertAdjacentHTML("beforeend", '<p style="color: red">');
        })"""
    )
    assert refused(visited)[0].startswith("style-src")


def test_a_refused_button_of_a_form_says_why(page: Page, live_server, monkeypatch):
    season = season_of(3, "club")
    season.duels_only = False
    season.save()
    sign_in(page, live_server.url, str(User.objects.get()))
    page.goto(f"{live_server.url}{address_of('leagues:game-create', season)}")
    none = limits.Limit("changes", 0, 60, limits.CHANGES.reason)
    monkeypatch.setattr(limits, "OF_ALL_OTHERS", [(none, limits.visitor)])
    said = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.accept()))
    with page.expect_event("dialog"):
        page.get_by_role("button", name="Add a side").click()
    assert "More was sent than people can type." in said[0]
    expect(page.locator("fieldset.side")).to_have_count(2)
