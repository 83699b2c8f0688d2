"""The decisions of session memory, built from what was concluded about its records."""

from __future__ import annotations

import math

from inspector.sources.lines.columns import known_count
from inspector.trace.decision import Decision, RecordRef, Tokens
from inspector.trace.evidence.records import ContextRecords
from inspector.trace.place import Place, bounded, references
from inspector.trace.session_memory.gates import NotesFacts, notes_gates
from inspector.trace.session_memory.story import UPDATE_PHASE, NotesStory


def notes_decline(place: Place, at: int, records: ContextRecords) -> Decision:
    """Return a decline that one record states."""
    tokens, reason = _tokens(records, at), records.head_at(at).reason
    facts = NotesFacts(
        outcome="declined", reason=reason, total=tokens.total, threshold=tokens.threshold
    )
    return Decision(
        **place,
        outcome="declined",
        reason=reason,
        basis="recorded",
        gates=notes_gates(facts),
        tokens=tokens,
        records=references(records, [at]),
    )


def notes_decision(place: Place, story: NotesStory, records: ContextRecords) -> Decision:
    """Return what a hit came to."""
    verdict, stated = story.verdict, story.stated
    candidates = [candidate.reason for candidate in verdict.candidates]
    ended = story.phase == UPDATE_PHASE
    tokens = None if ended or not story.positions else _tokens(records, story.positions[0])
    if tokens is not None and stated is not None:
        tokens = tokens.model_copy(update={"before": stated.before, "after": stated.after})
    gates = notes_gates(
        NotesFacts(
            outcome=verdict.outcome,
            reason=verdict.reason,
            candidates=candidates,
            total=tokens.total if tokens else None,
            threshold=tokens.threshold if tokens else None,
        )
    )
    lines = references(records, story.positions)
    paths = [*story.files, *([story.log.path] if story.log else [])]
    documents = [RecordRef(path=path, offset=0) for path in paths]
    return Decision(
        **bounded(place, story.after, story.before),
        duration=_duration(story, records),
        outcome=verdict.outcome,
        reason=verdict.reason,
        candidates=candidates,
        basis=verdict.basis,
        gates=gates if stated is None else stated.stated_among(gates),
        tokens=tokens,
        records=[*lines, *documents],
    )


def _duration(story: NotesStory, records: ContextRecords) -> float | None:
    if story.stated is not None and story.stated.record.seconds is not None:
        return story.stated.record.seconds
    if story.phase == UPDATE_PHASE or len(story.positions) < 2:
        return None
    seconds = float(records.time[story.positions[-1]] - records.time[story.positions[0]])
    return seconds if math.isfinite(seconds) else None


def _tokens(records: ContextRecords, at: int) -> Tokens:
    head, total = records.head_at(at), known_count(records.total[at])
    return Tokens(total=total, threshold=head.threshold, capacity=head.capacity)
