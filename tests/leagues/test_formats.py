"""Numbers, dates and times as each language writes them."""

from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.template import Context, Engine
from django.utils import timezone, translation

from leagues import formats

EVENING = datetime(2026, 11, 29, 16, 5, tzinfo=UTC)


def render(template: str, **context: object) -> str:
    engine = Engine(builtins=["leagues.templatetags.formats"])
    return engine.from_string(template).render(Context(context))


@pytest.mark.parametrize(
    ("language", "tenths", "text"),
    [
        ("en", 15233, "1523.3"),
        ("bg", 15233, "1523,3"),
        ("tr", 15233, "1523,3"),
        ("en", 15000, "1500.0"),
        ("en", 123456, "12345.6"),
        ("en", -125, "−12.5"),
        ("en", -5, "−0.5"),
        ("en", 0, "0.0"),
        ("en", None, "–"),
    ],
)
def test_a_rating_has_one_decimal_and_no_grouping(language: str, tenths: int | None, text: str) -> None:
    assert formats.format_rating(tenths, language) == text


@pytest.mark.parametrize(
    ("language", "tenths", "text"),
    [("en", 56, "+5.6"), ("bg", -56, "−5,6"), ("tr", 1, "+0,1"), ("en", 0, "0.0"), ("en", None, "–")],
)
def test_a_change_has_its_sign(language: str, tenths: int | None, text: str) -> None:
    assert formats.format_change(tenths, language) == text


@pytest.mark.parametrize(
    ("value", "digits", "plain", "signed"),
    [
        (12.345, 2, "12.35", "+12.35"),
        (-0.5, 1, "−0.5", "−0.5"),
        (-0.04, 1, "0.0", "0.0"),
        (0.04, 1, "0.0", "0.0"),
        (1234.5, 1, "1234.5", "+1234.5"),
        (3, 0, "3", "+3"),
        (Decimal("-2.50"), 2, "−2.50", "−2.50"),
        (float("nan"), 1, "–", "–"),
        (None, 1, "–", "–"),
    ],
)
def test_decimals_are_fixed_and_zero_has_no_sign(
    value: float | None, digits: int, plain: str, signed: str
) -> None:
    assert formats.format_decimals(value, digits, "en") == plain
    assert formats.format_signed(value, digits, "en") == signed


@pytest.mark.parametrize(
    ("language", "value", "text"),
    [
        ("en", 49520, "49,520"),
        ("bg", 49520, "49\u00a0520"),
        ("tr", 49520, "49.520"),
        ("en", -49520, "−49,520"),
        ("en", 7, "7"),
        ("bg", Decimal("1234567.5"), "1\u00a0234\u00a0567,5"),
        ("en", None, "–"),
    ],
)
def test_numbers_are_grouped(language: str, value: int | None, text: str) -> None:
    assert formats.format_number(value, language) == text


@pytest.mark.parametrize(
    ("language", "day", "short_day"),
    [
        ("bg", "29 ноември 2026\u00a0г.", "29.11.2026\u00a0г."),
        ("en", "29 November 2026", "29 Nov 2026"),
        ("tr", "29 Kasım 2026", "29 Kas 2026"),
    ],
)
def test_dates_and_times_in_the_current_zone(language: str, day: str, short_day: str) -> None:
    with timezone.override(ZoneInfo("Europe/Sofia")):
        assert formats.format_day(EVENING, language) == day
        assert formats.format_day(date(2026, 11, 29), language) == day
        assert formats.format_short_day(EVENING, language) == short_day
        assert formats.format_moment(EVENING, language) == f"{day}, 18:05"
        assert formats.format_clock(EVENING) == "18:05"


def test_a_late_evening_is_the_next_day_further_east() -> None:
    late = datetime(2026, 12, 24, 22, 30, tzinfo=UTC)
    with timezone.override(ZoneInfo("Europe/Sofia")):
        assert formats.format_day(late, "en") == "25 December 2026"
    assert formats.format_day(late, "en") == "24 December 2026"
    assert formats.format_moment(late, "en", zone=ZoneInfo("Europe/Sofia")) == "25 December 2026, 00:30"


