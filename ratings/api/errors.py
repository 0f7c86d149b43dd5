"""What the API answers where it does not give what was asked."""

from __future__ import annotations

from typing import Any

from ninja.errors import HttpError
from pydantic import BaseModel, Field


class Refusal(BaseModel):
    detail: str = Field(description="a sentence")


class Problem(BaseModel):
    field: str = Field(
        description="limit, Idempotency-Key, If-Match, or in a body like sides[0].points; empty: all of it"
    )
    message: str = Field(description="a sentence")


class Problems(BaseModel):
    """Everything that is wrong at once. Nothing was written."""

    detail: list[Problem]


class ProblemsError(HttpError):
    """Bad input; answered with 422."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(422, " ".join(problem.message for problem in problems))
        self.problems = problems


# By status, what every address of its kind answers besides.
READING: dict[int, Any] = {301: None, 304: None, 401: Refusal, 404: Refusal, 422: Problems}
WRITING: dict[int, Any] = {
    308: None,
    400: Refusal,
    401: Refusal,
    403: Refusal,
    404: Refusal,
    409: Refusal,
    413: Refusal,
    422: Problems,
    429: Refusal,
}
CORRECTING: dict[int, Any] = WRITING | {412: Refusal}
