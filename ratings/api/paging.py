"""Lists a piece at a time."""

from __future__ import annotations

from typing import Generic, TypeVar

from ninja import Schema
from pydantic import BaseModel, Field

T = TypeVar("T")

LARGEST_OFFSET = 1_000_000_000  # what every database can skip


class Page(Schema):
    """Which piece of a list is asked for."""

    limit: int = Field(100, ge=1, le=200, description="how many items at most")
    offset: int = Field(0, ge=0, le=LARGEST_OFFSET, description="how many items to skip")

    @property
    def slice(self) -> slice:
        return slice(self.offset, self.offset + self.limit)


class Items(BaseModel, Generic[T]):
    """A piece of a list, and how many items the whole list has."""

    count: int
    items: list[T]
