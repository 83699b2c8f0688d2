"""When a window first showed a tool result: what dates the offloader's log, which has no times.

Windows are in the agent's own requests and in the dumps. A result was added before the first window
that shows it, and after the window before that one, where a newer message cannot be missing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from inspector.sources.documents.dump import DumpHead
from inspector.trace.evidence.records import MODEL_CALL, ContextRecords


class Sightings:
    """The windows of one context."""

    def __init__(self, records: ContextRecords | None, dumps: Sequence[DumpHead]) -> None:
        dated = sorted((d for d in dumps if np.isfinite(d.time)), key=lambda dump: dump.time)
        times = np.array([dump.time for dump in dated])
        keys = np.concatenate([np.empty(0, np.int64), *(dump.shown for dump in dated)])
        self._dumped, first = np.unique(keys, return_index=True)
        self._dump_times = np.repeat(times, [len(dump.shown) for dump in dated])[first]
        calls = np.empty(0)
        self._files: list[tuple[dict[int, int], NDArray[np.float64]]] = []
        if records is not None:
            at = np.flatnonzero(records.event == MODEL_CALL)
            calls = records.time[at]
            self._files = [
                (records.files[file].shown, records.files[file].columns.time.view)
                for file in np.unique(records.file[at]).tolist()
            ]
        self.times = np.sort(np.concatenate([calls, times]))
        """Epoch seconds of every window."""

    def first(self, keys: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return when each tool result was first shown; NaN where no window shows it."""
        found = np.full(len(keys), np.inf)
        for shown, times in self._files:
            rows = [shown.get(key, -1) for key in keys.tolist()]
            seen = np.array(rows, np.int64)
            known = seen >= 0
            found[known] = np.fmin(found[known], times[seen[known]])
        if len(self._dumped):
            at = np.searchsorted(self._dumped, keys).clip(max=len(self._dumped) - 1)
            known = self._dumped[at] == keys
            found[known] = np.fmin(found[known], self._dump_times[at[known]])
        return np.where(np.isfinite(found), found, np.nan)

    def last_before(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the time of the last window before each time; -inf where there is none."""
        at = np.searchsorted(self.times, times, side="left")
        return np.concatenate([[-np.inf], self.times])[at]
