"""What a measure is, and how two timings become one ratio."""

import gc
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

QUICK = os.environ.get("QUICK", "0") not in ("", "0")

# A process of its own says at its end by this how much it ever held, in KiB. What wait4 says of a child
# includes what its parent held when it was started.
SAY_PEAK = 'print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))'

Clock = Callable[[], float]
Timed = Callable[[], float]  # does its work and returns the seconds that count


@dataclass(frozen=True, slots=True)
class Measure:
    """A measured value and what it should be, as ``<= 2.0`` or ``>= 1.5``."""

    measure: str
    value: float
    goal: str | None = None
    unit: str = "ratio"

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        direction, limit = self.goal.split()
        return self.value <= float(limit) if direction == "<=" else self.value >= float(limit)


def seconds(action: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    """How long an action takes, without the garbage of what came before it."""
    gc.collect()
    start = clock()
    action()
    return clock() - start


def ratio(measured: Timed, against: Timed, *, rounds: int = 3) -> float:
    """The median of one timing divided by that of the other, both taken in turn."""
    pairs = [(measured(), against()) for _ in range(rounds)]
    return median(pair[0] for pair in pairs) / median(pair[1] for pair in pairs)
