"""A replay as a trace: the same decisions, gates and columns as a recording has, from a report.

Nothing is inferred here: the engine's own `outcome` records say how each attempt ended. Times are
those of the replay's virtual clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from engine.debug.records import CompressionRetry, DebugRecord, SpanBuilt, ThresholdCheck
from engine.debug.records import Outcome as OutcomeRecord
from inspector.replay.report import Report, StepReport
from inspector.replay.settings import effective
from inspector.sources.recall_calls import recall_calls
from inspector.trace.compressions.gates import PrefixFacts, prefix_gates
from inspector.trace.context_trace import (
    NO_NUMBER,
    NO_NUMBER_SAVED,
    DecisionColumns,
    StepColumns,
)
from inspector.trace.decision import Decision, Method, Retry, Span, Tokens
from inspector.trace.detail import Detail
from inspector.trace.evidence.raw_records import RawRecord
from inspector.trace.evidence.recalls import Recall


@dataclass
class Attempted:
    """The records of one decision."""

    step: int | None
    check: ThresholdCheck | None = None
    span: SpanBuilt | None = None
    retries: list[CompressionRetry] = field(default_factory=list)
    outcome: OutcomeRecord | None = None
    changed: bool = False
    """The context was changed although no record states an outcome: messages were shortened."""

    @property
    def head(self) -> ThresholdCheck | SpanBuilt:
        """The first record."""
        first = self.check or self.span
        assert first is not None
        return first

    @property
    def result(self) -> str:
        """The outcome by its name."""
        if self.check is not None and not self.check.hit:
            return "declined"
        if self.outcome is not None:
            return self.outcome.outcome
        if self.span is not None:
            return "undecided"
        return "cut" if self.changed else "declined"

    @property
    def reason(self) -> str | None:
        """Why it was declined or given up."""
        if self.check is not None and not self.check.hit:
            return self.check.reason
        if self.result == "declined":
            return "no_compressible_span"
        return self.outcome.reason if self.outcome else None

    @property
    def saved(self) -> int | None:
        """Tokens by which the context shrank; None where it did not change."""
        outcome = self.outcome
        if outcome is None or outcome.outcome != "compressed":
            return None
        before, after = outcome.before_tokens, outcome.after_tokens
        return None if before is None or after is None else before - after


class ReportTrace:
    """The trace of a replay report."""

    def __init__(self, report: Report) -> None:
        """Read the report's records."""
        self.report = report
        self.session_id = report.session_id
        self.context_id = report.context_id
        self.capacity: int | None = report.context_max
        self.method: Method = "string_length" if report.token_counter == "string" else "tiktoken"
        self.attempts = _attempts(report.steps)
        self.thresholds: Mapping[str, int] = {
            a.check.processor: a.check.threshold for a in self.attempts if a.check
        }
        self.steps = _step_columns(report.steps, self.attempts)
        self.decisions = _decision_columns(self.attempts)
        self._min_ratios = _min_ratios(report)

    @cached_property
    def recalls(self) -> tuple[Recall, ...]:
        """When the model asked for what had been taken out of its window; a report has no files."""
        found: dict[str, Recall] = {}
        windows = (step.window for step in self.report.steps if step.window is not None)
        for number, window in enumerate(windows, 1):
            for digest in window.messages.then if window.messages is not None else ():
                for call in recall_calls(self.report.texts.get(digest, {}).get("tool_calls")):
                    found.setdefault(call.call_id, Recall(call, number))
        return tuple(found.values())

    def decision(self, row: int) -> Decision:
        """Return the decision of a row, gates included."""
        attempt = self.attempts[row]
        ratio = self._min_ratio(attempt)
        capacity = attempt.check.context_max if attempt.check else self.report.context_max
        least = None if ratio is None else int(capacity * ratio)
        return _decision(attempt, self.session_id, self.context_id, least, self.method)

    def detail(self, row: int) -> Detail:
        """Return a row's records; a report holds no windows in between."""
        note = "A report on disk holds the windows after the whole chain only."
        return Detail(records=tuple(raw_records(self.attempts[row])), notes=(note,))

    def _min_ratio(self, attempt: Attempted) -> float | None:
        """Return the share of the capacity that a span had to hold then."""
        name = attempt.head.processor
        ratio = self._min_ratios.get(name)
        for turn in self.report.turns:
            if attempt.step is not None and turn.step <= attempt.step:
                ratio = turn.settings.get(f"{name}.min_target_context_ratio", ratio)
        return ratio


