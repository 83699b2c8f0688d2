"""How processors ended by their own statement: the `outcome` records of this project's engine.

The original's files hold none, and a damaged one states nothing; then the end is concluded. The
messages that a record holds stay in its file, to be read when somebody looks at them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.debug.records import Outcome
from inspector.sources.counts import SpanSizes, sound_count
from inspector.trace.decision import Gate
from inspector.trace.evidence.markers import find_markers
from inspector.trace.evidence.records import (
    CHECK,
    MODEL_CALL,
    OUTCOME,
    ContextRecords,
)
from inspector.trace.evidence.steps import NO_STEP, Steps
from inspector.trace.rows import Verdict

ADD_PHASE = "add_messages"


@dataclass(frozen=True)
class StatedEnd:
    """One end and where it is stated."""

    at: int
    """Position in `ContextRecords`."""
    record: Outcome
    """Without the messages that it holds."""
    step: int
    """The window request that it belongs to, or that comes next; `NO_STEP` where none does."""
    handle: str | None = None
    """Handle of the original that the message in its place names."""

    @property
    def verdict(self) -> Verdict:
        """How it ended."""
        return Verdict(self.record.outcome, self.record.reason, "recorded")

    @property
    def failure(self) -> tuple[str, ...]:
        """The error that it ended with, as a sentence; nothing where there was none."""
        return (f"It ended with an error: {self.record.error}.",) if self.record.error else ()

    @property
    def before(self) -> int | None:
        """Tokens before."""
        return sound_count(self.record.before_tokens)

    @property
    def after(self) -> int | None:
        """Tokens after."""
        return sound_count(self.record.after_tokens)

    @property
    def saved(self) -> int | None:
        """Tokens that were saved; None where nothing changed or that is not told."""
        worked = self.record.outcome in ("compressed", "offloaded", "cut", "folded", "materialised")
        if not worked or self.before is None or self.after is None:
            return None
        return self.before - self.after

    @property
    def span(self) -> SpanSizes | None:
        """The final span; None where it is not told."""
        return None if self.record.span is None else SpanSizes.of(self.record.span)

    @property
    def gates(self) -> list[Gate]:
        """The tests that the record states."""
        return [
            Gate.tested(test.gate, test.passed, test.value, test.limit, test.unit)
            for test in self.record.gates
        ]

    def stated_among(self, gates: list[Gate]) -> list[Gate]:
        """Return gates with what the record states of them in place of what was concluded."""
        stated = {gate.gate: gate for gate in self.gates}
        return [stated.pop(gate.gate, gate) for gate in gates] + list(stated.values())


class StatedEnds:
    """The ends that the writers of a context state, each to be taken once."""

    def __init__(self, records: ContextRecords | None, steps: Steps) -> None:
        """Read the records; what cannot be read states nothing."""
        self._ends: dict[int, StatedEnd] = {}
        if records is None:
            return
        requests = (records.event == CHECK) & records.table.in_window[records.head]
        anchors = np.flatnonzero(requests | (records.event == MODEL_CALL))
        for at in np.flatnonzero(records.event == OUTCOME).tolist():
            record = _record(records, at)
            if record is not None:
                step = _step(at, record, steps.step, anchors)
                self._ends[at] = StatedEnd(at, record, step, _handle(record))

    def take(self, at: int | None) -> StatedEnd | None:
        """Take the end that is stated at a position."""
        return None if at is None else self._ends.pop(at, None)

    def of(self, *processors: str) -> Iterator[StatedEnd]:
        """Take the ends of some processors, in order of time."""
        mine = [at for at, end in self._ends.items() if end.record.processor in processors]
        return (self._ends.pop(at) for at in mine)

    def rest(self) -> list[StatedEnd]:
        """Take all that nobody took, in order of time."""
        left, self._ends = list(self._ends.values()), {}
        return left


def _record(records: ContextRecords, at: int) -> Outcome | None:
    index, row = records.place(at)
    try:
        return index.outcome(row)
    except OSError:
        return None


def _handle(record: Outcome) -> str | None:
    """Return the handle that a message in the place of another names."""
    texts = (message.get("content") for message in record.replacement or ())
    markers = (m for text in texts if isinstance(text, str) for m in find_markers(text))
    return next((marker.name for marker in markers if marker.kind == "offload"), None)


def _step(at: int, record: Outcome, steps: NDArray[np.int32], anchors: NDArray[np.int64]) -> int:
    """Return the step of an end; what happens before a request's first check belongs to it."""
    following = int(np.searchsorted(anchors, at))
    if record.phase in (ADD_PHASE, "get_context_window"):
        return int(steps[anchors[following]]) if following < len(anchors) else NO_STEP
    return int(steps[at])
