"""Numbers, dates and times as the reader's language writes them, for pages, tables and mails.

`language` is a Django language code, by default the active one; times are shown in `zone`, by default
Django's current one. None is shown as a dash. Not for addresses, SVG, CSV or JSON: machines read
plain numbers.
"""

import math
from collections.abc import Callable
from datetime import date, datetime, tzinfo
from decimal import Decimal
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, get_timezone_name
from babel.numbers import format_decimal
from django.conf import settings
from django.utils import timezone
from django.utils.translation import get_language

NOTHING = "–"
MINUS = "−"

Number = int | float | Decimal
T = TypeVar("T")
P = ParamSpec("P")


def _or_dash(write: Callable[Concatenate[T, P], str]) -> Callable[Concatenate[T | None, P], str]:
    """Writes a dash for None, for the "" that templates make of what does not exist, and for no number."""

    @wraps(write)
    def written(value: T | None, /, *args: P.args, **kwargs: P.kwargs) -> str:
        is_no_number = isinstance(value, float | Decimal) and not math.isfinite(value)
        return NOTHING if value is None or value == "" or is_no_number else write(value, *args, **kwargs)

    return written


@_or_dash
def format_rating(tenths: int, language: str | None = None) -> str:
    """A rating in tenths of a point: 15233 is 1523.3, in Bulgarian and Turkish 1523,3."""
    whole, tenth = divmod(abs(tenths), 10)
    return f"{MINUS if tenths < 0 else ''}{whole}{_comma(language)}{tenth}"


@_or_dash
def format_setting(tenths: int, language: str | None = None) -> str:
    """A rating or a difference of them that somebody chose, whole where it is: 1500, 1512.5."""
    return str(tenths // 10).replace("-", MINUS) if tenths % 10 == 0 else format_rating(tenths, language)


@_or_dash
def format_change(tenths: int, language: str | None = None) -> str:
    """A rating change in tenths of a point, with its sign: +5.6, −5.6, 0.0."""
    return f"{'+' if tenths > 0 else ''}{format_rating(tenths, language)}"


@_or_dash
def format_decimals(value: Number, digits: int = 1, language: str | None = None) -> str:
    """A number with a fixed number of decimals and no grouping."""
    return f"{value:z.{digits}f}".replace("-", MINUS).replace(".", _comma(language))


@_or_dash
def format_signed(value: Number, digits: int = 1, language: str | None = None) -> str:
    """A number with a fixed number of decimals and its sign, none where it rounds to zero."""
    written = format_decimals(value, digits, language)
    is_positive = value > 0 and any(digit in "123456789" for digit in written)
    return f"+{written}" if is_positive else written


@_or_dash
def format_added(value: Number, digits: int = 1, language: str | None = None) -> str:
    """A number as a sum adds it or takes it away, its sign apart: + 5.6, − 5.6."""
    return f"{MINUS if value < 0 else '+'} {format_decimals(value, digits, language).removeprefix(MINUS)}"


@_or_dash
def format_percent(written: str, language: str | None = None) -> str:
    """A number that is written already, as a percentage: +5%, in Turkish +%5."""
    if (language or get_language()) != "tr":
        return f"{written}%"
    sign = written[: len(written) - len(written.lstrip(f"+{MINUS}"))]
    return f"{sign}%{written.removeprefix(sign)}"


@_or_dash
def format_number(value: Number, language: str | None = None) -> str:
    """A number with the language's grouping, and decimals (at most three) only where it has some."""
    return format_decimal(value, locale=_locale(language)).replace("-", MINUS)


@_or_dash
def format_ordinal(value: int, language: str | None = None) -> str:
    """A place as a word with a number in it: 3rd; in Bulgarian 3-то, as “място” takes it; in Turkish 3."""
    language = language or get_language() or settings.LANGUAGE_CODE
    ending = {"en": _english_ending, "bg": _bulgarian_ending}.get(language, lambda _value: ".")
    return f"{value}{ending(value)}"


def _english_ending(value: int) -> str:
    return "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")


