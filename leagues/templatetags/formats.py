"""Filters for numbers, dates and times in the reader's language; built into every template."""

from datetime import date, datetime, tzinfo

from django import template

from leagues import formats
from leagues.formats import Number

register = template.Library()


@register.filter
def rating(tenths: int | None) -> str:
    return formats.format_rating(tenths)


@register.filter
def setting(tenths: int | None) -> str:
    return formats.format_setting(tenths)


@register.filter
def change(tenths: int | None) -> str:
    return formats.format_change(tenths)


@register.filter
def decimals(value: Number | None, digits: int = 1) -> str:
    return formats.format_decimals(value, digits)


@register.filter
def signed(value: Number | None, digits: int = 1) -> str:
    return formats.format_signed(value, digits)


@register.filter
def added(value: Number | None, digits: int = 1) -> str:
    return formats.format_added(value, digits)


@register.filter
def percent(written: str) -> str:
    return formats.format_percent(written)


@register.filter
def points(value: int | None) -> str:
    return formats.format_number(value)


@register.filter
def number(value: Number | None) -> str:
    return formats.format_number(value)


@register.filter
def day(value: date | None) -> str:
    return formats.format_day(value)


@register.filter
def short_day(value: date | None) -> str:
    return formats.format_short_day(value)


@register.filter
def moment(value: datetime | None) -> str:
    return formats.format_moment(value)


@register.filter
def short_moment(value: datetime | None) -> str:
    return formats.format_short_moment(value)


@register.filter
def played(value: datetime | None) -> str:
    return formats.format_played(value)


@register.filter
def clock(value: datetime | None) -> str:
    """The time of day; nothing where only the day is told."""
    return formats.format_clock(value) if formats.has_clock(value) else ""


@register.filter
def zone(value: tzinfo | None) -> str:
    return formats.format_zone(value)


@register.filter
def iso(value: date | None) -> str:
    return formats.format_iso(value)
