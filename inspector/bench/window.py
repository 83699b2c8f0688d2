"""The window at work, offscreen: first rows, and how long its thread stands still during jobs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from inspector.bench.generators import conversation, write_checks
from inspector.bench.goal import Bench, Goal, compared, percentile, told
from inspector.bench.screen import TICK, application, new_window, settle, ticks
from inspector.ui.main_window import MainWindow
from inspector.ui.panels.replay.perspective import ReplayPerspective

_SMALL = 9_000_000
"""Bytes."""
_LINE = 330
"""Bytes of a generated record."""
_STALL = 0.1
_AFTERWARDS = 2.5
"""Seconds in which what a job left is tidied up."""
_CAPACITY = 60_000


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure the window on generated records and on a generated conversation."""
    application()
    small, large = bench.scratch / "small.jsonl", bench.scratch / "rows.jsonl"
    write_checks(small, _SMALL // _LINE)
    write_checks(large, bench.size.rows)
    window = new_window(bench.scratch)
    idle = settle(1.0)
    few, opening = _open(window, small)
    many, reading = _open(window, large)
    name = f"first rows of {large.stat().st_size / 1e6:.0f} MB / of 9 MB"
    yield compared(name, many, few, 2, "the small file")
    usual, busy = percentile(idle, 0.99), percentile(reading, 0.99)
    yield compared("tick p99 while reading / idle", busy, usual, 3, "an idle window", _READING)
    replaying = list(_replay(window, bench.scratch / "chat.json", bench.size.messages))
    for job, found in (
        ("the first file is opened", opening),
        ("a large file is read", reading),
        ("a conversation is replayed", replaying),
    ):
        yield _stall(job, found)
    window.close()


def _stall(job: str, found: list[float]) -> Goal:
    worst = percentile(found, 0.999) - TICK
    detail = f"{told(worst)}, p99 {told(percentile(found, 0.99) - TICK)}"
    return Goal(f"UI stall p99.9 while {job} / 100 ms", worst / _STALL, 1, detail, reason=_STALLED)


def _open(window: MainWindow, path: Path) -> tuple[float, list[float]]:
    """Return the seconds to a file's first rows, and those of each tick until all is tidied up."""
    first: list[float] = []
    start = time.perf_counter()

    def painted() -> None:
        window.inspect.decisions.view.viewport().repaint()
        first.append(time.perf_counter() - start)

    connection = window.document.replaced.connect(painted)
    window.open([str(path)])
    found = ticks(lambda: bool(first) and not window.document.reading)
    window.document.replaced.disconnect(connection)
    return first[0], [*found, *settle(_AFTERWARDS)]


def _replay(window: MainWindow, chat: Path, messages: int) -> Iterator[float]:
    """Yield the ticks while a conversation is replayed with its settings, and with one edited."""
    chat.write_text(json.dumps({"model": "gpt-4o", "messages": conversation(messages)}), "utf-8")
    page = next(page for page in window.perspectives if isinstance(page, ReplayPerspective))
    window.open([str(chat)])
    yield from ticks(lambda: page.bench.state == "ready")
    page.bench.edit_capacity(_CAPACITY)
    yield from ticks(lambda: page.bench.progress is None and not page.bench.stale)
    for threshold in page.bench.thresholds().values():
        page.bench.move(threshold.key, threshold.position - 10)
        yield from ticks(lambda: page.bench.progress is None and not page.bench.stale)
    yield from settle(_AFTERWARDS)


_READING = (
    "Python runs one thread at a time, and reading is Python; next: read in a process of its own"
)
_STALLED = "the ticks share the machine with whatever else runs; next: profile the longest of them"
