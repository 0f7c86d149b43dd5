"""How single values are written."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field, WithJsonSchema

from ratings.engine.types import Tenths

Rating = Annotated[float, Field(description="rating points, with one decimal")]
Moment = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
# Also keeps out what no address has: null bytes, and texts no database would take.
Slug = Annotated[str, Field(pattern="^[a-z0-9-]+$", max_length=80)]


def points(tenths: Tenths) -> float:
    """Tenths of a rating point as rating points."""
    return tenths / 10


def moment(value: datetime, zone: ZoneInfo) -> str:
    """A time as ISO 8601 with the zone's offset."""
    return value.astimezone(zone).isoformat()