def _bulgarian_ending(value: int) -> str:
    if value % 100 == 0:  # сто и хиляда
        return "-но" if value % 1000 == 0 else "-тно"
    is_teen = value % 100 // 10 == 1
    return "-то" if is_teen else {1: "-во", 2: "-ро", 7: "-мо", 8: "-мо"}.get(value % 10, "-то")


@_or_dash
def format_day(value: date, language: str | None = None, zone: tzinfo | None = None) -> str:
    """A date written out: 29 ноември 2026 г."""
    return _format_date(value, "long", language, zone)


@_or_dash
def format_short_day(value: date, language: str | None = None, zone: tzinfo | None = None) -> str:
    """A date for tables: 29.11.2026 г., 29 Nov 2026."""
    return _format_date(value, "medium", language, zone)


@_or_dash
def format_moment(value: datetime, language: str | None = None, zone: tzinfo | None = None) -> str:
    """A date and time of day: 29 ноември 2026 г., 18:05."""
    return f"{format_day(value, language, zone)}, {format_clock(value, zone)}"


@_or_dash
def format_short_moment(value: datetime, language: str | None = None, zone: tzinfo | None = None) -> str:
    """A date and time of day for lists: 29.11.2026 г., 18:05."""
    return f"{format_short_day(value, language, zone)}, {format_clock(value, zone)}"


@_or_dash
def format_played(value: datetime, language: str | None = None, zone: tzinfo | None = None) -> str:
    """When a game was played. A file or a line may tell the day alone, which is kept as its midnight."""
    return (
        format_moment(value, language, zone) if has_clock(value, zone) else format_day(value, language, zone)
    )


def has_clock(value: datetime | None, zone: tzinfo | None = None) -> bool:
    """Whether more is told than a day."""
    return format_clock(value, zone) != "00:00"


@_or_dash
def format_clock(value: datetime, zone: tzinfo | None = None) -> str:
    """The time of day, 18:05, in every language."""
    return _local(value, zone).strftime("%H:%M")


def format_zone(zone: tzinfo | None = None, language: str | None = None) -> str:
    """A time zone's name, by default the current one's: Eastern European Time (Europe/Sofia)."""
    zone = zone or timezone.get_current_timezone()
    if "/" not in str(zone) or str(zone).startswith("Etc/"):
        return str(zone)  # of no place: UTC
    return f"{get_timezone_name(zone, locale=_locale(language))} ({zone})"


def format_iso(value: date | None) -> str:
    """For the datetime attribute of <time>; empty for None, as a dash is no time."""
    if not value:
        return ""
    local = _local(value)
    return local.isoformat(timespec="seconds") if isinstance(local, datetime) else local.isoformat()


def _format_date(value: date, length: str, language: str | None, zone: tzinfo | None) -> str:
    text = format_date(_local(value, zone), length, locale=_locale(language))
    return text.replace("\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}")  # the font has no narrow one


def _local(value: date, zone: tzinfo | None = None) -> date:
    """The time in the zone, by default the current one, which on a league's pages is the league's."""
    if isinstance(value, datetime) and timezone.is_aware(value):
        return timezone.localtime(value, zone)
    return value


def _locale(language: str | None) -> Locale:
    return _known_locale(language or get_language() or settings.LANGUAGE_CODE)


@lru_cache
def _known_locale(language: str) -> Locale:
    # British English puts the day first and counts 24 hours, as the other languages of the site do.
    try:
        return Locale.parse("en-GB" if language == "en" else language, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale("en", "GB")


def _comma(language: str | None) -> str:
    return _known_comma(language or get_language() or settings.LANGUAGE_CODE)


@lru_cache
def _known_comma(language: str) -> str:
    decimal: str = _known_locale(language).number_symbols["latn"]["decimal"]
    return decimal
