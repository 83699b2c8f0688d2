"""The recalls of a context: when the agent's model asked for what had been taken out of its window.

A call is dated by the first window that shows it, which is the one that came after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inspector.sources.documents.dump import DumpHead
from inspector.sources.recall_calls import RecallCall
from inspector.trace.evidence.markers import Marker, Payload, Payloads
from inspector.trace.evidence.records import MODEL_CALL, ContextRecords, context_key
from inspector.trace.evidence.steps import NO_STEP, Steps


@dataclass(frozen=True)
class Recall:
    """One call for an original or for passages of the archives."""

    call: RecallCall
    step: int | None
    """1-based window request that first shows it; None where no file tells."""
    time: float | None = None
    """Epoch seconds of that window."""
    payload: Payload | None = None
    """What it names; None where it names nothing: a search in all archives."""

    @property
    def resolved(self) -> bool | None:
        """Whether what it names is in the opened files; None where that cannot be told."""
        where = self.payload.where if self.payload is not None else "outside"
        if where in ("outside", "in_memory"):
            return None
        return where in ("found", "in_state")


def find_recalls(
    records: ContextRecords | None,
    steps: Steps,
    dumps: Sequence[DumpHead],
    payloads: Payloads,
) -> tuple[Recall, ...]:
    """Return the recalls of a context in order of time, each call once."""
    seen = [*_requested(records), *((dump.time, call) for dump in dumps for call in dump.recalls)]
    found: dict[str, Recall] = {}
    for time, call in sorted(seen, key=lambda seen: (math.isnan(seen[0]), seen[0])):
        if call.call_id not in found:
            step = steps.at_time(time)
            found[call.call_id] = Recall(
                call=call,
                step=None if step == NO_STEP else step,
                time=time if math.isfinite(time) else None,
                payload=named_by(call, payloads),
            )
    return tuple(found.values())


def named_by(call: RecallCall, payloads: Payloads) -> Payload | None:
    """Return what a call names; None for a search in all archives."""
    if call.handle is not None:
        return payloads.locate(Marker("offload", 0, 0, call.handle, call.stored_as, call.path))
    if call.memory_id is not None:
        return payloads.locate(Marker("recall", 0, 0, call.memory_id))
    return None


def _requested(records: ContextRecords | None) -> Iterator[tuple[float, RecallCall]]:
    """Yield the recalls in the agent's own requests, with the times of those."""
    if records is None:
        return
    for file in np.unique(records.file[records.event == MODEL_CALL]).tolist():
        index = records.files[file]
        for (session_id, context_id, call), row in index.recalls.items():
            if context_key(session_id, context_id) == records.key:
                yield float(index.columns.time.view[row]), call
