"""The progress bar of commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from leagues.progress import Step, Watcher, watched_by

FORMAT = "{desc}: {percentage:3.0f}% |{bar:40}|"


class _Bar(Watcher):
    """Shows one stage after the other in one line of a terminal."""

    seconds = 0.2
    line: tqdm | None = None

    def show(self, step: Step) -> None:
        stage = str(step.stage.label)
        if self.line is None:
            self.line = tqdm(desc=stage, total=step.total, initial=step.done, leave=False, bar_format=FORMAT)
        self.line.set_description_str(stage, refresh=False)
        self.line.total, self.line.n = step.total, step.done
        self.line.refresh()


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show somebody at a terminal how far the work of this block has come; gone when it is done.

    It is written to standard error where that is a terminal, else not at all.
    """
    if not sys.stderr.isatty():
        yield
        return
    bar = _Bar()
    try:
        with watched_by(bar):
            yield
    finally:
        if bar.line is not None:
            bar.line.close()
