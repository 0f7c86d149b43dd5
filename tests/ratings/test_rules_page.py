"""The rulebook of a season, computed from its settings."""

import html
import re
from decimal import Decimal

import pytest
from django.conf import settings
from django.urls import reverse

from leagues.models import Role, Season
from leagues.services import update_season
from ratings.models import PrizeTier, RuleSet
from ratings.services.rules import change_prize_tiers, change_rules
from tests.factories import make_league, make_organizer, make_players, make_season

pytestmark = pytest.mark.django_db


def page(client, season, language="en"):
    """The text of the page, without its markup and with runs of white space as one."""
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    address = reverse("ratings:rules", kwargs={"league": season.league.slug, "season": season.slug})
    response = client.get(address)
    assert response.status_code == 200
    told = re.sub(r"<[^>]+>", " ", response.content.decode().partition("<main")[2])
    return " ".join(html.unescape(told).split())


def header_of(client, season):
    """What stands above the rules, with its markup."""
    address = reverse("ratings:rules", kwargs={"league": season.league.slug, "season": season.slug})
    return client.get(address).content.decode().partition("<main")[0]


def test_a_wsd_season_shows_the_numbers_of_its_rulebook(client, season):
    text = page(client, season)
    for row in (
        "1 0.400× +2.0 −2.0 linear",
        "500 4.000× +20.0 −20.0 threshold",
        "1,500 25.010× +125.1 −125.1 exponential",
        "Table 2: underdog wins (+8%)",
        "100 +5.6 +6.0 +0.4",
        "+200.0 0.760 0.578 0.84× −16%",
        "Two wins by 50 points bring +7.5 together, one win by 100 brings +5.6.",
        "Zahari (1400.0) beats Valya (1600.0) by 100: +6.4",
        "Zahari and Valya: +17.9 points each; Marina and Dobri: −17.9 points each.",
        "1540.0 250 +3.1 1543.1",
        "75 100.0% – 1600.0",
        "200 100.0% +5.0% 1680.0",
        "Marina 1600.0 → 1615.0, Zahari 1500.0 → 1485.0.",
        "At least 75 games to be classified.",
        "At least 4 games against every player.",
    ):
        assert row in text, row
    # The readings that were chosen: docs/rating.md, section 3, C1 and C7.
    assert "Here: 0.3 is kept." in text
    assert "Here: M = 3.28 throughout: +15.0." in text


def test_the_curve_of_margins_ends_where_its_table_does(client, season):
    """2,000 points, +312.7: on a scale that ends at 400 that is 21.83 % from the top."""
    response = client.get(reverse("ratings:rules", args=[season.league.slug, season.slug]))
    drawn = response.context["margin_curve"]
    assert drawn.ticks[-1] == ("100%", 2_000)
    assert drawn.grid[-1].points == 400
    assert drawn.first.endswith("L1000 21.83")
    assert f'd="{drawn.first}"' in response.content.decode()


def test_r44_the_text_follows_the_settings(client, season):
    change_rules(
        season=season,
        by=None,
        values={"k": Decimal(20), "keep": Decimal("0.5"), "curve": "table", "min_games": 50, "bonus": 0},
    )
    text = page(client, season)
    for row in (
        "K-factor 20",
        "Lowers the effect of the rating difference by 50%",
        "500 4.000× +40.0 −40.0 threshold",
        "Table 2: underdog wins (+14%)",
        "Marina 1600.0 → 1628.2, Zahari 1500.0 → 1471.8.",  # 20 × 3.2786 × 0.43 = 28.19
        "At least 50 games to be classified.",
        "Here: the table; no limit; 0.4 for a draw.",
    ):
        assert row in text, row
    assert "Activity bonus" not in text


def test_a_ladder_season_shows_the_numbers_of_its_text(client):
    text = page(client, make_season(make_league(), preset="ranked-battle"))
    for row in (
        "has an expected score of 0.360, the other 0.640",
        "200 0.760 0.240",
        "20 1512.8 1587.2 1502.8 1597.2 1492.8 1607.2",
        "40 1525.6 1574.4",
        "1500 ≤ x ≤ 1700",
        "15 + 15",
        "Nothing is required for a place.",
        "A player rated 100 higher is expected to win 64% of the battles; one rated 200 higher, 76%.",
        "Upsets count more: 400 apart, the lower player gains +18.2 by winning, the higher one +1.8.",
        "100 +12.8 +2.8 +7.2 −2.8",
        "so it is from a difference of 1040.4, where the gain is rounded to 0.",
        "Time to answer 2 days",
        "Rematch at once",
    ):
        assert row in text, row
    assert "Margin multiplier" not in text


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("bg", ["Основни параметри", "Смекчаване на рейтинга 0,3", "Краен резултат: Марина 1600,0 → 1615,0",
                "Минимум 4 изиграни игри срещу всеки играч.", "Отборни игри"]),
        ("tr", ["Temel parametreler", "Marina 1600,0 → 1615,0", "Takım maçları"]),
    ],
)  # fmt: skip
def test_the_rulebook_in_the_readers_language(client, season, language, expected):
    text = page(client, season, language)
    for row in expected:
        assert row in text, row


def test_the_prizes_are_told_as_of_now(client, season):
    for player in make_players(season.league, "Ann", "Bob"):
        season.entries.create(player=player)
    tier = PrizeTier(name="Ticket", first_place=1, last_place=1, amount=1000, per_participant=True, unit="km")
    change_prize_tiers(season=season, by=None, saved=[tier])
    assert "Ticket place 1" in page(client, season)


def test_the_organizers_own_text_stands_above(client, season):
    assert "From the organizers" not in page(client, season)
    update_season(season=season, by=None, rules_text="# Fees\n\n**None.** <script>x</script>")
    address = reverse("ratings:rules", kwargs={"league": season.league.slug, "season": season.slug})
    content = client.get(address).content.decode()
    assert "<h3>Fees</h3>" in content
    assert "<strong>None.</strong> &lt;script&gt;x&lt;/script&gt;" in content
    assert content.count("<h1") == 1


def test_managers_are_led_to_the_settings(client, season):
    told = "Change the rules"
    assert told not in header_of(client, season)
    client.force_login(make_organizer(season.league, role=Role.SCORER))
    assert told not in header_of(client, season)
    client.force_login(make_organizer(season.league, role=Role.MANAGER))
    address = reverse("ratings:rules-update", kwargs={"league": season.league.slug, "season": season.slug})
    assert f'href="{address}">{told}' in header_of(client, season)


def test_without_teams_or_weight_their_chapters_are_left_out(client, season):
    Season.objects.filter(pk=season.pk).update(team_max=1)
    change_rules(season=season, by=None, values={"full_weight_games": 0, "bonus": 0})
    text = page(client, season)
    assert "Team games" not in text.partition("General principles")[0]
    assert "The season score is the rating." in text


def test_rules_that_cannot_be_read_are_no_error_page(client, season):
    RuleSet.objects.filter(season=season).update(k=Decimal("-1"))
    assert "The rules of this season cannot be read at the moment" in page(client, season)


def test_numbers_lead_to_the_calculator(client, season):
    address = reverse("ratings:rules", kwargs={"league": season.league.slug, "season": season.slug})
    links = re.findall(r'href="([^"]+calculator/\?[^"]+)"', client.get(address).content.decode())
    assert any("side1=~1400&amp;points1=100&amp;side2=~1500&amp;points2=0" in link for link in links)
    answer = client.get(html.unescape(links[0]))
    assert answer.status_code == 200
    assert answer.context["what_if"] is not None
