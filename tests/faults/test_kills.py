"""Writers, workers, beat and readers that are killed at any moment, and started again."""

from random import Random

import pytest

from leagues.models import Season
from tests.faults.company import Company, assert_nothing_lost_and_nothing_mixed
from tests.faults.conftest import BEAT, SECONDS, WORKER
from tests.processes import Processes, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.pg, pytest.mark.redis, pytest.mark.django_db(transaction=True)]

# What make test can afford is a smaller company for a shorter time.
WRITERS, WORKERS, READERS = (4, 3, 2) if SECONDS >= 30 else (2, 2, 1)
OTHERS = [(f"-m {WORKER}", " ready.")] * WORKERS + [(f"-m {BEAT}", "Sending due task")]


def test_rc_02_ft_02_ft_14_r10_nothing_is_lost_and_nothing_is_mixed(season: Season, queueing: Processes):
    company = Company(queueing, (season.pk, season.revision), OTHERS, writers=WRITERS, readers=READERS)
    company.start()
    kills = company.suffer(SECONDS, Random(3))
    company.end_writers()
    assert_nothing_lost_and_nothing_mixed(company, company.level(), kills + WRITERS)


def test_control_a_writer_that_acknowledges_before_the_commit_loses_games(
    season: Season, queueing: Processes
):
    kinds = ("hasty", "")
    company = Company(queueing, (season.pk, season.revision), [], writers=1, readers=0, kinds=kinds)
    company.start()
    company.end_writers()
    assert company.acknowledged() - set(company.verdict()["games"]) != set()


def test_control_a_reader_of_no_single_moment_sees_a_mixture(season: Season, queueing: Processes):
    company = Company(
        queueing,
        (season.pk, season.revision),
        OTHERS[-2:],
        writers=1,
        readers=1,
        kinds=("", "piecemeal"),
    )
    company.start()
    wait_until(company.problems, "a mixture", *(part.process for part in company.all))