def _attempts(steps: Sequence[StepReport]) -> list[Attempted]:
    attempts: list[Attempted] = []
    number = 0
    for step in steps:
        number += step.window is not None
        attempts += _attempts_of(step, number + (step.window is None))
    return attempts


def _attempts_of(step: StepReport, number: int) -> list[Attempted]:
    made: list[Attempted] = []
    open_: dict[str, Attempted] = {}
    for record in step.decisions:
        event, processor = record.get("event"), str(record.get("processor"))
        if "pass_name" in record or event == "message_offloaded":
            continue  # the offloader's records are about single messages, not about attempts
        current = open_.get(processor)
        if event == "threshold_check" or (event == "span_built" and _ended(current)):
            current = open_[processor] = Attempted(number)
            made.append(current)
        if current is None:
            continue
        if event == "threshold_check":
            current.check = ThresholdCheck.model_validate(record)
        elif event == "span_built":
            current.span = SpanBuilt.model_validate(record)
        elif event == "compression_retry":
            current.retries.append(CompressionRetry.model_validate(record))
    _give_outcomes(step.extra, made)
    done = {state.processor for state in step.states if state.status == "completed"}
    for attempt in made:
        attempt.changed = attempt.head.processor in done
    return made


def _ended(attempt: Attempted | None) -> bool:
    return attempt is None or attempt.span is not None or not (attempt.check and attempt.check.hit)


def _give_outcomes(extra: Sequence[Mapping[str, Any]], attempts: Sequence[Attempted]) -> None:
    """Hand each `outcome` record to the attempt that waits for it.

    A prefix compressor lists its span before it tries; the processors of a minimal loop go from the
    check straight to the outcome.
    """
    waiting = [a for a in attempts if a.span is not None or (a.check is not None and a.check.hit)]
    for record in extra:
        if record.get("event") != "outcome":
            continue
        outcome = OutcomeRecord.model_validate(record)
        for attempt in waiting:
            if attempt.outcome is None and attempt.head.processor == outcome.processor:
                attempt.outcome = outcome
                break


def _step_columns(steps: Sequence[StepReport], attempts: Sequence[Attempted]) -> StepColumns:
    windows = [step.window for step in steps if step.window is not None]
    count = len(windows)
    time = np.full(count, np.nan)
    total = np.full(count, NO_NUMBER, np.int64)
    for attempt in reversed(attempts):
        if attempt.step is not None and attempt.step <= count:
            time[attempt.step - 1] = attempt.head.timestamp
            if attempt.check is not None:
                total[attempt.step - 1] = attempt.check.total_tokens
    for at, window in enumerate(windows):
        if window.given_tokens is not None:
            total[at] = window.given_tokens
    sent = [NO_NUMBER if w is None or w.window_tokens is None else w.window_tokens for w in windows]
    sent_column = np.array(sent, np.int64)
    return StepColumns(
        number=np.arange(1, count + 1, dtype=np.int64),
        time=time,
        total=np.where(total == NO_NUMBER, sent_column, total),
        sent=sent_column,
    )


