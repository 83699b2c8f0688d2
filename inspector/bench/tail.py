"""Keeping up: from a record's writing to its decision, at two thousand records a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from inspector.bench.generators import PROCESSORS, check, record_line
from inspector.bench.goal import Bench, Goal, compared, percentile
from inspector.trace.live import PACE, follow

RATE, FILES, SECONDS = 2_000, 20, 4.0
_REASON = (
    "a record waits for at most one tick, then for the reading and correlating of its own, a third "
    "of a tick on an idle core; next: correlate only what is new"
)


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure the lag of the newest record, beside a thread that only ticks."""
    folder = bench.scratch / "growing"
    folder.mkdir()
    total = int(RATE * SECONDS)
    arrived, lags, ticks = _follow(folder, total)
    lag, tick = percentile(lags, 0.99), percentile(ticks, 0.99)
    name = f"tail: p99 lag at {RATE:,} records a second / tick"
    yield compared(name, lag, tick, 2, "a thread that only ticks", _REASON)
    detail = f"{arrived:,} of {total:,} arrived"
    yield Goal("tail: records lost or doubled", abs(total - arrived), 0, detail)


def _follow(folder: Path, total: int) -> tuple[int, list[float], list[float]]:
    """Write so many records and follow them.

    Returns:
        How many arrived, the lag of each in seconds, and the ticks in seconds.
    """
    paths = [folder / f"{PROCESSORS[n % 3]}-{n}.jsonl" for n in range(FILES)]
    for path in paths:
        path.touch()
    stop, arrived = threading.Event(), 0
    written, lags, ticks = list[float](), list[float](), list[float]()
    threads = [
        threading.Thread(target=work)
        for work in (lambda: _write(paths, total, written, stop.is_set), lambda: _tick(ticks, stop))
    ]
    deadline = time.perf_counter() + SECONDS * 4
    for growth in follow([str(folder)], lambda: time.perf_counter() > deadline):
        if not threads[0].ident:
            for thread in threads:
                thread.start()
        now, arrived = time.perf_counter(), sum(s.records for s in growth.content.sources)
        lags += [now - at for at in written[len(lags) : arrived]]
        if arrived >= total:
            break
    stop.set()
    for thread in threads:
        thread.join()
    return arrived, lags, ticks


def _write(
    paths: list[Path], total: int, written: list[float], stopped: Callable[[], bool]
) -> None:
    """Write records at the rate; note when each was."""
    start = time.perf_counter()
    while (at := len(written)) < total and not stopped():
        if at < (time.perf_counter() - start) * RATE:
            with open(paths[at % FILES], "ab") as file:
                file.write(record_line(check(at, f"session-{at % FILES % 4}")))
            written.append(time.perf_counter())
        else:
            time.sleep(0.0005)


def _tick(ticks: list[float], stop: threading.Event) -> None:
    """Note the seconds that each tick takes."""
    while not stop.is_set():
        start = time.perf_counter()
        time.sleep(PACE)
        ticks.append(time.perf_counter() - start)
