"""What every page must be in a real browser: accessible, light, steady, and no wider than the screen."""

import gzip
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import Page, Response, expect

from leagues.models import League, Season
from leagues.services import create_team, void_game, withdraw_player
from ratings.models import PrizeTier
from ratings.services.rules import change_prize_tiers, change_rules
from ratings.urls import urlpatterns as ratings_urls
from tests.factories import make_game, make_league, make_players, make_season, replayed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FIRST_VIEW = 60_000  # bytes, compressed, of the standings with everything they need
NAMES = (
    "Захари", "Валя", "Марина", "Добри", "Йоана-Александра Константинова-Великотърновска", "Щерьо",
    "Çağla Yıldırım", "Işık", "Maximilian Featherstonehaugh", "Ян",
)  # fmt: skip
FIRST_NAMES = ("Захари", "Валентина", "Марина", "Добри", "Йоана", "Щерьо", "Георги", "Ана", "Петър", "Яна")
LAST_NAMES = (
    "Иванова", "Хаджийска", "Стоянов", "Драгнева", "Тодоров", "Великова", "Жеков", "Цанева", "Манолов", "Бей",
)  # fmt: skip
# A page is the same in both themes but for its colours: the dark one is asked for nothing else again.
RULES: dict[Any, dict[str, Any]] = {
    "light": {},
    "dark": {"runOnly": ["color-contrast", "link-in-text-block"]},
}
WATCH_SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""
VIOLATIONS = "async (options) => (await axe.run(document, options)).violations"
# What is wider than the screen, and texts that lie over each other, as a list of sentences.
LOOK = """() => {
  const said = (element) => `${element.tagName}.${element.className} ${element.textContent.trim()}`;
  const hidden = ".visually-hidden, .skip, .scroll, .matrix-scroll, svg";
  const seen = (element) => element.checkVisibility() && !element.closest(hidden);
  const isOutside = (box) => box.width && (box.right > innerWidth + 1 || box.left < -1);
  const whole = document.documentElement.scrollWidth;
  const faults = whole > innerWidth ? [`the page is ${whole} wide`] : [];
  for (const element of document.querySelectorAll("body *")) {
    if (isOutside(element.getBoundingClientRect()) && seen(element)) faults.push(`outside: ${said(element)}`);
  }
  for (const row of document.querySelectorAll("tr")) {
    let edge = -Infinity;
    for (const cell of [...row.children].filter((each) => seen(each) && !each.querySelector(hidden))) {
      const text = document.createRange();
      text.selectNodeContents(cell);
      const box = text.getBoundingClientRect();
      if (box.width && box.left < edge - 1) faults.push(`over the cell before: ${said(cell)}`);
      edge = Math.max(edge, box.right);
    }
  }
  // The letters of a line lie in the middle of its box.
  const lines = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.data.trim() || !seen(text.parentElement)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      const [top, bottom] = [box.top + box.height * .25, box.bottom - box.height * .25];
      if (box.width > 1) lines.push({ text, top, bottom, left: box.left + 1, right: box.right - 1 });
    }
  }
  lines.sort((one, other) => one.top - other.top);
  lines.forEach((line, index) => {
    for (let next = index + 1; next < lines.length && lines[next].top < line.bottom; next += 1) {
      const other = lines[next];
      if (other.text === line.text || other.left >= line.right || line.left >= other.right) continue;
      faults.push(`${line.text.data.trim()} lies over ${other.text.data.trim()}`);
    }
  });
  return faults.map((fault) => fault.slice(0, 80));
}"""

# What a finger may miss on a phone: controls and links of their own that are not 44 px high.
TAPPED = """() => {
  const own = "main :is(button, select, summary, input:not([type=checkbox], [type=radio], [type=hidden])), "
    + ".menu-button, .brand, .crumb, .button, .more, .segmented a, .table thead a, .pagination a, a.when";
  const isSmall = (each) => each.checkVisibility() && !each.closest(".visually-hidden, .search")
    && each.getBoundingClientRect().height < 43.5;
  return [...document.querySelectorAll(own)].filter(isSmall).map((each) =>
    `${each.tagName}.${each.className} ${each.textContent.trim().slice(0, 20)} is hard to hit`);
}"""


def full(language: str) -> Season:
    """A league in which something of everything has happened, with long names."""
    today = timezone.now().date()
    league = make_league(
        "full", name="Световни серии", language=language, timezone="Europe/Sofia", about="Играем заедно."
    )
    season = make_season(
        league, name="Сезон 2026", slug="now",
        starts_on=today - timedelta(days=40), ends_on=today + timedelta(days=40),
    )  # fmt: skip
    change_rules(season=season, by=None, values={"min_games": 4, "min_meetings": 1})
    players = make_players(league, *NAMES)
    create_team(league=league, name="Отбор Север", members=players[:2], by=None)
    for day, player in enumerate(players[1:-1]):
        played_at = season.starts_at + timedelta(days=4 * day + 3)
        others = [(players[1 + day % 3], 7)] if day > 3 else []
        sides = [(players[0], 500 * day), (player, 30), *others]
        make_game(season, *sides, played_at=played_at, note="" if others else "финал")
    make_game(season, (players[:2], 9), (players[2:4], 12), played_at=season.starts_at + timedelta(days=39))
    void_game(game=make_game(season, (players[0], 1), (players[1], 0)), reason="Грешка", by=None)
    tier = PrizeTier(
        name="Билет за Рим", text="За първия", first_place=1, last_place=1,
        amount=1000, per_participant=True, unit="км",
    )  # fmt: skip
    change_prize_tiers(season=season, by=None, saved=[tier])
    replayed(season)
    withdraw_player(entry=season.entries.get(player=players[3]), by=None)
    return replayed(season)


