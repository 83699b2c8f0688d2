"""Sorts the records of a report into decisions.

A decision begins with a check, with a span that no check precedes (a compression on demand), or
with the first line about a tool result; the outcome that its processor states next is its end. An
outcome that nothing waits for is a decision of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.debug.records import CompressionRetry, SpanBuilt, ThresholdCheck
from engine.debug.records import Outcome as OutcomeRecord
from inspector.replay.reports.decisions.attempts import Attempted
from inspector.replay.reports.decisions.notes import NotesDecision
from inspector.replay.reports.decisions.offloads import OffloadDecision
from inspector.replay.reports.decisions.stated import StatedDecision
from inspector.replay.reports.decisions.told import Record, ToldDecision
from inspector.replay.reports.report import StepReport
from inspector.sources.lines.offload_log import ADD, CHECK, TTL
from inspector.trace.session_memory.story import MEMORY, UPDATE_PHASE

ON_DEMAND = "action:compress"


def told_decisions(steps: Iterable[StepReport]) -> list[ToldDecision]:
    """Return the decisions of a report, in order.

    What happens while messages are added belongs to the next window request, a compression on
    demand to the one before.
    """
    found: list[ToldDecision] = []
    number, time = 0, 0.0
    for step in steps:
        number += step.window is not None
        belongs_to = number + (step.window is None and (step.kind != ON_DEMAND or not number))
        times = (record.get("timestamp") for record in (*step.decisions, *step.extra))
        time = min((at for at in times if at is not None), default=time)
        found += _Step(belongs_to, time).read(step.decisions, step.extra)
    return found


class _Step:
    """The decisions of one step."""

    def __init__(self, number: int, time: float) -> None:
        self._number, self._time = number, time
        self._made: list[ToldDecision] = []
        self._open: dict[tuple[str, str | None], ToldDecision] = {}
        """The latest decision by processor and, of an offloader, tool call."""

    def read(self, records: Iterable[Record], extra: Iterable[Record]) -> list[ToldDecision]:
        for record in records:
            if "tool_call_id" in record:
                self._take_line(record)
            elif record.get("processor") in MEMORY:
                self._take_notes_check(record)
            else:
                self._take_record(record)
        for record in extra:
            if record.get("event") == "outcome":
                self._take_end(OutcomeRecord.model_validate(record))
        return sorted(self._made, key=lambda decision: decision.time)

    def _begin(self, decision: ToldDecision, call_id: str | None = None) -> None:
        self._made.append(decision)
        self._open[decision.processor, call_id] = decision

    def _take_line(self, record: Record) -> None:
        """Take in a line about a tool result."""
        processor, call_id = str(record.get("processor")), record.get("tool_call_id")
        if record.get("event") in (CHECK, ADD, TTL) or (processor, call_id) not in self._open:
            self._begin(OffloadDecision(self._number, processor, self._time), call_id)
        self._open[processor, call_id].records.append(record)

    def _take_notes_check(self, record: Record) -> None:
        """Take in a check of session memory; one that acts writes it twice."""
        check = ThresholdCheck.model_validate(record)
        current = self._open.get((check.processor, None))
        if not isinstance(current, NotesDecision) or not current.is_hit:
            current = NotesDecision(self._number, check.processor, check.timestamp, check=check)
            self._begin(current)
        current.records.append(record)

    def _take_record(self, record: Record) -> None:
        """Take in a compressor's record."""
        event, processor = record.get("event"), str(record.get("processor"))
        current = self._open.get((processor, None))
        if event == "threshold_check" or (event == "span_built" and _is_over(current)):
            current = Attempted(self._number, processor, float(record.get("timestamp", self._time)))
            self._begin(current)
        if not isinstance(current, Attempted):
            return
        current.records.append(record)
        if event == "threshold_check":
            current.check = ThresholdCheck.model_validate(record)
        elif event == "span_built":
            current.span = SpanBuilt.model_validate(record)
        elif event == "compression_retry":
            current.retries.append(CompressionRetry.model_validate(record))

    def _take_end(self, end: OutcomeRecord) -> None:
        waiting = next((d for d in self._made if _waits_for(d, end)), None)
        if waiting is not None:
            waiting.end = end
            return
        kind = NotesDecision if end.processor in MEMORY else StatedDecision
        self._made.append(kind(self._number, end.processor, end.timestamp, end=end))


def _is_over(decision: ToldDecision | None) -> bool:
    """Return whether a span that comes now is no longer that of an attempt."""
    if not isinstance(decision, Attempted):
        return True
    return decision.span is not None or decision.check is None or not decision.check.hit


def _waits_for(decision: ToldDecision, end: OutcomeRecord) -> bool:
    """Return whether an outcome is the end of a decision.

    A prefix compressor lists its span before it tries; others go from the check straight to the
    end.
    """
    if decision.processor != end.processor or decision.end is not None:
        return False
    if isinstance(decision, OffloadDecision):
        return decision.call_id == end.tool_call_id and not decision.is_small
    if isinstance(decision, NotesDecision):
        return decision.is_hit and end.phase != UPDATE_PHASE
    return isinstance(decision, Attempted) and decision.tried
