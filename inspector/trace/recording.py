"""The trace of a context as its files tell it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from inspector.trace.compressions.decisions import PrefixDecisions
from inspector.trace.compressions.detail import DetailReader
from inspector.trace.compressions.files import ContextFiles
from inspector.trace.compressions.story import Judged
from inspector.trace.context_detail import ContextDetail
from inspector.trace.context_trace import NO_NUMBER
from inspector.trace.correlation import LOGGED, Correlated
from inspector.trace.decision import Decision, Method
from inspector.trace.detail import Detail, WindowDiff
from inspector.trace.evidence.outcomes import ADD_PHASE, StatedEnd
from inspector.trace.evidence.recalls import Recall
from inspector.trace.evidence.records import (
    CHECK,
    MODEL_CALL,
    WINDOW_PHASE,
    ContextRecords,
    OffloadRecords,
    read_at,
)
from inspector.trace.folding import Fold, fold_decision
from inspector.trace.offloads.decisions import check_decision, pass_decision
from inspector.trace.offloads.story import OffloadPass
from inspector.trace.session_memory.decisions import notes_decision, notes_decline
from inspector.trace.session_memory.story import MEMORY, NotesStory
from inspector.trace.stated import stated_decision

ON_DEMAND_PHASE = "active_compress"


class Recording:
    """What happened in one context, read from its files.

    It is a `ContextTrace`. Decisions are built from the index; only `detail` reads files.
    """

    def __init__(self, found: Correlated) -> None:
        self._found = found
        self._records: ContextRecords | None = found.records
        self.session_id, self.context_id = found.key
        self.steps = found.steps
        self.decisions = found.decisions
        self._files = ContextFiles(found.compressions)
        self._reader = DetailReader(found.compressions, self._files)
        self._details = ContextDetail(found, self._files, self._reader)
        self._prefix = PrefixDecisions(found.compressions, self._reader)
        self.capacity, self.thresholds = _limits(found)

    @cached_property
    def method(self) -> Method | None:
        """How most totals were counted, where the files show it; reads a few windows once."""
        return max(self._methods, key=lambda method: self._methods[method], default=None)

    @cached_property
    def _methods(self) -> Counter[Method]:
        try:
            return self._files.methods()
        except OSError:
            return Counter()

    def take_method(self, earlier: Recording) -> bool:
        """Take how totals were counted from an earlier trace of the context, if it knows."""
        if earlier.method is None:
            return False
        self._methods = earlier._methods
        return True

    @property
    def _method_of_all(self) -> Method | None:
        return self.method if len(self._methods) == 1 else None

    def is_open(self, path: Path) -> bool:
        """Tell whether a path lies in what the user opened."""
        return self._found.found.payloads.is_open(path)

    @property
    def model_calls(self) -> int:
        """Calls for summaries, failed ones included."""
        return sum(judged.model_calls for judged in self._found.compressions.judged.values())

    def decision(self, row: int) -> Decision:
        """Return the decision of a row, gates included."""
        found, place = self._found, self._place(row)
        at, story = int(found.at[row]), found.stories.get(row)
        if isinstance(story, Judged):
            return self._prefix.attempt(row, place, story, self._method_of_all)
        if isinstance(story, OffloadPass):
            return pass_decision(place, story, found.found.offloads, found.records)
        if isinstance(story, StatedEnd):
            return stated_decision(place, story, self._dated)
        if isinstance(story, Fold):
            return fold_decision(place, story, self._dated)
        if isinstance(story, NotesStory):
            return notes_decision(place, story, self._dated)
        if found.origin[row] == LOGGED:
            return check_decision(place, at, self._logged, found.offload_times)
        if place["processor"] in MEMORY:
            return notes_decline(place, at, self._dated)
        return self._prefix.decline(place, at, self._method_of_all)

    def detail(self, row: int) -> Detail:
        """Return what there is to see about a row; reads files."""
        try:
            return self._details.detail(row, self.decision(row))
        except OSError as error:
            return Detail(notes=(f"{error.filename} cannot be read any more: {error.strerror}.",))

    def attempt_records(self, row: int) -> list[dict[str, Any]]:
        """Return the records of a row's attempt as the file holds them; reads files."""
        judged, records = self._found.compressions.judged.get(row), self._records
        if judged is None or records is None:
            return []
        return [read_at(records, at) for at in judged.attempt.positions]

    def change(self, step: int) -> WindowDiff | None:
        """Return the agent's own request of a step beside the one before; reads files."""
        try:
            return self._details.change(step)
        except OSError:
            return None

    def requests(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the agent's own model calls with their step; reads files."""
        records = self._records
        if records is None:
            return
        for at in np.flatnonzero(records.event == MODEL_CALL).tolist():
            yield int(self._found.record_steps[at]), read_at(records, at)

    @property
    def recalls(self) -> tuple[Recall, ...]:
        """When the agent's model asked for what had been taken out of its window, in order."""
        return self._found.recalls

    @property
    def _dated(self) -> ContextRecords:
        assert self._records is not None, "what a dated record decides has dated records"
        return self._records

    @property
    def _logged(self) -> OffloadRecords:
        assert self._found.found.offloads is not None, "a line of the log has a log"
        return self._found.found.offloads

    def _place(self, row: int) -> dict[str, Any]:
        columns = self.decisions
        time, step = float(columns.time[row]), int(columns.step[row])
        known = not np.isnan(time)
        after, before = (None, None) if known or self._records is None else self._bounds()
        return {
            "session_id": self.session_id,
            "context_id": self.context_id,
            "time": time if known else None,
            "after": after,
            "before": before,
            "step": None if step == NO_NUMBER else step,
            "processor": columns.processors[int(columns.processor[row])],
            "phase": self._phase(row),
        }

    def _phase(self, row: int) -> str:
        found = self._found
        story, at = found.stories.get(row), int(found.at[row])
        if isinstance(story, OffloadPass):
            return WINDOW_PHASE if story.ttl else ADD_PHASE
        if found.origin[row] == LOGGED or isinstance(story, Fold):
            return ADD_PHASE
        if isinstance(story, NotesStory) and story.phase is not None:
            return story.phase
        if isinstance(story, StatedEnd):
            return story.record.phase
        if isinstance(story, Judged) and found.on_demand[row]:
            return ON_DEMAND_PHASE  # a decline keeps its check's phase
        head = self._records.head_at(at) if self._records is not None and at >= 0 else None
        return (head.phase if head else None) or WINDOW_PHASE

    def _bounds(self) -> tuple[float | None, float | None]:
        """Return the times of the first and the last record."""
        times = np.empty(0) if self._records is None else self._records.time
        times = times[np.isfinite(times)]
        return (float(times[0]), float(times[-1])) if len(times) else (None, None)


def _limits(found: Correlated) -> tuple[int | None, dict[str, int]]:
    """Return the latest capacity, and the latest threshold of each processor of the chain."""
    records = found.records
    dumps = [
        j.attempt.dump for j in found.compressions.judged.values() if j.attempt.dump is not None
    ]
    if records is None:
        last = max(dumps, key=lambda dump: dump.time, default=None)
        return (last.capacity if last else None), {}
    heads = records.table.heads
    has_capacity = np.array([head.capacity is not None for head in heads], np.bool_)
    measured = np.flatnonzero(has_capacity[records.head])
    capacity = records.head_at(int(measured[-1])).capacity if len(measured) else None
    thresholds: dict[str, int] = {}
    for name in found.chain:
        mine = records.processor == records.table.processors.index(name)
        checks = np.flatnonzero(mine & (records.event == CHECK))
        threshold = records.head_at(int(checks[-1])).threshold
        if threshold is not None:
            thresholds[name] = threshold
    return capacity, thresholds
