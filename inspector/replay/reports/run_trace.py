"""A replay that is still in memory, as a trace with all its details.

A report on disk keeps the windows after the chain; a run also knows those in between, since each
compression left its dump and a declined or given-up attempt changed nothing.
"""

from __future__ import annotations

from typing import Any

from engine.debug.records import CompressionDump
from engine.messages import Message, read_messages
from engine.processors.compressors.prefix import PrefixCompressor
from engine.processors.registry import make_processor
from inspector.replay.reports.decisions.attempts import Attempted
from inspector.replay.reports.decisions.offloads import OffloadDecision
from inspector.replay.reports.given import given_messages
from inspector.replay.reports.report import make_report
from inspector.replay.reports.report_trace import ReportTrace
from inspector.replay.runs.run import Run, Step
from inspector.sources.counts import SpanSizes
from inspector.trace.compressions.dump_detail import compression_detail
from inspector.trace.detail import Detail
from inspector.trace.windows.fates import unchanged_window
from inspector.trace.windows.spans import first_tail, span_view
from inspector.trace.windows.window import Window, trace_messages


class RunTrace(ReportTrace):
    """The trace of a run."""

    def __init__(self, run: Run) -> None:
        """Make the run's report and read it."""
        super().__init__(make_report(run))
        self.run = run
        self._windows = {step.number: step for step in run.steps if step.number is not None}

    def detail(self, row: int) -> Detail:
        """Return what there is to see about a row; its messages are the engine's own."""
        told = self.told[row]
        records = tuple(told.raw_records())
        step = self._windows.get(told.step)
        if not isinstance(told, Attempted):
            rule = told.rule if isinstance(told, OffloadDecision) else None
            return Detail(windows=told.change, rule=rule, records=records)
        if step is None:
            return Detail(records=records, notes=("Decided while messages were added.",))
        messages, dump = self._window_of(told, step)
        window = Window(self._system(), [m.to_chat() for m in messages], self._tools(), "recorded")
        if told.span is None:
            return Detail(windows=told.change or unchanged_window(window), records=records)
        first = SpanSizes(
            len(told.span.preserved_prefix),
            len(told.span.messages_to_compress),
            len(told.span.protected_tail),
        )
        tail = first_tail(told.processor, messages, first.tail, self._kept_by(told))
        if dump is not None:
            return compression_detail(dump, window, first, tail, records, ())
        shown = trace_messages(window.context, estimated=False)
        return Detail(
            span=span_view(shown, _final_sizes(told, first), first, tail, "recorded"),
            windows=unchanged_window(window),
            records=records,
            notes=("Given up: the window stayed as it was.",),
        )

    def _window_of(
        self, attempt: Attempted, step: Step
    ) -> tuple[list[Message], CompressionDump | None]:
        """Return the window that an attempt worked on, and the dump that it left."""
        messages = given_messages(self.run.case, step, self.run.case.system())
        dumps = iter(step.dumps)
        for other in self.told:
            if other.step != attempt.step or not isinstance(other, Attempted):
                continue
            made = next(dumps, None) if other.outcome == "compressed" else None
            if other is attempt:
                return messages, made() if made else None
            if made is not None:
                messages = _messages_after(made())
        return messages, None

    def _system(self) -> list[dict[str, Any]]:
        return [message.to_chat() for message in self.run.case.system()]

    def _tools(self) -> list[dict[str, Any]]:
        return [tool.model_dump() for tool in self.run.case.tool_list()]

    def _kept_by(self, attempt: Attempted) -> int | None:
        """Return the `keep_recent_messages` of the attempt's processor, if it has one."""
        for name, settings in self.run.case.processors:
            if name == attempt.processor:
                processor = make_processor(name, settings)
                if isinstance(processor, PrefixCompressor):
                    keep: int | None = getattr(processor.config, "keep_recent_messages", None)
                    return keep
        return None


def _messages_after(dump: CompressionDump) -> list[Message]:
    return read_messages(dump.context_after.messages)


def _final_sizes(attempt: Attempted, first: SpanSizes) -> SpanSizes:
    counts = attempt.end.span if attempt.end else None
    return first if counts is None else SpanSizes.of(counts)
