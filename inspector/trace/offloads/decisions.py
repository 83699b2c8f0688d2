"""The decisions of the offloaders, built from what was concluded about each tool result."""

from __future__ import annotations

from inspector.sources.lines.columns import known_count
from inspector.trace.decision import Decision, Gate, RecordRef, Tokens
from inspector.trace.evidence.records import ContextRecords, OffloadRecords, read_at
from inspector.trace.offloads.gates import OffloadFacts, offload_gates
from inspector.trace.offloads.story import OffloadPass
from inspector.trace.offloads.times import OffloadTimes
from inspector.trace.offloads.verdicts import SMALL
from inspector.trace.place import Place, bounded, references


def check_decision(place: Place, at: int, records: OffloadRecords, times: OffloadTimes) -> Decision:
    """Return the decision of a line that says that a result is small enough; reads its line."""
    tokens, threshold = known_count(records.total[at]), records.head_at(at).threshold
    facts = OffloadFacts(outcome="declined", reason=SMALL, tokens=tokens, threshold=threshold)
    return Decision(
        **bounded(place, float(times.after[at]), float(times.before[at])),
        outcome="declined",
        reason=SMALL,
        basis="recorded",
        tool_call_id=_call_id(records, at),
        gates=offload_gates(facts),
        tokens=Tokens(threshold=threshold, before=tokens),
        records=references(records, [at]),
    )


def pass_decision(
    place: Place, told: OffloadPass, records: OffloadRecords | None, dated: ContextRecords | None
) -> Decision:
    """Return the decision of a pass over a large result.

    Args:
        place: Whose it is and when.
        told: The pass.
        records: The offloader's log, where there is one.
        dated: The records in which its end may be stated.
    """
    verdict, stated = told.verdict, told.stated
    lines = [] if records is None else references(records, told.positions)
    if dated is not None and stated is not None:
        lines += references(dated, [stated.at])
    files = [RecordRef(path=told.file.path, offset=told.file.offset)] if told.file else []
    tokens = Tokens(
        threshold=told.told("threshold"),
        before=told.before_tokens,
        after=told.after_tokens,
        method=told.method,
    )
    return Decision(
        **bounded(place, told.after, told.before),
        outcome=verdict.outcome,
        reason=verdict.reason,
        candidates=[candidate.reason for candidate in verdict.candidates],
        basis=verdict.basis,
        tool_call_id=told.call_id,
        gates=_gates(told),
        duration=stated.record.seconds if stated else None,
        tokens=tokens if told.entries or stated else None,
        dump=told.rule_dump.path if told.rule_dump else None,
        reload_of=told.reload_of,
        records=[*lines, *files],
    )


def _gates(told: OffloadPass) -> list[Gate]:
    tokens, threshold = told.before_tokens, told.told("threshold")
    facts = OffloadFacts(
        outcome=told.verdict.outcome,
        reason=told.verdict.reason,
        ttl=told.ttl,
        measured=tokens is not None,
        tokens=tokens,
        threshold=threshold,
        tried=told.tried,
        ruled=told.ruled,
        chars=told.chars,
        result_chars=told.ruled_chars,
    )
    gates = offload_gates(facts)
    return gates if told.stated is None else told.stated.stated_among(gates)


def _call_id(records: OffloadRecords, at: int) -> str | None:
    try:
        call_id = read_at(records, at).get("tool_call_id")
    except OSError:
        return None
    return call_id if isinstance(call_id, str) else None
