"""A process that makes one change of many seasons: python -m tests.faults mover PLAYER FILE.

Writes to the file the seconds until the answer.
"""

from pathlib import Path
from time import monotonic

from leagues.models import Player
from leagues.services import update_player


def main(player_id: str, file: str) -> None:
    player = Player.objects.get(pk=player_id)
    before = monotonic()
    update_player(player=player, name=player.name, birth_year=(player.birth_year or 1989) + 1, by=None)
    Path(file).write_text(f"{monotonic() - before:.3f}")
