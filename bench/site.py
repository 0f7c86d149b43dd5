"""The measures that need the site, on the database of DATABASE_URL; prints them as JSON, one a line."""

import gc
import json
from collections.abc import Iterator
from dataclasses import asdict

from django.core.management import call_command
from django.test import override_settings

from bench import imports, ladder, pages, replay
from bench.timing import Measure
from leagues.signals import season_changed

# Pages find their static files without collecting them first.
STORAGES = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}


def measures() -> Iterator[Measure]:
    call_command("migrate", verbosity=0)
    # Replays are called where they are measured.
    season_changed.disconnect(dispatch_uid="replay after a change of facts")
    yield from imports.measures()
    yield from replay.measures()
    with override_settings(ROOT_URLCONF="bench.urls", STORAGES=STORAGES):
        yield from pages.measures()
        yield from ladder.measures()


def main() -> None:
    gc.freeze()  # what the site is made of is no garbage to look through before each timing
    for measure in measures():
        print(json.dumps(asdict(measure) | {"met": measure.met}), flush=True)
