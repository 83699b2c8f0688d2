"""What the files of one context hold that a replay can use: steps and attempts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from engine.debug.records import CompressionDump, CompressionRetry, PreCall, SpanBuilt
from inspector.replay.case import Gap
from inspector.replay.recovery.conversation import RecordedStep
from inspector.sources.dump import read_dump
from inspector.trace.compressions.attempts import NOT_PREFIX
from inspector.trace.context_trace import NO_NUMBER
from inspector.trace.decision import Decision
from inspector.trace.recording import Recording

ON_DEMAND = "active_compress"
ATTEMPTED = frozenset({"compressed", "gave_up", "undecided", "running"})


@dataclass(frozen=True)
class RecordedAttempt:
    """One attempt to compress, with what was written about it."""

    step: int
    decision: Decision
    span: SpanBuilt | None
    retries: Sequence[CompressionRetry]
    dump: CompressionDump | None


@dataclass
class Evidence:
    """All of it, up to a compression on demand, which a case cannot hold yet."""

    steps: list[RecordedStep] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    attempts: list[RecordedAttempt] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


def read_evidence(trace: Recording) -> Evidence:
    """Read what the files of a context hold; needs time in the size of its attempts."""
    found = Evidence()
    last = _last_step(trace, found)
    totals: dict[int, int] = {}
    dumps: defaultdict[int, list[CompressionDump]] = defaultdict(list)
    for row in range(len(trace.decisions)):
        decision = trace.decision(row)
        step = decision.step
        if step is None or step > last or decision.phase == ON_DEMAND:
            continue
        if decision.processor in NOT_PREFIX:  # it measures something else, and asks no model here
            continue
        found.decisions.append(decision)
        if decision.tokens and decision.tokens.total is not None:
            totals.setdefault(step, decision.tokens.total)
        if decision.outcome in ATTEMPTED and decision.records:
            attempt = _attempt(trace, row, decision, step)
            found.attempts.append(attempt)
            if attempt.dump is not None:
                dumps[step].append(attempt.dump)
    requests = _requests(trace)
    found.steps = [
        RecordedStep(number, totals.get(number), dumps[number], requests.get(number))
        for number in trace.steps.number.tolist()
        if number <= last
    ]
    found.paths = sorted({ref.path for d in found.decisions for ref in d.records})
    return found


def _last_step(trace: Recording, found: Evidence) -> int:
    """Return the last step before a compression on demand, or the last there is."""
    steps = trace.steps
    last = int(steps.number.max()) if len(steps.number) else 0
    for row in range(len(trace.decisions)):
        if trace.decisions.outcomes[trace.decisions.outcome[row]] not in ATTEMPTED:
            continue
        decision = trace.decision(row)
        if decision.phase == ON_DEMAND and decision.time is not None:
            before = steps.number[steps.time < decision.time]
            last = int(before.max()) if len(before) else 0
            what = "a compression on demand follows, which a replay cannot ask for yet"
            found.gaps.append(Gap(step=last + 1, what=what))
            break
    return last


def _attempt(trace: Recording, row: int, decision: Decision, step: int) -> RecordedAttempt:
    span: SpanBuilt | None = None
    retries: list[CompressionRetry] = []
    for payload in trace.payloads(row):
        try:
            if payload.get("event") == "span_built":
                span = SpanBuilt.model_validate(payload)
            elif payload.get("event") == "compression_retry":
                retries.append(CompressionRetry.model_validate(payload))
        except ValidationError:
            continue  # a torn record; what the index knows of it is in the decision
    dump = read_dump(decision.dump) if decision.dump else None
    return RecordedAttempt(step, decision, span, retries, dump)


def _requests(trace: Recording) -> dict[int, PreCall]:
    requests: dict[int, PreCall] = {}
    for step, payload in trace.requests():
        try:
            requests[step] = PreCall.model_validate(payload)
        except ValidationError:
            continue
    return {step: request for step, request in requests.items() if step != NO_NUMBER}