def empty(language: str) -> Season:
    """A season that nobody has entered yet, and a ladder."""
    league = make_league("full", name="Yeni lig", language=language)
    make_season(league, preset="ranked-battle", name="Merdiven", slug="ladder")
    return make_season(league, name="2026", slug="now")


def addresses(season: Season) -> Iterator[str]:
    """Every public page, from the URLconf."""
    league: League = season.league
    player, game = league.players.first(), season.games.order_by("-pk").first()
    values: dict[str, Any] = {"league": league.slug, "season": season.slug}
    values |= {"player": player.slug} if player else {}
    values |= {"game": game.pk} if game else {}
    yield from ("/", "/accounts/login/", "/nowhere/", "/api/v1/docs")
    for route in ratings_urls:
        names = route.pattern.converters.keys()
        is_part = route.name.endswith(("-merge", "-progress", "-players", "-issue", "-rest", "ladder"))
        is_page = not is_part and "." not in str(route.pattern)
        if is_page and names <= values.keys():
            yield "/" + "/".join(
                str(values.get(part.strip("<>").partition(":")[2], part))
                for part in str(route.pattern).split("/")
            )
    if player:
        yield f"/{league.slug}/{season.slug}/?on={season.starts_on + timedelta(days=10)}"
    for ladder in league.seasons.filter(slug="ladder"):
        yield from (f"/{league.slug}/{ladder.slug}/{page}/" for page in ("rules", "ladder"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("world", "language"), [(full, "bg"), (empty, "tr")])
def test_nothing_is_wrong_with_any_public_page(page: Page, live_server, world, language):
    season = world(language)
    page.add_init_script(WATCH_SHIFTS)
    host = urlsplit(live_server.url).netloc
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    axe, faults = Axe().axe_script, []
    for address in addresses(season):
        page.set_viewport_size({"width": 1280, "height": 900})
        answer = page.goto(live_server.url + address, wait_until="load")
        if "text/html" not in answer.headers["content-type"]:
            continue
        page.evaluate("document.fonts.ready")
        if (shifted := page.evaluate("window.shifted")) > 0.02:
            faults.append(f"{address}: the layout jumps by {shifted}")
        page.evaluate(axe)
        for theme, rules in RULES.items():
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            found = page.evaluate(VIOLATIONS, {"resultTypes": ["violations"], **rules})
            faults += [f"{address} {theme}: {each['id']} {each['nodes'][0]['html']}" for each in found]
        for width in (1280, 768, 360):
            page.set_viewport_size({"width": width, "height": 800})
            faults += [f"{address} at {width}: {fault}" for fault in page.evaluate(LOOK)]
        faults += [f"{address}: {fault}" for fault in page.evaluate(TAPPED)]
    assert faults == [], "\n".join(faults)
    assert [url for url in asked if urlsplit(url).netloc != host] == []


def test_the_first_view_of_the_standings_is_light(page: Page, live_server):
    """As a server sends it that compresses: a page of 100 players, the styles, scripts and fonts."""
    league = make_league("light", name="Световни серии", language="bg", timezone="Europe/Sofia")
    today = timezone.now().date()
    season = make_season(league, slug="now", starts_on=today - timedelta(days=40), ends_on=today)
    players = make_players(league, *map(" ".join, product(FIRST_NAMES, LAST_NAMES)))
    random = Random(1)
    for number in range(120):
        sides = [(player, random.randrange(900)) for player in random.sample(players, 12)]
        make_game(season, *sides, played_at=season.starts_at + timedelta(hours=8 * number))
    replayed(season)
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - a method is wrapped
    page.goto(f"{live_server.url}/light/now/", wait_until="load")
    page.evaluate("document.fonts.ready")
    sizes = {answer.url: size(answer) for answer in answers}
    assert sum(sizes.values()) <= FIRST_VIEW, sizes
    assert any(".woff2" in url for url in sizes)
    expect(page.locator("#table tbody tr")).to_have_count(100)
    expect(page.locator(".sparkline")).to_have_count(100)


def size(answer: Response) -> int:
    body = answer.body()
    is_packed = answer.url.endswith(tuple(settings.WHITENOISE_SKIP_COMPRESS_EXTENSIONS))
    return len(body) if is_packed else len(gzip.compress(body))


def test_everything_of_the_table_is_reached_by_keyboard(page: Page, live_server):
    full("en")
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{live_server.url}/full/now/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Prizes")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Prizes")).not_to_be_visible()
    page.locator("#sort-rating").focus()
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort]")).to_have_text("Rating")
    expect(page.locator("#sort-rating")).to_be_focused()
    page.get_by_role("searchbox", name="Search players").focus()
    page.keyboard.type("isik")
    expect(page.locator("#table tbody tr")).to_have_count(1)
    page.get_by_text("What the columns say").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#legend dd").first).to_be_visible()


def test_r114_on_a_phone_place_name_and_score_are_seen(page: Page, live_server):
    full("en")
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{live_server.url}/full/now/")
    row = page.locator("#table tbody tr").first
    for column in ("place", "score"):
        expect(row.locator(f"td.{column}")).to_be_in_viewport()
    expect(row.locator(".name")).to_be_in_viewport()
