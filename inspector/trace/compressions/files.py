"""The whole dumps and requests of one context, read when they are asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterator
from itertools import islice

import numpy as np

from engine.debug.records import CompressionDump
from inspector.sources.documents.dump import DumpHead, read_dump
from inspector.trace.compressions.message_pool import MessagePool
from inspector.trace.compressions.story import Compressions, Judged, total_of
from inspector.trace.decision import Method
from inspector.trace.evidence.records import (
    CHECK,
    MODEL_CALL,
    ContextRecords,
    objects,
    read_at,
    span_sizes,
)
from inspector.trace.evidence.steps import NO_STEP
from inspector.trace.windows.formulas import CURRENT_FORMULAS, formulas_of
from inspector.trace.windows.spans import KnownTail
from inspector.trace.windows.window import Window, readable, readable_tools, window_before

_KEPT = 8
"""Dumps that are kept after reading."""
_SAMPLED = 6
"""Windows from which the way of counting is told."""


class ContextFiles:
    """Reads what the index leaves on disk. Its methods raise OSError for a lost file."""

    def __init__(self, found: Compressions) -> None:
        """Read nothing yet."""
        self._found = found
        self._joined = sorted(
            (j for j in found.judged.values() if j.attempt.dump is not None),
            key=lambda judged: _head(judged).time,
        )
        self._times = [_head(judged).time for judged in self._joined]
        self._formulas = formulas_of(found.writer)
        self._read: OrderedDict[tuple[str, int], CompressionDump | None] = OrderedDict()

    def dump(self, head: DumpHead | None) -> CompressionDump | None:
        """Return a whole dump; None where it is damaged."""
        if head is None:
            return None
        key = head.path, head.offset
        if key not in self._read:
            self._read[key] = read_dump(head.path, head.offset)
            if len(self._read) > _KEPT:
                self._read.popitem(last=False)
        return self._read[key]

    def request(self, step: int | None) -> Window | None:
        """Return the window of the agent's own call at a step, as it was recorded."""
        records = self._found.records
        if records is None or step is None:
            return None
        mine = (records.event == MODEL_CALL) & (self._found.record_steps == step)
        if not mine.any():
            return None
        return self._window(records, int(np.flatnonzero(mine)[0]))

    def request_before(self, step: int) -> Window | None:
        """Return the window of the agent's own call before that at a step."""
        records = self._found.records
        if records is None:
            return None
        earlier = (records.event == MODEL_CALL) & (self._found.record_steps < step)
        earlier &= self._found.record_steps != NO_STEP
        return self._window(records, int(np.flatnonzero(earlier)[-1])) if earlier.any() else None

    def _window(self, records: ContextRecords, at: int) -> Window:
        record = read_at(records, at)
        messages = objects(record.get("messages"))
        system = record.get("system_message_count")
        first = system if isinstance(system, int) else 0
        return Window(messages[:first], messages[first:], objects(record.get("tools")), "recorded")

    def window_before(self, dump: CompressionDump) -> Window:
        """Put together the window that a dump's compression worked on."""
        return window_before(dump, self._formulas)

    def around(self, time: float) -> list[CompressionDump]:
        """Return the dumps next to a time (epoch seconds), the later one first."""
        at = bisect_right(self._times, time)
        found = [self.dump(_head(judged)) for judged in self._joined[max(at - 1, 0) : at + 1]]
        return [dump for dump in reversed(found) if dump is not None]

    def pool(self, time: float, step: int | None) -> MessagePool:
        """Return the messages that are known in full around a time and at a step."""
        pool = MessagePool(self._formulas.chars_per_token)
        request = self.request(step)
        if request is not None:
            pool.add(request.context)
        for dump in self.around(time):
            pool.add(self.window_before(dump).context)
            pool.add(dump.context_after.messages)
        return pool

    def surroundings(self, time: float, step: int | None) -> Window | None:
        """Return a window with the system messages and tools in use around a time."""
        windows = [self.request(step), *map(self.window_before, self.around(time))]
        return next((w for w in windows if w is not None and (w.system or w.tools)), None)

    def prompt(self, processor: str) -> str | None:
        """Return the prompt of a compressor, from one of its dumps."""
        mine = (self.dump(_head(j)) for j in self._joined if _head(j).processor == processor)
        return next((dump.compression_request.prompt for dump in mine if dump is not None), None)

    def tails(self, processor: str) -> list[KnownTail]:
        """Return windows of a compressor whose first tail was recorded, eight at most."""
        found = []
        for judged in self._joined:
            records, span = self._found.records, judged.attempt.span
            sizes = span_sizes(records, span) if records is not None and span is not None else None
            if _head(judged).processor == processor and sizes is not None:
                dump = self.dump(_head(judged))
                messages = readable(self.window_before(dump).context) if dump is not None else None
                if messages is not None:
                    found.append(KnownTail(messages, sizes.tail))
            if len(found) == _KEPT:
                break
        return found

    def methods(self) -> Counter[Method]:
        """Tell how totals of this context were counted, from at most six known windows."""
        windows = islice(self._measured(), _SAMPLED)
        return Counter(method for window in windows if (method := _method(*window)) is not None)

    def _measured(self) -> Iterator[tuple[Window, int]]:
        """Yield windows with their recorded total."""
        for judged in self._joined:
            total = total_of(self._found.records, judged)
            dump = self.dump(_head(judged)) if total is not None else None
            if dump is not None and total is not None:
                yield self.window_before(dump), total
        yield from self._requested()

    def _requested(self) -> Iterator[tuple[Window, int]]:
        """Yield the windows of the agent's own calls before which nothing was compressed."""
        records = self._found.records
        if records is None or not (records.event == MODEL_CALL).any():
            return
        steps = self._found.record_steps
        checks = (records.event == CHECK) & ~np.isin(steps, self._found.rewritten)
        checks &= np.isin(steps, steps[records.event == MODEL_CALL])
        _steps, first = np.unique(steps[checks], return_index=True)
        for at in np.flatnonzero(checks)[first]:
            request = self.request(int(steps[at]))
            if request is not None:
                yield request, int(records.total[at])


def _head(judged: Judged) -> DumpHead:
    assert judged.attempt.dump is not None
    return judged.attempt.dump


def _method(window: Window, total: int) -> Method | None:
    system, context = readable(window.system), readable(window.context)
    if system is None or context is None:
        return None
    messages = [*system, *context]
    formulas = window.formulas
    if total == formulas.with_usage(messages):
        return "usage+tail"
    counter = formulas.counter
    counted = counter.count_messages(messages) + counter.count_tools(readable_tools(window.tools))
    by_length: Method = "string_length" if formulas is CURRENT_FORMULAS else "estimate"
    return by_length if total == counted else None
