"""Everything there is to see about one decision, read from its files when it is asked for.

A compression has its dump. For an attempt without one, whole messages are looked for in the dumps
around it and in the agent's own request; where they are not found the recorded previews are shown
and said to be previews. The cost is that of reading a few dumps and a request.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.debug.records import CompressionDump
from engine.messages import Message
from engine.processors.spans import Tail
from inspector.sources.counts import SpanSizes
from inspector.trace.compressions.dump_detail import compression_detail
from inspector.trace.compressions.files import ContextFiles
from inspector.trace.compressions.listings import SPAN_LISTS
from inspector.trace.compressions.shrinking import default_prompt, shrunken_span
from inspector.trace.compressions.story import Compressions, Judged
from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, Evidence, SpanView, TraceMessage, WindowDiff
from inspector.trace.evidence.raw_records import RawRecord, raw_record
from inspector.trace.evidence.records import objects, read_at, record_offset, span_sizes
from inspector.trace.stated import change_stated
from inspector.trace.windows.fates import unchanged_window
from inspector.trace.windows.formulas import CURRENT_FORMULAS, formulas_of
from inspector.trace.windows.spans import first_tail, keep_recent, span_view
from inspector.trace.windows.window import (
    Window,
    evidence_of,
    readable,
    readable_tools,
    trace_messages,
)

_KEEPS_RECENT = ("CurrentRoundCompressor", "RoundLevelCompressor")


class _Recovered(NamedTuple):
    """The window of an attempt without a dump, as far as it could be put together."""

    messages: tuple[TraceMessage, ...]
    window: Window | None
    """All messages in full; None where some are previews."""


class DetailReader:
    """Reads the details of one context. Its methods raise OSError for a lost file."""

    def __init__(self, found: Compressions, files: ContextFiles) -> None:
        """Read nothing yet."""
        self._found = found
        self._records = found.records
        self._files = files
        self._formulas = formulas_of(found.writer)
        self._keep: dict[str, int | None] = {}

    def detail(self, row: int, at: int, decision: Decision) -> Detail:
        """Return what there is to see about a row, whose first record and decision these are."""
        judged = self._found.judged.get(row)
        records = tuple(self._raw_records(at, judged))
        if judged is None or not judged.attempt.asked:
            return self._of_check(judged, decision, records)
        dump = self._files.dump(judged.attempt.dump)
        if dump is not None:
            return self._of_compression(judged, decision, dump, records)
        return self._of_silence(judged, decision, records)

    def final_span(self, judged: Judged, decision: Decision) -> SpanSizes | None:
        """Compute the span after overflows that no dump shows; None without its window."""
        if self._formulas is not CURRENT_FORMULAS:
            return None
        sizes, tokens = self._first_span(judged), decision.tokens
        window = self._recover(judged, decision).window
        around = self._files.surroundings(decision.time or math.nan, decision.step)
        if sizes is None or tokens is None or tokens.capacity is None or around is None:
            return None
        if window is None or window.evidence != "verified":
            return None
        fixed = readable([*around.system, *window.context[: sizes.prefix]])
        target = readable(window.context[sizes.prefix :][: sizes.compress])
        if fixed is None or target is None:
            return None
        return shrunken_span(
            fixed,
            self._files.prompt(decision.processor) or default_prompt(decision.processor),
            readable_tools(around.tools),
            target,
            sizes,
            [max(int(tokens.capacity * r.ratio), 1) for r in decision.retries if r.ratio],
        )

    def _of_check(
        self, judged: Judged | None, decision: Decision, records: tuple[RawRecord, ...]
    ) -> Detail:
        """Return the detail of a decision that built no span: the window stayed as it was."""
        notes = _evidence(judged)
        stated = judged.stated if judged is not None else None
        change = change_stated(stated, self._records) if stated and self._records else None
        if change is not None:
            return Detail(windows=change, records=records, notes=notes)
        if not decision.records:
            note = "This compressor left no record in this context, so there is nothing to show."
            return Detail(notes=(note, *notes))
        request = self._files.request(decision.step)
        if request is None:
            note = "No file holds the messages of this request: it has no request record."
            return Detail(records=records, notes=(note, *notes))
        if decision.step in self._found.rewritten:
            note = "This request was compressed, and its request record shows the result only."
            return Detail(records=records, notes=(note, *notes))
        return Detail(windows=unchanged_window(request), records=records, notes=notes)

    def _of_compression(
        self,
        judged: Judged,
        decision: Decision,
        dump: CompressionDump,
        records: tuple[RawRecord, ...],
    ) -> Detail:
        window = self._files.window_before(dump)
        first = self._first_span(judged) or SpanSizes.of(dump.span)
        tail, tail_notes = self._tail(decision.processor, readable(window.context), first)
        notes = (*_window_notes(window, dump), *tail_notes)
        return compression_detail(dump, window, first, tail, records, notes)

    def _of_silence(
        self, judged: Judged, decision: Decision, records: tuple[RawRecord, ...]
    ) -> Detail:
        """Return the detail of an attempt without a whole dump, from its span record."""
        first = self._first_span(judged)
        recovered = self._recover(judged, decision)
        final = SpanSizes(*_sizes(decision)) if decision.span else first
        window = recovered.window
        span: SpanView | None = None
        tail_notes: tuple[str, ...] = ()
        if first is not None and final is not None:
            context = readable(window.context) if window is not None else None
            tail, tail_notes = self._tail(decision.processor, context, first)
            evidence: Evidence = window.evidence if window is not None else "recorded"
            span = span_view(recovered.messages, final, first, tail, evidence)
        windows: WindowDiff | None = None
        if window is not None and decision.outcome == "gave_up":
            windows = unchanged_window(window)
        return Detail(
            span=span,
            windows=windows,
            records=records,
            notes=(*_evidence(judged), *_silence_notes(judged, recovered), *tail_notes),
        )

    def _recover(self, judged: Judged, decision: Decision) -> _Recovered:
        """Find the messages that a span record previews."""
        records, at = self._records, judged.attempt.span
        if records is None or at is None:
            return _Recovered((), None)
        record = read_at(records, at)
        parts = [objects(record.get(name)) for name in SPAN_LISTS]
        items = [item for part in parts for item in part]
        pool = self._files.pool(float(records.time[at]), decision.step)
        found = [pool.find(item) for item in items]
        whole = [message for message in found if message is not None]
        window: Window | None = None
        if items and len(whole) == len(items):
            start = len(parts[0])
            target = whole[start : start + len(parts[1])]
            recorded = decision.tokens.target if decision.tokens else None
            window = Window(
                [], whole, [], evidence_of(target, recorded, self._formulas), self._formulas
            )
        verified = window is not None and window.evidence == "verified"
        messages = tuple(
            trace_messages([message], position, not verified, self._formulas)[0]
            if message is not None
            else _previewed(item, position)
            for position, (item, message) in enumerate(zip(items, found, strict=True))
        )
        return _Recovered(messages, window)

    def _first_span(self, judged: Judged) -> SpanSizes | None:
        records, at = self._records, judged.attempt.span
        return span_sizes(records, at) if records is not None and at is not None else None

    def _tail(
        self, processor: str, messages: Sequence[Message] | None, first: SpanSizes
    ) -> tuple[Tail | None, tuple[str, ...]]:
        """Return how the first tail came about, and what had to be assumed for it."""
        if messages is None:
            return None, ()
        if processor in _KEEPS_RECENT and processor not in self._keep:
            self._keep[processor] = keep_recent(processor, self._files.tails(processor))
        keep = self._keep.get(processor)
        tail = first_tail(processor, messages, first.tail, keep)
        if tail is None or keep is None:
            return tail, ()
        note = f"keep_recent_messages is taken to be {keep}, which explains the recorded tails."
        return tail, (note,)

    def _raw_records(self, at: int, judged: Judged | None) -> Iterator[RawRecord]:
        positions = [at] if judged is None and at >= 0 else []
        positions += judged.attempt.positions if judged is not None else []
        if self._records is not None:
            for position in self._records.with_unknown(positions):
                event = self._records.head_at(position).event
                yield raw_record(*record_offset(self._records, position), event)
        dump = judged.attempt.dump if judged is not None else None
        if dump is not None:
            yield raw_record(dump.path, 0, None, "compression_dump")


def _previewed(item: Mapping[str, Any], position: int) -> TraceMessage:
    tokens, preview = item.get("tokens"), item.get("preview")
    return TraceMessage(
        position=position,
        role=str(item.get("role", "")),
        content=preview if isinstance(preview, str) else "",
        tokens=tokens if isinstance(tokens, int) else 0,
        partial=True,
    )


def _sizes(decision: Decision) -> tuple[int, int, int]:
    assert decision.span is not None
    return decision.span.prefix, decision.span.compress, decision.span.tail


def _evidence(judged: Judged | None) -> tuple[str, ...]:
    """Return what a conclusion rests on, as sentences."""
    if judged is None:
        return ()
    failure = judged.stated.failure if judged.stated is not None else ()
    return failure or judged.verdict.grounds


def _window_notes(window: Window, dump: CompressionDump) -> tuple[str, ...]:
    if window.evidence in ("recorded", "verified"):
        return ()
    return (
        f"The window before is put together from the dump, but its tokens are not the recorded "
        f"{dump.trigger.total_tokens_before}: another counter, or messages that were cut.",
    )


def _silence_notes(judged: Judged, recovered: _Recovered) -> Iterator[str]:
    if judged.attempt.dump is not None:
        yield "The dump is damaged, so request, answer and result cannot be shown."
    else:
        yield "Without a dump, the request and the model's answer are in no file."
    if any(message.partial for message in recovered.messages):
        yield "Messages that no dump or request holds are shown by their first 200 characters."
    if recovered.window is not None and recovered.window.evidence != "verified":
        yield "Whole messages are matched by role, size and beginning, which may be wrong."
