"""A compressor's attempt in a replay, from its check to its end."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.debug.records import CompressionRetry, SpanBuilt
from inspector.replay.reports.decisions.told import CheckedDecision, Surroundings
from inspector.trace.compressions.gates import PrefixFacts, prefix_gates
from inspector.trace.decision import Decision, Outcome, Retry, Span


@dataclass
class Attempted(CheckedDecision):
    """A decision of a compressor that may ask a model; without a check it acted on demand."""

    span: SpanBuilt | None = None
    retries: list[CompressionRetry] = field(default_factory=list)

    @property
    def tried(self) -> bool:
        """It was not declined by its check."""
        return self.span is not None or self.is_hit

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        if not self.tried:
            return "declined"
        return self.end.outcome if self.end else "undecided"

    @property
    def reason(self) -> str | None:
        """Why it was declined or given up."""
        return self.check.reason if self.check and not self.tried else super().reason

    def decision(self, surroundings: Surroundings) -> Decision:
        """Return it with its gates."""
        tokens, end, span = self._tokens(surroundings), self.end, self._first_span
        facts = PrefixFacts(
            outcome=self.outcome,
            reason=self.reason,
            forced=self.check is None,
            total=tokens.total,
            threshold=tokens.threshold,
            span_messages=span.compress if span else None,
            target=tokens.target,
            min_target=surroundings.min_target(self.processor, self.step, tokens.capacity),
            model_calls=end.model_calls if end else 0,
            before=tokens.before,
            after=tokens.after,
        )
        return Decision(
            **self._place(surroundings),
            gates=self._gates(prefix_gates(facts, self.processor)),
            tokens=tokens,
            span=self._final_span,
            retries=[_retry(retry) for retry in self.retries],
            model_calls=facts.model_calls,
            summarizers=list(end.summarizers) if end else [],
        )

    @property
    def _first_span(self) -> Span | None:
        span = self.span
        if span is None:
            return None
        return Span(
            prefix=len(span.preserved_prefix),
            compress=len(span.messages_to_compress),
            tail=len(span.protected_tail),
        )

    @property
    def _final_span(self) -> Span | None:
        counts = self.end.span if self.end else None
        if counts is None:
            return self._first_span
        return Span(
            prefix=counts.preserved_prefix_count,
            compress=counts.messages_to_compress_count,
            tail=counts.protected_tail_count,
        )


def _retry(record: CompressionRetry) -> Retry:
    return Retry(
        attempt=record.attempt,
        error=record.error_type,
        action=record.reason,
        ratio=record.budget_ratio,
        delay=record.delay_seconds,
    )