def test_machines_read_times_with_their_offset() -> None:
    with timezone.override(ZoneInfo("Europe/Sofia")), translation.override("bg"):
        assert formats.format_iso(EVENING) == "2026-11-29T18:05:00+02:00"
    assert formats.format_iso(date(2026, 11, 29)) == "2026-11-29"
    assert formats.format_iso(None) == ""


def test_an_unknown_language_is_written_like_english() -> None:
    assert formats.format_rating(15233, "xx-nonsense") == "1523.3"


FILTERS = {
    "{{ v|rating }}": (15233, "1523,3"),
    "{{ v|change }}": (-56, "−5,6"),
    "{{ v|decimals:2 }}": (0.5, "0,50"),
    "{{ v|signed:1 }}": (0.5, "+0,5"),
    "{{ v|added:1 }}": (-0.5, "− 0,5"),
    "{{ v|points }}": (1500, "1.500"),
    "{{ v|number }}": (1500, "1.500"),
    "{{ v|day }}": (EVENING, "29 Kasım 2026"),
    "{{ v|short_day }}": (EVENING, "29 Kas 2026"),
    "{{ v|moment }}": (EVENING, "29 Kasım 2026, 16:05"),
    "{{ v|clock }}": (EVENING, "16:05"),
    "{{ v|iso }}": (EVENING, "2026-11-29T16:05:00+00:00"),
}


def test_a_game_of_which_only_the_day_is_told_has_no_time_of_day() -> None:
    midnight = datetime(2026, 11, 28, 22, tzinfo=UTC)  # in Sofia
    template = "{{ at|played }} / {{ at|clock }}"
    with timezone.override(ZoneInfo("Europe/Sofia")), translation.override("en"):
        assert render(template, at=midnight) == "29 November 2026 / "
        assert render(template, at=EVENING) == "29 November 2026, 18:05 / 18:05"
        assert render("{{ at|moment }}", at=midnight) == "29 November 2026, 00:00"
        assert render("{{ at|played }}", at=None) == "–"


@pytest.mark.parametrize("template", FILTERS)
def test_filters_write_the_active_language(template: str) -> None:
    value, text = FILTERS[template]
    with translation.override("tr"):
        assert render(template, v=value) == text


@pytest.mark.parametrize("template", FILTERS)
def test_filters_show_a_dash_for_nothing(template: str) -> None:
    nothing = "" if "iso" in template else "–"
    assert render(template, v=None) == nothing
    assert render(template) == nothing


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en", "Eastern European Time (Europe/Sofia)"),
        ("bg", "Източноевропейско време (Europe/Sofia)"),
        ("tr", "Doğu Avrupa Saati (Europe/Sofia)"),
    ],
)
def test_a_zone_is_named_in_the_language(language: str, name: str) -> None:
    assert formats.format_zone(ZoneInfo("Europe/Sofia"), language) == name


def test_a_zone_without_a_name_is_told_by_its_own() -> None:
    assert formats.format_zone(ZoneInfo("Etc/GMT+3"), "en") == "Etc/GMT+3"
    assert formats.format_zone(ZoneInfo("UTC"), "tr") == "UTC"


def test_a_setting_is_whole_where_it_can_be():
    assert formats.format_setting(15_000, "en") == "1500"
    assert formats.format_setting(-1_000, "en") == f"{formats.MINUS}100"
    assert formats.format_setting(15_125, "bg") == "1512,5"


def test_the_sign_of_percent_stands_where_the_language_has_it():
    assert formats.format_percent("+16", "en") == formats.format_percent("+16", "bg") == "+16%"
    assert formats.format_percent("+16", "tr") == "+%16"
    assert formats.format_percent(f"{formats.MINUS}8,5", "tr") == f"{formats.MINUS}%8,5"
    assert formats.format_percent("70", "tr") == "%70"
