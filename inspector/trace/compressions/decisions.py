"""The decisions of the prefix compressors, built from what was concluded about them."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.sources.counts import SpanSizes
from inspector.sources.lines.columns import known_count
from inspector.trace.compressions.detail import DetailReader
from inspector.trace.compressions.gates import PrefixFacts, prefix_gates
from inspector.trace.compressions.story import (
    Compressions,
    Judged,
    before_and_after,
    duration_of,
    threshold_of,
    total_of,
)
from inspector.trace.decision import Basis, Decision, Gate, Method, RecordRef, Retry, Span, Tokens
from inspector.trace.evidence.records import span_sizes
from inspector.trace.place import Place, references

_SHRUNK = "budget_ratio_shrink"


class PrefixDecisions:
    """Builds them for one context; a span that overflows shrank is computed from its files."""

    def __init__(self, found: Compressions, reader: DetailReader) -> None:
        """Build nothing yet."""
        self._found = found
        self._records = found.records
        self._reader = reader
        self._final_spans: dict[int, Span | None] = {}

    def decline(self, place: Place, at: int, method: Method | None) -> Decision:
        """Return a decline that one record states."""
        records = self._records
        assert records is not None, "a plain decline is a record"
        head = records.head_at(at)
        total, target = known_count(records.total[at]), known_count(records.extra[at])
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
            method=method,
        )
        return Decision(
            **place,
            outcome="declined",
            reason=head.reason,
            basis="recorded",
            gates=prefix_gates(facts),
            tokens=tokens,
            records=references(records, records.with_unknown([at])),
        )

    def attempt(self, row: int, place: Place, judged: Judged, method: Method | None) -> Decision:
        """Return an attempt, or what stands for a compressor without records."""
        verdict, attempt = judged.verdict, judged.attempt
        decision = Decision(
            **place,
            outcome=verdict.outcome,
            reason=verdict.reason,
            candidates=[candidate.reason for candidate in verdict.candidates],
            basis=verdict.basis,
            duration=duration_of(self._records, judged),
            gates=self._gates(place["processor"], judged),
            tokens=self._tokens(judged, method),
            span=self._span(judged),
            retries=[self._retry(at) for at in attempt.retries],
            model_calls=judged.model_calls,
            dump=attempt.dump.path if attempt.dump else None,
            records=self._references(attempt.positions),
            summarizers=judged.stated.record.summarizers if judged.stated else [],
        )
        return self._settled(row, judged, decision)

    def _references(self, positions: Sequence[int]) -> list[RecordRef]:
        if self._records is None:
            return []
        return references(self._records, self._records.with_unknown(positions))

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

    def _gates(self, processor: str, judged: Judged) -> list[Gate]:
        verdict, attempt = judged.verdict, judged.attempt
        tokens = self._tokens(judged, None)
        sizes = self._first_span(judged)
        min_target: int | None = tokens.min_target
        basis: Basis = "recorded"
        if min_target is None:
            min_target = self._found.min_targets.get((processor, tokens.capacity))
            basis = "recorded" if min_target is None else "inferred"
        facts = PrefixFacts(
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
        gates = prefix_gates(facts, processor)
        return gates if judged.stated is None else judged.stated.stated_among(gates)

    def _tokens(self, judged: Judged, method: Method | None) -> Tokens:
        records, attempt, dump = self._records, judged.attempt, judged.attempt.dump
        before, after = before_and_after(judged)
        head = records.head_at(attempt.check) if records and attempt.check is not None else None
        target = (
            known_count(records.extra[attempt.check])
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
            method=method,
        )

    def _first_span(self, judged: Judged) -> SpanSizes | None:
        attempt, stated = judged.attempt, judged.stated
        if self._records is not None and attempt.span is not None:
            return span_sizes(self._records, attempt.span)
        if attempt.dump is not None:
            return attempt.dump.span
        return stated.span if stated is not None else None

    def _span(self, judged: Judged) -> Span | None:
        """Return the final span: the dump's, or the first one where nothing shrank it since."""
        if judged.stated is not None and judged.stated.span is not None:
            return _span(judged.stated.span)
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
