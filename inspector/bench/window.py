"""The window at work, offscreen: first rows, and how long its thread stands still during jobs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from inspector.bench.generators import conversation, write_checks
from inspector.bench.goal import Bench, Goal, compared, percentile, told
from inspector.bench.screen import TICK, Ticks, application, new_window, settle, ticks
from inspector.ui.main_window import MainWindow
from inspector.ui.panels.replay.perspective import ReplayPerspective

_SMALL = 9_000_000
"""Bytes."""
_LINE = 330
"""Bytes of a generated record."""
_STALL = 0.1
_AFTERWARDS = 2.5
"""Seconds in which what a job left is tidied up."""
_IDLE = 3.0
"""Seconds of an idle window, to compare with."""
_CAPACITY = 60_000
_MOVED = 10
"""Hundredths by which thresholds are moved."""


def goals(bench: Bench) -> Iterator[Goal]:
    """Measure the window on generated records and on a generated conversation."""
    application()
    small, large = bench.scratch / "small.jsonl", bench.scratch / "rows.jsonl"
    write_checks(small, _SMALL // _LINE)
    write_checks(large, bench.size.rows)
    window = new_window(bench.scratch)
    idle = settle(_IDLE)
    few, opening = _open(window, small)
    many, reading = _open(window, large)
    name = f"first rows of {large.stat().st_size / 1e6:.0f} MB / of 9 MB"
    yield compared(name, many, few, 2, "the small file", _FIRST_ROWS)
    busy, usual = (percentile(found.waited, 0.99) for found in (reading, idle))
    yield compared("tick p99 while reading / idle", busy, usual, 3, "an idle window", _READING)
    replaying = _replay(window, bench.scratch / "chat.json", bench.size.messages)
    for job, found in (
        ("a first file is opened", opening),
        ("a large file is read", reading),
        ("a conversation is replayed", replaying),
    ):
        yield _stall(job, found, idle)
    window.close()


def _stall(job: str, found: Ticks, idle: Ticks) -> Goal:
    stall, work = percentile(found.waited, 0.999) - TICK, percentile(found.worked, 0.999)
    usual = percentile(idle.waited, 0.999) - TICK
    detail = f"{told(stall)}, of own work {told(work)}; {told(usual)} in an idle window"
    return Goal(f"UI stall p99.9 while {job} / 100 ms", stall / _STALL, 1, detail, reason=_STALLED)


def _open(window: MainWindow, path: Path) -> tuple[float, Ticks]:
    """Return the seconds to a file's first rows, and the ticks until all of it is tidied up."""
    first: list[float] = []
    start = time.perf_counter()

    def painted() -> None:
        window.inspect.decisions.view.viewport().repaint()
        first.append(time.perf_counter() - start)

    connection = window.document.replaced.connect(painted)
    window.open([str(path)])
    found = ticks(lambda: bool(first) and not window.document.reading)
    window.document.replaced.disconnect(connection)
    return first[0], found + settle(_AFTERWARDS)


def _replay(window: MainWindow, chat: Path, messages: int) -> Ticks:
    """Return the ticks while a conversation is replayed as it is, and with each threshold moved."""
    chat.write_text(json.dumps({"model": "gpt-4o", "messages": conversation(messages)}), "utf-8")
    bench = next(p for p in window.perspectives if isinstance(p, ReplayPerspective)).bench

    def settled() -> bool:
        return bench.progress is None and not bench.stale

    window.open([str(chat)])
    found = ticks(lambda: bench.state == "ready")
    bench.settings.edit_capacity(_CAPACITY)
    found += ticks(settled)
    for threshold in bench.settings.thresholds().values():
        bench.settings.move(threshold.key, threshold.position - _MOVED)
        found += ticks(settled)
    return found + settle(_AFTERWARDS)


_FIRST_ROWS = (
    "the large file is shown from its first block on, and read on while the window is built, and "
    "Python runs one thread at a time; next: read on once the window has painted"
)
_READING = (
    "Python runs one thread at a time, and reading is Python; next: read in a process of its own"
)
_STALLED = (
    "what is not own work is spent waiting for the other threads' turns and for other programs; "
    "next: read and replay in processes of their own"
)
