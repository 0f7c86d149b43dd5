"""Fills a new database with the season of the fault tests: python -m tests.faults seed. Prints JSON."""

import json

from tests.faults.conftest import PLAYERS, entered_season


def main() -> None:
    season = entered_season(*PLAYERS)
    print(json.dumps([season.pk, season.revision]))  # noqa: T201
