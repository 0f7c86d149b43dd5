"""What a transaction knows of a season, that it is open, ends with the transaction."""

from contextlib import nullcontext

import pytest
from django.db import connection, transaction

from leagues.models import Game, SeasonClosedError
from leagues.services.audit import lock_season
from tests.factories import make_season


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", ["commit", "rollback", "savepoint"])
def test_what_a_transaction_knew_ends_with_it(end: str) -> None:
    season = make_season()
    game = Game(season=season, played_at=season.starts_at, order=1, key="1" * 32)

    with transaction.atomic() if end == "savepoint" else nullcontext():
        with transaction.atomic():
            lock_season(season)
            transaction.set_rollback(end != "commit")
        with connection.cursor() as cursor:  # somebody else closes it
            cursor.execute("UPDATE leagues_season SET state = 'closed'")
        with pytest.raises(SeasonClosedError):
            game.save()
