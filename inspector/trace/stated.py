"""What one record of its writer states by itself: folding, declines of whole turns, skips.

Everything else that a writer states is taken by the room of its family, which knows more of it.
"""

from __future__ import annotations

from inspector.trace.decision import Decision, Tokens
from inspector.trace.detail import Detail, Fate, WindowDiff
from inspector.trace.evidence.outcomes import StatedEnd
from inspector.trace.evidence.raw_records import raw_record
from inspector.trace.evidence.records import ContextRecords, objects, read_at, record_offset
from inspector.trace.place import Place, references
from inspector.trace.windows.fates import stated_change
from inspector.trace.windows.window import Chat

_GONE: dict[str, Fate] = {
    "folded": "folded",
    "compressed": "summarised",
    "materialised": "summarised",
}


def stated_decision(place: Place, end: StatedEnd, records: ContextRecords) -> Decision:
    """Return a decision that one record states."""
    record = end.record
    counted = end.before is not None or end.after is not None
    return Decision(
        **place,
        outcome=record.outcome,
        reason=record.reason,
        basis="recorded",
        duration=record.seconds,
        tool_call_id=record.tool_call_id,
        gates=end.gates,
        tokens=Tokens(before=end.before, after=end.after) if counted else None,
        model_calls=record.model_calls,
        records=references(records, [end.at]),
        summarizers=record.summarizers,
    )


def stated_detail(end: StatedEnd, records: ContextRecords) -> Detail:
    """Return what there is to see of it: its record, and the messages that went and came.

    Raises:
        OSError: its file cannot be read any more.
    """
    event = records.head_at(end.at).event
    return Detail(
        windows=change_stated(end, records),
        records=(raw_record(*record_offset(records, end.at), event),),
        notes=end.failure,
    )


def change_stated(end: StatedEnd, records: ContextRecords) -> WindowDiff | None:
    """Return the messages that went and those that came in their place; None where none is told.

    Raises:
        OSError: its file cannot be read any more.
    """
    record = read_at(records, end.at)
    return change_told(end, objects(record.get("replaced")), objects(record.get("replacement")))


def change_told(end: StatedEnd, replaced: Chat, replacement: Chat) -> WindowDiff | None:
    """Return messages that went beside those that came in their place; None where there are none.

    Args:
        end: What they went for.
        replaced: Those that went, or were changed.
        replacement: Those that came.
    """
    if not replaced and not replacement:
        return None
    gone = _GONE.get(end.record.outcome, "dropped")
    return stated_change(replaced, replacement, gone, (end.before, end.after))
