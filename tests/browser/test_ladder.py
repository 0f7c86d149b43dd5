"""The ladder in a real browser: its buttons belong to forms beside the part that swaps itself."""

from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect

from leagues.models import Challenge
from tests.browser.test_look import LOOK
from tests.browser.test_main_flow import sign_in
from tests.ladders import make_ladder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_an_opponent_is_drawn_and_answers_and_the_leaderboard_is_searched(live_server, page: Page):
    today = timezone.now().date()
    days = {"starts_on": today - timedelta(days=9), "ends_on": today + timedelta(days=9)}
    make_ladder({"Ann": 1500, "Bob": 1550, "Zoe": 1900}, **days)
    sign_in(page, live_server.url, "owner-of-club")
    page.clock.install()
    page.goto(f"{live_server.url}/club/now/ladder/?player=ann")
    page.get_by_role("combobox", name="Player").fill("ZO")
    page.get_by_role("option", name="Zoe").click()
    page.get_by_role("button", name="Show the ladder").click()
    expect(page.get_by_role("heading", name="The pool of Zoe")).to_be_visible()
    page.goto(f"{live_server.url}/club/now/ladder/?player=ann")
    page.evaluate("window.sameDocument = true")
    page.get_by_role("searchbox").press_sequentially("zo")
    expect(page.locator("#table tbody tr")).to_have_count(1)
    expect(page.locator("#table")).to_contain_text("out of range")
    with page.expect_response(lambda answer: answer.request.headers.get("hx-target") == "ladder"):
        page.clock.run_for(25_000)  # the live part asks again
    assert page.evaluate("window.sameDocument")
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert found == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate(LOOK) == []
    # In the longest words the button that challenges is seen whole beside place, name and rating.
    page.context.add_cookies([{"name": "django_language", "value": "bg", "url": live_server.url}])
    page.goto(f"{live_server.url}/club/now/ladder/?player=ann")
    expect(page.locator("#table").get_by_role("button", name="Предизвикай")).to_have_count(1)
    assert page.evaluate(LOOK) == []
    page.context.add_cookies([{"name": "django_language", "value": "en", "url": live_server.url}])
    page.goto(f"{live_server.url}/club/now/ladder/?player=ann")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Draw an opponent").click()
    expect(page.locator("main")).to_contain_text("Drawn: Bob is challenged.")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#ladder")).to_contain_text("accepted, to be played by")
    assert Challenge.objects.get().state == "accepted"
