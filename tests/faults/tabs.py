"""Two connections save forms of one player at once: python -m tests.faults tabs. Prints JSON.

Each round two tabs are opened, and sent at the same moment; then the same with forms that do not say what
they were filled with.
"""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection
from django.test import Client, override_settings

from leagues.models import Player
from leagues.tenancy.seen import SEEN
from tests.factories import make_league, make_players, make_user
from tests.tabs import filled

ROUNDS = 8


def main() -> None:
    owner = make_user("owner")
    (player,) = make_players(make_league("club", owner=owner), "Ann")
    tabs = [Client(), Client()]
    for tab in tabs:
        tab.force_login(owner)
    with override_settings(ALLOWED_HOSTS=["*"], CHANGES_PER_MINUTE=1000):
        print(json.dumps([list(rounds(player, tabs, says=says)) for says in (True, False)]))  # noqa: T201


def rounds(player: Player, tabs: list[Client], *, says: bool) -> Iterator[list[int]]:
    """The statuses of the two answers of each round, the lesser first."""
    address = f"/admin/leagues/player/{player.pk}/change/"
    both = Barrier(2, timeout=60)

    def send(tab: Client, form: dict[str, str]) -> int:
        both.wait()
        try:
            return tab.post(address, form).status_code
        finally:
            connection.close()

    for number in range(ROUNDS):
        forms = [filled(tab, address, birth_year=str(1950 + 2 * number + i)) for i, tab in enumerate(tabs)]
        if not says:
            for form in forms:
                del form[SEEN]
        with ThreadPoolExecutor(2) as pool:
            yield sorted(pool.map(send, tabs, forms))
