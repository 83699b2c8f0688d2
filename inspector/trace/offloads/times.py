"""When the lines of the offloader's log were written, and before which window request.

A line has no time. A rule's work is dated by its metadata and its dump; a window that first shows a
tool result was asked for after the result was added. The log is written in order, so what bounds
one line bounds those before or after it. Everything is O(n log n) in the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inspector.trace.evidence.records import (
    ADD_TRIGGER,
    MESSAGE_CHECK,
    RULE_DONE,
    STORED,
    OffloadRecords,
)
from inspector.trace.evidence.sightings import Sightings
from inspector.trace.evidence.steps import NO_STEP
from inspector.trace.offloads.story import OffloadPass


@dataclass(frozen=True)
class OffloadTimes:
    """Bounds of each line, in the order of `OffloadRecords`.

    Attributes:
        after: Epoch seconds before which it was not written; -inf where that is not known.
        before: Epoch seconds after which it was not written; inf where that is not known.
        when: A time in between, never earlier than that of the line before it; -inf where there is
            none.
        step: The window request that came next; `NO_STEP` where no file shows it.
    """

    after: NDArray[np.float64]
    before: NDArray[np.float64]
    when: NDArray[np.float64]
    step: NDArray[np.int64]


NO_TIMES = OffloadTimes(np.empty(0), np.empty(0), np.empty(0), np.empty(0, np.int64))
"""Those of a context without a log."""


def offload_times(
    records: OffloadRecords,
    passes: Sequence[OffloadPass],
    sightings: Sightings,
    begun: NDArray[np.float64],
) -> OffloadTimes:
    """Date the lines of a context.

    Args:
        records: The lines.
        passes: The passes that they make up.
        sightings: When windows showed tool results.
        begun: Epoch seconds at which each window request began.
    """
    bounds = _Bounds(len(records.row), begun)
    for told in passes:
        bounds.rule_at(told.positions, records.event, told.ruled_at)
    bounds.shown(_first_adds(records), records.message, sightings)
    for file in np.unique(records.file).tolist():
        bounds.spread(np.flatnonzero(records.file == file))
    return bounds.times()


def first_shown_step(
    message: int, sightings: Sightings, begun: NDArray[np.float64]
) -> tuple[float, float, int]:
    """Return bounds in epoch seconds and the step of a tool result that no line tells of."""
    bounds = _Bounds(1, begun)
    if message:
        keys = np.array([message], np.int64)
        bounds.shown(np.zeros(1, np.int64), keys, sightings)
    times = bounds.times()
    return float(times.after[0]), float(times.before[0]), int(times.step[0])


def step_after(time: float, begun: NDArray[np.float64]) -> int:
    """Return the window request that begins after a time (epoch seconds)."""
    step = int(np.searchsorted(begun, time, side="right")) + 1
    return step if step <= len(begun) else NO_STEP


def _first_adds(records: OffloadRecords) -> NDArray[np.int64]:
    """Return the positions at which each tool result was tested for the first time."""
    tested = np.flatnonzero(
        np.isin(records.event, (MESSAGE_CHECK, ADD_TRIGGER)) & (records.message != 0)
    )
    _messages, first = np.unique(records.message[tested], return_index=True)
    return tested[first]


class _Bounds:
    """Bounds that tighten as evidence is taken in."""

    def __init__(self, count: int, begun: NDArray[np.float64]) -> None:
        self._begun = begun
        self._after, self._before = np.full(count, -np.inf), np.full(count, np.inf)
        self._first = np.ones(count, np.int64)
        self._last = np.full(count, len(begun) + 1)
        self._runs: list[NDArray[np.intp]] = []

    def rule_at(self, positions: Sequence[int], event: NDArray[np.int8], time: float) -> None:
        """Take in when a rule did its work in a pass."""
        if not np.isfinite(time):
            return
        step = int(np.searchsorted(self._begun, time, side="right")) + 1
        for at in positions:
            if event[at] in (RULE_DONE, STORED):
                self._after[at], self._first[at] = time, step
            if event[at] != STORED:
                self._before[at], self._last[at] = time, step

    def shown(
        self, at: NDArray[np.int64], messages: NDArray[np.int64], sightings: Sightings
    ) -> None:
        """Take in the windows that first showed the tool results added at some positions."""
        seen = sightings.first(messages[at])
        at, seen = at[np.isfinite(seen)], seen[np.isfinite(seen)]
        previous = sightings.last_before(seen)
        self._before[at] = np.fmin(self._before[at], seen)
        self._after[at] = np.fmax(self._after[at], previous)
        self._last[at] = np.minimum(self._last[at], np.searchsorted(self._begun, seen, "right"))
        steps = np.searchsorted(self._begun, previous, "right") + 1
        self._first[at] = np.maximum(self._first[at], steps)

    def spread(self, at: NDArray[np.intp]) -> None:
        """Bound each of these lines, which follow each other in a file, by the others."""
        after, before = _accumulated(self._after[at], self._before[at])
        first, last = _accumulated(self._first[at], self._last[at])
        self._after[at], self._before[at] = after, before
        self._first[at], self._last[at] = first, last
        self._runs.append(at)

    def times(self) -> OffloadTimes:
        """Return what the evidence comes to; what contradicts itself is not known."""
        wrong = (self._after > self._before) | (self._first > self._last)
        after, before = np.where(wrong, -np.inf, self._after), np.where(wrong, np.inf, self._before)
        when = np.where(np.isfinite(before), np.nextafter(before, -np.inf), after)
        for at in self._runs:
            when[at] = np.maximum.accumulate(when[at])
        known = (self._first == self._last) & (self._first <= len(self._begun)) & ~wrong
        return OffloadTimes(after, before, when, np.where(known, self._first, NO_STEP))


def _accumulated(low: NDArray[Any], high: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
