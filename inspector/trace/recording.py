"""The trace of a context as its files tell it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from inspector.sources.jsonl import SpanSizes, read_record
from inspector.trace.attempts import record_offset, span_sizes
from inspector.trace.context_files import ContextFiles
from inspector.trace.context_trace import NO_NUMBER
from inspector.trace.correlation import (
    Correlated,
    before_and_after,
    duration_of,
    threshold_of,
    total_of,
)
from inspector.trace.decision import (
    Basis,
    Decision,
    Gate,
    Method,
    RecordRef,
    Retry,
    Span,
    Tokens,
)
from inspector.trace.detail import Detail
from inspector.trace.detail_reader import DetailReader
from inspector.trace.gates import PrefixFacts, prefix_gates
from inspector.trace.records import CHECK, MODEL_CALL, WINDOW_PHASE, ContextRecords
from inspector.trace.verdicts import Judged

ON_DEMAND_PHASE = "active_compress"
_SHRUNK = "budget_ratio_shrink"


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
        self._files = ContextFiles(found)
        self._reader = DetailReader(found, self._files)
        self._final_spans: dict[int, Span | None] = {}
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

    @property
    def model_calls(self) -> int:
        """Calls for summaries, failed ones included."""
        return sum(judged.model_calls for judged in self._found.judged.values())

    def decision(self, row: int) -> Decision:
        """Return the decision of a row, gates included."""
        judged = self._found.judged.get(row)
        if judged is None:
            return self._decline(row)
        return self._settled(row, judged, self._attempt(row, judged))

    def detail(self, row: int) -> Detail:
        """Return what there is to see about a row; reads files."""
        try:
            return self._reader.detail(row, self.decision(row))
        except OSError as error:
            return Detail(notes=(f"{error.filename} cannot be read any more: {error.strerror}.",))

    def payloads(self, row: int) -> list[dict[str, Any]]:
        """Return the records of a row as their files hold them; reads files."""
        judged, records = self._found.judged.get(row), self._records
        if judged is None or records is None:
            return []
        return [read_record(*record_offset(records, at)) for at in judged.attempt.positions]

    def requests(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the agent's own model calls with their step; reads files."""
        records = self._records
        if records is None:
            return
        for at in np.flatnonzero(records.event == MODEL_CALL).tolist():
            yield int(self._found.record_steps[at]), read_record(*record_offset(records, at))

    def _decline(self, row: int) -> Decision:
        records = self._records
        assert records is not None, "a plain decline is a record"
        at = int(self._found.at[row])
        head = records.head_at(at)
        total, target = _known(records.total[at]), _known(records.extra[at])
        facts = PrefixFacts(
            outcome="declined",
            reason=head.reason,
            total=total,
            threshold=head.threshold,
            target=target,
            min_target=head.min_target,
        )
        tokens = Tokens(
            total=total,
            threshold=head.threshold,
            capacity=head.capacity,
            target=target,
            min_target=head.min_target,
            method=self._method_of_all,
        )
        return Decision(
            **self._place(row),
            outcome="declined",
            reason=head.reason,
            basis="recorded",
            gates=prefix_gates(facts),
            tokens=tokens,
            records=[self._reference(at)],
        )

    def _attempt(self, row: int, judged: Judged) -> Decision:
        verdict, attempt = judged.verdict, judged.attempt
        return Decision(
            **self._place(row),
            outcome=verdict.outcome,
            reason=verdict.reason,
            candidates=[candidate.reason for candidate in verdict.candidates],
            basis=verdict.basis,
            duration=duration_of(self._records, judged),
            gates=self._gates(row, judged),
            tokens=self._tokens(row, judged),
            span=self._span(judged),
            retries=[self._retry(at) for at in attempt.retries],
            model_calls=judged.model_calls,
            dump=attempt.dump.path if attempt.dump else None,
            records=[self._reference(at) for at in attempt.positions],
            summarizers=judged.stated.summarizers if judged.stated else [],
        )

    def _place(self, row: int) -> dict[str, Any]:
        columns, found = self.decisions, self._found
        time, step = float(columns.time[row]), int(columns.step[row])
        known = not np.isnan(time)
        after, before = (None, None) if known or self._records is None else self._bounds()
        on_demand = (
            found.on_demand[row] and row in found.judged
        )  # a decline keeps its check's phase
        phase = ON_DEMAND_PHASE if on_demand else self._phase(int(found.at[row]))
        return {
            "session_id": self.session_id,
            "context_id": self.context_id,
            "time": time if known else None,
            "after": after,
            "before": before,
            "step": None if step == NO_NUMBER else step,
            "processor": columns.processors[int(columns.processor[row])],
            "phase": phase,
        }

    def _phase(self, at: int) -> str:
        head = self._records.head_at(at) if self._records is not None and at >= 0 else None
        return (head.phase if head else None) or WINDOW_PHASE

    def _bounds(self) -> tuple[float | None, float | None]:
        """Return the times of the first and the last record."""
        if self._records is None or not len(self._records.time):
            return None, None
        return float(self._records.time[0]), float(self._records.time[-1])

    def _reference(self, at: int) -> RecordRef:
        assert self._records is not None
        path, offset, _length = record_offset(self._records, at)
        return RecordRef(path=path, offset=offset)

    def _retry(self, at: int) -> Retry:
        assert self._records is not None
        head = self._records.head_at(at)
        return Retry(
            attempt=head.attempt or 0,
            error=head.error or "",
            action=head.reason or "",
            ratio=head.ratio,
            delay=head.delay,
        )

    def _gates(self, row: int, judged: Judged) -> list[Gate]:
        verdict, attempt = judged.verdict, judged.attempt
        tokens = self._tokens(row, judged)
        sizes = self._first_span(judged)
        min_target: int | None = tokens.min_target
        basis: Basis = "recorded"
        if min_target is None:
            name = self.decisions.processors[int(self.decisions.processor[row])]
            min_target = self._found.min_targets.get((name, tokens.capacity))
            basis = "recorded" if min_target is None else "inferred"
        return prefix_gates(
            PrefixFacts(
                outcome=verdict.outcome,
                reason=verdict.reason,
                candidates=[candidate.reason for candidate in verdict.candidates],
                basis=verdict.basis,
                forced=judged.forced,
                checked=bool(attempt.positions) or attempt.dump is not None,
                total=tokens.total,
                threshold=tokens.threshold,
                span_messages=sizes.compress if sizes else None,
                target=tokens.target,
                min_target=min_target,
                min_target_basis=basis,
                model_calls=judged.model_calls,
                before=tokens.before,
                after=tokens.after,
            )
        )

    def _tokens(self, row: int, judged: Judged) -> Tokens:
        records, attempt, dump = self._records, judged.attempt, judged.attempt.dump
        before, after = before_and_after(judged)
        head = records.head_at(attempt.check) if records and attempt.check is not None else None
        target = (
            _known(records.extra[attempt.check])
            if records and attempt.check is not None
            else (dump.target if dump else None)
        )
        return Tokens(
            total=total_of(records, judged),
            threshold=threshold_of(records, judged),
            capacity=head.capacity if head else (dump.capacity if dump else None),
            target=target,
            min_target=head.min_target if head else None,
            before=before,
            after=after,
            method=self._method_of_all,
        )

    def _first_span(self, judged: Judged) -> SpanSizes | None:
        span = judged.attempt.span
        if self._records is None or span is None:
            return judged.attempt.dump.span if judged.attempt.dump else None
        return span_sizes(self._records, span)

    def _span(self, judged: Judged) -> Span | None:
        """Return the final span: the dump's, or the first one where nothing shrank it since."""
        if judged.stated is not None:
            counts = judged.stated.span
            return Span(
                prefix=counts.preserved_prefix_count,
                compress=counts.messages_to_compress_count,
                tail=counts.protected_tail_count,
            )
        dump = judged.attempt.dump
        if dump is not None and dump.span is not None:
            return _span(dump.span)
        first = self._first_span(judged)
        return None if first is None else _span(first)

    def _settled(self, row: int, judged: Judged, decision: Decision) -> Decision:
        """Return the decision with its final span, where overflows shrank the recorded one."""
        shrunken = any(retry.action == _SHRUNK for retry in decision.retries)
        if not shrunken or decision.dump is not None or judged.stated is not None:
            return decision
        if row not in self._final_spans:
            self._final_spans[row] = self._computed_span(judged, decision)
        return decision.model_copy(update={"span": self._final_spans[row]})

    def _computed_span(self, judged: Judged, decision: Decision) -> Span | None:
        try:
            computed = self._reader.final_span(judged, decision)
        except OSError:
            computed = None
        sizes = computed or self._first_span(judged)
        return None if sizes is None else _span(sizes, "inferred")


def _span(sizes: SpanSizes, basis: Basis = "recorded") -> Span:
    return Span(prefix=sizes.prefix, compress=sizes.compress, tail=sizes.tail, basis=basis)


def _known(value: np.int64) -> int | None:
    return None if value == NO_NUMBER else int(value)


def _limits(found: Correlated) -> tuple[int | None, dict[str, int]]:
    """Return the latest capacity, and the latest threshold of each processor of the chain."""
    records = found.records
    dumps = [j.attempt.dump for j in found.judged.values() if j.attempt.dump is not None]
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
