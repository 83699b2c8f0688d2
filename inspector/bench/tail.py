"""Keeping up: from a record's writing to its decision, at two thousand records a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from inspector.bench.generators import PROCESSORS, check, record_line
from inspector.bench.goal import Bench, Goal, percentile, told
from inspector.trace.live import PACE, follow

RATE, FILES, SECONDS = 2_000, 20, 4.0


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure the lag of the newest record, and whether all arrive."""
    folder = bench.scratch / "growing"
    folder.mkdir()
    paths = [folder / f"{PROCESSORS[n % 3]}-{n}.jsonl" for n in range(FILES)]
    for path in paths:
        path.touch()
    stop, total = threading.Event(), int(RATE * SECONDS)
    written: list[float] = []

    def write() -> None:
        start = time.perf_counter()
        while (at := len(written)) < total and not stop.is_set():
            if at < (time.perf_counter() - start) * RATE:
                with open(paths[at % FILES], "ab") as file:
                    file.write(record_line(check(at, f"session-{at % FILES % 4}")))
                written.append(time.perf_counter())
            else:
                time.sleep(0.0005)

    writer, lags, seen = threading.Thread(target=write), [], 0
    deadline = time.perf_counter() + SECONDS * 4
    for growth in follow([str(folder)], lambda: time.perf_counter() > deadline):
        if not written and not writer.is_alive():
            writer.start()
        now, arrived = time.perf_counter(), sum(s.records for s in growth.content.sources)
        lags += [now - at for at in written[seen:arrived]]
        seen = arrived
        if seen >= total:
            break
    stop.set()
    writer.join()
    lag = percentile(lags, 0.99)
    detail = f"{told(lag)} against a tick of {told(PACE)}"
    yield Goal(f"tail: p99 lag at {RATE:,} records a second / tick", lag / PACE, 2, detail)
    yield Goal(
        "tail: records lost or doubled", abs(total - seen), 0, f"{seen:,} of {total:,} arrived"
    )
