"""`python -m bench.load`: prints a table, writes $VAR_DIR/load.json, and exits 1 if a promise was broken."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from statistics import quantiles
from threading import Event, Thread
from time import monotonic
from typing import Any

from bench.load.installation import ROOT, Installation
from bench.load.visitors import Log, Reader, Seen, Writer

SECONDS = float(os.environ.get("LOAD_SECONDS", "120"))
BURST = int(os.environ.get("LOAD_BURST", "1000"))
READERS = int(os.environ.get("LOAD_READERS", "100"))
WRITERS = int(os.environ.get("LOAD_WRITERS", "10"))
LINGER = min(SECONDS, 10)  # readers stay so long when organizers are done, to see the last games
LEVEL_SECONDS = 5


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started ends with us
    site = Installation(WRITERS)
    found = daily_life(site) | burst(site) | {"check": check(site)}
    for name, value in found.items():
        print(f"{name:<50} {value:.3f}" if isinstance(value, float) else f"{name:<50} {value}")
    file = Path(os.environ.get("VAR_DIR", ROOT / "var")) / "load.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found, indent=2) + "\n")
    kept = not found["errors"] and not found["burst errors"] and found["check"] == "clean"
    few = found["burst replays"] <= BURST / 10
    sys.exit(not (kept and few and found["burst level after, s"] <= LEVEL_SECONDS))


def daily_life(site: Installation) -> dict[str, Any]:
    """Readers and organizers of all the seasons."""
    log, writing, reading, before = Log(), Event(), Event(), site.replays()
    seasons = site.seasons
    writers = [Writer(site.port, seasons[n % len(seasons)], n, log, writing) for n in range(WRITERS)]
    readers = [Reader(site.port, seasons[n % len(seasons)], n, log, reading) for n in range(READERS)]
    sign_in(writers)
    for times in (log.reads, log.writes):
        times.clear()
    threads = [Thread(target=visitor.run) for visitor in (*writers, *readers)]
    for thread in threads:
        thread.start()
    stop_after(SECONDS, writing, threads)
    stop_after(LINGER, reading, threads)
    for thread in threads:
        thread.join()
    site.wait_until_level()
    fresh = freshness(site, log)
    return {
        "errors": len(log.errors),
        "reads": len(log.reads),
        "of them unchanged (304)": len(log.unchanged),
        "read p50, s": percentile(log.reads, 50),
        "read p95, s": percentile(log.reads, 95),
        "games saved": len(log.saved),
        "save p50, s": percentile(log.writes, 50),
        "save p95, s": percentile(log.writes, 95),
        "games seen in the standings": len(fresh),
        "saved until seen p50, s": percentile(fresh, 50),
        "saved until seen p95, s": percentile(fresh, 95),
        "replays": site.replays() - before,
        "first errors": log.errors[:5],
    }


def burst(site: Installation) -> dict[str, Any]:
    """All organizers at one season, as fast as they can."""
    log, stop, before = Log(), Event(), site.replays()
    writers = [
        Writer(site.port, site.seasons[0] | {"after": site.seasons[0]["burst_after"]}, n, log, stop)
        for n in range(WRITERS)
    ]
    sign_in(writers)
    log.writes.clear()
    games = iter(range(BURST))
    start = monotonic()
    threads = [Thread(target=writer.run_burst, args=[lambda: next(games, None)]) for writer in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    site.wait_until_level()
    level, last = monotonic(), max((saved.at for saved in log.saved), default=start)
    return {
        "burst errors": len(log.errors),
        "burst games": len(log.saved),
        "burst games a second": len(log.saved) / (last - start),
        "burst save p95, s": percentile(log.writes, 95),
        "burst replays": site.replays() - before,
        "burst level after, s": level - last,
        "first burst errors": log.errors[:5],
    }


def sign_in(writers: Sequence[Writer]) -> None:
    for writer in writers:
        writer.sign_in()


def stop_after(seconds: float, stop: Event, threads: Sequence[Thread]) -> None:
    """Set the event after so long, or as soon as nobody is there any more."""
    until = monotonic() + seconds
    while monotonic() < until and any(thread.is_alive() for thread in threads):
        stop.wait(0.2)
    stop.set()


def freshness(site: Installation, log: Log) -> list[float]:
    """For each saved game the seconds until the standings that count it were seen by a reader."""
    seen: dict[int, list[Seen]] = defaultdict(list)
    for look in sorted(log.seen, key=lambda look: look.at):
        seen[look.season].append(look)
    most = {season: list(accumulate((look.games for look in looks), max)) for season, looks in seen.items()}
    numbers = site.numbers_of_games()
    seconds = []
    for saved in log.saved:
        season, number = numbers[saved.game]
        first = bisect_left(most.get(season, []), number)
        if first < len(seen[season]):
            seconds.append(max(0.0, seen[season][first].at - saved.at))
    return seconds


def percentile(values: Sequence[float], percent: int) -> float | None:
    if len(values) < 2:
        return None
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def check(site: Installation) -> str:
    """Whether all results equal a replay from scratch."""
    try:
        site.manage("replay", "--check")
    except subprocess.CalledProcessError as failed:
        return failed.stdout
    return "clean"


if __name__ == "__main__":
    main()
