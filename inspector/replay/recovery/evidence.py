"""What the files of one context hold that a replay can use: steps, attempts, offloads, notes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from engine.debug.records import CompressionDump, CompressionRetry, PreCall, SpanBuilt
from engine.processors.compressors.prefix import PrefixCompressor
from engine.processors.registry import processor_class, registered_names
from inspector.replay.recovery.originals import originals_of
from inspector.replay.recovery.recorded import Change, Chat, RecordedStep, identity
from inspector.sources.documents.dump import read_dump
from inspector.trace.context_trace import NO_NUMBER
from inspector.trace.decision import Decision
from inspector.trace.evidence.records import objects
from inspector.trace.recording import Recording

ADDING, ON_DEMAND = "add_messages", "active_compress"
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
    """All of it, in order of time."""

    steps: list[RecordedStep] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    """Of the prefix compressors, where the step is known."""
    attempts: list[RecordedAttempt] = field(default_factory=list)
    others: dict[str, list[Decision]] = field(default_factory=dict)
    """Of every other processor, by name."""
    originals: dict[str, Chat] = field(default_factory=dict)
    """The messages that offloaders shortened, by their identity."""

    @property
    def paths(self) -> list[str]:
        """The files that the decisions stand in."""
        told = [*self.decisions, *(d for mine in self.others.values() for d in mine)]
        return sorted({ref.path for decision in told for ref in decision.records})


def read_evidence(trace: Recording) -> Evidence:
    """Read what the files of a context hold; needs time in the size of its attempts."""
    found = Evidence()
    attempts: defaultdict[int, list[RecordedAttempt]] = defaultdict(list)
    checks: defaultdict[int, list[Decision]] = defaultdict(list)
    changes: defaultdict[int, list[Change]] = defaultdict(list)
    unseen: set[int] = set()
    for row in range(len(trace.decisions)):
        decision = trace.decision(row)
        step = decision.step
        if not is_prefix(decision.processor):
            found.others.setdefault(decision.processor, []).append(decision)
            if decision.outcome in ("offloaded", "cut"):
                given = originals_of(trace, row, decision)
                found.originals |= {identity(chat): chat for chat in given}
            if decision.outcome in ("folded", "materialised") and step is not None:
                stated = list(_stated_changes(trace, row, decision))
                changes[step] += stated
                unseen |= set() if stated else {step}
            continue
        if step is None:
            continue
        found.decisions.append(decision)
        checks[step].append(decision)
        if decision.outcome in ATTEMPTED:
            attempts[step].append(_attempt(trace, row, decision, step))
            found.attempts.append(attempts[step][-1])
    requests = _requests(trace)
    unseen |= {a.step for a in found.attempts if a.decision.outcome == "compressed" and not a.dump}
    for number in trace.steps.number.tolist():
        requested, on_demand = _told_apart(checks[number])
        found.steps.append(
            RecordedStep(
                number,
                _total(requested),
                _dumps(attempts[number], requested),
                requests.get(number),
                changes=changes[number],
                unseen=number in unseen,
            )
        )
        found.steps += [
            RecordedStep(
                number, _total(asked), _dumps(attempts[number], asked), on_demand=_names(asked)
            )
            for asked in on_demand
        ]
    return found


def is_prefix(name: str) -> bool:
    """Return whether a processor is a prefix compressor that a replay has too."""
    return name in registered_names() and issubclass(processor_class(name), PrefixCompressor)


def _told_apart(decisions: Sequence[Decision]) -> tuple[list[Decision], list[list[Decision]]]:
    """Return the decisions of a window request, and of each compression on demand that followed.

    A compression on demand shows by its phase. The dialogue compressor's check before it looks like
    any other, but is the second one at that step (`engine.md`, Appendix D.3).
    """
    requested: list[Decision] = []
    on_demand: list[list[Decision]] = []
    for decision in decisions:
        seen = {d.processor for d in requested}
        if decision.phase != ON_DEMAND and decision.processor not in seen and not on_demand:
            requested.append(decision)
            continue
        if not on_demand or decision.processor in _names(on_demand[-1]):
            on_demand.append([])
        on_demand[-1].append(decision)
    return requested, on_demand


def _names(decisions: Sequence[Decision]) -> tuple[str, ...]:
    return tuple(decision.processor for decision in decisions)


def _total(decisions: Sequence[Decision]) -> int | None:
    totals = (d.tokens.total for d in decisions if d.tokens and d.tokens.total is not None)
    return next(totals, None)


def _dumps(
    attempts: Sequence[RecordedAttempt], decisions: Sequence[Decision]
) -> list[CompressionDump]:
    return [a.dump for a in attempts if a.dump is not None and a.decision in decisions]


def _attempt(trace: Recording, row: int, decision: Decision, step: int) -> RecordedAttempt:
    span: SpanBuilt | None = None
    retries: list[CompressionRetry] = []
    for record in trace.attempt_records(row):
        try:
            if record.get("event") == "span_built":
                span = SpanBuilt.model_validate(record)
            elif record.get("event") == "compression_retry":
                retries.append(CompressionRetry.model_validate(record))
        except ValidationError:
            continue  # a torn record; what the index knows of it is in the decision
    dump = read_dump(decision.dump) if decision.dump else None
    return RecordedAttempt(step, decision, span, retries, dump)


def _stated_changes(trace: Recording, row: int, decision: Decision) -> Iterator[Change]:
    """Yield what a processor's outcome says to have gone and come; the original writes none."""
    for record in trace.detail(row).records:
        try:
            told = json.loads(record.text)
        except ValueError:
            continue
        gone, left = objects(told.get("replaced")), objects(told.get("replacement"))
        if gone and left:
            yield Change(gone, left, adding=decision.phase == ADDING)


def _requests(trace: Recording) -> dict[int, PreCall]:
    requests: dict[int, PreCall] = {}
    for step, payload in trace.requests():
        try:
            requests[step] = PreCall.model_validate(payload)
        except ValidationError:
            continue
    return {step: request for step, request in requests.items() if step != NO_NUMBER}
