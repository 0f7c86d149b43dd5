"""Numbers, dates and times as the reader's language writes them, for pages, tables and mails.

`language` is a Django language code, by default the active one. None is shown as a dash. Not for addresses,
SVG, CSV or JSON: machines read plain numbers.
"""

import math
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TypeGuard, TypeVar

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import format_decimal
from django.conf import settings
from django.utils import timezone
from django.utils.translation import get_language

NOTHING = "–"
MINUS = "−"

Number = int | float | Decimal
T = TypeVar("T")


def format_rating(tenths: int | None, language: str | None = None) -> str:
    """A rating in tenths of a point: 15233 is 1523.3, in Bulgarian and Turkish 1523,3."""
    if not _exists(tenths):
        return NOTHING
    whole, tenth = divmod(abs(tenths), 10)
    return f"{MINUS if tenths < 0 else ''}{whole}{_comma(language)}{tenth}"


def format_change(tenths: int | None, language: str | None = None) -> str:
    """A rating change in tenths of a point, with its sign: +5.6, −5.6, 0.0."""
    if not _exists(tenths):
        return NOTHING
    return f"{'+' if tenths > 0 else ''}{format_rating(tenths, language)}"


def format_decimals(value: Number | None, digits: int = 1, language: str | None = None) -> str:
    """A number with a fixed number of decimals and no grouping."""
    if not _exists(value):
        return NOTHING
    written = f"{value:.{digits}f}"
    sign = MINUS if written.startswith("-") and written.strip("-0.") else ""
    return sign + written.removeprefix("-").replace(".", _comma(language))


def format_signed(value: Number | None, digits: int = 1, language: str | None = None) -> str:
    """A number with a fixed number of decimals and its sign, none where it rounds to zero."""
    written = format_decimals(value, digits, language)
    is_positive = _exists(value) and value > 0 and any(digit in "123456789" for digit in written)
    return f"+{written}" if is_positive else written


def format_number(value: Number | None, language: str | None = None) -> str:
    """A number with the language's grouping, and decimals (at most three) only where it has some."""
    if not _exists(value):
        return NOTHING
    return format_decimal(value, locale=_locale(language)).replace("-", MINUS)


def format_percent(value: Number | None, digits: int = 0, language: str | None = None) -> str:
    """A fraction as percent: 0.634 is 63%, in Turkish %63."""
    if not _exists(value):
        return NOTHING
    locale = _locale(language)
    written = locale.percent_formats[None].apply(value, locale, force_frac=(digits, digits))
    return written.replace("-", MINUS)


def format_day(value: date | None, language: str | None = None) -> str:
    """A date written out: 29 ноември 2026 г."""
    return format_date(_local(value), "long", locale=_locale(language)) if _exists(value) else NOTHING


def format_short_day(value: date | None, language: str | None = None) -> str:
    """A date for tables: 29.11.2026 г., 29 Nov 2026."""
    return format_date(_local(value), "medium", locale=_locale(language)) if _exists(value) else NOTHING


def format_moment(value: datetime | None, language: str | None = None) -> str:
    """A date and time of day: 29 ноември 2026 г., 18:05."""
    return f"{format_day(value, language)}, {format_clock(value)}" if _exists(value) else NOTHING


def format_clock(value: datetime | None) -> str:
    """The time of day, 18:05, in every language."""
    return _local(value).strftime("%H:%M") if _exists(value) else NOTHING


def format_iso(value: date | None) -> str:
    """For the datetime attribute of <time>; empty for None, as a dash is no time."""
    if not _exists(value):
        return ""
    local = _local(value)
    return local.isoformat(timespec="seconds") if isinstance(local, datetime) else local.isoformat()


def _exists(value: T | None) -> TypeGuard[T]:
    """Templates hand over "" for what does not exist."""
    return not (
        value is None or value == "" or (isinstance(value, float | Decimal) and not math.isfinite(value))
    )


def _local(value: date) -> date:
    """The time in the current zone, which is the league's."""
    if isinstance(value, datetime) and timezone.is_aware(value):
        return timezone.localtime(value)
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
    return _locale(language).number_symbols["latn"]["decimal"]