def _decision_columns(attempts: Sequence[Attempted]) -> DecisionColumns:
    processors = tuple(dict.fromkeys(a.head.processor for a in attempts))
    outcomes = tuple(dict.fromkeys(a.result for a in attempts))
    reasons = tuple(dict.fromkeys(a.reason for a in attempts if a.reason))
    checks = [a.check for a in attempts]
    return DecisionColumns(
        time=np.array([a.head.timestamp for a in attempts], np.float64),
        step=np.array([a.step or NO_NUMBER for a in attempts], np.int64),
        processor=np.array([processors.index(a.head.processor) for a in attempts], np.int16),
        processors=processors,
        outcome=np.array([outcomes.index(a.result) for a in attempts], np.int16),
        outcomes=outcomes,
        reason=np.array([reasons.index(a.reason) if a.reason else -1 for a in attempts], np.int16),
        reasons=reasons,
        total=np.array([c.total_tokens if c else NO_NUMBER for c in checks], np.int64),
        size=np.full(len(attempts), NO_NUMBER, np.int64),
        threshold=np.array([c.threshold if c else NO_NUMBER for c in checks], np.int64),
        saved=np.array(
            [NO_NUMBER_SAVED if a.saved is None else a.saved for a in attempts], np.int64
        ),
        duration=np.array([_duration(a) for a in attempts], np.float64),
        inferred=np.zeros(len(attempts), np.bool_),
    )


def _duration(attempt: Attempted) -> float:
    if attempt.outcome is None:
        return float("nan")
    return attempt.outcome.timestamp - attempt.head.timestamp


def _min_ratios(report: Report) -> dict[str, float]:
    """Return the share of the capacity that a span must hold, by processor."""
    settings = {name: effective(name, values) for name, values in report.processors}
    ratios = {name: values.get("min_target_context_ratio") for name, values in settings.items()}
    return {name: ratio for name, ratio in ratios.items() if ratio is not None}


def _decision(
    attempt: Attempted, session_id: str, context_id: str, min_target: int | None, method: Method
) -> Decision:
    check, outcome = attempt.check, attempt.outcome
    model_calls = outcome.model_calls if outcome else 0
    span = _first_span(attempt)
    facts = PrefixFacts(
        outcome=attempt.result,  # type: ignore[arg-type]
        reason=attempt.reason,
        forced=check is None,
        total=check.total_tokens if check else None,
        threshold=check.threshold if check else None,
        span_messages=span.compress if span else None,
        target=check.target_tokens if check else None,
        min_target=min_target,
        model_calls=model_calls,
        before=outcome.before_tokens if outcome else None,
        after=outcome.after_tokens if outcome else None,
    )
    return Decision(
        session_id=session_id,
        context_id=context_id,
        time=attempt.head.timestamp,
        duration=None if outcome is None else _duration(attempt),
        step=attempt.step,
        processor=attempt.head.processor,
        phase=outcome.phase if outcome else attempt.head.phase,
        outcome=facts.outcome,
        reason=attempt.reason,
        basis="recorded",
        gates=prefix_gates(facts),
        tokens=Tokens(
            total=facts.total,
            threshold=facts.threshold,
            capacity=check.context_max if check else None,
            target=facts.target,
            min_target=check.min_target_tokens if check else None,
            before=facts.before,
            after=facts.after,
            method=method,
        ),
        span=_final_span(attempt),
        retries=[_retry(retry) for retry in attempt.retries],
        model_calls=model_calls,
        summarizers=list(outcome.summarizers) if outcome else [],
    )


def _first_span(attempt: Attempted) -> Span | None:
    span = attempt.span
    if span is None:
        return None
    return Span(
        prefix=len(span.preserved_prefix),
        compress=len(span.messages_to_compress),
        tail=len(span.protected_tail),
    )


def _final_span(attempt: Attempted) -> Span | None:
    counts = attempt.outcome.span if attempt.outcome is not None else None
    if counts is None:
        return _first_span(attempt)
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


def raw_records(attempt: Attempted) -> Iterator[RawRecord]:
    """Yield the records of an attempt as they would stand in files."""
    written: Sequence[DebugRecord | None] = (
        attempt.check,
        attempt.span,
        *attempt.retries,
        attempt.outcome,
    )
    for position, record in enumerate(record for record in written if record is not None):
        text = json.dumps(record.to_json(), ensure_ascii=False, indent=2)
        size = len(text.encode(errors="replace"))
        yield RawRecord("replay", position, size, record.event, text)
